//! Goal: the directory is private, goes with its kernel, and shows what runs. [PROTO-10]

use std::os::unix::fs::symlink;

use super::super::records::running;
use super::*;

/// Asserts that `below` is refused with a message that contains `part`.
#[track_caller]
fn check_refused(below: &Path, part: &str) {
    let error = RuntimeDir::create(Some(below)).unwrap_err().to_string();
    assert!(error.contains(part), "{error}");
    assert!(error.contains(&below.display().to_string()), "{error}");
}

fn entries(below: &Path) -> usize {
    fs::read_dir(below).unwrap().count()
}

#[test]
fn it_is_private_and_goes_with_its_kernel() {
    let home = tempfile::tempdir().unwrap();
    let directory = RuntimeDir::create(Some(home.path())).unwrap();
    let other = RuntimeDir::create(Some(home.path())).unwrap();
    assert_ne!(directory.path(), other.path());
    assert_eq!(fs::metadata(directory.path()).unwrap().mode() & 0o777, 0o700);
    assert_eq!(entries(home.path()), 2);
    drop((directory, other));
    assert_eq!(entries(home.path()), 0);
}

#[test]
fn directories_of_dead_kernels_are_removed_and_all_else_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let living = RuntimeDir::create(Some(home.path())).unwrap();
    let dead = home.path().join("0123abcd");
    fs::create_dir(&dead).unwrap();
    // Process 1 lives, but it does not hold the lock.
    fs::write(dead.join(OWNER_FILE), "1\n").unwrap();
    fs::write(dead.join("file-1.sock"), "").unwrap();
    for kept in ["notes", "0123abcg", "0123abc", "0123abcd.new"] {
        fs::create_dir(home.path().join(kept)).unwrap();
    }
    let next = RuntimeDir::create(Some(home.path())).unwrap();
    assert!(!dead.exists());
    assert!(living.path().exists());
    assert_eq!(entries(home.path()), 6);
    drop(next);
}

#[test]
fn a_place_that_others_can_change_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let shared = home.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, Permissions::from_mode(0o777)).unwrap();
    check_refused(&shared, "others may write to it");
    let link = home.path().join("link");
    symlink(home.path(), &link).unwrap();
    check_refused(&link, "it is a symbolic link");
    if geteuid().is_root() {
        let foreign = home.path().join("foreign");
        fs::create_dir(&foreign).unwrap();
        std::os::unix::fs::chown(&foreign, Some(65534), None).unwrap();
        check_refused(&foreign, "it belongs to another user");
    }
}

#[test]
fn a_socket_is_private_and_its_path_is_short_enough() {
    let home = tempfile::tempdir().unwrap();
    let directory = RuntimeDir::create(Some(home.path())).unwrap();
    let (_listener, path) = directory.listen("file", 3).unwrap();
    assert_eq!(path, directory.path().join("file-3.sock"));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    for name in ["", "..", "a/b", ".hidden"] {
        let error = directory.listen(name, 1).unwrap_err();
        assert!(matches!(error, RuntimeDirError::Name { .. }), "{error:?}");
    }
    let room = SOCKET_PATH_BYTES_MAX - directory.path().as_os_str().len() - "/-1.sock".len();
    directory.listen(&"x".repeat(room), 1).unwrap();
    let error = directory.listen(&"x".repeat(room + 1), 1).unwrap_err().to_string();
    assert!(error.contains("has 101 bytes and the limit is 100"), "{error}");
    assert!(error.contains(&directory.path().display().to_string()), "{error}");
}

#[test]
fn records_show_what_runs_and_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let below = Some(home.path());
    assert_eq!(running(below), []);
    let directory = RuntimeDir::create(below).unwrap();
    let me = Pid::this().as_raw();
    directory.record("shell", me, "i-1").unwrap();
    directory.record("file", me, "i-2").unwrap();
    directory.record("shell", me, "i-3").unwrap();
    assert!(directory.record("gone", i32::MAX, "i-4").is_err());
    fs::write(directory.path().join("broken.json"), "{").unwrap();
    let found = running(below);
    let shown: Vec<_> = found.iter().map(|r| (&*r.server, &*r.instance, r.kernel)).collect();
    assert_eq!(shown, [("file", "i-2", me), ("shell", "i-3", me)]);
    directory.forget("shell").unwrap();
    directory.forget("shell").unwrap();
    assert_eq!(running(below).len(), 1);
    drop(directory);
    assert_eq!(running(below), []);
}

/// A number that came round again belongs to a process that started later.
#[test]
fn a_record_of_an_earlier_process_is_not_signalled() {
    let home = tempfile::tempdir().unwrap();
    let directory = RuntimeDir::create(Some(home.path())).unwrap();
    directory.record("file", Pid::this().as_raw(), "i").unwrap();
    let mut record = running(Some(home.path())).pop().unwrap();
    record.start_ticks -= 1;
    assert!(!record.is_running());
    assert!(!record.terminate().unwrap());
}
