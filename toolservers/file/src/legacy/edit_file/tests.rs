//! Goal: old edits replace text under every name that it had.

use tollgate_sdk::serde_json::json;

use super::super::tests::{call, check_unknown, prepared};
use super::*;
use crate::testing::World;

/// [CAT-07]
#[test]
fn calls_of_transcripts_edit() {
    for arguments in [
        json!({"path": "f", "search": "b", "replace": "B"}),
        json!({"file_path": "f", "old_string": "b", "new_string": "B", "replace_all": false}),
        json!({"path": "f", "old_str": "b\n", "new_str": "B\n", "fuzz": 3}),
        json!({"path": "f", "oldText": "b", "newText": "B"}),
        json!({"path": "f", "edits": [{"oldText": "b", "newText": "B"}]}),
        json!({"path": "f", "edits": [{"old_string": "b", "new_string": "B", "replace_all": true}]}),
        json!({"action": "edit", "path": "f", "search": "b", "replace": "B"}),
    ] {
        let world = World::new().with("f", "a\nb\nc\n");
        let family = arguments.get("action").is_some();
        let asked = call(&EditFile::<false>, arguments).asked(family).unwrap();
        let context = world.context(Vec::new());
        edit::run(&asked.path, &asked.edits, asked.expected, &context, &world.scope()).unwrap();
        assert_eq!(world.bytes("f"), b"a\nB\nc\n");
    }
}

#[tokio::test]
async fn other_calls_are_refused() {
    let world = World::new().with("f", "a\nb\nb\n");
    let tool = EditFile::<false>;
    let ok = json!({"path": "f", "search": "a", "replace": ""});
    assert_eq!(prepared(&world, &tool, ok).await.unwrap().title, "Edit f");
    let hash = "0".repeat(64);
    for (arguments, part) in [
        (json!({"path": "f", "search": "a"}), "replace, new_string"),
        (json!({"path": "f", "replace": "a"}), "search, old_string"),
        (json!({"path": "f", "search": "a", "old_string": "b", "replace": "c"}), "given twice"),
        (json!({"path": "f", "search": "a", "replace": "b", "edits": []}), "not both"),
        (json!({"path": "f", "edits": []}), "1 to 256"),
        (json!({"path": "f", "edits": [{"oldText": "a"}]}), "newText, new_string"),
        (json!({"path": "f", "search": "a", "replace": "c", "expected_hash": hash}), "stale"),
        (json!({"path": "f", "search": "a", "replace": "c", "action": "edit"}), "of File alone"),
    ] {
        let refused = prepared(&world, &tool, arguments).await.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    // Why these do not apply is told when the file may be read.
    for search in ["b", "x"] {
        let fails = json!({"path": "f", "search": search, "replace": "c"});
        assert!(prepared(&world, &tool, fails).await.unwrap().safety.read_only);
    }
    check_unknown(&tool, json!({"path": "f", "find": "a"}), "`search`");
    assert_eq!(world.bytes("f"), b"a\nb\nb\n");
}
