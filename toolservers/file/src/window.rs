//! A window of whole lines out of a stream, in the memory of that window alone.
//!
//! [`Scan`] is fed the stream block by block, counts its lines and keeps those of the window.
//! [`Scan::show`] turns what it kept into text, within the bound of bytes.
//!
//! A line ends with a line feed; what follows the last one is a line only if it is not empty.
//!
//! Not here: reading (`reading`, `artifact`), notices (`notices`), where a deep line begins (`index`).

use crate::{
    limits::{READ_BYTES_MAX, READ_LINES_MAX},
    text::{Encoding, Form},
};

/// The lines that are wanted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Wanted {
    /// The first line, from 1.
    pub(crate) offset: u64,
    /// How many; above [`READ_LINES_MAX`] it is cut to it.
    pub(crate) limit: Option<u64>,
}

impl Wanted {
    fn lines(self) -> u64 {
        self.limit.unwrap_or(u64::MAX).min(READ_LINES_MAX)
    }
}

/// A line of the window, as bytes.
#[derive(Debug, Default)]
struct Line {
    /// Without its line feed; of a line that is too long, its start.
    kept: Vec<u8>,
    /// Bytes of the whole line without its line feed.
    length: u64,
    /// Whether it ends with a line feed.
    ended: bool,
    /// Where it starts in the stream.
    start: u64,
}

/// Counts lines and keeps a window of them.
#[derive(Debug)]
pub(crate) struct Scan {
    wanted: Wanted,
    /// The line that the next byte belongs to, from 1.
    line: u64,
    /// Where it starts, and where the next byte is, in bytes of the stream.
    start: u64,
    position: u64,
    kept: Vec<Line>,
    bytes: usize,
    full: bool,
}

