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

/// However many names a server brings, and however long, one that is near is found.
#[test]
fn the_nearest_of_many_long_names_is_found() {
    let name = |number: usize| format!("{:x<58}{number:06}", "tool_");
    let many: Vec<String> = (0..20_000).map(name).collect();
    let near = |asked: &str| nearest(asked, many.iter().map(String::as_str));
    assert_eq!(near(&"y".repeat(64)), Vec::<&str>::new());
    let asked = name(19_999).replace("tool", "too");
    assert_eq!(near(&asked).first(), Some(&name(19_999).as_str()));
}

/// What is passed over before the comparison is never nearer than what is compared.
#[test]
fn letters_apart_are_no_more_than_the_distance() {
    let words = ["", "read", "raed", "READ", "reads", "tool_search", "execute_tools", "éa", "aé"];
    for a in words {
        for b in words {
            let apart = super::letters_apart(&super::letters(a), b);
            let distance = strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase());
            assert!(apart <= distance, "{a} {b}: {apart} {distance}");
        }
    }
}
