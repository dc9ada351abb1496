//! Goal: an edit is judged before anybody is asked.

use super::*;
use crate::testing::{World, check_schema};

fn input(old: &str, new: &str) -> EditInput {
    let item = EditItem { old: old.to_owned(), new: new.to_owned(), all: false };
    EditInput { path: "f".to_owned(), edits: vec![item] }
}

#[tokio::test]
async fn the_preview_is_a_diff_and_changes_nothing() {
    let world = World::new().with("f", "a\nb\n");
    let prepared = Edit.prepare(&input("b", "c"), &world.context(Vec::new())).await.unwrap();
    assert!(prepared.preview.contains("-b\n+c\n"), "{}", prepared.preview);
    assert!(!prepared.safety.destructive && !prepared.safety.read_only);
    assert_eq!(world.bytes("f"), b"a\nb\n");
}

#[tokio::test]
async fn faults_are_told_before_anybody_is_asked() {
    let world = World::new().with("f", "a\nb\n").with("latin", b"caf\xE9 x");
    let context = world.context(Vec::new());
    let at = |path: &str, input| EditInput { path: path.to_owned(), ..input };
    for (input, pointer, class, part) in [
        (EditInput { edits: Vec::new(), ..input("", "") }, "/edits", "invalid_edit", "1 to 256"),
        (at("latin", input("x", "\u{4e2d}")), "/edits", "encoding", "windows-1252"),
        (at("g", input("a", "b")), "/path", "not_found", "does not exist"),
        (at("../g", input("a", "b")), "/path", "outside_roots", "outside the roots"),
        (at("artifact:x", input("a", "b")), "/path", "invalid_path", "64 hex digits"),
    ] {
        let invalid = Edit.prepare(&input, &context).await.unwrap_err();
        assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), (pointer, class));
        assert!(invalid.message.contains(part), "{}", invalid.message);
    }
}

/// B094: why an edit does not apply quotes the file; who may not read it is not told. Such a call is judged
/// as one that reads, and its grant, which lets it write nowhere, makes it tell no more than that.
#[tokio::test]
async fn what_a_file_holds_is_told_to_who_may_read_it() {
    let world = World::new().with("f", "a\nb\n");
    let context = world.context(Vec::new());
    let reads = Scope { write_roots: Vec::new(), ..world.scope() };
    for (old, new, class, part) in [
        ("zebra", "c", Class::NoMatch, "Edit 1 of 1"),
        ("\n", "c", Class::Ambiguous, "2 times"),
        ("a", "a", Class::InvalidEdit, "the same"),
    ] {
        let input = input(old, new);
        let prepared = Edit.prepare(&input, &context).await.unwrap();
        assert_eq!(prepared.safety, Safety::READ);
        assert!(format!("{:?}", prepared.subjects).contains("access: Read"), "{prepared:?}");
        let failed = run("f", &replacements(&input.edits), None, &context, &reads).unwrap_err();
        assert!(failed.class == class && failed.message.contains(part), "{failed:?}");
    }
    // By now it would apply: it was not judged for that.
    let edits = replacements(&input("a", "c").edits);
    assert_eq!(run("f", &edits, None, &context, &reads).unwrap_err().class, Class::Stale);
    assert_eq!(world.bytes("f"), b"a\nb\n");
}

/// An edit of a file that the session did not see leaves it unseen for a later write.
#[test]
fn an_edit_does_not_count_as_a_read() {
    let world = World::new().with("f", "a\nb\n");
    let seen = world.text("f", 1, None).unwrap().sha256.unwrap();
    let now = std::time::SystemTime::now();
    let observation =
        tollgate_sdk::Observation { path: world.path("f"), sha256: seen, seen: now, modified: now };
    let call = |old, new, observations| {
        let edits = replacements(&input(old, new).edits);
        let reply = run("f", &edits, None, &world.context(observations), &world.scope());
        format!("{:?}", reply.unwrap())
    };
    let reply = call("b", "c", vec![observation.clone()]);
    assert!(
        reply.contains("Observation") && reply.contains("Edited f: 1 place, +1 -1 lines."),
        "{reply}"
    );
    assert!(!call("c", "d", vec![observation]).contains("Observation"));
    assert!(!call("d", "e", Vec::new()).contains("Observation"));
    assert_eq!(world.bytes("f"), b"a\ne\n");
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&Edit, &["all", "edits", "new", "old", "path"]);
    let misspelt = serde_json::from_str::<EditItem>(r#"{"odl":"a","new":"b"}"#).unwrap_err();
    assert!(misspelt.to_string().contains("`old`"), "{misspelt}");
}
