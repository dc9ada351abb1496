//! Goal: arguments that do not go together are refused in a sentence that helps. [TOOL-02]

use tollgate_sdk::serde_json::{self, Value, json};

use super::*;

fn asked(arguments: Value) -> Result<Asked, Invalid> {
    serde_json::from_value::<Input>(arguments).unwrap().asked()
}

#[test]
fn each_action_takes_its_arguments() {
    for arguments in [
        json!({"action": "start", "command": "x", "description": "d", "interactive": true}),
        json!({"action": "status", "id": "p1"}),
        json!({"action": "output", "id": "p1", "after": 3}),
        json!({"action": "wait", "id": "p1", "after": 3, "until": "x", "timeout": 5}),
        json!({"action": "stop", "id": "p1"}),
        json!({"action": "list"}),
        json!({"action": "write", "id": "p1", "text": "x", "close": true}),
        json!({"action": "write", "id": "p1", "close": true}),
    ] {
        assert!(asked(arguments.clone()).is_ok(), "{arguments}");
    }
}

#[track_caller]
fn check(arguments: Value, pointer: &str, sentence: &str) {
    let invalid = asked(arguments).unwrap_err();
    assert_eq!(invalid.pointer, pointer);
    assert!(invalid.message.contains(sentence), "{}", invalid.message);
}

#[test]
fn an_argument_of_another_action_is_refused() {
    check(json!({"action": "list", "id": "p1"}), "/id", "'list' takes no 'id'");
    check(json!({"action": "stop", "id": "p1", "command": "x"}), "/command", "belongs to start");
    check(json!({"action": "output", "id": "p1", "text": "x"}), "/text", "belongs to write");
    check(json!({"action": "status", "id": "p1", "after": 1}), "/after", "belongs to output, wait");
}

#[test]
fn a_missing_argument_is_named() {
    check(json!({"action": "start"}), "/command", "'start' needs 'command'");
    check(json!({"action": "stop"}), "/id", "'stop' needs 'id'");
    check(json!({"action": "write", "id": "p1"}), "/text", "'write' needs 'text'");
    check(json!({"action": "write", "text": "x"}), "/id", "'write' needs 'id'");
    let long = "x".repeat(INPUT_BYTES_MAX + 1);
    check(json!({"action": "write", "id": "p1", "text": long}), "/text", "may have");
}

#[test]
fn unknown_arguments_and_actions_are_no_input() {
    for arguments in [
        json!({"action": "kill", "id": "p1"}),
        json!({"action": "Start", "command": "x"}),
        json!({"action": 3}),
        json!({"command": "x"}),
        json!({"action": "start", "comand": "x"}),
        json!({"action": "output", "id": "p1", "after": -1}),
    ] {
        assert!(serde_json::from_value::<Input>(arguments.clone()).is_err(), "{arguments}");
    }
}

#[test]
fn the_schema_is_closed_and_bounded() {
    let schema = tollgate_sdk::schemars::schema_for!(Input).to_value();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], json!(["action"]));
    let actions = json!(["start", "status", "output", "wait", "stop", "list", "write"]);
    assert_eq!(schema["properties"]["action"]["enum"], actions);
    assert_eq!(schema["properties"]["timeout"]["maximum"], TIMEOUT_SECONDS_MAX);
    let properties = schema["properties"].as_object().unwrap();
    assert!(properties.values().all(|property| property["description"].is_string()));
    assert!(schema.to_string().len() < 1900, "{} bytes", schema.to_string().len());
}
