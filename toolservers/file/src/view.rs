//! What `read` sees: a window of a text file, or an image.
//!
//! A file of at most [`WHOLE_BYTES_MAX`] is read to its end: its lines are counted, its encoding
//! judged by all of it, its content hashed. Of a larger one only what leads to the window is read.
//!
//! Invariant: memory is the window's, whatever the file's size
//! (test `a_huge_file_costs_its_window`).

use std::{
    fs::{File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
};

use encoding_rs::Decoder;
use sha2::{Digest, Sha256};

use crate::{
    ending::Endings,
    failed::{Class, Failed},
    index::{self, LineIndex, Version},
    limits::{BLOCK_BYTES, HEAD_BYTES, IMAGE_BYTES_MAX, WHOLE_BYTES_MAX},
    magic::{self, Content},
    roots::Place,
    text::{Encoding, Form, Sniffer},
    window::{Scan, Shown, Wanted},
};

/// What a file shows.
#[derive(Debug)]
pub(crate) enum View {
    /// Lines of a text.
    Text(TextView),
    /// A whole image.
    Image {
        media_type: &'static str,
        data: Vec<u8>,
        /// Width and height in pixels, if the header tells.
        pixels: Option<(u32, u32)>,
    },
}

/// Lines of a text, and what is known of the whole.
#[derive(Debug)]
pub(crate) struct TextView {
    pub(crate) shown: Shown,
    pub(crate) form: Form,
    /// Of all that was read.
    pub(crate) endings: Endings,
    /// Lines of the whole file; `None`: not counted.
    pub(crate) total: Option<u64>,
    /// Bytes of the whole file.
    pub(crate) size: u64,
    /// SHA-256 of the whole file; `None`: too large, or changed while it was read.
    pub(crate) sha256: Option<[u8; 32]>,
    /// Whether the file was changed while it was read.
    pub(crate) is_torn: bool,
}

/// Looks at a file through a window. `stopped` is asked after each block.
///
/// # Errors
/// Those of [`Place::open`]; `binary`, `too_large` for an image, `past_end`, `cancelled`.
pub(crate) fn view(
    place: &Place,
    wanted: Wanted,
    stopped: &dyn Fn() -> bool,
) -> Result<(View, Metadata), Failed> {
    let (mut file, metadata) = place.open()?;
    let size = metadata.len();
    let failed = |error: io::Error| Failed::io("read", &place.shown, &error);
    let head = head(&file).map_err(failed)?;
    match magic::content(&head) {
        Content::Text => {}
        Content::Binary(kind) => return Err(binary(&place.shown, kind, size)),
        Content::Image(media_type) => {
            return Ok((image(&file, media_type, size, &place.shown)?, metadata));
        }
    }
    let version = Version::of(&metadata);
    let mut pass = Pass::new(wanted, &head, version, size);
    file.seek(SeekFrom::Start(pass.from)).map_err(failed)?;
    let at_end = pass.run(&mut file, size, stopped).map_err(failed)?;
    let Some(at_end) = at_end else {
        return Err(Failed::new(Class::Cancelled, format!("reading {} was stopped", place.shown)));
    };
    let is_torn = !file.metadata().is_ok_and(|now| Version::of(&now) == version);
    let text = pass.finish(at_end, version, size, is_torn);
    match text.total {
        Some(total) if wanted.offset > total.max(1) => Err(past_end(&place.shown, wanted, total)),
        _ => Ok((View::Text(text), metadata)),
    }
}

/// The refusal of a file that is not text.
pub(crate) fn binary(shown: &str, kind: &str, size: u64) -> Failed {
    let message =
        format!("{shown} is not text but {kind}, {size} bytes; it cannot be shown or edited");
    Failed::new(Class::Binary, message)
}

fn past_end(shown: &str, wanted: Wanted, total: u64) -> Failed {
    let lines = if total == 1 { "1 line".to_owned() } else { format!("{total} lines") };
    let message = format!("offset {} is past the end: {shown} has {lines}", wanted.offset);
    Failed::new(Class::PastEnd, message)
}

/// The start of a file, at most [`HEAD_BYTES`].
fn head(file: &File) -> io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD_BYTES];
    let mut length = 0;
    while let Some(room) = head.get_mut(length..).filter(|room| !room.is_empty()) {
        match file.read_at(room, length as u64) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(length);
    Ok(head)
}

