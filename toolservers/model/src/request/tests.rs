//! Goal: the documented shape is read, and each departure from it is named with its place.

use super::*;

/// The single toucher of the parser: a part of the error, or empty for a good request.
#[track_caller]
fn check(json: &str, fault: &str) {
    match Request::parse(json.as_bytes()) {
        Ok(_) => assert_eq!("", fault, "{json} was taken"),
        Err(message) => {
            assert!(!fault.is_empty(), "{json}: {message}");
            assert!(message.contains(fault), "{json}: {message}");
        }
    }
}

#[test]
fn the_documented_shape_is_read() {
    let json = r#"{"system":"s","messages":[
        {"role":"user","content":[{"type":"text","text":"a"},{"type":"image","media_type":"image/png","data":"AA=="}]},
        {"role":"assistant","content":[],"tool_calls":[{"id":"1","name":"read","arguments":"{\"p\":"}],"reasoning":{"any":1}},
        {"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}],"is_error":true}],
        "tools":[{"name":"read","description":"d","input_schema":{"type": "object"}}],"tokens_max":5,"temperature":0.5,"purpose":"guardian"}"#;
    check(json, "");
    let request = Request::parse(json.as_bytes()).unwrap();
    assert_eq!(request.step(), 1);
    assert_eq!(request.purpose, Purpose::Guardian);
    assert_eq!(request.results().next().unwrap().text(), "x\ny");
    assert!(request.offers("read") && !request.offers("write"));
    assert_eq!(request.tools[0].input_schema.get(), r#"{"type": "object"}"#, "byte for byte");
}

#[test]
fn what_departs_from_it_is_refused_with_its_place() {
    check(r#"{"messages":[],"model":"x"}"#, "unknown field `model`");
    check(r#"{"messages":[{"role":"system","content":[]}]}"#, "unknown variant `system`");
    check(r#"{"messages":[{"role":"user","content":[{"type":"audio"}]}]}"#, "audio");
    check(r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a","x":1}]}]}"#, "`x`");
    check(r#"{"messages":[{"role":"tool","content":[]}]}"#, "/messages/0: a `tool` message needs");
    check(r#"{"messages":[{"role":"user","content":[],"is_error":false}]}"#, "is_error");
    check(r#"{"messages":[{"role":"user","content":[],"tool_call_id":"1"}]}"#, "tool_call_id");
    check(
        r#"{"messages":[{"role":"user","content":[],"tool_calls":[{"id":"1","name":"a","arguments":""}]}]}"#,
        "tool_calls",
    );
    check(
        "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\\ud800\"}]}]}",
        "hex escape",
    );
    check(r#"{"messages":[],"purpose":"advice"}"#, "unknown variant `advice`");
    check("{", "EOF");
}
