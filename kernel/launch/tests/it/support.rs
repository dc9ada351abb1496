//! Runs the launcher as a kernel would, and reads what the server says line by line.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use tollgate_launch::processes::{Process, process};

/// The launcher under test.
pub(crate) const LAUNCHER: &str = env!("CARGO_BIN_EXE_tollgate-launch");
/// How long a test waits for an event that must come.
const EVENT_MAX: Duration = Duration::from_secs(20);

/// What a finished launch left behind.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Launches with this process as the parent and waits for the end. `options` may hold
/// `--warden` and the like; `program` is a program with its arguments.
pub(crate) fn launch(options: &[&str], program: &[&str]) -> Ended {
    let parent = std::process::id().to_string();
    run(LAUNCHER, &[&["__launch", "--parent", &parent], options, &["--"], program].concat())
}

/// Runs a program without any environment but PATH and ODD, and waits for its end.
pub(crate) fn run(program: impl AsRef<OsStr>, arguments: &[&str]) -> Ended {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("PATH", "/usr/bin:/bin").env("ODD", "a=b c");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A running process whose output is read by lines; killed when dropped.
pub(crate) struct Running {
    pub(crate) child: Child,
    lines: Receiver<String>,
}

impl Running {
    /// Starts a program with pipes for its input and output.
    pub(crate) fn start(program: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout: Box<dyn Read + Send> = Box::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                sender.send(line).ok();
            }
        });
        Self { child, lines }
    }

    /// The next line, or the end of all processes that hold the output.
    pub(crate) fn line(&self) -> Option<String> {
        match self.lines.recv_timeout(EVENT_MAX) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("no line in {EVENT_MAX:?}"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Asserts that none of `processes` is alive `within` from now. A later process that was given the
/// same number does not count.
#[track_caller]
pub(crate) fn assert_gone(processes: &[Process], within: Duration) {
    let end = Instant::now() + within;
    let alive = |old: &&Process| {
        process(old.pid).is_some_and(|now| now.alive && now.start_ticks == old.start_ticks)
    };
    loop {
        let left: Vec<_> = processes.iter().filter(alive).map(|process| process.pid).collect();
        if left.is_empty() {
            return;
        }
        if Instant::now() > end {
            for pid in &left {
                kill(*pid, Signal::SIGKILL).ok();
            }
            panic!("still alive after {within:?}: {left:?}");
        }
        thread::yield_now();
    }
}
