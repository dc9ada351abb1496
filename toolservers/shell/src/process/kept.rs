//! The newest lines of a background process's output, and what of it is gone.
//!
//! Lines are numbered from 1 as they end, so a line's number never changes and says where to go on
//! reading. The line that has no end yet has no number.
//!
//! Invariants: memory is bounded at any output; each line and byte is counted, kept or not (test
//! `what_is_gone_is_counted_exactly`).
//!
//! Not here: turning bytes into lines (`clean`).

use std::collections::VecDeque;

use super::kind::{Keeping, Kind};
use crate::{
    clean::{Cleaner, Lines},
    limits::{KEPT_BYTES_MAX, KEPT_LINE_BYTES_MAX, KEPT_LINES_MAX, SHOWN_CHARS_MAX},
};

#[cfg(test)]
mod tests;

/// Output as it arrives.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    cleaner: Cleaner,
    lines: Newest,
}

#[derive(Debug, Default)]
struct Newest {
    lines: VecDeque<Line>,
    /// Of `lines`, with an end each.
    bytes: usize,
    /// Lines that ended so far, kept or not.
    total: u64,
    gone_bytes: u64,
}

#[derive(Debug)]
struct Line {
    text: String,
    /// Bytes of its beginning that are gone.
    cut: u64,
}

/// A part of the output for a reader.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Window {
    /// Whole lines, and at the end the one that has no end yet.
    pub(crate) text: String,
    /// Lines before the first shown one, from where the reader wanted to read, that are kept no more.
    pub(crate) gone: u64,
    /// Lines before the first shown one that are kept.
    pub(crate) older: u64,
    /// Lines after the last shown one that are kept.
    pub(crate) newer: u64,
    /// The number of the line before the first shown one.
    pub(crate) from: u64,
    /// The number of the last shown line: what to read after next time.
    pub(crate) next: u64,
    /// The last line shown has no end yet.
    pub(crate) open: bool,
}

impl Kept {
    /// Takes the next piece.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.cleaner.push(bytes, &mut self.lines);
    }

    /// Nothing comes any more: the last line ends.
    pub(crate) fn finish(&mut self) {
        self.cleaner.finish(&mut self.lines);
    }

    /// Lines that ended so far.
    pub(crate) fn total(&self) -> u64 {
        self.lines.total
    }

    /// Lines that are kept no more.
    pub(crate) fn gone_lines(&self) -> u64 {
        self.lines.total - self.lines.lines.len() as u64
    }

    /// Bytes of cleaned text that are kept no more.
    pub(crate) fn gone_bytes(&self) -> u64 {
        self.lines.gone_bytes
    }

    /// The newest lines that fit.
    pub(crate) fn newest(&self) -> Window {
        let open = self.open();
        let room = SHOWN_CHARS_MAX.saturating_sub(open.chars().count());
        let (shown, _) = fitting(self.lines.lines.iter().rev(), room);
        let from = self.lines.lines.len() - shown;
        Window { older: from as u64, ..self.window(from, shown, open) }
    }

    /// As many of the lines after that one as fit, the oldest first.
    pub(crate) fn after(&self, line: u64) -> Window {
        self.after_within(line, SHOWN_CHARS_MAX)
    }

    /// The same in so many characters.
    pub(crate) fn after_within(&self, line: u64, chars_max: usize) -> Window {
        let gone_lines = self.gone_lines();
        let gone = gone_lines.saturating_sub(line);
        let from = usize::try_from(line.saturating_sub(gone_lines)).unwrap_or(usize::MAX);
        let from = from.min(self.lines.lines.len());
        let (shown, room) = fitting(self.lines.lines.iter().skip(from), chars_max);
        let newer = self.lines.lines.len() - from - shown;
        // Shown only behind the lines before it, and only as much of it as fits.
        let open = if newer == 0 { tail(self.open(), room) } else { "" };
        Window { gone, newer: newer as u64, ..self.window(from, shown, open) }
    }

    /// Whether a line after that one, or the one that has no end yet, holds this text.
    pub(crate) fn has(&self, text: &str, line: u64) -> bool {
        let from = usize::try_from(line.saturating_sub(self.gone_lines())).unwrap_or(usize::MAX);
        let mut lines = self.lines.lines.iter().skip(from);
        lines.any(|line| line.text.contains(text)) || self.cleaner.current().contains(text)
    }

    fn open(&self) -> &str {
        tail(self.cleaner.current(), KEPT_LINE_BYTES_MAX)
    }

    fn window(&self, from: usize, shown: usize, open: &str) -> Window {
        let mut text = String::new();
        for line in self.lines.lines.iter().skip(from).take(shown) {
            if line.cut > 0 {
                text.push_str(&note(line.cut));
            }
            text.push_str(&line.text);
            text.push('\n');
        }
        text.push_str(open);
        let from = self.gone_lines() + from as u64;
        Window {
            text,
            from,
            next: from + shown as u64,
            open: !open.is_empty(),
            ..Window::default()
        }
    }
}

impl Keeping for Kept {
    const KIND: Kind = Kind::PROCESS;

    fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        Self::push(self, bytes);
        Vec::new()
    }

    fn finish(&mut self) {
        Self::finish(self);
    }
}

impl Lines for Newest {
    fn line(&mut self, text: &str, cut: u64) {
        let end = tail(text, KEPT_LINE_BYTES_MAX);
        let cut = cut + (text.len() - end.len()) as u64;
        self.total += 1;
        self.gone_bytes += cut;
        self.bytes += end.len() + 1;
        self.lines.push_back(Line { text: end.to_owned(), cut });
        while self.bytes > KEPT_BYTES_MAX || self.lines.len() > KEPT_LINES_MAX {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.bytes -= oldest.text.len() + 1;
            self.gone_bytes += oldest.text.len() as u64 + 1;
        }
    }
}

fn note(cut: u64) -> String {
    format!("[… {cut} bytes …] ")
}

/// How many lines fit in so many characters, and how many characters are left.
fn fitting<'a>(lines: impl Iterator<Item = &'a Line>, mut room: usize) -> (usize, usize) {
    let mut count = 0;
    for line in lines {
        let Some(left) = room.checked_sub(chars(line)) else { break };
        room = left;
        count += 1;
    }
    (count, room)
}

/// As a window shows it.
fn chars(line: &Line) -> usize {
    let note = if line.cut > 0 { note(line.cut).chars().count() } else { 0 };
    line.text.chars().count() + 1 + note
}

/// As many whole characters of the end as fit in so many bytes.
pub(super) fn tail(text: &str, bytes_max: usize) -> &str {
    let mut from = text.len().saturating_sub(bytes_max);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
}
