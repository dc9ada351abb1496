//! A pseudo-terminal with a program at it: all three streams, the signals of its keys, and a log of every
//! byte that it was sent.
//!
//! The program is the leader of a session of its own, whose controlling terminal this is
//! (`setsid --ctty`), as a program at a person's terminal is.
//!
//! Nothing reads beside the test: what the program prints is taken up while the test waits.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::process::ExitStatusExt as _,
    },
    process::{Child, ExitStatus},
    time::{Duration, Instant},
};

use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    pty::{Winsize, openpty},
};

use crate::{
    eventually::eventually,
    run::{Command, RUN_WITHIN},
};

/// Rows of every terminal.
pub const ROWS: u16 = 24;
/// Characters of a command that a failed test shows.
const SHOWN_CHARS: usize = 2000;
/// Codes of the colours that Tollgate uses (ECMA-48 SGR), each between `ESC [` and `m`.
const COLOURS: [&str; 7] = ["0", "1", "2", "31", "32", "33", "36"];

/// A terminal with a program at it, which is ended with it.
#[derive(Debug)]
pub struct Terminal {
    shown: String,
    /// `None`: hung up.
    master: Option<File>,
    child: Child,
    log: Vec<u8>,
    /// Up to here the test has looked.
    seen: usize,
}

impl Terminal {
    /// Runs a command at a terminal of so many columns.
    #[track_caller]
    #[must_use]
    pub fn run(command: Command, columns: u16) -> Self {
        let size = Winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).expect("a pseudo-terminal");
        // Copies are closed in the program, which must not hold its own terminal's other end.
        let copy = |end: OwnedFd| end.try_clone().expect("a file descriptor");
        let (master, slave) = (copy(pty.master), copy(pty.slave));
        let mut command =
            command.under("setsid", ["--ctty"]).env("TERM", "xterm-256color").into_inner();
        let shown = format!("{command:?}").chars().take(SHOWN_CHARS).collect();
        let stream = || slave.try_clone().expect("a file descriptor");
        command.stdin(stream()).stdout(stream()).stderr(stream());
        let child = command.spawn().expect("a program at a terminal");
        // `command` and `slave` end here, so that the program alone holds its terminal.
        Self { shown, master: Some(master.into()), child, log: Vec::new(), seen: 0 }
    }

    /// Waits until a text is on the terminal behind what was waited for before; gives all between.
    #[track_caller]
    pub fn until(&mut self, text: &str) -> String {
        let give_up = Instant::now() + RUN_WITHIN;
        loop {
            let new = self.log.get(self.seen..).unwrap_or_default();
            if let Some(at) = new.windows(text.len()).position(|part| part == text.as_bytes()) {
                let end = at + text.len();
                let shown =
                    String::from_utf8_lossy(new.get(..end).unwrap_or_default()).into_owned();
                self.seen += end;
                return shown;
            }
            let goes_on = self.take_up(give_up);
            assert!(goes_on, "{text:?} never came; {self}");
        }
    }

    /// Types, as a person's keys do; Enter is `\n`.
    #[track_caller]
    pub fn types(&mut self, keys: &str) {
        let master = self.master.as_mut().expect("the terminal is there");
        master.write_all(keys.as_bytes()).expect("a terminal takes keys");
    }

    /// Takes the terminal away, as a closed window does.
    pub fn hang_up(&mut self) {
        self.master = None;
    }

    /// Waits for the program's end.
    #[track_caller]
    pub fn finish(mut self) -> Screen {
        let give_up = Instant::now() + RUN_WITHIN;
        while self.take_up(give_up) {}
        let ended = |status: ExitStatus| {
            status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
        };
        let code = eventually("the program ends", || self.child.try_wait().ok().flatten());
        let log = std::mem::take(&mut self.log);
        Screen { shown: self.shown.clone(), code: ended(code), log }
    }

    /// Takes up what there is, and waits for it until then; `false`: there will be no more.
    fn take_up(&mut self, until: Instant) -> bool {
        let Some(master) = &mut self.master else { return false };
        let left = until.saturating_duration_since(Instant::now()).min(Duration::from_secs(60));
        let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        let mut ready = [PollFd::new(master.as_fd(), PollFlags::POLLIN)];
        if !matches!(poll(&mut ready, left), Ok(1..)) {
            return false;
        }
        let mut part = [0; 4096];
        // A terminal at which nobody is left gives an error, and no end of file.
        match master.read(&mut part) {
            Ok(bytes @ 1..) => {
                self.log.extend_from_slice(part.get(..bytes).unwrap_or_default());
                true
            }
            Ok(_) | Err(_) => false,
        }
    }
}

impl std::fmt::Display for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} printed:\n{}", self.shown, String::from_utf8_lossy(&self.log))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended is not there to be killed.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// All that a terminal was sent.
#[derive(Clone, Debug)]
pub struct Screen {
    shown: String,
    /// The program's exit code; 128 and more: a signal.
    pub code: i32,
    /// The bytes.
    pub log: Vec<u8>,
}

impl Screen {
    /// Asserts the exit code.
    #[track_caller]
    pub fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, expected, "{self}");
        self
    }

    /// See [`harmless`].
    #[track_caller]
    pub fn harmless(&self, may_be_coloured: bool) -> String {
        harmless(&self.log, may_be_coloured)
    }
}

/// Asserts that nothing was sent that a terminal obeys, but for lines, tabs and, where they may be,
/// Tollgate's own colours; gives the text without these.
#[track_caller]
pub fn harmless(log: &[u8], may_be_coloured: bool) -> String {
    let text = String::from_utf8(log.to_owned())
        .unwrap_or_else(|error| panic!("bytes that are no text ({error}): {}", log.escape_ascii()));
    // A terminal adds a carriage return to each newline.
    let mut text = text.replace("\r\n", "\n");
    for code in COLOURS.iter().filter(|_| may_be_coloured) {
        text = text.replace(&format!("\u{1b}[{code}m"), "");
    }
    let odd = text.chars().find(|char| char.is_control() && !matches!(char, '\n' | '\t'));
    assert!(odd.is_none(), "a terminal was sent {odd:?}: {text:?}");
    text
}

impl std::fmt::Display for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { shown, code, log } = self;
        write!(
            f,
            "{shown}\nended with code {code}; the terminal:\n{}",
            String::from_utf8_lossy(log)
        )
    }
}
