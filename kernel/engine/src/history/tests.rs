//! Goal: a request is always well-formed and its prefix is the same bytes as before, also after a
//! session is rebuilt from its log.

use serde_json::Value;
use tollgate_core::{
    call::Block,
    digest::Digest,
    name::CallId,
    receipt::{Decision, Status},
};

use super::History;
use crate::store::session::{Assistant, SessionRecord, ToolCall, ToolResult, Usage};

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "read".into(), arguments: r#"{"path": "a"}"#.into() }
}

fn answer(text: &str, calls: &[&str]) -> Assistant {
    Assistant {
        turn: 1,
        step: 1,
        text: text.into(),
        reasoning: "shown".into(),
        carried: r#"{"format":"chat"}"#.into(),
        tool_calls: calls.iter().map(|id| call(id)).collect(),
        stop: "tools".into(),
        usage: Usage::default(),
        model: String::new(),
    }
}

fn result(id: &str, text: &str) -> SessionRecord {
    SessionRecord::ToolResult(ToolResult {
        turn: 1,
        step: 1,
        call_id: CallId::try_from("c").unwrap(),
        tool_call_id: id.into(),
        name: "read".into(),
        status: Status::Ok,
        decision: Decision::Auto,
        content: vec![Block::Text { text: text.into() }],
        metadata: Value::Null,
        truncated: None,
        receipt_head: Digest([0; 32]),
    })
}

fn user(text: &str) -> SessionRecord {
    SessionRecord::User { turn: 1, text: text.into() }
}

fn messages(history: &History) -> Vec<Value> {
    let request = history.request("system", b"[]");
    let request: Value = serde_json::from_slice(&request).unwrap();
    request["messages"].as_array().unwrap().clone()
}

#[test]
fn a_request_has_its_parts_in_order() {
    let mut history = History::default();
    history.user("hi \"you\"");
    let request = String::from_utf8(history.request("be\nbrief", b"[1]").to_vec()).unwrap();
    let expected = r#"{"system":"be\nbrief","tools":[1],"messages":[{"role":"user","content":[{"text":"hi \"you\"","type":"text"}]}]}"#;
    assert_eq!(request, expected);
}

#[test]
fn the_prefix_of_a_request_is_the_request_before() {
    let mut history = History::default();
    history.user("one");
    let before = history.request("s", b"[]");
    history.assistant(&answer("two", &[]), "");
    let after = history.request("s", b"[]");
    let prefix = &before[..before.len() - 2];
    assert!(after.starts_with(prefix));
}

/// `[STORE-01]`, `[TURN-02]`: calls that the end of the log cut off get a result each.
#[test]
fn a_rebuilt_conversation_has_a_result_for_every_call() {
    let records = [user("go"), SessionRecord::Assistant(answer("", &["a", "b"])), result("a", "x")];
    let rebuilt = messages(&History::from_records(&records));
    let ids: Vec<_> = rebuilt.iter().filter_map(|it| it["tool_call_id"].as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(rebuilt[3]["is_error"], true);
}

#[test]
fn a_message_after_a_cut_turn_comes_after_the_missing_results() {
    let records = [user("go"), SessionRecord::Assistant(answer("", &["a"])), user("again")];
    let roles: Vec<_> =
        messages(&History::from_records(&records)).iter().map(|it| it["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user"]);
}

#[test]
fn a_rebuilt_conversation_is_the_same_bytes() {
    let records =
        [user("go"), SessionRecord::Assistant(answer("text", &["a"])), result("a", "é\u{0}")];
    let mut live = History::default();
    live.user("go");
    let said = answer("text", &["a"]);
    live.assistant(&said, &said.carried);
    live.result("a", &[Block::Text { text: "é\u{0}".into() }], false);
    let rebuilt = History::from_records(&records);
    assert_eq!(live.request("s", b"[]"), rebuilt.request("s", b"[]"));
}

#[test]
fn reasoning_is_carried_back_and_images_stay_images() {
    let mut history = History::default();
    history.assistant(&answer("x", &[]), r#"{"format":"chat"}"#);
    history.inject(&[vec![Block::Image { media_type: "image/png".into(), data: "AA==".into() }]]);
    let messages = messages(&history);
    assert_eq!(messages[0]["reasoning"]["format"], "chat");
    assert_eq!(messages[1]["content"][0]["type"], "image");
}
