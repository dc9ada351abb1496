//! Encodings: what a file is written in, its text, and text put back.
//!
//! UTF-8 and UTF-16 are told by their byte-order mark or by being valid; anything else is a guess
//! (`chardetng`), which [`Form::said`] says. A file is UTF-8 with faults, rather than something
//! else, when it has more valid multi-byte characters than invalid bytes.
//!
//! Invariant: text decoded here maps each place back to its bytes, so that an edit never touches a
//! byte outside its span (test `edits_leave_every_other_byte`).

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, DecoderResult};

use crate::{
    failed::{Class, Failed},
    limits::{BLOCK_BYTES, GUESS_BYTES_MAX},
};

/// What the bytes of a text are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Encoding {
    /// Also ASCII; `faults` counts runs of bytes that are not UTF-8.
    Utf8 { faults: u64 },
    /// With a byte-order mark.
    Utf16Le,
    /// With a byte-order mark.
    Utf16Be,
    /// A guess.
    Guessed(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// How to decode it; nothing for UTF-8.
    pub(crate) fn other(self) -> Option<&'static encoding_rs::Encoding> {
        match self {
            Self::Utf8 { .. } => None,
            Self::Utf16Le => Some(encoding_rs::UTF_16LE),
            Self::Utf16Be => Some(encoding_rs::UTF_16BE),
            Self::Guessed(encoding) => Some(encoding),
        }
    }
}

/// Encoding and byte-order mark of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Form {
    pub(crate) encoding: Encoding,
    /// Whether a byte-order mark stands before the text.
    pub(crate) bom: bool,
}

impl Form {
    /// What a new file gets: UTF-8 without a mark.
    pub(crate) const NEW: Self = Self { encoding: Encoding::Utf8 { faults: 0 }, bom: false };

    /// The mark that stands at the start of these bytes, if one does.
    pub(crate) fn marked(head: &[u8]) -> Option<Self> {
        let encoding = match head {
            [0xEF, 0xBB, 0xBF, ..] => Encoding::Utf8 { faults: 0 },
            [0xFF, 0xFE, ..] => Encoding::Utf16Le,
            [0xFE, 0xFF, ..] => Encoding::Utf16Be,
            _ => return None,
        };
        Some(Self { encoding, bom: true })
    }

    /// The form of a whole text.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut sniffer = Sniffer::default();
        bytes.chunks(BLOCK_BYTES).for_each(|block| sniffer.feed(block));
        sniffer.form()
    }

    /// Bytes of the mark.
    pub(crate) fn mark(self) -> &'static [u8] {
        match (self.bom, self.encoding) {
            (true, Encoding::Utf8 { .. }) => &[0xEF, 0xBB, 0xBF],
            (true, Encoding::Utf16Le) => &[0xFF, 0xFE],
            (true, Encoding::Utf16Be) => &[0xFE, 0xFF],
            (true, Encoding::Guessed(_)) | (false, _) => &[],
        }
    }

    /// For metadata and messages: "UTF-8", "UTF-16LE", "windows-1252".
    pub(crate) fn name(self) -> &'static str {
        self.encoding.other().unwrap_or(encoding_rs::UTF_8).name()
    }

    /// What a reader must know of the encoding; nothing for plain UTF-8.
    pub(crate) fn said(self) -> Option<String> {
        match self.encoding {
            Encoding::Utf8 { faults: 0 } => None,
            Encoding::Utf8 { faults } => Some(format!(
                "UTF-8 with {faults} invalid byte sequences, shown as \u{FFFD}; edits leave them as \
                 they are"
            )),
            Encoding::Utf16Le | Encoding::Utf16Be => {
                Some(format!("decoded from {} (byte-order mark)", self.name()))
            }
            Encoding::Guessed(_) => {
                Some(format!("not UTF-8; decoded as {} (detected, may be wrong)", self.name()))
            }
        }
    }

    /// One line or another piece of a text for a reader; what is invalid becomes U+FFFD.
    pub(crate) fn shown(self, bytes: &[u8]) -> Cow<'_, str> {
        match self.encoding {
            Encoding::Guessed(encoding) => encoding.decode_without_bom_handling(bytes).0,
            // UTF-16 is read through a decoder and arrives here as UTF-8.
            Encoding::Utf8 { .. } | Encoding::Utf16Le | Encoding::Utf16Be => {
                String::from_utf8_lossy(bytes)
            }
        }
    }

    /// Text as bytes of this encoding, without a mark.
    ///
    /// # Errors
    /// `encoding`, naming the first character that does not fit.
    pub(crate) fn encode(self, text: &str, shown: &str) -> Result<Vec<u8>, Failed> {
        match self.encoding {
            Encoding::Utf8 { .. } => Ok(text.as_bytes().to_vec()),
            Encoding::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Encoding::Guessed(encoding) => {
                let (bytes, _, unmappable) = encoding.encode(text);
                // Some encoders write what reads back as another character (¥ in Shift_JIS).
                let (back, faults) = encoding.decode_without_bom_handling(&bytes);
                if !unmappable && !faults && back == text {
                    return Ok(bytes.into_owned());
                }
                Err(misfit(encoding, text, shown))
            }
        }
    }
}

