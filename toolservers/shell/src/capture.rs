//! What of a command's output the result shows: its beginning and its end, in whole lines.
//!
//! Invariants: memory is bounded at any output (10 GB included); every byte and line is counted,
//! kept or not (test `what_is_left_out_is_counted_exactly`).
//!
//! Not here: turning bytes into lines (`clean`), the words around it (`result`).

use std::collections::VecDeque;

use crate::{
    clean::{Cleaner, Lines},
    limits::{HEAD_CHARS_MAX, TAIL_CHARS_MAX},
};

#[cfg(test)]
mod tests;

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
        let newest = self.kept.tail.iter().rev().map(|line| line.text.as_str());
        newest
            .chain(self.kept.head.lines().rev())
            .find(|line| !line.trim().is_empty())
            .unwrap_or("")
    }

    /// Ends it.
    pub(crate) fn finish(mut self) -> Captured {
        self.cleaner.finish(&mut self.kept);
        let kept = self.kept;
        let bytes_of_line = kept.tail.front().map_or(0, |line| line.cut);
        let mut tail = String::new();
        for line in &kept.tail {
            tail.push_str(&line.text);
            tail.push('\n');
        }
        Captured {
            bytes: self.bytes,
            lines: kept.lines,
            head: kept.head,
            left_out: LeftOut {
                lines: kept.dropped_lines,
                bytes: kept.dropped_bytes + bytes_of_line,
                bytes_of_line,
            },
            tail,
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
    tail: VecDeque<Line>,
    tail_chars: usize,
    dropped_lines: u64,
    dropped_bytes: u64,
}

#[derive(Debug)]
struct Line {
    text: String,
    /// With its end.
    chars: usize,
    cut: u64,
}

impl Lines for Kept {
    fn line(&mut self, text: &str, cut: u64) {
        self.lines += 1;
        let chars = text.chars().count() + 1;
        if !self.head_over && cut == 0 && self.head_chars + chars <= HEAD_CHARS_MAX {
            self.head.push_str(text);
            self.head.push('\n');
            self.head_chars += chars;
            return;
        }
        self.head_over = true;
        let line = fitted(text, chars, cut);
        self.tail_chars += line.chars;
        self.tail.push_back(line);
        while self.tail_chars > TAIL_CHARS_MAX {
            let Some(oldest) = self.tail.pop_front() else { break };
            self.tail_chars -= oldest.chars;
            self.dropped_lines += 1;
            self.dropped_bytes += oldest.text.len() as u64 + oldest.cut + 1;
        }
    }
}

/// The line, or as much of its end as fits alone.
fn fitted(text: &str, chars: usize, cut: u64) -> Line {
    let excess = chars.saturating_sub(TAIL_CHARS_MAX);
    if excess == 0 {
        return Line { text: text.to_owned(), chars, cut };
    }
    let end: String = text.chars().skip(excess).collect();
    let missing = (text.len() - end.len()) as u64;
    Line { text: end, chars: chars - excess, cut: cut + missing }
}