impl Scan {
    /// A scan that begins with the first byte of a line.
    pub(crate) fn new(wanted: Wanted, line: u64, start: u64) -> Self {
        Self { wanted, line, start, position: start, kept: Vec::new(), bytes: 0, full: false }
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, block: &[u8]) {
        let mut rest = self.skip_to_window(block);
        while !rest.is_empty() {
            if self.full {
                self.skip(rest);
                return;
            }
            let (piece, ended) = match memchr::memchr(b'\n', rest) {
                Some(at) => (rest.get(..at).unwrap_or_default(), true),
                None => (rest, false),
            };
            self.keep(piece, ended);
            let taken = piece.len() + usize::from(ended);
            self.position += taken as u64;
            if ended {
                self.line += 1;
                self.start = self.position;
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    /// Passes over the lines before the window; gives what is left of the block.
    fn skip_to_window<'a>(&mut self, block: &'a [u8]) -> &'a [u8] {
        let before = self.wanted.offset.saturating_sub(self.line);
        let Some(nth) = before.checked_sub(1) else { return block };
        let nth = usize::try_from(nth).unwrap_or(usize::MAX);
        let last = memchr::memchr_iter(b'\n', block).nth(nth);
        let (skipped, rest) = block.split_at(last.map_or(block.len(), |at| at + 1));
        self.skip(skipped);
        rest
    }

    fn skip(&mut self, rest: &[u8]) {
        self.line += memchr::memchr_iter(b'\n', rest).count() as u64;
        if let Some(last) = memchr::memrchr(b'\n', rest) {
            self.start = self.position + last as u64 + 1;
        }
        self.position += rest.len() as u64;
    }

    fn keep(&mut self, piece: &[u8], ended: bool) {
        if self.kept.last().is_none_or(|line| line.ended) {
            if self.kept.len() as u64 >= self.wanted.lines() || self.bytes > READ_BYTES_MAX {
                self.full = true;
                return;
            }
            self.kept.push(Line { start: self.start, ..Line::default() });
        }
        let Some(line) = self.kept.last_mut() else { return };
        // Four bytes more than can be shown, so that the cut finds a whole character.
        let room = (READ_BYTES_MAX + 4).saturating_sub(line.kept.len());
        line.kept.extend(piece.iter().take(room));
        line.length += piece.len() as u64;
        line.ended = ended;
        self.bytes += piece.len().min(room) + usize::from(ended);
        self.full = ended && self.kept.len() as u64 >= self.wanted.lines();
    }

    /// Whether the window begins after the line that the next byte belongs to.
    pub(crate) fn is_before_window(&self) -> bool {
        self.line < self.wanted.offset
    }

    /// Passes over bytes that have no line feed, before the window.
    pub(crate) fn skip_hole(&mut self, bytes: u64) {
        self.position += bytes;
    }

    /// Whether nothing that comes can change the window, nor whether the file goes on after it.
    pub(crate) fn is_done(&self) -> bool {
        let is_too_long = self.kept.last().is_some_and(|line| line.kept.len() > READ_BYTES_MAX);
        is_too_long || self.full && self.position_is_past_window()
    }

    /// The line that the next byte belongs to, from 1, and where it starts in the stream.
    pub(crate) fn line_start(&self) -> (u64, u64) {
        (self.line, self.start)
    }

    /// Lines of the stream, if it ended here.
    pub(crate) fn total(&self) -> u64 {
        self.line - 1 + u64::from(self.position > self.start)
    }

    /// The window as text.
    pub(crate) fn show(&self, form: Form) -> Shown {
        let mut shown = Shown { from: self.wanted.offset, ..Shown::default() };
        for line in &self.kept {
            let bytes = line.kept.strip_suffix(b"\r").filter(|_| line.ended).unwrap_or(&line.kept);
            let mark = if line.start == 0 { form.mark() } else { &[] };
            let text = form.shown(bytes.strip_prefix(mark).unwrap_or(bytes));
            let is_whole = line.kept.len() as u64 == line.length;
            if is_whole && shown.text.len() + text.len() < READ_BYTES_MAX {
                shown.text.push_str(&text);
                shown.text.push_str(if line.ended { "\n" } else { "" });
                shown.lines += 1;
                continue;
            }
            shown.cut = Some(Cut::Bytes);
            if shown.lines == 0 {
                shown.text.push_str(head(&text, READ_BYTES_MAX));
                shown.lines = 1;
                let bytes = line.start + (mark.len() + shown.text.len()) as u64;
                let is_plain = form.encoding == Encoding::Utf8 { faults: 0 };
                let shown_to = is_plain.then_some(bytes);
                shown.cut = Some(Cut::Line { length: line.length, is_whole: line.ended, shown_to });
            }
            return shown;
        }
        if self.is_done() {
            shown.cut = Some(if (self.kept.len() as u64) < self.wanted.lines() {
                Cut::Bytes
            } else if self.wanted.limit.is_some_and(|limit| limit <= READ_LINES_MAX) {
                Cut::Limit
            } else {
                Cut::Lines
            });
        }
        shown
    }

    /// Whether a byte came after the last line of the window.
    fn position_is_past_window(&self) -> bool {
        let end = self.kept.last().map(|line| line.start + line.length + u64::from(line.ended));
        end.is_some_and(|end| self.position > end)
    }
}

/// A window as text.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// Whole lines; breaks are LF; at most [`READ_BYTES_MAX`].
    pub(crate) text: String,
    /// The first line, from 1.
    pub(crate) from: u64,
    /// How many lines.
    pub(crate) lines: u64,
    /// Why it ends before the file does.
    pub(crate) cut: Option<Cut>,
}

/// Why a window ends before the file does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Cut {
    /// [`READ_LINES_MAX`].
    Lines,
    /// [`READ_BYTES_MAX`].
    Bytes,
    /// The limit that was asked for.
    Limit,
    /// One line alone is over [`READ_BYTES_MAX`]; its start is shown.
    Line {
        /// Bytes of the line that were read.
        length: u64,
        /// Whether its end was.
        is_whole: bool,
        /// The byte of the file at which the shown part ends; known for UTF-8 only.
        shown_to: Option<u64>,
    },
}

/// The longest start of a text that has at most `bytes_max` bytes and ends with a whole character.
pub(crate) fn head(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text)
}

#[cfg(test)]
mod tests;
