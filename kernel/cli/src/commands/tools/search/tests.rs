//! Goal: a person sees what a model would be told, on lines that fit, with nothing that a terminal obeys.

use serde_json::json;

use super::*;
use crate::{output::Output, text::width};

fn found() -> Match {
    Match {
        name: "mcp_notes_find".to_owned(),
        description: "Finds notes by their words\u{1b}[31m, in any folder of the notebook."
            .to_owned(),
        server: "notes".to_owned(),
        score: 0.734,
        why: "words".to_owned(),
        signature: "mcp_notes_find(text: string, folder?: string, limit?: number)".to_owned(),
        exposure: "deferred".to_owned(),
        ..Match::default()
    }
}

#[track_caller]
fn check(found: &Match, names_only: bool, columns: usize) -> String {
    let lines = card(found, names_only, columns, Output::plain(columns).stdout_paint);
    for line in &lines {
        assert!(width(line) <= columns, "{line:?} has more than {columns} columns");
        assert!(!line.contains('\u{1b}'), "{line:?}");
    }
    lines.join("\n")
}

#[test]
fn a_card_says_how_it_is_called_and_why_it_was_found() {
    let expected = "mcp_notes_find(text: string, folder?: string, limit?: number)\n    \
                    Finds notes by their words<U+001B>[31m, in any folder of the notebook.\n    \
                    server notes · shown if found · found by words (0.734)";
    assert_eq!(check(&found(), false, 100), expected);
    assert_eq!(check(&found(), true, 100), "mcp_notes_find");
    assert!(check(&found(), false, 40).lines().count() > 5);
}

#[test]
fn schemas_stand_below_and_what_is_too_large_is_said() {
    let schema = Some(json!({ "type": "object" }));
    let shown = check(&Match { input_schema: schema, ..found() }, false, 80);
    assert!(shown.ends_with("    {\n      \"type\": \"object\"\n    }"), "{shown}");
    let shown = check(&Match { omitted_bytes: Some(20_000), ..found() }, false, 80);
    assert!(shown.contains("20000 bytes: `tollgate tools show mcp_notes_find`"), "{shown}");
}

/// `[CAT-11]`: what was cut, what is near, what was not searched.
#[test]
fn notes_say_what_is_not_shown() {
    let all = |answer: &Answer| notes(answer).join("\n");
    assert_eq!(all(&Answer { matches: vec![found()], matched_total: 1, ..Answer::default() }), "");
    let more = Answer {
        matches: vec![found()],
        matched_total: 3,
        next_skip: Some(1),
        ..Answer::default()
    };
    assert_eq!(all(&more), "1 of 3; --skip 1 shows more");
    let none = Answer {
        nearest: vec!["read".to_owned()],
        not_searched: vec![NotSearched {
            server: "bridge".to_owned(),
            source: Some("github".to_owned()),
            state: "failed".to_owned(),
            reason: "no token".to_owned(),
        }],
        ..Answer::default()
    };
    let expected = "no tool matches; `tollgate tools list` shows those that are\nthe nearest names: \
                    read\nnot searched: github of server bridge, failed: no token";
    assert_eq!(all(&none), expected);
}

#[test]
fn what_is_not_given_is_not_sent() {
    let asked = SearchTools {
        query: vec!["read".to_owned(), "file".to_owned()],
        limit: None,
        skip: 0,
        kind: None,
        server: None,
        format: None,
    };
    assert_eq!(Value::Object(arguments(&asked)), json!({ "query": "read file" }));
    let asked = SearchTools { limit: Some(2), skip: 3, server: Some("file".to_owned()), ..asked };
    let expected = json!({ "query": "read file", "limit": 2, "skip": 3, "server": "file" });
    assert_eq!(Value::Object(arguments(&asked)), expected);
}
