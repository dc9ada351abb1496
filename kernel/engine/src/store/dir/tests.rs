//! Goal: the layout is made private, and what is not private is refused ([CLI-06], [STORE-04]).

use std::{fs, os::unix::fs::symlink};

use super::*;
use crate::store::tests::{
    become_nobody, child_directory, give_to_nobody, mode_of, passes_again, set_mode, temp,
};

/// The error's whole text.
#[track_caller]
fn refused(root: &Path) -> String {
    StateDir::open(root).unwrap_err().to_string()
}

#[test]
fn every_directory_is_made_private() {
    let temp = temp();
    let root = temp.path().join("a/b");
    let state = StateDir::open(&root).unwrap();
    for path in [state.root(), state.sessions(), state.artifacts(), state.receipts(), state.logs()]
    {
        assert_eq!(mode_of(path), 0o700, "{}", path.display());
    }
    set_mode(state.receipts(), 0o755);
    StateDir::open(&root).unwrap();
    assert_eq!(mode_of(state.receipts()), 0o700, "what others could read is closed");
}

#[test]
fn a_directory_that_others_could_write_is_refused() {
    for below in ["", "sessions", "artifacts", "receipts", "logs"] {
        for mode in [0o770, 0o702, 0o1777] {
            let temp = temp();
            StateDir::open(temp.path()).unwrap();
            let path = temp.path().join(below);
            set_mode(&path, mode);
            let text = refused(temp.path());
            assert!(
                text.contains(&format!("mode {mode:04o}")) && text.contains("chmod go-w"),
                "{text}"
            );
            assert_eq!(mode_of(&path), mode, "it is left as it was");
        }
    }
}

#[test]
fn a_directory_of_another_user_is_refused() {
    let name = "store::dir::tests::a_directory_of_another_user_is_refused";
    if child_directory().is_some() {
        become_nobody();
        // The root directory is root's on every host.
        let text = refused(Path::new("/"));
        assert!(
            text.starts_with("/ belongs to user 0") && text.contains("TOLLGATE_HOME"),
            "{text}"
        );
        return;
    }
    passes_again(name, temp().path());
}

#[test]
fn something_else_in_the_way_is_told() {
    let temp = temp();
    fs::write(temp.path().join("sessions"), "").unwrap();
    assert!(refused(temp.path()).contains("is not a directory"));
    let dangling = temp.path().join("dangling");
    symlink("/nonexistent/x", &dangling).unwrap();
    assert!(refused(&dangling).contains("is not a directory"));
}

#[test]
fn a_directory_without_permission_is_told_with_what_helps() {
    let name = "store::dir::tests::a_directory_without_permission_is_told_with_what_helps";
    if let Some(directory) = child_directory() {
        become_nobody();
        let text = refused(&directory.join("state"));
        assert!(text.starts_with("cannot make the directory "), "{text}");
        assert!(text.contains("Permission denied") && text.contains("TOLLGATE_HOME"), "{text}");
        return;
    }
    let temp = temp();
    give_to_nobody(temp.path());
    set_mode(temp.path(), 0o500);
    passes_again(name, temp.path());
}
