//! Goal: a person knows a call by its title.

use serde_json::json;

use super::*;

#[track_caller]
fn check(name: &str, told: &str, arguments: Value, expected: &str) {
    assert_eq!(title(name, told, &arguments), expected);
}

#[test]
fn a_call_is_called_by_its_title_or_by_what_it_is_about() {
    check("read", "Read a.txt", json!({}), "Read a.txt");
    check("bash", "Run the tests", json!({}), "bash: Run the tests");
    check("bash", "", json!({"timeout": 5, "command": "ls"}), "bash ls");
    check("x", "", json!({"only": "this"}), "x this");
    check("x", "", json!({"a": 1, "b": 2}), r#"x {"a":1,"b":2}"#);
    check("x", "", json!({}), "x");
    check("x", "", json!("broken\n{"), r#"x "broken\n{""#);
}
