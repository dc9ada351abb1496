//! Runs a program to its end ([`Ran`]) or beside the test ([`Running`]), within a bound.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{self, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;

use crate::events::Events;

/// How long a program may run; a hang ends as a failed test that shows what was printed.
pub const RUN_WITHIN: Duration = Duration::from_secs(60);
/// Lines that wait to be looked at.
const LINES_WAITING: usize = 100_000;

/// A command in the making. Its environment is empty but for what a terminal has.
#[derive(Debug)]
pub struct Command {
    command: process::Command,
    stdin: Vec<u8>,
    is_stdin_open: bool,
}

impl Command {
    /// A program.
    #[must_use]
    pub fn new(program: &Path) -> Self {
        let mut command = process::Command::new(program);
        command.env_clear().env("LANG", "C.UTF-8").env("TERM", "dumb");
        for name in ["PATH", "TMPDIR", "LLVM_PROFILE_FILE"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        Self { command, stdin: Vec::new(), is_stdin_open: false }
    }

    /// More arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(arguments);
        self
    }

    /// A variable of the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// The working directory.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// What standard input holds.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Leaves standard input open after what it holds, until the value of [`Self::spawn`] is dropped.
    #[must_use]
    pub fn stdin_open(mut self) -> Self {
        self.is_stdin_open = true;
        self
    }

    /// The same command as arguments of another program: `setpriv … PROGRAM ARGS`.
    #[must_use]
    pub fn under<'a>(self, program: &str, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut outer = process::Command::new(program);
        outer
            .args(arguments)
            .arg(self.command.get_program())
            .args(self.command.get_args())
            .env_clear();
        for (name, value) in self.command.get_envs() {
            outer.envs(value.map(|value| (name, value)));
        }
        if let Some(folder) = self.command.get_current_dir() {
            outer.current_dir(folder);
        }
        Self { command: outer, ..self }
    }

    /// What is run, for those who connect it otherwise.
    pub(crate) fn into_inner(self) -> process::Command {
        self.command
    }

    /// Runs it to its end.
    #[track_caller]
    #[must_use]
    pub fn run(self) -> Ran {
        self.spawn().finish()
    }

    /// Runs it beside the test; it is ended when the value is dropped.
    #[track_caller]
    #[must_use]
    pub fn spawn(mut self) -> Running {
        let shown = format!("{:?}", self.command);
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
        let pid = i32::try_from(child.id()).expect("a process id");
        let mut stdin = child.stdin.take().expect("it is piped");
        let stdout = child.stdout.take().expect("it is piped");
        let mut stderr = child.stderr.take().expect("it is piped");
        let input = self.stdin;
        let stdin = if self.is_stdin_open {
            stdin.write_all(&input).expect("a short input fits the pipe");
            Some(stdin)
        } else {
            // Whoever reads no input is no fault of ours.
            thread::spawn(move || stdin.write_all(&input).ok());
            None
        };
        let (lines, stdout_lines) = sync_channel(LINES_WAITING);
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                if reader.read_until(b'\n', &mut line).unwrap_or(0) == 0
                    || lines.send(line).is_err()
                {
                    return;
                }
            }
        });
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).ok();
            text
        });
        let (done, ended) = sync_channel(1);
        thread::spawn(move || done.send(child.wait()));
        Running {
            shown,
            pid,
            stdin,
            lines: stdout_lines,
            seen: Vec::new(),
            errors: Some(errors),
            ended,
            code: None,
        }
    }
}

/// A program that runs.
#[derive(Debug)]
pub struct Running {
    shown: String,
    /// Its process id.
    pub pid: i32,
    stdin: Option<process::ChildStdin>,
    lines: Receiver<Vec<u8>>,
    seen: Vec<u8>,
    errors: Option<JoinHandle<Vec<u8>>>,
    ended: Receiver<std::io::Result<process::ExitStatus>>,
    code: Option<i32>,
}

impl Running {
    /// Waits for a line of standard output as JSON that `wanted` takes; gives it.
    #[track_caller]
    pub fn event(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let give_up = Instant::now() + RUN_WITHIN;
        loop {
            match self.lines.recv_timeout(give_up.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.seen.extend_from_slice(&line);
                    if let Ok(value) = serde_json::from_slice(&line)
                        && wanted(&value)
                    {
                        return value;
                    }
                }
                Err(why) => {
                    let seen = String::from_utf8_lossy(&self.seen).into_owned();
                    panic!("{}: {what} never came ({why}); it printed:\n{seen}", self.shown);
                }
            }
        }
    }

    /// Waits for an event of a type.
    #[track_caller]
    pub fn event_type(&mut self, kind: &str) -> Value {
        self.event(kind, |event| event["type"] == kind)
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        // It may have ended.
        kill(Pid::from_raw(self.pid), signal).ok();
    }

    /// Writes a line to its standard input, which was left open.
    #[track_caller]
    pub fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("standard input was left open");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("it reads its standard input");
    }

    /// Closes its standard input.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&self) {
        self.signal(Signal::SIGKILL);
    }

    /// Waits for its end.
    #[track_caller]
    #[must_use]
    pub fn finish(mut self) -> Ran {
        let give_up = Instant::now() + RUN_WITHIN;
        loop {
            match self.lines.recv_timeout(give_up.saturating_duration_since(Instant::now())) {
                Ok(line) => self.seen.extend_from_slice(&line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => self.overdue(),
            }
        }
        let left = give_up.saturating_duration_since(Instant::now());
        let Ok(status) = self.ended.recv_timeout(left) else { self.overdue() };
        let status = status.expect("a child can be waited for");
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
        self.code = Some(code);
        let errors = self.errors.take().map(JoinHandle::join);
        Ran {
            shown: self.shown.clone(),
            code,
            stdout: std::mem::take(&mut self.seen),
            stderr: String::from_utf8_lossy(&errors.and_then(Result::ok).unwrap_or_default())
                .into_owned(),
        }
    }

    #[track_caller]
    fn overdue(&mut self) -> ! {
        self.kill();
        let errors = self.errors.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        panic!(
            "{} did not end within {} s; stdout:\n{}\nstderr:\n{}",
            self.shown,
            RUN_WITHIN.as_secs(),
            String::from_utf8_lossy(&self.seen),
            String::from_utf8_lossy(&errors)
        );
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The waiting thread holds the child, so that its id cannot have been given away before.
        if self.code.is_none() && self.ended.try_recv().is_err() {
            self.kill();
        }
    }
}

/// How a program ended.
#[derive(Clone, Debug)]
pub struct Ran {
    shown: String,
    /// Its exit code; 128 and more: a signal.
    pub code: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Asserts the exit code.
    #[track_caller]
    pub fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, expected, "{self}");
        self
    }

    /// Asserts that it did its job.
    #[track_caller]
    pub fn success(self) -> Self {
        self.code(0)
    }

    /// Asserts that standard error holds all of these.
    #[track_caller]
    pub fn says<'a>(self, parts: impl IntoIterator<Item = &'a str>) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "standard error lacks {part:?}\n{self}");
        }
        self
    }

    /// Standard output as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard output as one JSON value.
    #[track_caller]
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {self}"))
    }

    /// Standard output as events.
    #[track_caller]
    #[must_use]
    pub fn events(&self) -> Events {
        Events::parse(&self.text())
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { shown, code, stderr, .. } = self;
        write!(f, "{shown}\nended with code {code}\nstdout:\n{}\nstderr:\n{stderr}", self.text())
    }
}