fn image(file: &File, media_type: &'static str, size: u64, shown: &str) -> Result<View, Failed> {
    if size > IMAGE_BYTES_MAX {
        let message = format!(
            "{shown} is an image ({media_type}) of {size} bytes; at most {IMAGE_BYTES_MAX} bytes can \
             be shown. Make a smaller copy first"
        );
        return Err(Failed::new(Class::TooLarge, message));
    }
    let mut data = Vec::new();
    file.take(IMAGE_BYTES_MAX)
        .read_to_end(&mut data)
        .map_err(|error| Failed::io("read", shown, &error))?;
    let pixels = magic::dimensions(media_type, &data);
    Ok(View::Image { media_type, data, pixels })
}

/// One pass over a file, or over a part of it.
struct Pass {
    scan: Scan,
    /// Bytes of UTF-16 become UTF-8 before they are scanned.
    decoder: Option<Decoder>,
    sniffer: Sniffer,
    /// For a file that is read to its end.
    hash: Option<Sha256>,
    endings: Endings,
    last: u8,
    index: LineIndex,
    /// The first byte to read.
    from: u64,
}

impl Pass {
    fn new(wanted: Wanted, head: &[u8], version: Version, size: u64) -> Self {
        let decoder = match Form::marked(head).map(|form| form.encoding) {
            Some(Encoding::Utf16Le) => Some(encoding_rs::UTF_16LE.new_decoder_with_bom_removal()),
            Some(Encoding::Utf16Be) => Some(encoding_rs::UTF_16BE.new_decoder_with_bom_removal()),
            Some(Encoding::Utf8 { .. } | Encoding::Guessed(_)) | None => None,
        };
        let whole = size <= WHOLE_BYTES_MAX;
        let mut sniffer = Sniffer::default();
        let mut index = LineIndex::default();
        let (mut line, mut from) = (1, 0);
        if !whole && decoder.is_none() {
            index = index::recall(version);
            (line, from) = index.before(wanted.offset);
            sniffer.feed(head);
        }
        Self {
            scan: Scan::new(wanted, line, from),
            decoder,
            sniffer,
            hash: whole.then(Sha256::new),
            endings: Endings::default(),
            last: 0,
            index,
            from,
        }
    }

    /// Reads on until the end (`Some(true)`) or past the window (`Some(false)`); `None` if stopped.
    fn run(
        &mut self,
        file: &mut File,
        size: u64,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Option<bool>> {
        let mut block = vec![0; BLOCK_BYTES];
        // No further than the file was long at first, so that one that grows has an end.
        let mut file = file.take(size.saturating_sub(self.from));
        let mut text = String::new();
        loop {
            let read = fill(&mut file, &mut block)?;
            let bytes = block.get(..read).unwrap_or_default();
            if let Some(hash) = &mut self.hash {
                hash.update(bytes);
                self.sniffer.feed(bytes);
            }
            match &mut self.decoder {
                None => self.feed(bytes),
                Some(decoder) => {
                    text.clear();
                    text.reserve(decoder.max_utf8_buffer_length(read).unwrap_or(4 * BLOCK_BYTES));
                    let last = read < BLOCK_BYTES;
                    let (_, _, _) = decoder.decode_to_string(bytes, &mut text, last);
                    self.feed(text.as_bytes());
                }
            }
            if read < BLOCK_BYTES {
                return Ok(Some(true));
            }
            if stopped() {
                return Ok(None);
            }
            if self.hash.is_none() && self.scan.is_done() {
                return Ok(Some(false));
            }
        }
    }

    fn feed(&mut self, text: &[u8]) {
        self.endings.count(text, self.last);
        self.last = text.last().copied().unwrap_or(self.last);
        self.scan.feed(text);
        if self.hash.is_none() && self.decoder.is_none() {
            self.index.mark(self.scan.line_start());
        }
    }

    fn finish(mut self, at_end: bool, version: Version, size: u64, is_torn: bool) -> TextView {
        if at_end {
            self.index.total = Some(self.scan.total());
        }
        if self.hash.is_none() && self.decoder.is_none() {
            for bytes in self.scan.kept_bytes() {
                self.sniffer.feed(bytes);
                self.sniffer.feed(b"\n");
            }
            index::keep(version, self.index.clone());
        }
        let form = match &self.decoder {
            Some(decoder) if decoder.encoding() == encoding_rs::UTF_16LE => {
                Form { encoding: Encoding::Utf16Le, bom: true }
            }
            Some(_) => Form { encoding: Encoding::Utf16Be, bom: true },
            None => self.sniffer.form(),
        };
        TextView {
            shown: self.scan.show(form),
            form,
            endings: self.endings,
            total: self.index.total,
            size,
            sha256: self.hash.map(|hash| hash.finalize().into()).filter(|_| !is_torn),
            is_torn,
        }
    }
}

/// Reads until the block is full or the stream ends.
fn fill(stream: &mut impl Read, block: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(room) = block.get_mut(length..).filter(|room| !room.is_empty()) {
        match stream.read(room) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests;
