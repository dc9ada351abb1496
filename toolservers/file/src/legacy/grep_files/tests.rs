//! Goal: old searches give lines or paths, as the one that had the name did.

use tollgate_sdk::serde_json::{Value, json};

use super::super::tests::{call, check_unknown, prepared};
use super::*;
use crate::testing::{World, text_of};

#[track_caller]
fn check(arguments: Value, expected: &str) {
    let world = World::new().with("a.rs", "1\n2\n3\nX\n").with("b.py", "X\n").with("t/c.rs", "x\n");
    let family = arguments.get("action").is_some();
    let input = call(&GrepFiles::<false>, arguments);
    let terms = input.terms(family).unwrap();
    let context = world.context(Vec::new());
    let reply = grep::run(&terms, input.path(), &context, &world.scope(), &|| false).unwrap();
    let text = text_of(&reply);
    assert_eq!(text.rsplit_once("\n[").unwrap().0, expected);
}

/// [CAT-07]
#[test]
fn calls_of_transcripts_search() {
    check(json!({"pattern": "X"}), "a.rs\n2-2\n3-3\n4:X\n\nb.py\n1:X");
    check(json!({"pattern": "X", "include": ["*.rs"], "context_lines": 0}), "a.rs\n4:X");
    check(json!({"pattern": "X", "exclude": ["*.rs"], "max_results": 5}), "b.py\n1:X");
    let anyhow = json!({"pattern": "x", "case_insensitive": true, "context_lines": 0, "path": "t"});
    check(anyhow, "t/c.rs\n1:x");
    check(json!({"pattern": "X", "include": "*.rs"}), "a.rs");
    check(json!({"pattern": "X", "path": "", "limit": 100}), "a.rs\nb.py");
    let family = json!({"action": "search_content", "query": "X", "limit": 1, "context_lines": 0});
    check(family, "a.rs\n4:X");
}

#[tokio::test]
async fn other_calls_are_refused() {
    let world = World::new();
    let tool = GrepFiles::<false>;
    let said = prepared(&world, &tool, json!({"pattern": "x"})).await.unwrap();
    assert_eq!(said.title, "Search . for x");
    for (arguments, part) in [
        (json!({}), "pattern, query"),
        (json!({"pattern": ""}), "invalid_pattern"),
        (json!({"pattern": "("}), "invalid_pattern"),
        (json!({"pattern": "x", "include": ["["]}), "invalid_pattern"),
        (json!({"pattern": "x", "limit": 1, "max_results": 2}), "given twice"),
        (json!({"pattern": "x", "path": ".."}), "outside_roots"),
        (json!({"pattern": "x", "action": "search_content"}), "of File alone"),
    ] {
        let refused = prepared(&world, &tool, arguments).await.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    check_unknown(&tool, json!({"pattern": "x", "glob": "*"}), "`include`");
    check_unknown(&tool, json!({"pattern": ["x"]}), "string");
}
