//! Goal: what a hook is told is whole JSON within its bound, and says what is missing. [GATE-40]

use super::*;

/// A payload of a command of `bytes`, and others beside it.
fn told(members: Value) -> (Value, Payload) {
    let all = json!({ "event": "tool_call_before", TOOL_INPUT: members, "tool_name": "bash" });
    let Value::Object(all) = all else { unreachable!() };
    let payload = fit(all);
    assert!(payload.bytes.len() <= INPUT_BYTES_MAX);
    (serde_json::from_slice(&payload.bytes).unwrap(), payload)
}

#[test]
fn what_fits_is_whole() {
    let (value, payload) = told(json!({ "command": "ls" }));
    assert!(payload.is_whole);
    assert_eq!(value[TOOL_INPUT], json!({ "command": "ls" }));
}

#[test]
fn only_the_large_member_is_replaced() {
    let content = "é\n".repeat(50_000);
    let (value, payload) = told(json!({ "path": "a.txt", "content": content }));
    assert!(!payload.is_whole);
    let expected = json!({
        "truncated": true, "bytes": content.len(), "sha256": Digest::of(content.as_bytes()),
    });
    assert_eq!(value[TOOL_INPUT], json!({ "path": "a.txt", "content": expected }));
}

#[test]
fn many_members_are_replaced_together() {
    let many: Map<String, Value> = (0..20_000).map(|n| (format!("k{n}"), json!(n))).collect();
    let (value, payload) = told(many.into());
    assert!(!payload.is_whole);
    assert_eq!(value[TOOL_INPUT]["truncated"], true);
    assert_eq!(value["tool_name"], "bash");
}

#[test]
fn another_large_field_leaves_the_arguments_whole() {
    let Value::Object(all) =
        json!({ TOOL_INPUT: { "a": "x".repeat(10_000) }, "subjects": vec!["y".repeat(100); 1000] })
    else {
        unreachable!()
    };
    let payload = fit(all);
    assert!(payload.is_whole && payload.bytes.len() <= INPUT_BYTES_MAX);
}

#[test]
fn contexts_share_one_bound() {
    let mut contexts = Vec::new();
    for _ in 0..5 {
        add_context(&mut contexts, "é".repeat(1500));
    }
    add_context(&mut contexts, String::new());
    let lengths: Vec<usize> = contexts.iter().map(String::len).collect();
    assert_eq!(lengths, [3000, 3000, 2192]);
}
