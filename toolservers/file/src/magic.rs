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

/// Starts of files that are never text, longest first where one begins another.
const STARTS: [(&[u8], Content); 27] = [
    (b"\x89PNG\r\n\x1a\n", Content::Image("image/png")),
    (b"\xff\xd8\xff", Content::Image("image/jpeg")),
    (b"GIF87a", Content::Image("image/gif")),
    (b"GIF89a", Content::Image("image/gif")),
    (b"%PDF-", Content::Binary("a PDF document")),
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

/// Width and height in pixels of an image, by its header.
pub(crate) fn dimensions(media_type: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    match media_type {
        "image/png" => Some((big(bytes, 16, 4)?, big(bytes, 20, 4)?)),
        "image/gif" => Some((little(bytes, 6, 2)?, little(bytes, 8, 2)?)),
        "image/jpeg" => jpeg(bytes),
        "image/webp" => webp(bytes),
        _ => None,
    }
}

/// Walks the segments of a JPEG to its frame header (ITU-T T.81, B.2.2).
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if bytes.get(at)? != &0xFF {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            0xFF => at += 1,
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                return Some((big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?));
            }
            _ => at += 2 + big(bytes, at + 2, 2)? as usize,
        }
    }
}

/// The three kinds of WebP (RFC 9649, 2.5 to 2.7).
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        b"VP8L" => {
            let bits = little(bytes, 21, 4)?;
            Some(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
        }
        b"VP8 " => Some((little(bytes, 26, 2)? & 0x3FFF, little(bytes, 28, 2)? & 0x3FFF)),
        _ => None,
    }
}

fn big(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(count)?)?;
    Some(bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte)))
}

fn little(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(count)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| (number << 8) | u32::from(*byte)))
}

#[cfg(test)]
mod tests;
