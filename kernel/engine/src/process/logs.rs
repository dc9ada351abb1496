//! What a server says: read without end, kept for a while, never parsed.
//!
//! Both streams are read as long as anything holds them, so that a server never blocks on a full pipe.
//! Each line goes to the tail, to `tracing` (target `server`, fields `server` and `stream`, level
//! debug) and to a log file if there is one.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::watch;

use super::limits::{LOG_LINE_BYTES_MAX, LOG_READ_BYTES, LOG_TAIL_BYTES_MAX};
use super::log_file::LogFile;
use crate::secrets::LogSecrets;

/// Stands for the rest of a line that was too long.
const CUT: &[u8] = b" [line cut]";

/// The last output of a server, both streams together, as whole lines where they fit.
#[derive(Clone, Debug)]
pub struct LogTail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    ended: watch::Receiver<bool>,
}

impl LogTail {
    /// The kept output as text of at most 64 KiB before decoding. Bytes that are not UTF-8 and control
    /// characters become U+FFFD, so that it can be shown on a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let shown = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
        String::from_utf8_lossy(kept.make_contiguous()).chars().map(shown).collect()
    }

    /// Waits until no process holds the server's output any more.
    pub(super) async fn ended(&self) {
        // A dropped sender means that nobody reads any more, which is the same here.
        self.ended.clone().wait_for(|ended| *ended).await.ok();
    }
}

/// The reading end of a server's log.
pub(super) struct Log {
    name: String,
    kept: Arc<Mutex<VecDeque<u8>>>,
    ended: watch::Sender<bool>,
    file: Option<LogFile>,
    secrets: LogSecrets,
}

impl Log {
    /// A log for the server `name` that also goes to `file`, and its tail. Of `secrets` nothing is kept.
    pub(super) fn new(name: String, file: Option<LogFile>, secrets: LogSecrets) -> (Self, LogTail) {
        let kept = Arc::default();
        let (sender, ended) = watch::channel(false);
        let tail = LogTail { kept: Arc::clone(&kept), ended };
        (Self { name, kept, ended: sender, file, secrets }, tail)
    }

    /// Reads both streams until both have ended.
    pub(super) async fn read(mut self, stdout: Receiver, stderr: Receiver) {
        let mut out = Stream::new("stdout", stdout);
        let mut err = Stream::new("stderr", stderr);
        while out.is_open || err.is_open {
            // Not biased: a server that floods one stream must not silence the other.
            let read = tokio::select! {
                lines = out.lines(), if out.is_open => (out.name, lines),
                lines = err.lines(), if err.is_open => (err.name, lines),
            };
            self.take(read.0, read.1).await;
        }
        self.ended.send_replace(true);
    }

    /// Passes on a batch of whole lines.
    async fn take(&mut self, stream: &'static str, lines: Vec<u8>) {
        let lines = self.secrets.now().bytes(&lines).into_owned();
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(line.trim_ascii_end());
            tracing::debug!(target: "server", server = self.name, stream, "{text}");
        }
        keep(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner), &lines);
        let Some(mut file) = self.file.take() else { return };
        let written = tokio::task::spawn_blocking(move || file.append(&lines).map(|()| file)).await;
        match written.unwrap_or_else(|error| Err(io::Error::other(error))) {
            Ok(file) => self.file = Some(file),
            // A full disk must not stop the server.
            Err(error) => {
                tracing::warn!(server = self.name, %error, "the log file is given up");
            }
        }
    }
}

/// Appends to the tail; what is forgotten ends with a line if there is one.
fn keep(kept: &mut VecDeque<u8>, lines: &[u8]) {
    kept.extend(lines);
    let excess = kept.len().saturating_sub(LOG_TAIL_BYTES_MAX);
    if excess == 0 {
        return;
    }
    // One byte earlier, so that a line that begins exactly at the limit stays.
    let newline = kept.iter().skip(excess - 1).position(|byte| *byte == b'\n');
    let forgotten = newline.map_or(excess, |at| excess + at);
    // The newline of a single line as long as the whole tail is no reason to forget all of it.
    kept.drain(..if forgotten == kept.len() { excess } else { forgotten });
}

/// One stream of a server, cut into lines.
struct Stream {
    name: &'static str,
    pipe: Receiver,
    is_open: bool,
    buffer: Vec<u8>,
    line: Line,
}

impl Stream {
    fn new(name: &'static str, pipe: Receiver) -> Self {
        let buffer = Vec::with_capacity(LOG_READ_BYTES);
        Self { name, pipe, is_open: true, buffer, line: Line::default() }
    }

    /// Reads once and returns the lines that are whole now; may be none.
    ///
    /// # Cancel safety
    ///
    /// Yes: the only wait is the read, which takes nothing if it is cancelled.
    async fn lines(&mut self) -> Vec<u8> {
        self.buffer.clear();
        match self.pipe.read_buf(&mut self.buffer).await {
            Ok(1..) => self.line.add(&self.buffer),
            Ok(0) | Err(_) => {
                self.is_open = false;
                if self.line.is_begun() { self.line.finish() } else { Vec::new() }
            }
        }
    }
}

/// The beginning of a line whose end has not been read.
#[derive(Default)]
struct Line {
    begun: Vec<u8>,
    is_cut: bool,
}

impl Line {
    /// Adds what was read, and returns the lines that are whole now, each with its newline.
    fn add(&mut self, read: &[u8]) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.begun.len() + read.len());
        for piece in read.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = match piece.split_last() {
                Some((b'\n', text)) => (text, true),
                Some(_) | None => (piece, false),
            };
            let room = LOG_LINE_BYTES_MAX.saturating_sub(self.begun.len());
            self.is_cut |= text.len() > room;
            self.begun.extend(text.iter().take(room));
            if ends {
                whole.append(&mut self.finish());
            }
        }
        whole
    }

    fn is_begun(&self) -> bool {
        !self.begun.is_empty() || self.is_cut
    }

    /// Ends the line that was begun.
    fn finish(&mut self) -> Vec<u8> {
        let mut line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.is_cut) {
            line.extend_from_slice(CUT);
        }
        line.push(b'\n');
        line
    }
}

#[cfg(test)]
mod tests;
