//! Goal: an edit is judged before anybody is asked, and other tools' names for it are understood.

use super::*;
use crate::testing::World;

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
    let world = World::new().with("f", "a\nb\n");
    let context = world.context(Vec::new());
    let invalid = Edit.prepare(&input("zebra", "c"), &context).await.unwrap_err();
    assert_eq!(invalid.pointer, "/edits");
    assert!(invalid.message.contains("Edit 1 of 1"), "{}", invalid.message);
    let missing = EditInput { path: "g".to_owned(), ..input("a", "b") };
    let invalid = Edit.prepare(&missing, &context).await.unwrap_err();
    assert_eq!(invalid.pointer, "/path");
    assert!(invalid.message.contains("does not exist"), "{}", invalid.message);
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
        let reply = run(&input(old, new), &world.context(observations), &world.scope());
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

/// The names that other agents' tools use are taken; the schema shows one.
#[test]
fn aliases_are_understood_and_not_shown() {
    for json in [
        r#"{"old":"a","new":"b","all":true}"#,
        r#"{"oldText":"a","newText":"b","replace_all":true}"#,
        r#"{"old_string":"a","new_string":"b","replace_all":true}"#,
    ] {
        let item: EditItem = serde_json::from_str(json).unwrap();
        assert_eq!((item.old.as_str(), item.new.as_str(), item.all), ("a", "b", true), "{json}");
    }
    let misspelt = serde_json::from_str::<EditItem>(r#"{"odl":"a","new":"b"}"#).unwrap_err();
    assert!(misspelt.to_string().contains("`old`"), "{misspelt}");
    let schema = tollgate_sdk::schemars::schema_for!(EditInput).to_value();
    let item = &schema["properties"]["edits"]["items"];
    assert_eq!(
        (&schema["additionalProperties"], &item["additionalProperties"]),
        (&json!(false), &json!(false))
    );
    let shown: Vec<&String> = item["properties"].as_object().unwrap().keys().collect();
    assert_eq!(shown, ["all", "new", "old"]);
}
