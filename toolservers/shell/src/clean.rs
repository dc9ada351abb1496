//! Raw terminal bytes to lines of plain text: ANSI sequences gone, carriage-return progress folded,
//! invalid UTF-8 and other control characters shown as escapes.
//!
//! A [`Cleaner`] keeps its state between pieces, so a character or a sequence may be split
//! anywhere. A carriage return starts the line anew at the next character, as progress bars mean
//! it; a backspace removes one character. Text between control characters is taken as a whole, and its
//! whole lines too, so that a gigabyte of it costs about what copying it costs.
//!
//! Invariants: memory is bounded by one line (`LINE_BYTES_MAX`); no piece boundary changes the
//! result (tests `pieces_may_be_cut_anywhere`, `any_bytes_in_any_pieces`); what leaves holds no control
//! character but tab.
//!
//! Not here: which lines are kept (`capture`).

use crate::limits::{LINE_BYTES_MAX, SEQUENCE_BYTES_MAX};

#[cfg(test)]
mod tests;

/// Bytes that are looked at together.
const BLOCK_BYTES: usize = 64;

/// Bytes that are shown by escapes at once, each as four: less than a line holds.
const ESCAPED_AT_ONCE: usize = 4096;

/// Takes finished lines, without their end.
pub(crate) trait Lines {
    /// One line; `cut` bytes of its beginning are missing because it was too long.
    fn line(&mut self, text: &str, cut: u64);

    /// Several whole lines, each with its end.
    fn lines(&mut self, text: &str) {
        for line in text.split_terminator('\n') {
            self.line(line, 0);
        }
    }
}

/// Where in a control sequence the next byte stands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and intermediate bytes, as in ESC ( B.
    Intermediate,
    /// After ESC [, until a final byte.
    Control,
    /// In a string (OSC, DCS, …), until BEL or ESC \.
    String,
    /// After ESC in a string.
    StringEscape,
}

/// Bytes in, lines out.
#[derive(Debug, Default)]
pub(crate) struct Cleaner {
    line: String,
    cut: u64,
    /// A carriage return came, and nothing after it yet.
    returned: bool,
    /// Something of the current line came, if only control bytes.
    begun: bool,
    state: State,
    sequence: Vec<u8>,
    sequence_bytes: usize,
    /// The beginning of a character whose other bytes are still to come.
    partial: Vec<u8>,
}

