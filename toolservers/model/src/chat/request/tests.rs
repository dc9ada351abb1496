//! Goal: the exact bytes of a body, and that a longer conversation keeps them.

use super::*;
use crate::settings::{Settings, tests::environment};

fn provider(name: &str, base_url: &str) -> Provider {
    let settings = json!({"default_provider": name, "providers": {name: {"format": "chat", "base_url": base_url}}});
    let settings: Settings = serde_json::from_value(settings).unwrap();
    settings.resolve(&environment(&[])).unwrap().find(name, "m").unwrap().0.clone()
}

fn sent(provider: &Provider, neutral: &str) -> String {
    let request = Request::parse(neutral.as_bytes()).unwrap();
    String::from_utf8(body(provider, "m", &request).unwrap()).unwrap()
}

/// The single toucher of messages: those of a neutral request's `messages`.
#[track_caller]
fn check(messages: &str, expected: &str) {
    let local = provider("local", "http://localhost:1/v1");
    let body = sent(&local, &format!(r#"{{"messages":[{messages}]}}"#));
    let whole: Value = serde_json::from_str(&body).unwrap();
    let expected: Value = serde_json::from_str(expected).unwrap();
    assert_eq!(whole["messages"], expected);
}

#[test]
fn a_body_has_its_bytes_in_this_order() {
    let neutral = r#"{"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],
        "tools":[{"name":"read","description":"d","input_schema":{"type":"object", "z":1, "a":1.0}}],"tokens_max":7,"temperature":0.0}"#;
    let local = provider("local", "http://localhost:1/v1");
    assert_eq!(
        sent(&local, neutral),
        concat!(
            r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":7,"temperature":0.0,"#,
            r#""tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object", "z":1, "a":1.0}}}],"#,
            r#""messages":[{"content":"s","role":"system"},{"content":"hi","role":"user"}]}"#
        )
    );
    let openai = provider("o", "https://api.openai.com/v1");
    assert!(sent(&openai, neutral).contains(r#""max_completion_tokens":7,"temp"#));
    assert!(
        !sent(&openai, r#"{"messages":[]}"#).contains("tools"),
        "an empty list is refused by OpenAI"
    );
}

/// [MODEL-04]
#[test]
fn the_prefix_is_stable() {
    let local = provider("local", "http://localhost:1/v1");
    let first = r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#;
    let second = r#"{"role":"assistant","content":[{"type":"text","text":"yes"}]}"#;
    let short = sent(&local, &format!(r#"{{"messages":[{first}]}}"#));
    let long = sent(&local, &format!(r#"{{"messages":[{first},{second}]}}"#));
    assert!(long.starts_with(short.trim_end_matches("]}")));
}

#[test]
fn a_turn_with_calls_is_mapped() {
    check(
        r#"{"role":"assistant","content":[],"tool_calls":[{"id":"1","name":"read","arguments":"{\"p\": 1}"}]},
           {"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"x"}],"is_error":true},
           {"role":"assistant","content":[{"type":"text","text":"done"}]}"#,
        r#"[{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{\"p\": 1}"}}]},
            {"role":"tool","tool_call_id":"1","content":"x"},
            {"role":"assistant","content":"done"}]"#,
    );
}

/// [TURN-02]: a message that a model once wrote must not make the next request invalid.
#[test]
fn arguments_that_are_no_object_are_sent_as_one() {
    let sent = |arguments: &str| {
        let id = "1".to_owned();
        let made = Call { id, name: "f".into(), arguments: arguments.into() };
        call(&made)["function"]["arguments"].as_str().unwrap().to_owned()
    };
    assert_eq!(sent(r#"{"path":"/tm"#), r#"{"invalid_json":"{\"path\":\"/tm"}"#);
    assert_eq!(sent("[1]"), r#"{"invalid_json":"[1]"}"#);
    assert_eq!(sent(" "), "{}");
    assert_eq!(sent(r#"{ "a" :1}"#), r#"{ "a" :1}"#);
}

#[test]
fn images_are_shown_where_the_format_takes_them() {
    check(
        r#"{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","media_type":"image/png","data":"AA=="}]}"#,
        r#"[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]"#,
    );
    check(
        r#"{"role":"tool","tool_call_id":"1","content":[{"type":"image","media_type":"image/png","data":"AA=="}]},
           {"role":"tool","tool_call_id":"2","content":[{"type":"text","text":"b"}]}"#,
        r#"[{"role":"tool","tool_call_id":"1","content":""},{"role":"tool","tool_call_id":"2","content":"b"},
            {"role":"user","content":[{"type":"text","text":"Images of the result of call 1:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]"#,
    );
}

#[test]
fn reasoning_goes_back_to_its_provider_only() {
    let message = |provider: &str| {
        let carried =
            json!({"format":"chat","provider":provider,"fields":{"reasoning_content":""}});
        format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"a"}}],"reasoning":{carried}}}"#
        )
    };
    check(&message("local"), r#"[{"role":"assistant","content":"a","reasoning_content":""}]"#);
    check(&message("other"), r#"[{"role":"assistant","content":"a"}]"#);
}
