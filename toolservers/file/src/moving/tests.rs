//! Goal: a move is judged for all that moves, replaces nothing, and leaves no root.

use std::{fs, os::unix::fs::symlink};

use tollgate_sdk::{PathReach, Subject};

use super::*;
use crate::testing::{World, check_schema, text_of};

fn input(from: &str, to: &str) -> MoveInput {
    MoveInput { from: from.to_owned(), to: to.to_owned() }
}

/// Prepares and moves; gives what the model reads, or the class and pointer of the failure.
async fn go(world: &World, from: &str, to: &str) -> Result<String, (String, String)> {
    let (input, context) = (input(from, to), world.context(Vec::new()));
    Move.prepare(&input, &context).await.map_err(|invalid| (invalid.class, invalid.pointer))?;
    Ok(text_of(&run(&input, &context, &world.scope(), &|| false).unwrap()))
}

#[track_caller]
fn refused(done: Result<String, (String, String)>, class: &str, pointer: &str) {
    assert_eq!(done.unwrap_err(), (class.to_owned(), pointer.to_owned()));
}

#[tokio::test]
async fn files_directories_and_links_are_moved() {
    let world = World::new().with("a", "1").with("d/e/f", "2");
    symlink("d", world.path("l")).unwrap();
    assert_eq!(
        go(&world, "a", "new/deep/b").await.unwrap(),
        "Moved a to new/deep/b: a file, 1 byte."
    );
    assert_eq!(world.bytes("new/deep/b"), b"1");
    let told = go(&world, "d", "new/d/").await.unwrap();
    assert_eq!(told, "Moved d to new/d: a directory with 2 entries, 1 file among them, 1 byte.");
    assert_eq!(world.bytes("new/d/e/f"), b"2");
    let told = go(&world, "l", "m").await.unwrap();
    assert!(told.contains("a symbolic link") && told.contains("may lead elsewhere"), "{told}");
    assert_eq!(fs::read_link(world.path("m")).unwrap().to_str(), Some("d"));
    assert_eq!(world.names(""), ["m", "new"]);
}

/// Through links on the way, as with every path; not through the last one.
#[tokio::test]
async fn the_way_may_lead_through_links() {
    let world = World::new().with("d/a", "1").with("../o/s", "SECRET");
    symlink("d", world.path("way")).unwrap();
    symlink("../o", world.path("out")).unwrap();
    go(&world, "way/a", "way/b").await.unwrap();
    assert_eq!(world.names("d"), ["b"]);
    refused(go(&world, "out/s", "s").await, "outside_roots", "/from");
    refused(go(&world, "d/b", "out/b").await, "outside_roots", "/to");
    refused(go(&world, "d/b", "../b").await, "outside_roots", "/to");
    refused(go(&world, "/proc/self/environ", "e").await, "special_file", "/from");
    assert_eq!(world.names("../o"), ["s"]);
}

/// What is there stays, and the message says what it is and what helps.
#[tokio::test]
async fn nothing_is_replaced() {
    let world = World::new().with("a", "1").with("b", "22").with("d/f", "3");
    symlink("nothing", world.path("dangling")).unwrap();
    for to in ["b", "d", "dangling"] {
        refused(go(&world, "a", to).await, "exists", "/to");
    }
    refused(go(&world, "d", "b").await, "exists", "/to");
    let told = plan(&world.roots(), &input("a", "b")).unwrap_err().message;
    assert!(
        told.contains("a file of 2 bytes already") && told.contains("give another path"),
        "{told}"
    );
    let told = plan(&world.roots(), &input("a", "d/")).unwrap_err().message;
    assert!(
        told.contains("a directory already") && told.contains("give its new path, d/a"),
        "{told}"
    );
    assert_eq!(
        (world.bytes("b"), world.names("")),
        (b"22".to_vec(), vec!["a".into(), "b".into(), "d".into(), "dangling".to_owned()])
    );
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let world = World::new().with("a", "1").with("d/f", "3");
    let root = world.root().display().to_string();
    refused(go(&world, "d", "d/e/d").await, "invalid_path", "/to");
    refused(go(&world, "a", "./a").await, "invalid_path", "/to");
    refused(go(&world, ".", "x").await, "invalid_path", "/from");
    refused(go(&world, &root, "x").await, "invalid_path", "/from");
    refused(go(&world, "a", &root).await, "invalid_path", "/to");
    refused(go(&world, "none", "x").await, "not_found", "/from");
    refused(go(&world, "a", "d/f/x").await, "not_found", "/to");
    assert_eq!(world.names(""), ["a", "d"]);
}

/// Rules see all that moves: it goes there, comes here, and is read under its new name.
#[tokio::test]
async fn everything_that_moves_is_a_subject() {
    let world = World::new().with("a", "1").with("d/f", "2");
    let subjects = async |from: &str| {
        Move.prepare(&input(from, "x"), &world.context(Vec::new())).await.unwrap().subjects
    };
    for (from, reach) in [("a", PathReach::Itself), ("d", PathReach::Tree)] {
        let path = |name: &str, access| Subject::Path {
            absolute: world.path(name),
            relative: Some(name.into()),
            access,
            reach,
        };
        let expected = [
            path(from, PathAccess::Delete),
            path("x", PathAccess::Create),
            path(from, PathAccess::Read),
        ];
        assert_eq!(subjects(from).await, expected);
    }
}

/// A file that became a directory, or another file, since rules were asked stays where it is.
#[tokio::test]
async fn what_was_judged_is_what_moves() {
    let world = World::new().with("a", "1").with("d/f", "2");
    let context = world.context(Vec::new());
    let moved = || run(&input("a", "x"), &context, &world.scope(), &|| false);
    Move.prepare(&input("a", "x"), &context).await.unwrap();
    fs::remove_file(world.path("a")).unwrap();
    fs::rename(world.path("d"), world.path("a")).unwrap();
    assert!(format!("{:?}", moved().unwrap_err()).contains("stale"));
    // Nor is a directory moved that nobody was asked about.
    assert!(format!("{:?}", moved().unwrap_err()).contains("stale"));
    assert_eq!((world.names(""), world.bytes("a/f")), (vec!["a".to_owned()], b"2".to_vec()));
}

/// A call is bound by its grant, and what the session knew it knows under the new name.
#[test]
fn a_moved_file_is_still_known() {
    let world = World::new().with("a", "1");
    let now = std::time::SystemTime::now();
    let seen = Observation { path: world.path("a"), sha256: [1; 32], seen: now, modified: now };
    let context = world.context(vec![seen.clone()]);
    let nowhere = run(&input("a", "b"), &context, &Scope::default(), &|| false).unwrap_err();
    assert!(format!("{nowhere:?}").contains("outside_roots"));
    let reply = run(&input("a", "b"), &context, &world.scope(), &|| false).unwrap();
    let known = format!("{:?}", Observation { path: world.path("b"), ..seen });
    assert!(format!("{reply:?}").contains(&known), "{reply:?}");
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&Move, &["from", "to"]);
}
