//! Goal: what is put aside is whole, and nothing else moves.

use std::{fs, os::unix::fs::symlink};

use super::*;

fn all_in(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    all.sort();
    all
}

fn put_it(real: &Path, to: Option<&Path>) -> io::Result<Option<PathBuf>> {
    put(Put { real, place: real, what: "is a test" }, to)
}

#[test]
fn links_are_put_aside_as_links() {
    let world = tempfile::tempdir().unwrap();
    let place = world.path().canonicalize().unwrap();
    fs::create_dir(place.join("real")).unwrap();
    fs::write(place.join("real/x"), "mine").unwrap();
    symlink(place.join("real"), place.join("link")).unwrap();
    // Behind a link nothing is put aside.
    assert!(put_it(&place.join("link/x"), Some(&place.join("state"))).is_err());
    let moved = put_it(&place.join("link"), Some(&place.join("state"))).unwrap().unwrap();
    assert_eq!(fs::read_link(moved).unwrap(), place.join("real"));
    assert_eq!(fs::read_to_string(place.join("real/x")).unwrap(), "mine");
}

#[test]
fn what_has_gone_leaves_nothing() {
    let world = tempfile::tempdir().unwrap();
    let place = world.path().canonicalize().unwrap();
    assert_eq!(put_it(&place.join("none"), Some(&place.join("state"))).unwrap(), None);
    assert_eq!(all_in(&place.join("state")), [] as [PathBuf; 0]);
    assert_eq!(put_it(&place.join("none"), None).unwrap(), None);
}

#[test]
fn names_of_all_lengths_are_put_beside() {
    let world = tempfile::tempdir().unwrap();
    let place = world.path().canonicalize().unwrap();
    for name in ["x".repeat(255), ".env".into(), "ü".repeat(120)] {
        fs::write(place.join(&name), &name).unwrap();
        let moved = put_it(&place.join(&name), None).unwrap().unwrap();
        assert_eq!(fs::read_to_string(moved).unwrap(), name);
    }
}

/// A tree with all kinds of entries, by [`copy::moved`], as between file systems.
#[test]
fn a_copy_is_whole_and_leaves_nothing() {
    let world = tempfile::tempdir().unwrap();
    let place = world.path().canonicalize().unwrap();
    fs::create_dir_all(place.join("from/a/b")).unwrap();
    fs::create_dir(place.join("to")).unwrap();
    fs::write(place.join("from/a/b/c"), "text").unwrap();
    symlink("/etc/passwd", place.join("from/a/link")).unwrap();
    nix::unistd::mkfifo(&place.join("from/a/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let (from, to) = (hold_folder(&place.join("from")), hold_folder(&place.join("to")));
    let (from, to) = (from.unwrap(), to.unwrap());
    copy::moved(from.as_fd(), OsStr::new("a"), to.as_fd()).unwrap();
    assert_eq!(all_in(&place.join("from")), [] as [PathBuf; 0]);
    let content = place.join("to/content");
    assert_eq!(all_in(&content), [content.join("b"), content.join("link")]);
    assert_eq!(fs::read_to_string(content.join("b/c")).unwrap(), "text");
    assert_eq!(fs::read_to_string(content.join("link")).unwrap(), "a symbolic link to /etc/passwd");
}

#[test]
fn what_is_too_large_to_copy_stays_beside() {
    let world = tempfile::tempdir().unwrap();
    let place = world.path().canonicalize().unwrap();
    fs::create_dir(place.join("from")).unwrap();
    fs::create_dir(place.join("to")).unwrap();
    let large = fs::File::create(place.join("from/large")).unwrap();
    large.set_len(super::super::limits::ASIDE_BYTES_MAX + 1).unwrap();
    let (from, to) = (hold_folder(&place.join("from")), hold_folder(&place.join("to")));
    copy::moved(from.unwrap().as_fd(), OsStr::new("large"), to.unwrap().as_fd()).unwrap_err();
    assert!(place.join("from/large").exists());
}

/// `/dev/shm` is another file system than the temporary folder, where both are there.
#[test]
fn between_file_systems_it_is_copied() {
    let (world, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm"));
    let Ok(other) = other else { return };
    let place = world.path().canonicalize().unwrap();
    fs::create_dir(place.join(".vscode")).unwrap();
    fs::write(place.join(".vscode/tasks.json"), "evil").unwrap();
    let moved = put_it(&place.join(".vscode"), Some(other.path())).unwrap().unwrap();
    assert_eq!(fs::read_to_string(moved.join("tasks.json")).unwrap(), "evil");
    assert_eq!(all_in(&place), [] as [PathBuf; 0]);
}
