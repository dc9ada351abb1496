//! Goal: old searches for names find what was meant first.

use tollgate_sdk::serde_json::{Value, json};

use super::super::tests::{call, check_unknown, prepared};
use super::*;
use crate::testing::{World, text_of};

#[track_caller]
fn check(arguments: Value, expected: &[&str]) {
    let world = World::new()
        .with("src/main.rs", "")
        .with("src/domain.rs", "")
        .with("docs/main.md", "")
        .with("src/main/x.rs", "")
        .with("main", "")
        .with("target/main.rs", "")
        .with("m_a_i_n.txt", "")
        .with("other", "");
    let family = arguments.get("action").is_some();
    let asked = call(&SearchFiles::<false>, arguments).asked(family).unwrap();
    let reply = run(&asked, &world.context(Vec::new()), &world.scope(), &|| false).unwrap();
    let text = text_of(&reply);
    let paths: Vec<&str> = text.lines().filter(|line| !line.starts_with('[')).collect();
    assert_eq!(paths, expected);
}

/// [CAT-07]
#[test]
fn calls_of_transcripts_find() {
    let all = json!({"query": "Main", "exclude": ["target/**"]});
    let found =
        ["main", "src/main.rs", "docs/main.md", "src/domain.rs", "src/main/x.rs", "m_a_i_n.txt"];
    check(all, &found);
    check(json!({"query": "main", "extensions": ["md", ".TXT"]}), &["docs/main.md", "m_a_i_n.txt"]);
    check(json!({"query": "src x"}), &["src/main/x.rs"]);
    check(json!({"pattern": "*.md", "path": ".", "excludePatterns": ["x"]}), &["docs/main.md"]);
    check(json!({"query": "main", "path": "docs", "limit": 1}), &["docs/main.md"]);
    check(json!({"query": "main", "max_results": 1, "path": ""}), &["main"]);
    check(json!({"action": "search_name", "query": "nothing"}), &[]);
}

#[tokio::test]
async fn other_calls_are_refused() {
    let world = World::new();
    let tool = SearchFiles::<false>;
    let said = prepared(&world, &tool, json!({"query": "x"})).await.unwrap();
    assert_eq!(said.title, "Find x in .");
    for (arguments, part) in [
        (json!({}), "query, pattern"),
        (json!({"query": "  "}), "empty"),
        (json!({"query": "[x"}), "invalid_pattern"),
        (json!({"query": "x", "exclude": ["["]}), "invalid_pattern"),
        (json!({"query": "x", "path": "/etc"}), "outside_roots"),
        (json!({"query": "x", "action": "search_name"}), "of File alone"),
    ] {
        let refused = prepared(&world, &tool, arguments).await.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    // Another tool of this name searched what files hold; `find` does not.
    check_unknown(&tool, json!({"path": ".", "regex": "x"}), "`query`");
}
