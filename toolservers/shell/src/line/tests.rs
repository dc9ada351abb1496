//! Goal: what is judged of a line before it runs, and where it runs. [SHELL-01], [SHELL-04].

use tollgate_sdk::Caller;

use super::*;

pub(crate) fn context(cwd: &Path) -> Context {
    Context {
        call_id: "c-1".into(),
        session: "s".into(),
        turn: 1,
        step: 1,
        agent: "main".into(),
        role: String::new(),
        caller: Caller::Model,
        roots: vec![cwd.to_owned()],
        cwd: cwd.to_owned(),
        mode: "work".into(),
        posture: "ask".into(),
        can_ask: true,
        observations: Vec::new(),
    }
}

fn line(command: &str) -> Line {
    Line { command: command.into(), ..Line::default() }
}

/// A repository that became hostile between the gate's look and the start is not read (GT-01).
#[test]
fn a_grant_to_read_runs_only_what_still_reads() {
    let roots = || vec![PathBuf::from("/w")];
    let reading = Scope { exec: true, read_roots: roots(), ..Scope::default() };
    let writing = Scope { write_roots: roots(), ..reading.clone() };
    let without_roots = Scope { exec: true, ..Scope::default() };
    assert!(check_granted(&reading, true).is_ok());
    let refused = format!("{:?}", check_granted(&reading, false).unwrap_err());
    assert!(refused.contains("not_granted"), "{refused}");
    assert!(check_granted(&writing, false).is_ok() && check_granted(&writing, true).is_ok());
    assert!(check_granted(&without_roots, false).is_ok());
    assert!(check_granted(&Scope::default(), true).is_err());
}

#[test]
fn the_title_is_the_description_or_the_first_line() {
    assert_eq!(line("make\nmake test").title(), "make…");
    assert_eq!(
        Line { description: Some("Run the tests".into()), ..line("x") }.title(),
        "Run the tests"
    );
    assert_eq!(line(&"x".repeat(200)).title().chars().count(), TITLE_CHARS_MAX + 1);
}

/// B055.
#[test]
fn a_directory_that_is_gone_gives_way_to_the_workspace() {
    let base = tempfile::tempdir().unwrap();
    let gone = Context { cwd: base.path().join("gone"), ..context(base.path()) };
    let (cwd, notes) = working_directory(&gone).unwrap();
    assert_eq!((cwd.as_path(), notes.len()), (base.path(), 1));
    let nowhere = Context { roots: vec![base.path().join("gone")], ..gone };
    assert!(working_directory(&nowhere).is_err());
}
