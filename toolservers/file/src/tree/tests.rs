//! Goal: a tree is counted, copied and removed whole, and nothing beside it is touched.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};

use super::*;
use crate::testing::World;

fn root(world: &World) -> OwnedFd {
    world.roots().locate(".").unwrap().directory().unwrap()
}

fn world() -> World {
    let world = World::new().with("t/a", "12345").with("t/d/e/f", "678").with("../o/f", "SECRET");
    symlink("../../o", world.path("t/d/out")).unwrap();
    symlink("a", world.path("t/link")).unwrap();
    world
}

#[test]
fn a_tree_is_counted() {
    let world = world();
    let count = |name: &str| extent(&root(&world), Path::new(name), name, &|| false);
    assert_eq!(count("t").unwrap(), Extent { entries: 7, files: 2, bytes: 8 });
    assert_eq!(count("t/a").unwrap(), Extent { entries: 1, files: 1, bytes: 5 });
    let stopped = extent(&root(&world), Path::new("t"), "t", &|| true).unwrap_err();
    assert_eq!(stopped.class, Class::Cancelled);
}

#[test]
fn a_tree_that_is_too_deep_is_refused() {
    let world = World::new();
    let mut deep = world.path("t");
    for _ in 0..=TREE_DEPTH_MAX {
        deep.push("d");
    }
    fs::create_dir_all(&deep).unwrap();
    let refused = extent(&root(&world), Path::new("t"), "t", &|| false).unwrap_err();
    assert_eq!(refused.class, Class::TooLarge, "{}", refused.message);
}

/// Links stay links; modes and times go along.
#[test]
fn a_copy_is_the_same() {
    let world = world();
    fs::set_permissions(world.path("t/a"), Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(world.path("t/d/e"), Permissions::from_mode(0o555)).unwrap();
    let root = root(&world);
    let copied = copy((&root, Path::new("t")), (&root, Path::new("c")), "t", &|| false).unwrap();
    assert_eq!(copied.bytes(), 8);
    assert_eq!((world.bytes("c/a"), world.bytes("c/d/e/f")), (b"12345".to_vec(), b"678".to_vec()));
    assert_eq!((world.mode("c/a"), world.mode("c/d/e")), (0o640, 0o555));
    assert_eq!(fs::read_link(world.path("c/d/out")).unwrap(), Path::new("../../o"));
    let modified = |path: &str| fs::metadata(world.path(path)).unwrap().modified().unwrap();
    assert_eq!((modified("c/a"), modified("c/d")), (modified("t/a"), modified("t/d")));
    remove_copied(&root, Path::new("t"), &copied, "t").unwrap();
    assert!(!world.path("t").exists());
}

/// What another program changed after it was copied is not removed.
#[test]
fn what_was_not_copied_is_not_removed() {
    let world = world();
    let root = root(&world);
    let copied = copy((&root, Path::new("t")), (&root, Path::new("c")), "t", &|| false).unwrap();
    world.put("t/d/e/f", "changed");
    let failed = remove_copied(&root, Path::new("t"), &copied, "t").unwrap_err();
    assert_eq!((failed.class, world.bytes("t/d/e/f")), (Class::Stale, b"changed".to_vec()));
}

#[test]
fn what_cannot_be_copied_is_told() {
    let world = World::new().with("t/a", "x");
    nix::unistd::mkfifo(&world.path("t/p"), nix::sys::stat::Mode::from_bits_truncate(0o600))
        .unwrap();
    let root = root(&world);
    let failed =
        copy((&root, Path::new("t")), (&root, Path::new("c")), "t", &|| false).unwrap_err();
    assert_eq!(failed.class, Class::SpecialFile, "{}", failed.message);
}

/// FS-17: while directories of the tree become links to the outside, nothing of the outside goes.
#[test]
fn a_removal_does_not_leave_the_tree() {
    for _ in 0..50 {
        let world = World::new();
        for number in 0..20 {
            world.put(&format!("t/d{number}/f"), "x");
            world.put(&format!("../o/d{number}/f"), "SECRET");
        }
        symlink("../../o", world.path("l")).unwrap();
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    let (d, l) = (world.path(&format!("t/d{number}")), world.path("l"));
                    renameat2(AT_FDCWD, &d, AT_FDCWD, &l, RenameFlags::RENAME_EXCHANGE).ok();
                    number = (number + 7) % 20;
                }
            });
            // What is put into it meanwhile may make it fail; what is outside stays.
            remove(&root(&world), Path::new("t"), "t").ok();
            stop.store(true, Ordering::Relaxed);
        });
        for number in 0..20 {
            assert_eq!(world.bytes(&format!("../o/d{number}/f")), b"SECRET");
        }
    }
}
