//! What a file is by its first bytes: an image, another binary, or text.

use crate::limits::HEAD_BYTES;

/// What the head of a file tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Content {
    /// An image that models take, by media type.
    Image(&'static str),
    /// Anything else that is not text, by name.
    Binary(&'static str),
    /// Text, as far as the head tells.
    Text,
}

/// What a PDF is called.
pub(crate) const PDF: &str = "a PDF document";

/// Starts of files that are never text, longest first where one begins another.
const STARTS: [(&[u8], Content); 27] = [
    (b"\x89PNG\r\n\x1a\n", Content::Image("image/png")),
    (b"\xff\xd8\xff", Content::Image("image/jpeg")),
    (b"GIF87a", Content::Image("image/gif")),
    (b"GIF89a", Content::Image("image/gif")),
    (b"%PDF-", Content::Binary(PDF)),
    (b"PK\x03\x04", Content::Binary("a ZIP archive (or an Office document, JAR, APK)")),
    (b"PK\x05\x06", Content::Binary("an empty ZIP archive")),
    (b"\x1f\x8b", Content::Binary("gzip data")),
    (b"BZh", Content::Binary("bzip2 data")),
    (b"\xfd7zXZ\0", Content::Binary("xz data")),
    (b"\x28\xb5\x2f\xfd", Content::Binary("zstd data")),
    (b"7z\xbc\xaf\x27\x1c", Content::Binary("a 7z archive")),
    (b"\x7fELF", Content::Binary("an ELF program or library")),
    (b"MZ\x90\0", Content::Binary("a Windows program")),
    (b"\xca\xfe\xba\xbe", Content::Binary("a Java class or Mach-O program")),
    (b"\xcf\xfa\xed\xfe", Content::Binary("a Mach-O program")),
    (b"\0asm", Content::Binary("a WebAssembly module")),
    (b"SQLite format 3\0", Content::Binary("a SQLite database")),
    (b"OggS", Content::Binary("Ogg audio or video")),
    (b"fLaC", Content::Binary("FLAC audio")),
    (b"ID3", Content::Binary("MP3 audio")),
    (b"\x1aE\xdf\xa3", Content::Binary("Matroska or WebM video")),
    (b"II*\0", Content::Binary("a TIFF image")),
    (b"MM\0*", Content::Binary("a TIFF image")),
    (b"\0\0\x01\0", Content::Binary("a Windows icon")),
    (b"wOFF", Content::Binary("a web font")),
    (b"wOF2", Content::Binary("a web font")),
];

/// Tells a file by at most [`HEAD_BYTES`] of its start.
pub(crate) fn content(head: &[u8]) -> Content {
    let head = head.get(..HEAD_BYTES).unwrap_or(head);
    // A start that could be typed counts only if there is a byte that could not.
    let has_controls = head.iter().any(|byte| *byte < b'\t');
    let counts =
        |start: &[u8]| has_controls || start.iter().any(|byte| !(b' '..=b'~').contains(byte));
    let mut starts = STARTS.iter().filter(|(start, _)| head.starts_with(start) && counts(start));
    if let Some((_, content)) = starts.next() {
        return *content;
    }
    // Its second line should have bytes that nobody types, and mostly no control characters.
    let is_cut = |error: std::str::Utf8Error| error.error_len().is_none();
    if may_be_pdf(head) && std::str::from_utf8(head).is_err_and(|error| !is_cut(error)) {
        return Content::Binary(PDF);
    }
    match head {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] if has_controls => {
            return Content::Image("image/webp");
        }
        [b'R', b'I', b'F', b'F', _, _, _, _, ..] if has_controls => {
            return Content::Binary("RIFF audio or video");
        }
        [0, 0, _, _, b'f', b't', b'y', b'p', ..] => {
            return Content::Binary("MP4 video or HEIF image");
        }
        // A mark of UTF-16: its NULs are no sign.
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => return Content::Text,
        _ => {}
    }
    let nulls =
        |parity: usize| head.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    match (nulls(0), nulls(1)) {
        (0, 0) => Content::Text,
        (0, n) | (n, 0) if n > 3 && n > head.len() / 4 => {
            Content::Binary("binary data, or UTF-16 text without a byte-order mark")
        }
        (_, _) => Content::Binary("binary data (it has NUL bytes)"),
    }
}

/// Whether a text could be a PDF that has no byte but those of text: its parser decides.
pub(crate) fn may_be_pdf(head: &[u8]) -> bool {
    matches!(head, [b'%', b'P', b'D', b'F', b'-', b'1' | b'2', b'.', ..])
}

#[cfg(test)]
mod tests;
