//! Goal: the trash is bounded, private, and loses nothing that it need not.

use std::{fs, os::unix::fs::PermissionsExt};

use super::*;
use crate::testing::World;

/// Puts a file of some bytes into a trash; gives its note.
fn put(trash: &Trash, world: &World, name: &str, bytes: u64) -> Result<Note, Failed> {
    world.put(name, "x".repeat(usize::try_from(bytes).unwrap()));
    let root = world.roots().locate(".").unwrap().directory().unwrap();
    let from = Spot { directory: &root, name: Path::new(name), shown: name };
    let item = Itself::look(&root, Path::new(name)).unwrap();
    let note = Note {
        id: String::new(),
        path: world.path(name),
        kind: "file".to_owned(),
        entries: 1,
        bytes,
        deleted: 0,
    };
    match trash.hold()?.take(from, &item, note, &|| false) {
        Ok((note, _)) => Ok(note),
        Err(Stuck::Unmoved(failed) | Stuck::Doubled(failed)) => Err(failed),
    }
}

fn names(trash: &Trash) -> Vec<String> {
    let name = |note: &Note| note.path.file_name().unwrap().to_str().unwrap().to_owned();
    trash.notes().unwrap().iter().map(name).collect()
}

#[test]
fn the_oldest_go_first() {
    let (world, state) = (World::new(), tempfile::tempdir().unwrap());
    let trash = Trash { items_max: 3, bytes_max: 100, ..Trash::new(state.path()) };
    for name in ["a", "b", "c"] {
        put(&trash, &world, name, 20).unwrap();
    }
    assert!(trash.displaced(40, "d").unwrap().iter().all(|note| note.path == world.path("a")));
    put(&trash, &world, "d", 10).unwrap();
    assert_eq!(names(&trash), ["d", "c", "b"]);
    put(&trash, &world, "e", 75).unwrap();
    assert_eq!(names(&trash), ["e", "d"]);
    assert_eq!(put(&trash, &world, "f", 101).unwrap_err().class, Class::TooLarge);
    assert_eq!(
        (names(&trash), world.names("")),
        (vec!["e".into(), "d".to_owned()], vec!["f".to_owned()])
    );
}

/// What a killed process left, and what is no thing of the trash, is passed over.
#[test]
fn a_note_without_a_thing_is_none() {
    let (world, state) = (World::new(), tempfile::tempdir().unwrap());
    let trash = Trash::new(state.path());
    assert!(trash.notes().unwrap().is_empty());
    let note = put(&trash, &world, "a", 1).unwrap();
    assert_eq!(fs::metadata(&trash.folder).unwrap().permissions().mode() & 0o777, 0o700);
    for (id, file) in [("mmmmmm01", "note.json"), ("mmmmmm02", "item"), ("mmmmmm03", "other")] {
        fs::create_dir(trash.folder.join(id)).unwrap();
        fs::write(trash.folder.join(id).join(file), "{}").unwrap();
    }
    fs::write(trash.folder.join("mmmmmm04"), "x").unwrap();
    assert_eq!(trash.notes().unwrap(), [note]);
}

/// Two things of one millisecond have two ids, which sort as they went.
#[test]
fn ids_are_unlike_and_in_order() {
    let (world, state) = (World::new(), tempfile::tempdir().unwrap());
    let trash = Trash::new(state.path());
    let ids: Vec<String> = (0..20).map(|_| put(&trash, &world, "a", 1).unwrap().id).collect();
    let mut sorted = ids.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(ids, sorted);
    assert!(ids.iter().all(|id| is_id(id)));
    assert_eq!(
        (note::id(0), note::id(36), note::id(u64::MAX)),
        ("0".into(), "10".into(), "3w5e11264sgsf".to_owned())
    );
}

/// What was judged and what is there must be one; else nothing is left behind in the trash.
#[test]
fn what_did_not_come_leaves_nothing() {
    let (world, state) = (World::new().with("a", "1").with("b", "2"), tempfile::tempdir().unwrap());
    let trash = Trash::new(state.path());
    let root = world.roots().locate(".").unwrap().directory().unwrap();
    let other = Itself::look(&root, Path::new("b")).unwrap();
    let note = Note {
        id: String::new(),
        path: world.path("a"),
        kind: "file".into(),
        entries: 1,
        bytes: 1,
        deleted: 0,
    };
    let from = Spot { directory: &root, name: Path::new("a"), shown: "a" };
    assert!(trash.hold().unwrap().take(from, &other, note, &|| false).is_err());
    assert_eq!(fs::read_dir(&trash.folder).unwrap().count(), 0);
    assert_eq!(world.names(""), ["a", "b"]);
}

/// The same where the trash is on another file system than the file.
#[test]
fn a_trash_elsewhere_holds_a_copy() {
    let (world, state) = (World::new(), tempfile::tempdir_in("/dev/shm").unwrap());
    let trash = Trash::new(state.path());
    let note = put(&trash, &world, "a", 5).unwrap();
    assert!(world.names("").is_empty());
    let root = world.roots().locate(".").unwrap().directory().unwrap();
    let to = Spot { directory: &root, name: Path::new("a"), shown: "a" };
    assert!(trash.hold().unwrap().give(&note, to, &|| false).is_ok());
    assert_eq!((world.bytes("a"), trash.notes().unwrap()), (b"xxxxx".to_vec(), vec![]));
}
