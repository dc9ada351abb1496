//! Goal: old reads show what they showed: a window from a line.

use tollgate_sdk::serde_json::{Value, json};

use super::super::tests::{call, check_unknown, prepared};
use super::*;
use crate::testing::{World, text_of};

#[track_caller]
fn check<const FAMILY: bool>(arguments: Value, expected: &str) {
    let world = World::new().with("f", "1\n2\n3\n4\n");
    let (path, wanted) = call(&ReadFile::<FAMILY>, arguments).asked(FAMILY).unwrap();
    let context = world.context(Vec::new());
    let reply = read::read_file(&path, wanted, &context, &world.scope(), &|| false).unwrap();
    assert_eq!(text_of(&reply), expected);
}

/// [CAT-07]
#[test]
fn calls_of_transcripts_are_read() {
    check::<false>(json!({"path": "f"}), "1\n2\n3\n4\n");
    check::<false>(json!({"path": "f", "start_line": 4, "max_lines": 500}), "4\n");
    check::<false>(json!({"file_path": "f", "offset": 4, "limit": 1, "mode": "slice"}), "4\n");
    check::<false>(json!({"path": "f", "line_offset": 4, "n_lines": 9, "pages": null}), "4\n");
    check::<true>(json!({"action": "read", "path": "f", "start_line": 4}), "4\n");
    check::<true>(
        json!({"action": "read", "path": "f", "offset": 0, "start_line": 0}),
        "1\n2\n3\n4\n",
    );
}

#[tokio::test]
async fn other_calls_are_refused() {
    let world = World::new().with("f", "1\n");
    let tool = ReadFile::<false>;
    assert_eq!(prepared(&world, &tool, json!({"path": "f"})).await.unwrap().title, "Read f");
    for (arguments, part) in [
        (json!({}), "path, file_path: one of these"),
        (json!({"path": "f", "file_path": "g"}), "given twice"),
        (json!({"path": "f", "offset": 1, "start_line": 2}), "given twice"),
        (json!({"path": "f", "mode": "indentation"}), "\"slice\""),
        (json!({"path": "f", "action": "read"}), "of File alone"),
        (json!({"path": "../f"}), "outside_roots"),
    ] {
        let refused = prepared(&world, &tool, arguments).await.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    check_unknown(&tool, json!({"path": "f", "lines": 3}), "`max_lines`");
    check_unknown(&tool, json!({"path": 3}), "string");
}
