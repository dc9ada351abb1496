//! Goal: one kernel per session ([STORE-04], RL-17).

use std::{fs, os::unix::process::ExitStatusExt as _};

use nix::{
    sys::signal::{Signal, kill},
    unistd::getpid,
};

use super::*;
use crate::store::tests::{child_directory, mode_of, run_again, session_id, state};

#[test]
fn the_second_kernel_is_told_who_has_the_session() {
    let (_temp, state) = state();
    let (one, two) = (session_id("one"), session_id("two"));
    let held = SessionLock::acquire(&state, &one).unwrap();
    let text = SessionLock::acquire(&state, &one).unwrap_err().to_string();
    let process = format!("(process {})", std::process::id());
    assert!(text.contains(&process) && text.contains("start a new session"), "{text}");
    assert_eq!(mode_of(&path(&state, &one)), 0o600);
    SessionLock::acquire(&state, &two).unwrap();
    drop(held);
    assert_eq!(SessionLock::acquire(&state, &one).unwrap().session(), &one);
}

#[test]
fn a_holder_that_has_not_told_its_id_yet_is_no_fault() {
    let (_temp, state) = state();
    let one = session_id("one");
    let _held = SessionLock::acquire(&state, &one).unwrap();
    for text in ["", "not a number", "\u{0}\u{0}"] {
        fs::write(path(&state, &one), text).unwrap();
        let error = SessionLock::acquire(&state, &one).unwrap_err();
        assert!(matches!(error, LockError::Held { pid: None, .. }), "{error}");
        assert!(error.to_string().contains("not known"), "{error}");
    }
}

#[test]
fn a_kill_frees_the_session() {
    let one = session_id("one");
    if let Some(directory) = child_directory() {
        let state = StateDir::open(&directory).unwrap();
        let _held = SessionLock::acquire(&state, &one).unwrap();
        kill(getpid(), Signal::SIGKILL).unwrap();
    }
    let (_temp, state) = state();
    let output = run_again("store::lock::tests::a_kill_frees_the_session", state.root());
    assert_eq!(output.status.signal(), Some(9));
    assert!(path(&state, &one).exists());
    SessionLock::acquire(&state, &one).unwrap();
}
