//! What a launcher tells the server, line by line, and how the server reads it.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
};

/// Bytes of a report, at most; launchers write three short lines.
const BYTES_MAX: u64 = 16 * 1024;

/// How the program ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ended {
    /// It exited with this code, 0 to 255.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// What was reported so far.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Report {
    /// What holds, in words; nothing: the program did not begin.
    pub confined: Option<String>,
    /// Why nothing ran.
    pub failed: Option<String>,
    /// How the program ended, where the launcher's own end does not tell.
    pub ended: Option<Ended>,
    /// Of `hold`: the process whose namespaces can be joined.
    pub held: Option<i32>,
}

impl Report {
    /// Reads what is there, without waiting if the descriptor does not wait.
    #[must_use]
    pub fn read(from: File) -> Self {
        let mut text = Vec::new();
        // What was read before an error counts.
        drop(from.take(BYTES_MAX).read_to_end(&mut text));
        Self::parse(&text)
    }

    /// What these lines say; one that is not whole yet says nothing.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let mut report = Self::default();
        for line in whole.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "confined" => report.confined = Some(rest.to_owned()),
                "failed" => report.failed = Some(rest.to_owned()),
                "code" => report.ended = rest.parse().ok().map(Ended::Code),
                "signal" => report.ended = rest.parse().ok().map(Ended::Signal),
                "held" => report.held = rest.parse().ok(),
                _ => {}
            }
        }
        report
    }
}

/// The launcher's end of the report.
#[derive(Debug)]
pub(super) struct Reporter(File);

impl Reporter {
    /// Opens it anew, so that it goes with this program.
    pub(super) fn open() -> io::Result<Self> {
        let pipe = File::options().write(true).open(format!("/proc/self/fd/{}", super::REPORT))?;
        Ok(Self(pipe))
    }

    /// Tells the server a line.
    ///
    /// # Errors
    /// Nobody reads it any more: the server has ended.
    pub(super) fn tell(&mut self, line: &str) -> io::Result<()> {
        self.0.write_all(format!("{}\n", line.replace('\n', "; ")).as_bytes())
    }

    /// The same for a last line; one that cannot be told is lost, and the launcher's exit code still tells.
    pub(super) fn say(&mut self, line: &str) {
        drop(self.tell(line));
    }
}
