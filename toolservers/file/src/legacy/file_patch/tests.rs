//! Goal: old patches apply in each of their forms.

use tollgate_sdk::{
    PathAccess, Subject,
    serde_json::{Value, json},
};

use super::super::tests::{call, check_unknown, prepared};
use super::*;
use crate::testing::World;

#[track_caller]
fn check(arguments: Value, expected: &str) {
    let world = World::new().with("f", "a\nb\nc\n");
    let sections = call(&FilePatch, arguments).sections().unwrap();
    apply_patch::run(&sections, None, &world.context(Vec::new()), &world.scope()).unwrap();
    assert_eq!(String::from_utf8(world.bytes("f")).unwrap(), expected);
}

const DIFF: &str = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
const HUNK: &str = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";

/// [CAT-07]
#[test]
fn calls_of_transcripts_patch() {
    let new = "a\nB\nc\n";
    check(json!({"action": "patch", "patch": DIFF}), new);
    check(json!({"action": "patch", "patch": HUNK, "path": "f", "fuzz": 3}), new);
    check(json!({"action": "patch", "patch": DIFF.replace("/f", "/other"), "path": "f"}), new);
    let begin = "*** Begin Patch\n*** Update File: f\n-b\n+B\n*** End Patch";
    check(json!({"action": "patch", "patch": begin}), new);
    check(json!({"action": "patch", "replace": [{"path": "f", "content": "x\n"}]}), "x\n");
    check(json!({"action": "patch", "changes": [{"path": "f", "content": "x\n"}]}), "x\n");
}

#[test]
fn a_file_may_come_to_be_if_the_call_says_so() {
    let world = World::new();
    let patch = "--- a/new\n+++ b/new\n@@ -0,0 +1 @@\n+x\n";
    let run = |create: bool| {
        let arguments = json!({"action": "patch", "patch": patch, "create_if_missing": create});
        let sections = call(&FilePatch, arguments).sections().unwrap();
        apply_patch::run(&sections, None, &world.context(Vec::new()), &world.scope())
    };
    assert!(format!("{:?}", run(false).unwrap_err()).contains("does not exist"));
    run(true).unwrap();
    assert_eq!(world.bytes("new"), b"x\n");
}

/// [CAT-07, FILE-10]: whole files that were never read are replaced as destructive.
#[tokio::test]
async fn a_patch_is_judged_before_it_runs() {
    let world = World::new().with("f", "a\nb\nc\n");
    let whole = json!({"action": "patch", "replace": [{"path": "f", "content": "x"}]});
    let said = prepared(&world, &FilePatch, whole).await.unwrap();
    assert!(said.safety.destructive);
    assert!(matches!(&said.subjects[..], [Subject::Path { access: PathAccess::Write, .. }, _]));
    let said =
        prepared(&world, &FilePatch, json!({"action": "patch", "patch": DIFF})).await.unwrap();
    assert!(!said.safety.destructive);
    let hash = "0".repeat(64);
    let two = json!([{"path": "f", "content": "x"}, {"path": "g", "content": "x"}]);
    for (arguments, part) in [
        (json!({"action": "patch"}), "either `patch` or `replace`"),
        (json!({"action": "patch", "patch": DIFF, "replace": []}), "either `patch` or `replace`"),
        (json!({"action": "patch", "replace": []}), "1 to 64 files"),
        (json!({"action": "patch", "patch": HUNK}), "invalid_patch"),
        (json!({"action": "patch", "patch": DIFF, "path": "../f"}), "outside_roots"),
        (json!({"action": "patch", "patch": DIFF, "expected_hash": hash}), "stale"),
        (json!({"action": "patch", "replace": two, "expected_hash": hash}), "for one file"),
    ] {
        let refused = prepared(&world, &FilePatch, arguments).await.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    check_unknown(&FilePatch, json!({"action": "patch", "diff": DIFF}), "`patch`");
    assert_eq!(world.bytes("f"), b"a\nb\nc\n");
}
