//! Goal: what a killed process left is removed, and nothing else ever is.

use std::{os::unix::fs::symlink, path::PathBuf};

use super::*;

/// A folder as a killed process leaves it: with its files, and nobody holding the lock.
fn left_by_a_killed_one(base: &Path) -> PathBuf {
    let Desk { blank, folder, .. } = Desk::below(base).unwrap();
    std::mem::forget(blank);
    let folder = folder.keep();
    fs::write(folder.join("prelude"), "").unwrap();
    fs::write(folder.join("7"), "/w\n").unwrap();
    folder
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let base = tempfile::tempdir().unwrap();
    let left = [left_by_a_killed_one(base.path()), left_by_a_killed_one(base.path())];
    let living = Desk::below(base.path()).unwrap();
    fs::write(living.path().join("prelude"), "").unwrap();
    sweep(base.path());
    assert!(left.iter().all(|folder| !folder.exists()));
    assert!(living.path().join("prelude").exists() && living.path().join(LOCK).exists());
}

#[test]
fn a_process_removes_its_own_at_its_end() {
    let base = tempfile::tempdir().unwrap();
    let desk = Desk::below(base.path()).unwrap();
    assert_eq!(desk.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    fs::write(desk.path().join("prelude"), "").unwrap();
    drop(desk);
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
}

/// What the lock is on is what counts: the one that holds it may be in another PID namespace.
#[test]
fn a_lock_that_is_held_elsewhere_keeps_the_folder() {
    let base = tempfile::tempdir().unwrap();
    let left = left_by_a_killed_one(base.path());
    let held = File::open(left.join(LOCK)).unwrap();
    held.try_lock().unwrap();
    sweep(base.path());
    assert!(left.join("prelude").exists());
    drop(held);
    sweep(base.path());
    assert!(!left.exists());
}

#[test]
fn nothing_else_is_touched() {
    let base = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join(LOCK), "").unwrap();
    let named = |name: &str| base.path().join(format!("{PREFIX}{name}"));
    let folder = |name: &str| {
        fs::create_dir(named(name)).unwrap();
        fs::write(named(name).join("prelude"), "").unwrap();
        named(name)
    };
    let being_made = folder("being-made");
    let other_name = base.path().join("tollgate-shelf");
    fs::rename(folder("shelf"), &other_name).unwrap();
    fs::write(other_name.join(LOCK), "").unwrap();
    let linked = folder("linked-lock");
    symlink(elsewhere.path().join(LOCK), linked.join(LOCK)).unwrap();
    let pipe = folder("pipe");
    nix::unistd::mkfifo(&pipe.join(LOCK), nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::remove_file(pipe.join("prelude")).unwrap();
    let deep = folder("deep");
    fs::create_dir(deep.join("sub")).unwrap();
    fs::write(deep.join("sub/file"), "").unwrap();
    symlink(elsewhere.path(), deep.join("sub/link")).unwrap();
    fs::write(deep.join(LOCK), "").unwrap();
    symlink(elsewhere.path(), named("link")).unwrap();
    fs::write(named("file"), "").unwrap();
    // Only the superuser can give a folder to another.
    let foreign = folder("foreign");
    fs::write(foreign.join(LOCK), "").unwrap();
    let given = std::os::unix::fs::chown(&foreign, Some(65_534), None).is_ok();

    sweep(base.path());

    assert!(being_made.join("prelude").exists() && other_name.join("prelude").exists());
    assert!(linked.join("prelude").exists() && elsewhere.path().join(LOCK).exists());
    assert!(!deep.exists() && named("file").exists());
    assert!(named("link").is_symlink());
    assert_eq!(foreign.join("prelude").exists(), given);
    drop(fs::remove_file(named("link")));
}
