//! Goal: the new content comes whole or not at all, with the old file's mode, owner and link.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::*;
use crate::testing::World;

fn set_mode(world: &World, path: &str, mode: u32) {
    fs::set_permissions(world.path(path), Permissions::from_mode(mode)).unwrap();
}

/// B022, FS-13.
#[test]
fn a_replaced_file_keeps_its_mode() {
    for mode in [0o600, 0o755, 0o640, 0o666] {
        let world = World::new().with("f", "a=1\n");
        set_mode(&world, "f", mode);
        world.edit("f", &[("a=1", "a=2")]).unwrap();
        assert_eq!(world.mode("f"), mode);
        world.write("f", "b\n", None).unwrap();
        assert_eq!((world.mode("f"), world.bytes("f")), (mode, b"b\n".to_vec()));
    }
}

/// B022: not even for an instant is a temporary file of a secret wider than its owner.
#[test]
fn a_temporary_file_is_private() {
    let world = World::new().with("f", "secret");
    let directory = world.place("f").unwrap().parent(false).unwrap();
    let temporary = Temporary::create(directory, true).unwrap();
    assert_eq!(temporary.file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    drop(temporary);
    assert_eq!(world.names(""), ["f"]);
}

/// B023: the link stays, its target changes; a link to what does not exist yet makes it.
#[test]
fn a_link_is_written_through() {
    let world = World::new().with("real/conf", "v=1\n").with("../outside", "keep");
    symlink("real/conf", world.path("conf")).unwrap();
    symlink("real/new", world.path("dangling")).unwrap();
    symlink("../outside", world.path("out")).unwrap();
    symlink("../outside-new", world.path("out-new")).unwrap();
    world.edit("conf", &[("v=1", "v=2")]).unwrap();
    world.write("dangling", "n", None).unwrap();
    assert_eq!(fs::read_link(world.path("conf")).unwrap(), Path::new("real/conf"));
    assert_eq!(
        (world.bytes("real/conf"), world.bytes("real/new")),
        (b"v=2\n".to_vec(), b"n".to_vec())
    );
    for path in ["out", "out-new"] {
        assert_eq!(world.write(path, "x", None).unwrap_err().class, Class::OutsideRoots);
    }
    assert_eq!(world.bytes("../outside"), b"keep");
    assert!(!world.path("../outside-new").exists());
}

/// [FILE-23]: a change, a new file or a removal between the plan and the rename is refused.
#[test]
fn a_concurrent_change_is_refused() {
    let world = World::new().with("f", "a");
    let place = world.place("f").unwrap();
    let before = Snapshot::take(&place).unwrap().unwrap();
    world.put("f", "b");
    assert_eq!(replace(&place, b"c", Some(&before)).unwrap_err().class, Class::Stale);
    assert_eq!(world.bytes("f"), b"b");
    fs::remove_file(world.path("f")).unwrap();
    assert!(replace(&place, b"c", Some(&before)).is_err());
    let place = world.place("new").unwrap();
    world.put("new", "theirs");
    assert_eq!(replace(&place, b"ours", None).unwrap_err().class, Class::Stale);
    assert_eq!((world.bytes("new"), world.names("")), (b"theirs".to_vec(), vec!["new".to_owned()]));
}

/// B019, B017: edits at the same time, under any spelling of the path, all count or say no.
#[test]
fn edits_at_the_same_time_are_all_kept() {
    for _ in 0..20 {
        let text: String = (1..=10).map(|k| format!("k{k}=0\n")).collect();
        let world = World::new().with("f.txt", text);
        thread::scope(|scope| {
            for k in 1..=10 {
                let world = &world;
                scope.spawn(move || {
                    let _alone = alone();
                    let path = if k % 2 == 0 { "f.txt" } else { "./f.txt" };
                    let (old, new) = (format!("k{k}=0\n"), format!("k{k}={k}\n"));
                    world.edit(path, &[(&old, &new)]).unwrap();
                });
            }
        });
        let expected: String = (1..=10).map(|k| format!("k{k}={k}\n")).collect();
        assert_eq!(world.bytes("f.txt"), expected.as_bytes());
    }
}

/// B025: whoever reads meanwhile sees the whole old or the whole new content.
#[test]
fn a_reader_never_sees_a_part() {
    let world = World::new().with("f", "0".repeat(100_000));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let bytes = world.bytes("f");
                assert!(bytes.len() == 100_000 && bytes.iter().all(|byte| *byte == bytes[0]));
            }
        });
        for k in 0..30 {
            world.write("f", &(k % 10).to_string().repeat(100_000), None).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// B025: what a killed process left is removed; what is in use is not.
#[test]
fn strays_are_swept() {
    let world =
        World::new().with("d/.tollgate-1-1.tmp", "half").with("d/.tollgate-1-2.tmp", "busy");
    let busy = File::open(world.path("d/.tollgate-1-2.tmp")).unwrap();
    busy.try_lock().unwrap();
    world.write("d/f", "x", None).unwrap();
    assert_eq!(world.names("d"), [".tollgate-1-2.tmp", "f"]);
}

/// A directory that no file can be made in is told, and nothing else changes.
#[test]
fn a_write_that_cannot_be_is_told() {
    let world = World::new().with("file", "x");
    assert_eq!(world.write("file/below", "y", None).unwrap_err().class, Class::NotFound);
    assert_eq!(world.write(&"n".repeat(300), "y", None).unwrap_err().class, Class::InvalidPath);
    assert_eq!(world.write(".", "y", None).unwrap_err().class, Class::IsDirectory);
    assert_eq!(world.names(""), ["file"]);
}

/// FS-13, as another user than root, which may write anything: a file that may not be written is not
/// replaced, though its directory would allow it, and nothing is left beside it.
#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    use nix::unistd::{chown, setfsgid, setfsuid};
    let world = World::new().with("mine", "a").with("read-only", "a").with("closed/f", "a");
    world.put("theirs", "a");
    let is_root = nix::unistd::geteuid().is_root();
    let (user, group) = (Uid::from_raw(65_534), Gid::from_raw(65_534));
    if is_root {
        for path in ["..", "", "mine", "read-only", "closed", "closed/f"] {
            chown(&world.path(path), Some(user), Some(group)).unwrap();
        }
        set_mode(&world, "theirs", 0o666);
    }
    set_mode(&world, "read-only", 0o444);
    set_mode(&world, "closed", 0o555);
    thread::scope(|scope| {
        // Of this thread alone.
        scope.spawn(|| {
            if is_root {
                setfsgid(group);
                setfsuid(user);
            }
            world.edit("mine", &[("a", "b")]).unwrap();
            for path in ["read-only", "closed/f", "closed/new"] {
                let failed = world.write(path, "b", None).unwrap_err();
                assert_eq!(failed.class, Class::PermissionDenied, "{path}: {}", failed.message);
            }
            if is_root {
                // Its owner could not be kept.
                let failed = world.edit("theirs", &[("a", "b")]).unwrap_err();
                assert_eq!(failed.class, Class::PermissionDenied, "{}", failed.message);
            }
        });
    });
    set_mode(&world, "closed", 0o755);
    assert_eq!((world.bytes("mine"), world.bytes("read-only")), (b"b".to_vec(), b"a".to_vec()));
    assert_eq!((world.bytes("theirs"), world.bytes("closed/f")), (b"a".to_vec(), b"a".to_vec()));
    assert_eq!(world.names(""), ["closed", "mine", "read-only", "theirs"]);
    assert_eq!(world.names("closed"), ["f"]);
}

/// Two edits through two hard links: each name gets its own, in turn, and no change is lost.
#[test]
fn edits_through_hard_links_follow_one_another() {
    let world = World::new().with("a", "1\n2\n");
    fs::hard_link(world.path("a"), world.path("b")).unwrap();
    thread::scope(|scope| {
        for (path, old) in [("a", "1"), ("b", "2")] {
            let world = &world;
            scope.spawn(move || {
                let _alone = alone();
                world.edit(path, &[(old, "X")]).unwrap();
            });
        }
    });
    assert_eq!((world.bytes("a"), world.bytes("b")), (b"X\n2\n".to_vec(), b"1\nX\n".to_vec()));
}