impl Cleaner {
    /// Takes the next piece.
    pub(crate) fn push(&mut self, bytes: &[u8], lines: &mut impl Lines) {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            let plain = self.state == State::Text && self.partial.is_empty();
            let taken = match byte {
                _ if !plain => self.byte(byte, lines),
                _ if is_text(byte) => self.run(rest, lines),
                _ if is_escaped(byte) => self.escaped_run(rest),
                _ => self.byte(byte, lines),
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    /// Takes what comes before the next control character; gives its bytes.
    fn run(&mut self, rest: &[u8], lines: &mut impl Lines) -> usize {
        let run = rest.get(..text_bytes(rest)).unwrap_or_default();
        // Nearly always it is text, and this look is the quicker one.
        if let Ok(text) = std::str::from_utf8(run) {
            self.printable(text, lines);
            return run.len();
        }
        let mut left = run.len();
        for chunk in run.utf8_chunks() {
            let (text, wrong) = (chunk.valid(), chunk.invalid());
            left -= text.len() + wrong.len();
            if !text.is_empty() {
                self.printable(text, lines);
            }
            if left > 0 {
                self.escape(wrong);
                continue;
            }
            // The last may begin a character whose other bytes are still to come.
            for byte in wrong {
                self.byte(*byte, lines);
            }
        }
        run.len()
    }

    /// Takes control characters that are shown by escapes; gives their bytes.
    fn escaped_run(&mut self, rest: &[u8]) -> usize {
        let window = rest.get(..ESCAPED_AT_ONCE).unwrap_or(rest);
        let run = window.iter().take_while(|byte| is_escaped(**byte)).count();
        self.escape(window.get(..run).unwrap_or_default());
        run
    }

    /// Text whose only control characters are tabs, line feeds and those beyond ASCII.
    fn printable(&mut self, text: &str, lines: &mut impl Lines) {
        let mut rest = text;
        if !text.is_ascii() {
            while let Some((at, control)) = rest.char_indices().find(|(_, c)| is_late_control(*c)) {
                let (before, from) = rest.split_at(at);
                self.lines_of(before, lines);
                self.text(&control.escape_unicode().to_string());
                rest = from.get(control.len_utf8()..).unwrap_or_default();
            }
        }
        self.lines_of(rest, lines);
    }

    /// The first line of it ends the current one, the last begins the next.
    fn lines_of(&mut self, text: &str, lines: &mut impl Lines) {
        let mut rest = text;
        if let Some((first, more)) = text.split_once('\n') {
            self.text(first);
            self.end_line(lines);
            rest = more;
            if let Some((whole, last)) = more.rsplit_once('\n') {
                lines.lines(more.get(..=whole.len()).unwrap_or_default());
                rest = last;
            }
        }
        self.text(rest);
    }

    /// Gives out the last line if it has no end.
    pub(crate) fn finish(&mut self, lines: &mut impl Lines) {
        self.give_up_partial();
        if self.begun {
            self.end_line(lines);
        }
    }

    /// The line that is being written, for progress.
    pub(crate) fn current(&self) -> &str {
        &self.line
    }

    /// Takes one byte; gives that number.
    fn byte(&mut self, byte: u8, lines: &mut impl Lines) -> usize {
        match self.state {
            State::Text => self.text_byte(byte, lines),
            State::Escape => self.after_escape(byte, lines),
            State::Intermediate => match byte {
                0x20..=0x2f => self.in_sequence(),
                0x30..=0x7e => self.state = State::Text,
                _ => self.broken_sequence(byte, lines),
            },
            State::Control => match byte {
                0x40..=0x7e => self.control_sequence(byte),
                0x20..=0x3f => {
                    self.sequence.push(byte);
                    self.in_sequence();
                }
                _ => self.broken_sequence(byte, lines),
            },
            State::String => match byte {
                0x07 => self.state = State::Text,
                0x1b => self.state = State::StringEscape,
                b'\n' => self.broken_sequence(byte, lines),
                _ => self.in_sequence(),
            },
            State::StringEscape if byte == b'\\' => self.state = State::Text,
            State::StringEscape => {
                self.state = State::Escape;
                self.after_escape(byte, lines);
            }
        }
        1
    }

    fn text_byte(&mut self, byte: u8, lines: &mut impl Lines) {
        if !self.partial.is_empty() || byte >= 0x80 {
            self.wide_byte(byte, lines);
            return;
        }
        self.begun = true;
        match byte {
            b'\n' => self.end_line(lines),
            b'\r' => self.returned = true,
            0x08 => drop(self.line.pop()),
            0x07 => {}
            0x1b => self.enter(State::Escape),
            b'\t' => self.text("\t"),
            0x00..=0x1f | 0x7f => self.escape(&[byte]),
            _ => self.text(char::from(byte).encode_utf8(&mut [0; 4])),
        }
    }

    /// A byte of a character of several bytes, or one that is none.
    fn wide_byte(&mut self, byte: u8, lines: &mut impl Lines) {
        self.partial.push(byte);
        match std::str::from_utf8(&self.partial) {
            Ok(text) => {
                let text = text.to_owned();
                self.partial.clear();
                if text.chars().all(is_late_control) {
                    self.text(&text.escape_unicode().to_string());
                } else {
                    self.text(&text);
                }
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                // The last byte may begin something else; those before it are no character.
                self.partial.pop();
                let alone = self.partial.is_empty();
                self.give_up_partial();
                if alone {
                    self.escape(&[byte]);
                } else {
                    self.text_byte(byte, lines);
                }
            }
        }
    }

    fn give_up_partial(&mut self) {
        let partial = std::mem::take(&mut self.partial);
        self.escape(&partial);
    }

    fn after_escape(&mut self, byte: u8, lines: &mut impl Lines) {
        match byte {
            b'[' => self.enter(State::Control),
            b']' | b'P' | b'X' | b'^' | b'_' => self.enter(State::String),
            0x20..=0x2f => self.enter(State::Intermediate),
            0x30..=0x7e => self.state = State::Text,
            _ => self.broken_sequence(byte, lines),
        }
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.sequence.clear();
        self.sequence_bytes = 0;
    }

    /// Counts a byte of a sequence; one that does not end was none.
    fn in_sequence(&mut self) {
        self.sequence_bytes += 1;
        if self.sequence_bytes > SEQUENCE_BYTES_MAX {
            self.state = State::Text;
        }
    }

    fn broken_sequence(&mut self, byte: u8, lines: &mut impl Lines) {
        self.state = State::Text;
        self.text_byte(byte, lines);
    }

    /// Acts on the one sequence that means something in a line: erase.
    fn control_sequence(&mut self, last: u8) {
        self.state = State::Text;
        if last == b'K' && matches!(self.sequence.as_slice(), b"1" | b"2") {
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.line.clear();
        self.cut = 0;
        self.returned = false;
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.write();
        self.line.push_str(text);
        self.bound();
    }

    /// Bytes that are no text, as `\xNN`.
    fn escape(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.write();
        let digit = |half: u8| if half < 10 { b'0' + half } else { b'A' - 10 + half };
        for block in bytes.chunks(BLOCK_BYTES) {
            let mut shown = [0; 4 * BLOCK_BYTES];
            for (place, byte) in shown.chunks_exact_mut(4).zip(block) {
                place.copy_from_slice(&[b'\\', b'x', digit(byte >> 4), digit(byte & 0x0f)]);
            }
            let shown = shown.get(..4 * block.len()).unwrap_or_default();
            self.line.push_str(std::str::from_utf8(shown).unwrap_or_default());
        }
        self.bound();
    }

    /// Something is about to be written.
    fn write(&mut self) {
        if self.returned {
            self.clear();
        }
        self.begun = true;
    }

    /// Keeps the end of a line that is too long.
    fn bound(&mut self) {
        if self.line.len() > 2 * LINE_BYTES_MAX {
            let mut from = self.line.len() - LINE_BYTES_MAX;
            while !self.line.is_char_boundary(from) {
                from += 1;
            }
            self.line.drain(..from);
            self.cut += from as u64;
        }
    }

    fn end_line(&mut self, lines: &mut impl Lines) {
        lines.line(&self.line, self.cut);
        self.clear();
        self.begun = false;
    }
}

/// Whether it belongs to a run of text.
fn is_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x20..=0x7e | 0x80..)
}

/// A control character that means nothing in a line.
fn is_escaped(byte: u8) -> bool {
    matches!(byte, 0x00..=0x1f | 0x7f) && !matches!(byte, 0x07..=0x0a | b'\r' | 0x1b)
}

/// A control character beyond ASCII.
fn is_late_control(c: char) -> bool {
    ('\u{80}'..'\u{a0}').contains(&c)
}

/// How many bytes come before the next control character. By blocks, each looked at as a whole, which
/// compilers make quick.
fn text_bytes(bytes: &[u8]) -> usize {
    let is_all_text = |block: &[u8]| block.iter().fold(true, |all, byte| all & is_text(*byte));
    let blocks = bytes.chunks_exact(BLOCK_BYTES).take_while(|block| is_all_text(block)).count();
    let rest = bytes.get(blocks * BLOCK_BYTES..).unwrap_or_default();
    blocks * BLOCK_BYTES + rest.iter().take_while(|byte| is_text(**byte)).count()
}
