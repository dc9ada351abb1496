//! Stands before the emulator: a short sequence may ask it for much work, and this server has one thread.
//!
//! `ESC [ 65535 b` is 8 bytes and repeats a character 65,535 times (REP, ECMA-48 8.3.103); here it repeats
//! as often as fits on a row. And the emulator passes over what is no UTF-8, which is shown by escapes here
//! as everywhere ([SHELL-02]). All else passes as it is.
//!
//! Invariant: no piece boundary changes what passes (test `pieces_may_be_cut_anywhere`).

use crate::limits::{SCREEN_SEQUENCE_BYTES_MAX, TERMINAL_COLS_MAX};

/// Where in a control sequence the next byte stands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Place {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC [, until a final byte.
    Control,
    /// The same, of one that is too long to mean anything.
    Dropped,
}

/// Bytes in, bytes for the emulator out.
#[derive(Debug, Default)]
pub(super) struct Guard {
    place: Place,
    /// What came of the sequence.
    sequence: Vec<u8>,
    /// The beginning of a character whose other bytes are still to come.
    partial: Vec<u8>,
}

impl Guard {
    /// What passes of a piece.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            self.byte(byte, &mut out);
        }
        out
    }

    /// As the emulator's parser goes through a sequence: control characters in its middle are obeyed and
    /// do not end it, and bytes that cannot be in one are passed over.
    fn byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        if self.place == Place::Text && (byte >= 0x80 || !self.partial.is_empty()) {
            return self.wide_byte(byte, out);
        }
        self.place = match (self.place, byte) {
            (_, 0x1b) => {
                out.append(&mut self.sequence);
                self.sequence.push(byte);
                Place::Escape
            }
            (Place::Text, _) => {
                out.push(byte);
                Place::Text
            }
            // CAN and SUB give the sequence up.
            (_, 0x18 | 0x1a) => {
                self.sequence.clear();
                Place::Text
            }
            (place, 0x00..=0x1f) => {
                out.push(byte);
                place
            }
            (place, 0x7f..) => place,
            (Place::Escape, b'[') => {
                self.sequence.push(byte);
                Place::Control
            }
            (Place::Escape, _) => {
                out.append(&mut self.sequence);
                out.push(byte);
                Place::Text
            }
            // Digits, separators, intermediate bytes.
            (Place::Control, 0x20..=0x3f) if self.sequence.len() < SCREEN_SEQUENCE_BYTES_MAX => {
                self.sequence.push(byte);
                Place::Control
            }
            (Place::Control | Place::Dropped, 0x20..=0x3f) => {
                self.sequence.clear();
                Place::Dropped
            }
            (Place::Dropped, _) => Place::Text,
            (Place::Control, b'b') => {
                out.extend(repeat(self.sequence.get(2..).unwrap_or_default()));
                self.sequence.clear();
                Place::Text
            }
            (Place::Control, _) => {
                out.append(&mut self.sequence);
                out.push(byte);
                Place::Text
            }
        };
    }

    /// A byte of a character of several bytes, or one that is none.
    fn wide_byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.partial.push(byte);
        match std::str::from_utf8(&self.partial) {
            // The emulator does not show this one.
            Ok("\u{fffd}") => escape(std::mem::take(&mut self.partial), out),
            Ok(_) => out.append(&mut self.partial),
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                // The last byte may begin something else; those before it are no character.
                self.partial.pop();
                let before = std::mem::take(&mut self.partial);
                let alone = before.is_empty();
                escape(before, out);
                if alone { escape(vec![byte], out) } else { self.byte(byte, out) }
            }
        }
    }
}

/// Bytes that are no text, as text.
fn escape(bytes: Vec<u8>, out: &mut Vec<u8>) {
    for byte in bytes {
        out.extend(format!("\\x{byte:02X}").into_bytes());
    }
}

/// The sequence with no larger count than is of use; one whose count is no number is none.
fn repeat(count: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(count).unwrap_or_default();
    if text.is_empty() {
        return b"\x1b[b".to_vec();
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    // Too large for a number is large.
    let count = text.parse().unwrap_or(u16::MAX).min(TERMINAL_COLS_MAX);
    format!("\x1b[{count}b").into_bytes()
}

#[cfg(test)]
mod tests;
