//! Goal: which texts are names, and which names are near.

use super::{ServerName, ToolName, nearest};

#[test]
fn a_tool_name_is_a_short_identifier() {
    for good in ["read", "Git", "mcp_github_create_issue", "a"] {
        assert!(ToolName::try_from(good).is_ok(), "{good}");
    }
    let long = "a".repeat(65);
    for bad in ["", "_x", "1a", "a-b", "a.b", "réad", "a b", "a\n", long.as_str()] {
        assert!(ToolName::try_from(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn a_server_name_is_lower_case() {
    assert!(ServerName::try_from("mcp-bridge").is_ok());
    assert!(ServerName::try_from("../etc").is_err());
    assert!(ServerName::try_from("File").is_err());
}

#[test]
fn a_bad_name_is_quoted_without_control_characters() {
    let error = ToolName::try_from("a\u{1b}[31m").unwrap_err().to_string();
    assert!(error.contains("\\u{1b}"), "{error}");
}

#[track_caller]
fn check(asked: &str, expected: &[&str]) {
    let names = ["read", "write", "edit", "bash", "tool_search", "execute_tools"];
    assert_eq!(nearest(asked, names), expected, "{asked}");
}

#[test]
fn near_names_are_those_that_a_slip_away_gives() {
    check("raed", &["read"]);
    check("Write", &["write"]);
    check("tool_serch", &["tool_search"]);
    check("zzzzzz", &[]);
    check("", &[]);
}
