//! Goal: a server gets what it was given, is heard, and ends without leaving anything. [PROTO-10]
//!
//! Real processes; the launcher is the `tollgate-launch` binary, which `cargo build -p tollgate-launch`
//! puts beside this test. Each test needs a process of its own (as nextest gives it): the kernel ends
//! whatever it does not know among its children, here also another test's.

mod basics;
mod capture;
mod ends;
mod reuse;

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use tollgate_launch::processes::{Process, process};

use super::*;

/// How soon after a death nothing may be left.
const GONE_WITHIN: Duration = Duration::from_secs(1);

fn spawner() -> Spawner {
    let test = std::env::current_exe().unwrap();
    let launcher = test.parent().and_then(Path::parent).unwrap().join("tollgate-launch");
    assert!(launcher.exists(), "run `cargo build -p tollgate-launch`: {launcher:?} is missing");
    Spawner::with_launcher(launcher)
}

/// A server that is a shell script.
fn shell(script: &str) -> ProcessSpec {
    ProcessSpec {
        name: "test".into(),
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: None,
        warden: false,
        limits: ProcessLimits::default(),
        listener: None,
        log_file: None,
    }
}

/// A place where processes of any kind say who they are, one `WHO PID` a line.
struct RollCall {
    path: PathBuf,
    lines: BufReader<File>,
    _directory: tempfile::TempDir,
}

impl RollCall {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("roll-call");
        mkfifo(&path, Mode::S_IRWXU).unwrap();
        // Open for both, so that it neither waits for a writer nor ends with one.
        let fifo = File::options().read(true).write(true).open(&path).unwrap();
        Self { path, lines: BufReader::new(fifo), _directory: directory }
    }

    /// The variable by which a script finds it.
    fn variable(&self) -> (OsString, OsString) {
        ("ROLL_CALL".into(), self.path.clone().into())
    }

    /// Waits for the next process to say who it is.
    fn next(&mut self) -> (String, Process) {
        let (who, pid) = self.next_pid();
        let found = process(pid).unwrap_or_else(|| panic!("{who} {pid} has ended"));
        (who, found)
    }

    /// The same of one that may have ended.
    fn next_pid(&mut self) -> (String, Pid) {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let (who, pid) = line.trim().split_once(' ').unwrap();
        (who.to_owned(), Pid::from_raw(pid.parse().unwrap()))
    }
}

fn is_same_and_alive(old: &Process) -> bool {
    process(old.pid).is_some_and(|now| now.alive && now.start_ticks == old.start_ticks)
}

/// Asserts that none of `processes` is alive `within` from now.
#[track_caller]
fn assert_gone(processes: &[Process], within: Duration) {
    let end = Instant::now() + within;
    loop {
        let left: Vec<_> = processes.iter().filter(|process| is_same_and_alive(process)).collect();
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < end, "still alive after {within:?}: {left:?}");
        std::thread::yield_now();
    }
}
