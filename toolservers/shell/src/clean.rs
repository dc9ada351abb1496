//! Raw terminal bytes to lines of plain text: ANSI sequences gone, carriage-return progress folded,
//! invalid UTF-8 and other control characters shown as escapes.
//!
//! A [`Cleaner`] keeps its state between pieces, so a character or a sequence may be split
//! anywhere. A carriage return starts the line anew at the next character, as progress bars mean
//! it; a backspace removes one character.
//!
//! Invariants: memory is bounded by one line (`LINE_BYTES_MAX`); no piece boundary changes the
//! result (test `pieces_may_be_cut_anywhere`); what leaves holds no control character but tab.
//!
//! Not here: which lines are kept (`capture`).

use crate::limits::{LINE_BYTES_MAX, SEQUENCE_BYTES_MAX};

#[cfg(test)]
mod tests;

/// Takes finished lines, without their end.
pub(crate) trait Lines {
    /// One line; `cut` bytes of its beginning are missing because it was too long.
    fn line(&mut self, text: &str, cut: u64);
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
            let run = rest.iter().take_while(|byte| (0x20..0x7f).contains(*byte)).count();
            if plain && run > 0 {
                let (text, after) = rest.split_at(run);
                self.text(&String::from_utf8_lossy(text));
                rest = after;
                continue;
            }
            self.byte(byte, lines);
            rest = rest.get(1..).unwrap_or_default();
        }
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

    fn byte(&mut self, byte: u8, lines: &mut impl Lines) {
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
            0x00..=0x1f | 0x7f => self.text(&format!("\\x{byte:02X}")),
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
                let control = text.chars().all(|c| ('\u{80}'..'\u{a0}').contains(&c));
                if control {
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
                    self.text(&format!("\\x{byte:02X}"));
                } else {
                    self.text_byte(byte, lines);
                }
            }
        }
    }

    fn give_up_partial(&mut self) {
        for byte in std::mem::take(&mut self.partial) {
            self.text(&format!("\\x{byte:02X}"));
        }
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
        if self.returned {
            self.clear();
        }
        self.begun = true;
        self.line.push_str(text);
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