fn misfit(encoding: &'static encoding_rs::Encoding, text: &str, shown: &str) -> Failed {
    let first = text.chars().find(|character| {
        let text = character.to_string();
        let (bytes, _, unmappable) = encoding.encode(&text);
        unmappable || encoding.decode_without_bom_handling(&bytes).0 != text
    });
    let first = first.unwrap_or(char::REPLACEMENT_CHARACTER);
    let name = encoding.name();
    let message = format!(
        "{shown} is not UTF-8 but {name} (detected), which has no '{first}' (U+{:04X}); nothing was \
         written. Use characters of {name}, or convert the file first, for example with bash: \
         iconv -f {name} -t UTF-8",
        u32::from(first)
    );
    Failed::new(Class::Encoding, message)
}

/// Watches a text go by, block after block, and tells its form.
#[derive(Debug, Default)]
pub(crate) struct Sniffer {
    head: Vec<u8>,
    started: bool,
    /// The start of a character that the next block may complete.
    pending: Vec<u8>,
    faults: u64,
    multibyte: u64,
    sample: Vec<u8>,
}

impl Sniffer {
    /// Takes the next bytes. Blocks of [`BLOCK_BYTES`] make the guess the same for each reader.
    pub(crate) fn feed(&mut self, block: &[u8]) {
        if !self.started {
            self.started = true;
            self.head = block.iter().take(3).copied().collect();
        }
        if block.is_ascii() && self.pending.is_empty() {
            return;
        }
        let room = GUESS_BYTES_MAX.saturating_sub(self.sample.len());
        self.sample.extend(block.iter().take(room));
        let mut bytes = std::mem::take(&mut self.pending);
        bytes.extend_from_slice(block);
        let mut left = bytes.as_slice();
        while !left.is_empty() {
            match std::str::from_utf8(left) {
                Ok(valid) => {
                    self.multibyte += multibyte(valid.as_bytes());
                    break;
                }
                Err(error) => {
                    let (valid, rest) = left.split_at(error.valid_up_to());
                    self.multibyte += multibyte(valid);
                    let Some(length) = error.error_len() else {
                        self.pending = rest.to_vec();
                        break;
                    };
                    self.faults += 1;
                    left = rest.get(length..).unwrap_or_default();
                }
            }
        }
    }

    /// What comes next, if anything, does not follow: a character that ends here unfinished was cut
    /// by the reader.
    pub(crate) fn cut(&mut self) {
        self.pending.clear();
    }

    /// The form of all that went by.
    pub(crate) fn form(&self) -> Form {
        let faults = self.faults + u64::from(!self.pending.is_empty());
        match Form::marked(&self.head) {
            Some(Form { encoding: Encoding::Utf8 { .. }, bom }) => {
                Form { encoding: Encoding::Utf8 { faults }, bom }
            }
            Some(form) => form,
            None if faults == 0 || self.multibyte > faults => {
                Form { encoding: Encoding::Utf8 { faults }, bom: false }
            }
            None => {
                let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
                detector.feed(&self.sample, true);
                let guess = detector.guess(None, Utf8Detection::Deny);
                Form { encoding: Encoding::Guessed(guess), bom: false }
            }
        }
    }
}

/// Characters of a valid UTF-8 text that are not ASCII.
fn multibyte(valid: &[u8]) -> u64 {
    valid.iter().map(|byte| u64::from(*byte >= 0xC0)).sum()
}

/// A whole file's text as UTF-8, with the way back to its bytes.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    /// UTF-8; in a file that claims to be UTF-8, its own bytes with their faults.
    pub(crate) text: Cow<'a, [u8]>,
    /// For each byte of `text`, and its end, the byte of the file; `None`: the same, after the mark.
    map: Option<Vec<u32>>,
    mark: usize,
}

impl<'a> Decoded<'a> {
    /// The text of these bytes.
    pub(crate) fn new(bytes: &'a [u8], form: Form) -> Self {
        let mark = form.mark().len();
        let body = bytes.get(mark..).unwrap_or_default();
        let Some(encoding) = form.encoding.other() else {
            return Self { text: Cow::Borrowed(body), map: None, mark };
        };
        let (text, map) = decode(encoding.new_decoder_without_bom_handling(), body);
        Self { text: Cow::Owned(text), map: Some(map), mark }
    }

    /// The byte of the file at a byte of the text.
    pub(crate) fn byte(&self, place: usize) -> usize {
        match &self.map {
            None => self.mark + place,
            Some(map) => {
                let byte = map.get(place).or_else(|| map.last()).copied().unwrap_or(0);
                self.mark + byte as usize
            }
        }
    }
}

/// Decodes byte by byte, so that each character's place is known.
fn decode(mut decoder: Decoder, body: &[u8]) -> (Vec<u8>, Vec<u32>) {
    let place = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    let mut text = Vec::with_capacity(body.len() + body.len() / 2);
    let mut map: Vec<u32> = Vec::with_capacity(text.capacity() + 1);
    let mut start = 0;
    let mut out = [0_u8; 16];
    for (k, byte) in body.iter().enumerate() {
        let last = k + 1 == body.len();
        let mut input = std::slice::from_ref(byte);
        loop {
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(input, &mut out, last);
            input = input.get(read..).unwrap_or_default();
            let consumed = k + 1 - input.len();
            text.extend(out.iter().take(written));
            map.resize(text.len(), start);
            if written > 0 {
                start = place(consumed);
            }
            match result {
                DecoderResult::Malformed(_, after) => {
                    text.extend("\u{FFFD}".bytes());
                    map.resize(text.len(), start);
                    start = place(consumed - usize::from(after));
                }
                DecoderResult::InputEmpty => break,
                DecoderResult::OutputFull => {}
            }
        }
    }
    map.push(place(body.len()));
    (text, map)
}

#[cfg(test)]
mod tests;
