//! What of a command's output the result shows: its beginning and its end, in whole lines.
//!
//! Invariants: memory is bounded at any output (10 GB included); every byte and line is counted,
//! kept or not (test `what_is_left_out_is_counted_exactly`).
//!
//! Not here: turning bytes into lines (`clean`), the words around it (`result`).

use crate::{
    clean::{Cleaner, Lines},
    limits::{HEAD_CHARS_MAX, TAIL_CHARS_MAX},
};

#[cfg(test)]
mod tests;

/// Bytes of the end that are certainly enough for it: no character has more than four.
const ENOUGH_BYTES: usize = 4 * TAIL_CHARS_MAX;

/// Output as it arrives.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    cleaner: Cleaner,
    kept: Kept,
    bytes: u64,
}

/// Output after the end.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    /// Bytes that the command wrote.
    pub(crate) bytes: u64,
    /// Lines of cleaned text.
    pub(crate) lines: u64,
    /// The beginning, in whole lines; all of it if nothing was left out.
    pub(crate) head: String,
    /// What is missing between `head` and `tail`.
    pub(crate) left_out: LeftOut,
    /// The end, in whole lines but for a line that is too long alone.
    pub(crate) tail: String,
}

/// How much a result does not show.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct LeftOut {
    /// Whole lines.
    pub(crate) lines: u64,
    /// Bytes of cleaned text, line ends included.
    pub(crate) bytes: u64,
    /// Of them, bytes from the beginning of the first line of `tail`.
    pub(crate) bytes_of_line: u64,
}

impl Capture {
    /// Takes the next piece.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.cleaner.push(bytes, &mut self.kept);
    }

    /// The last line with something on it, for progress.
    pub(crate) fn last_line(&self) -> &str {
        let current = self.cleaner.current();
        if !current.trim().is_empty() {
            return current;
        }
        let newest = self.kept.tail.lines().rev();
        newest
            .chain(self.kept.head.lines().rev())
            .find(|line| !line.trim().is_empty())
            .unwrap_or("")
    }

    /// Ends it.
    pub(crate) fn finish(mut self) -> Captured {
        self.cleaner.finish(&mut self.kept);
        let mut kept = self.kept;
        let bytes_of_line = kept.fit();
        Captured {
            bytes: self.bytes,
            lines: kept.lines,
            head: kept.head,
            left_out: LeftOut {
                lines: kept.dropped_lines,
                bytes: kept.dropped_bytes + bytes_of_line,
                bytes_of_line,
            },
            tail: kept.tail,
        }
    }
}

#[derive(Debug, Default)]
struct Kept {
    lines: u64,
    head: String,
    head_chars: usize,
    /// A line went to the tail, so the head is over.
    head_over: bool,
    /// Lines with their ends, more of them than will be shown.
    tail: String,
    /// Bytes that the first line of the tail lacks; a line that lacks some fills the tail alone.
    cut: u64,
    dropped_lines: u64,
    dropped_bytes: u64,
}

impl Kept {
    /// Takes a line into the head, if it fits there.
    fn took(&mut self, text: &str) -> bool {
        let chars = text.chars().count() + 1;
        self.head_over |= self.head_chars + chars > HEAD_CHARS_MAX;
        if !self.head_over {
            self.head.push_str(text);
            self.head.push('\n');
            self.head_chars += chars;
        }
        !self.head_over
    }

    /// Leaves out the first bytes of the tail, which are whole lines.
    fn drop_lines(&mut self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let dropped = self.tail.get(..bytes).unwrap_or_default();
        self.dropped_lines += count_lines(dropped);
        self.dropped_bytes += bytes as u64 + std::mem::take(&mut self.cut);
        self.tail.drain(..bytes);
    }

    /// Keeps memory bounded: leaves out lines that will not be shown.
    fn bound(&mut self) {
        if self.tail.len() > 4 * ENOUGH_BYTES {
            let spare = self.tail.len() - ENOUGH_BYTES;
            let before = self.tail.as_bytes().get(..spare).unwrap_or_default();
            let end = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            self.drop_lines(end);
        }
    }

    /// Leaves out what does not fit; gives the bytes that the first line then lacks.
    fn fit(&mut self) -> u64 {
        let from = self.tail.char_indices().rev().nth(TAIL_CHARS_MAX - 1).map_or(0, |(at, _)| at);
        let (before, shown) = self.tail.split_at(from);
        if before.is_empty() || before.ends_with('\n') {
            self.drop_lines(from);
            return self.cut;
        }
        // Only whole lines, unless there is but one.
        match shown.find('\n').map(|end| from + end + 1) {
            Some(next) if next < self.tail.len() => {
                self.drop_lines(next);
                self.cut
            }
            _ => {
                let line = before.rfind('\n').map_or(0, |end| end + 1);
                self.drop_lines(line);
                self.tail.drain(..from - line);
                self.cut + (from - line) as u64
            }
        }
    }
}

impl Lines for Kept {
    fn line(&mut self, text: &str, cut: u64) {
        self.lines += 1;
        if cut == 0 && self.took(text) {
            return;
        }
        self.head_over = true;
        if cut > 0 {
            self.drop_lines(self.tail.len());
            self.cut = cut;
        }
        self.tail.push_str(text);
        self.tail.push('\n');
        self.bound();
    }

    fn lines(&mut self, text: &str) {
        let mut rest = text;
        while !self.head_over
            && let Some((line, more)) = rest.split_once('\n')
        {
            self.line(line, 0);
            rest = more;
        }
        self.lines += count_lines(rest);
        self.tail.push_str(rest);
        self.bound();
    }
}

fn count_lines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}
