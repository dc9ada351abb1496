//! Goal: nothing gets out of a confined process, and all that the server needs still works there
//! (`[GATE-70]`, `CM-06`), as root and as nobody.
//!
//! The tests start this program again with [`ACT`] in its environment; that process confines itself as
//! `tollgate-code` does, does what it is told, and prints how that went. It must have one thread, so this
//! program is its own harness. What has no safe wrapper (`io_uring_setup`, `mprotect`, `clone`) is tried on
//! the filter itself: `syscalls/alone/tests.rs` of `tollgate-confine`.

#![expect(
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that is its own harness, which clippy does not take for one"
)]

mod confine {
    pub(crate) mod acts;
    pub(crate) mod escapes;
    pub(crate) mod harness;
    pub(crate) mod life;
}

use std::{
    os::unix::{net::UnixListener, process::ExitStatusExt},
    process::{Command, ExitCode, Output},
};

use confine::{
    acts::{ACT, FOLDER, PORT, USER},
    harness,
};

const SIGABRT: i32 = 6;

fn main() -> ExitCode {
    match std::env::var(ACT) {
        Ok(act) => confine::acts::run(&act),
        Err(_) => harness::run(&[
            ("every_escape_is_denied", every_escape_is_denied),
            ("without_landlock_seccomp_denies_the_same", without_landlock_seccomp_denies_the_same),
            ("a_server_still_works", a_server_still_works),
            ("a_program_still_runs", a_program_still_runs),
            ("an_abort_is_seen", an_abort_is_seen),
            ("a_stack_that_is_full_is_told", a_stack_that_is_full_is_told),
            ("a_panic_is_printed", a_panic_is_printed),
            ("a_log_that_is_a_file_goes_on", a_log_that_is_a_file_goes_on),
            ("memory_ends_at_the_limit", memory_ends_at_the_limit),
            ("with_a_second_thread_landlock_is_missing", with_a_second_thread_landlock_is_missing),
            ("required_refuses_what_is_missing", required_refuses_what_is_missing),
        ]),
    }
}

/// The users as which a process is tried: root becomes nobody too.
fn users() -> &'static [&'static str] {
    if nix::unistd::geteuid().is_root() { &["same", "nobody"] } else { &["same"] }
}

fn command(act: &str, user: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env_clear().env(ACT, act).env(USER, user);
    command
}

#[track_caller]
fn succeeds(act: &str, expected: &[&str]) {
    for user in users() {
        let (output, text) = ended(&mut command(act, user));
        assert!(output.status.success(), "{act} as {user}: {text}");
        for line in expected {
            assert!(text.contains(line), "{act} as {user}: no {line:?} in:\n{text}");
        }
    }
}

fn ended(command: &mut Command) -> (Output, String) {
    let output = command.output().unwrap();
    let text = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).join("");
    (output, text)
}

/// Tries each escape, with something there that it would reach.
fn escapes(act: &str) {
    for user in users() {
        let folder = tempfile::Builder::new().prefix("confine").tempdir().unwrap();
        let open_to_all = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(folder.path(), open_to_all).unwrap();
        let kernel = UnixListener::bind(folder.path().join("kernel")).unwrap();
        kernel.set_nonblocking(true).unwrap();
        let network = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = network.local_addr().unwrap().port().to_string();
        let mut command = command(act, user);
        let (output, text) = ended(command.env(FOLDER, folder.path()).env(PORT, port));
        assert!(output.status.success(), "as {user}: {text}");
        assert!(kernel.accept().is_err(), "as {user}: the kernel's socket was reached");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "as {user}: something was made: {left:?}");
        let tried = text.lines().filter(|line| line.starts_with("tried ")).collect::<Vec<_>>();
        assert!(tried.len() >= 50, "as {user}: few escapes were tried:\n{text}");
        for line in tried {
            let denied = ["EPERM", "EACCES", "ENOSYS"].iter().any(|word| line.ends_with(word));
            assert!(denied, "as {user}: {line}");
        }
    }
}

fn every_escape_is_denied() {
    escapes("escapes");
}

/// On a host without Landlock the filter alone must hold (`[GATE-70]`, best effort).
fn without_landlock_seccomp_denies_the_same() {
    escapes("escapes beside a thread");
}

fn a_server_still_works() {
    succeeds("serve", &["accepted, answered, waited, worked beside"]);
}

fn a_program_still_runs() {
    succeeds("program", &["[6,\"function\",\"2026-01-02T03:04:05.000Z\",true]"]);
}

fn an_abort_is_seen() {
    for user in users() {
        let (output, text) = ended(&mut command("abort", user));
        assert_eq!(output.status.signal(), Some(SIGABRT), "as {user}: {text}");
    }
}

fn a_stack_that_is_full_is_told() {
    for user in users() {
        let (output, text) = ended(&mut command("overflow", user));
        assert_eq!(output.status.signal(), Some(SIGABRT), "as {user}: {text}");
        assert!(text.contains("thread 'deep'") && text.contains("overflowed its stack"), "{text}");
    }
}

fn a_panic_is_printed() {
    for user in users() {
        let (output, text) = ended(command("panic", user).env("RUST_BACKTRACE", "1"));
        assert_eq!(output.status.code(), Some(101), "as {user}: {text}");
        assert!(text.contains("as told"), "as {user}: {text}");
    }
    succeeds("panic in a thread", &["as told", "caught"]);
}

fn a_log_that_is_a_file_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = std::fs::File::create(&path).unwrap();
    let status = command("log", "same").stderr(log).status().unwrap();
    assert!(status.success(), "{status:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a line\n");
}

fn memory_ends_at_the_limit() {
    succeeds("memory", &["within: ok", "over: refused"]);
}

fn with_a_second_thread_landlock_is_missing() {
    succeeds("words beside a thread", &["landlock:none seccomp rlimits"]);
}

fn required_refuses_what_is_missing() {
    let why = "sandbox = \"required\", but landlock cannot be had here: 2 threads run already";
    succeeds("required beside a thread", &[why]);
}
