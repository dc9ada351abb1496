//! Goal: a person sees before what a write would replace, and it is that or nothing.

use std::time::SystemTime;

use tollgate_sdk::{Observation, PathReach, Subject};

use super::*;
use crate::{
    failed::Class,
    testing::{World, check_schema},
};

fn input(content: &str) -> WriteInput {
    WriteInput { path: "f".to_owned(), content: content.to_owned() }
}

fn observation(world: &World, sha256: [u8; 32]) -> Observation {
    let now = SystemTime::now();
    Observation { path: world.path("f"), sha256, seen: now, modified: now }
}

/// [FILE-10]: a file never read is replaced only with that stated in the preview, as destructive.
#[tokio::test]
async fn the_preview_says_what_was_never_read() {
    let world = World::new();
    let prepared = Write.prepare(&input("new\n"), &world.context(Vec::new())).await.unwrap();
    assert!(matches!(&prepared.subjects[..], [Subject::Path { access: PathAccess::Create, .. }]));
    assert!(!prepared.safety.destructive && prepared.preview.contains("+new"));
    assert!(!world.path("f").exists());

    world.put("f", "old\n");
    let prepared = Write.prepare(&input("new\n"), &world.context(Vec::new())).await.unwrap();
    assert!(
        prepared.safety.destructive && prepared.preview.contains("was not read in this session")
    );
    assert!(matches!(&prepared.subjects[..], [Subject::Path { access: PathAccess::Write, .. }]));

    let seen = observation(&world, world.text("f", 1, None).unwrap().sha256.unwrap());
    let prepared =
        Write.prepare(&input("new\n"), &world.context(vec![seen.clone()])).await.unwrap();
    assert!(!prepared.safety.destructive && !prepared.preview.contains("not read"));

    world.put("f", "changed\n");
    let invalid = Write.prepare(&input("new\n"), &world.context(vec![seen])).await.unwrap_err();
    assert!(invalid.message.contains("changed since it was last read"), "{}", invalid.message);
    assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), ("/path", "stale"));
    assert_eq!(world.bytes("f"), b"changed\n");

    world.put("f", b"caf\xE9");
    let invalid = Write.prepare(&input("\u{4e2d}"), &world.context(Vec::new())).await.unwrap_err();
    assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), ("/content", "encoding"));
}

/// FS-07: a rule for the link and one for the file both see what is done.
#[tokio::test]
async fn a_write_through_a_link_is_told_by_both_names() {
    let world = World::new();
    std::os::unix::fs::symlink("real", world.path("f")).unwrap();
    let subjects = async |context| Write.prepare(&input("x"), &context).await.unwrap().subjects;
    let told = |access| {
        let path = |name: &str| Subject::Path {
            absolute: world.path(name),
            relative: Some(name.into()),
            access,
            reach: PathReach::Itself,
        };
        [path("real"), path("f")]
    };
    assert_eq!(subjects(world.context(Vec::new())).await, told(PathAccess::Create));
    world.put("real", "old");
    assert_eq!(subjects(world.context(Vec::new())).await, told(PathAccess::Write));
}

/// What a person approved is what is replaced: a file that is another one by then is not.
#[tokio::test]
async fn a_change_after_the_preview_is_refused() {
    let world = World::new().with("f", "old\n");
    let place = world.place("f").unwrap();
    Write.prepare(&input("new\n"), &world.context(Vec::new())).await.unwrap();
    world.put("f", "other\n");
    let now = writing::plan(&place, "new\n", None).unwrap().before.map(|old| old.sha256);
    let shown = previews::take("call-1");
    assert_eq!(as_previewed(&place, now, shown).unwrap_err().class, Class::Stale);
    // A call that this process did not prepare is judged without.
    assert!(as_previewed(&place, now, previews::take("call-1")).is_ok());
}

/// A call writes where its grant says; without write roots, nowhere.
#[test]
fn a_call_is_bound_by_its_grant() {
    let world = World::new();
    let context = world.context(Vec::new());
    assert_eq!(
        run("f", "x", None, &context, &Scope::default()).unwrap_err().class,
        Class::OutsideRoots
    );
    let reply = format!("{:?}", run("f", "x\n", None, &context, &world.scope()).unwrap());
    assert!(
        reply.contains("Created f: 2 bytes, 1 lines.") && reply.contains("Observation"),
        "{reply}"
    );
    // Made meanwhile by another program: neither read nor shown, so not replaced.
    previews::remember("call-1", None);
    assert_eq!(run("f", "y\n", None, &context, &world.scope()).unwrap_err().class, Class::Stale);
    assert_eq!(world.bytes("f"), b"x\n");
}

/// The latest of several observations counts.
#[test]
fn the_last_observation_counts() {
    let world = World::new().with("f", "x");
    let (old, new) = (observation(&world, [1; 32]), observation(&world, [2; 32]));
    let place = world.place("f").unwrap();
    for both in [vec![old.clone(), new.clone()], vec![new, old]] {
        let latest = both.iter().max_by_key(|seen| seen.seen).unwrap().sha256;
        assert_eq!(last_seen(&world.context(both), &place), Some(latest));
    }
    assert_eq!(last_seen(&world.context(Vec::new()), &place), None);
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&Write, &["content", "path"]);
}

/// An artifact is what its name says, for ever.
#[test]
fn an_artifact_is_not_written() {
    let artifact = format!("artifact:{}", "0".repeat(64));
    let failed = World::new().write(&artifact, "x", None).unwrap_err();
    assert_eq!(failed.class, Class::InvalidPath);
    assert!(failed.message.contains("can be read only"), "{}", failed.message);
}

/// B031, B032: no content is an error that names it; an object is not taken for text.
#[test]
fn content_must_be_text() {
    let parse = |json| serde_json::from_str::<WriteInput>(json).unwrap_err().to_string();
    assert!(parse(r#"{"path":"f"}"#).contains("content"));
    assert!(parse(r#"{"path":"f","content":{"a":1}}"#).contains("expected a string"));
    assert!(parse(r#"{"path":"f","contents":"x"}"#).contains("expected `path` or `content`"));
}
