//! Goal: old lists show a directory, from an entry on.

use tollgate_sdk::serde_json::{Value, json};

use super::super::tests::{call, check_unknown, prepared};
use super::*;
use crate::testing::{World, text_of};

#[track_caller]
fn check(arguments: Value, expected: &str) {
    let world = World::new().with("a", "").with("d/b/c", "").with("d/e", "");
    let family = arguments.get("action").is_some();
    let asked = call(&ListDir::<false>, arguments).asked(family).unwrap();
    let reply = list::run(&asked, &world.context(Vec::new()), &world.scope(), &|| false).unwrap();
    let text = text_of(&reply);
    assert!(text.starts_with(expected), "{text}");
}

/// [CAT-07]
#[test]
fn calls_of_transcripts_list() {
    check(json!({}), "a\nd/\n[1 directory at level 1");
    check(json!({"path": ""}), "a\nd/\n[");
    check(json!({"file_path": "d"}), "b/\ne\n[");
    check(json!({"action": "list", "path": "d"}), "b/\ne\n[");
    check(json!({"dir_path": "."}), "a\nd/\n  b/\n  e\n[");
    check(
        json!({"dir_path": ".", "offset": 2, "limit": 2, "depth": 3}),
        "d/\n  b/\n[5 entries in 3",
    );
}

#[tokio::test]
async fn other_calls_are_refused() {
    let world = World::new().with("f", "");
    let tool = ListDir::<false>;
    assert_eq!(prepared(&world, &tool, json!({})).await.unwrap().title, "List .");
    for (arguments, part) in [
        (json!({"path": "a", "dir_path": "b"}), "given twice"),
        (json!({"dir_path": "/"}), "outside_roots"),
        (json!({"action": "list"}), "of File alone"),
    ] {
        let refused = prepared(&world, &tool, arguments).await.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    check_unknown(&tool, json!({"recursive": true}), "`depth`");
}
