//! Goal: something goes elsewhere whole, or stays; nothing is replaced.

use std::fs;

use super::*;
use crate::{roots::open_in, testing::World};

fn root(world: &World) -> OwnedFd {
    world.roots().locate(".").unwrap().directory().unwrap()
}

fn spot<'a>(directory: &'a OwnedFd, name: &'a str) -> Spot<'a> {
    Spot { directory, name: Path::new(name), shown: name }
}

fn look(directory: &OwnedFd, name: &str) -> Itself {
    Itself::look(directory, Path::new(name)).unwrap()
}

#[track_caller]
fn unmoved(stuck: Stuck) -> Class {
    match stuck {
        Stuck::Unmoved(failed) => failed.class,
        Stuck::Doubled(failed) => panic!("{failed:?}"),
    }
}

/// The one that was judged, or none: another file, or a directory in its place, stays where it is.
#[test]
fn what_is_moved_is_what_was_shown() {
    let world = World::new().with("a", "1").with("b", "2").with("d/f", "3");
    let root = root(&world);
    for (name, judged) in [("a", "b"), ("d", "a"), ("a", "d")] {
        let expected = look(&root, judged);
        for way in [transfer, across] {
            let stuck =
                way(spot(&root, name), spot(&root, "new"), &expected, &|| false).unwrap_err();
            assert_eq!(unmoved(stuck), Class::Stale);
            assert_eq!(world.names(""), ["a", "b", "d"]);
        }
    }
}

#[test]
fn nothing_is_replaced() {
    let world = World::new().with("a", "1").with("b", "2").with("d/f", "3").with("e/g", "4");
    fs::create_dir(world.path("empty")).unwrap();
    let root = root(&world);
    for (from, to) in [("a", "b"), ("a", "d"), ("d", "b"), ("d", "e"), ("d", "empty")] {
        let expected = look(&root, from);
        for way in [transfer, across] {
            let stuck = way(spot(&root, from), spot(&root, to), &expected, &|| false).unwrap_err();
            assert_eq!(unmoved(stuck), Class::Exists, "{from} {to}");
            assert_eq!(world.names(""), ["a", "b", "d", "e", "empty"]);
        }
    }
}

/// Across file systems it is copied, durably, then the old one goes; no temporary is left.
#[test]
fn a_move_across_file_systems_is_a_copy() {
    let world = World::new().with("d/e/f", "123").with("d/g", "45");
    let root = root(&world);
    let expected = look(&root, "d");
    let way = across(spot(&root, "d"), spot(&root, "new"), &expected, &|| false).unwrap();
    assert_eq!(way, Way::Copied(5));
    assert_eq!(world.names(""), ["new"]);
    assert_eq!((world.bytes("new/e/f"), world.bytes("new/g")), (b"123".to_vec(), b"45".to_vec()));
    let stopped = across(spot(&root, "new"), spot(&root, "d"), &look(&root, "new"), &|| true);
    assert_eq!(
        (unmoved(stopped.unwrap_err()), world.names("")),
        (Class::Cancelled, vec!["new".to_owned()])
    );
}

/// The same where there really is another one: between a disk and memory.
#[test]
fn a_move_to_another_file_system_is_recognised() {
    let world = World::new().with("d/f", "123");
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let flags = nix::fcntl::OFlag::O_RDONLY | nix::fcntl::OFlag::O_DIRECTORY;
    let there = nix::fcntl::open(memory.path(), flags, nix::sys::stat::Mode::empty()).unwrap();
    let here = root(&world);
    let expected = look(&here, "d");
    let is_other = look(&there, ".").inode.0 != expected.inode.0;
    let way = transfer(spot(&here, "d"), spot(&there, "d"), &expected, &|| false).unwrap();
    assert_eq!(way, if is_other { Way::Copied(3) } else { Way::Renamed });
    assert_eq!(fs::read(memory.path().join("d/f")).unwrap(), b"123");
    assert!(world.names("").is_empty());
    assert!(open_in(&there, Path::new("d"), flags).is_ok());
}

/// A copy that a killed process left is swept with the next one.
#[test]
fn a_stray_copy_is_swept() {
    let world = World::new().with(".tollgate-1-1.tmp/new/half", "x").with("d/f", "1");
    let root = root(&world);
    across(spot(&root, "d"), spot(&root, "e"), &look(&root, "d"), &|| false).unwrap();
    assert_eq!(world.names(""), ["e"]);
}
