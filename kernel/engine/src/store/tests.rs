//! What the tests of the store share: a state directory, records, and processes of their own for
//! tests that lose privileges, meet limits or are killed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use nix::{
    sys::resource::{Resource, getrlimit, setrlimit},
    unistd::{Gid, Uid, chown, geteuid, setgroups, setresgid, setresuid},
};
use tempfile::TempDir;
use tollgate_core::{
    authority::Decider,
    call::{Caller, Effects, Position},
    digest::Digest,
    name::{CallId, SessionId},
    receipt::{Decision, End, Receipt, Status},
    stance::Stance,
};

use super::{StateDir, encode::EncodeError, encode::encode};

/// "nobody": owns nothing, may do nothing.
const NOBODY: u32 = 65534;
/// Tells a test that it runs in a process of its own, and in which directory.
const CHILD: &str = "TOLLGATE_STORE_TEST_CHILD";

/// A new directory, removed with the value.
pub(super) fn temp() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A new state directory.
pub(super) fn state() -> (TempDir, StateDir) {
    let temp = temp();
    let state = StateDir::open(&temp.path().join("state")).unwrap();
    (temp, state)
}

pub(super) fn session_id(text: &str) -> SessionId {
    SessionId::try_from(text).unwrap()
}

pub(super) fn call_id(text: &str) -> CallId {
    CallId::try_from(text).unwrap()
}

/// A receipt of a call that was decided.
pub(super) fn decided(session: &str, call: &str) -> Receipt {
    let arguments = serde_json::json!({ "path": "a\nb\u{2028}", "of": call });
    let text = arguments.to_string();
    Receipt {
        id: call_id(call),
        parent: None,
        position: Position {
            session: session_id(session),
            turn: 1,
            step: 1,
            agent: "main".to_owned(),
        },
        caller: Caller::Model,
        tool: "read".to_owned(),
        asked_as: None,
        server: None,
        server_facts: None,
        instance: None,
        host: None,
        arguments,
        arguments_sha256: Digest::of(text.as_bytes()),
        arguments_bytes: text.len() as u64,
        coercions: Vec::new(),
        subjects: Vec::new(),
        safety: None,
        layers: Vec::new(),
        decision: Decision::Auto,
        decider: Decider::Gate,
        rule: None,
        policy_sha256: None,
        stance: Stance::default(),
        grant_sha256: None,
        confinement: String::new(),
        sandbox: None,
        started_unix_ms: 1_700_000_000_000,
        end: None,
    }
}

/// The same when it has ended.
pub(super) fn ended(session: &str, call: &str) -> Receipt {
    let end = End {
        ended_unix_ms: 1_700_000_000_005,
        status: Status::Ok,
        effects: Effects::None,
        may_have_run: false,
        error_class: String::new(),
        error: String::new(),
        outcome_sha256: Some(Digest::of(b"{}")),
        outcome_bytes: 2,
        spill: None,
    };
    Receipt { end: Some(end), ..decided(session, call) }
}

/// In a process that [`run_again`] made: the directory it was given.
pub(super) fn child_directory() -> Option<PathBuf> {
    env::var_os(CHILD).map(PathBuf::from)
}

/// Runs one test of this binary again, in a process of its own, where [`child_directory`] is
/// `directory`. A write over the file size limit is an error there and no signal.
pub(super) fn run_again(test: &str, directory: &Path) -> Output {
    Command::new("/bin/sh")
        .args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, directory)
        .output()
        .unwrap()
}

/// The same; that one test must have run there, and passed.
#[track_caller]
pub(super) fn passes_again(test: &str, directory: &Path) {
    let output = run_again(test, directory);
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}\n{errors}");
}

/// Gives a directory to the user that [`become_nobody`] becomes.
pub(super) fn give_to_nobody(path: &Path) {
    if geteuid().is_root() {
        chown(path, Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY))).unwrap();
    }
}

/// Drops root's right to pass permission bits, for this process.
pub(super) fn become_nobody() {
    if geteuid().is_root() {
        let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
        setgroups(&[]).unwrap();
        setresgid(group, group, group).unwrap();
        setresuid(user, user, user).unwrap();
    }
    assert!(!geteuid().is_root());
}

/// Bounds the size of every file that this process writes; none: no bound.
pub(super) fn limit_file_size(bytes: Option<u64>) {
    let (_, hard) = getrlimit(Resource::RLIMIT_FSIZE).unwrap();
    setrlimit(Resource::RLIMIT_FSIZE, bytes.unwrap_or(hard), hard).unwrap();
}

pub(super) fn mode_of(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().unwrap().permissions().mode() & 0o7777
}

pub(super) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_record_that_could_not_be_read_back_is_refused() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let record = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let deepest = encode(&record(&nested(120))).unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&deepest).is_ok());
    assert!(matches!(encode(&record(&nested(121))), Err(EncodeError::Deep)));
    // Brackets in texts and side by side are no levels.
    assert!(encode(&"[\"\\[{".repeat(200)).is_ok());
    assert!(encode(&vec![Vec::<u8>::new(); 1000]).is_ok());
}
