//! Goal: the request is the contract's, holds nothing but the call, and is never over its bound [GATE-32].

use super::*;

#[test]
fn the_request_is_one_message_without_tools() {
    let bytes = bytes_of(r#"{"call":{}}"#).unwrap();
    let request: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(request["system"], SYSTEM);
    assert_eq!(request["tools"], json!([]));
    assert_eq!(request["tokens_max"], 384);
    assert_eq!(request["temperature"], 0);
    assert_eq!(request["purpose"], "guardian");
    let messages = request["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["role"], "user");
    assert_eq!(messages[0]["content"], json!([{ "type": "text", "text": r#"{"call":{}}"# }]));
}

/// What a quote costs in JSON inside JSON counts too: the bound is the request's.
#[test]
fn what_does_not_fit_is_not_asked() {
    assert!(bytes_of(&"x".repeat(60 * 1024)).is_ok());
    for shown in ["x".repeat(64 * 1024), "\"".repeat(32 * 1024)] {
        let why = bytes_of(&shown).unwrap_err();
        assert!(why.starts_with("the call is too large to be judged"), "{why}");
    }
}
