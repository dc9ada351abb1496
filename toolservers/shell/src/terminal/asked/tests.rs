//! Goal: which arguments go together. [TOOL-02]

use tollgate_sdk::serde_json::{self, Value, json};

use super::*;

fn asked(arguments: Value) -> Result<Asked, Invalid> {
    serde_json::from_value::<Input>(arguments).unwrap().asked()
}

#[test]
fn an_argument_of_another_action_is_refused() {
    for (arguments, pointer, says) in [
        (json!({"action": "list", "id": "t1"}), "/id", "send, read, resize, close"),
        (json!({"action": "open", "text": "x"}), "/text", "belongs to send"),
        (json!({"action": "read", "id": "t1", "rows": 24}), "/rows", "open, resize"),
        (
            json!({"action": "send", "id": "t1", "text": "x", "wait_seconds": 1}),
            "/wait_seconds",
            "read",
        ),
        (json!({"action": "close", "id": "t1", "command": "x"}), "/command", "open"),
    ] {
        let invalid = asked(arguments.clone()).unwrap_err();
        assert_eq!(invalid.pointer, pointer, "{arguments}");
        assert!(invalid.message.contains(says), "{}", invalid.message);
    }
}

#[test]
fn what_is_missing_is_named() {
    for (arguments, says) in [
        (json!({"action": "read"}), "needs 'id'"),
        (json!({"action": "send", "text": "x"}), "needs 'id'"),
        (json!({"action": "send", "id": "t1"}), "'text' or 'keys'"),
        (json!({"action": "resize", "id": "t1"}), "'rows' or 'cols'"),
    ] {
        let invalid = asked(arguments.clone()).unwrap_err();
        assert!(invalid.message.contains(says), "{arguments}: {}", invalid.message);
    }
}

#[test]
fn without_a_command_it_is_a_shell_without_start_up_files() {
    let Ok(Asked::Open { line, size }) = asked(json!({"action": "open"})) else { panic!() };
    assert_eq!(line.command, SHELL);
    assert_eq!((size.rows.get(), size.cols.get()), (24, 80));
}

#[test]
fn a_size_stays_within_its_bounds() {
    for (rows, cols, expected) in
        [(0, 0, (4, 20)), (65535, 65535, (100, 200)), (30, 100, (30, 100))]
    {
        let size = Size::of(Some(rows), Some(cols));
        assert_eq!((size.rows.get(), size.cols.get()), expected);
    }
}
