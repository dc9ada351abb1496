//! Goal: what is not text is told by its first bytes. [FILE-03]

use super::*;

#[track_caller]
fn check(head: &[u8], expected: &str) {
    let found = match content(head) {
        Content::Image(kind) | Content::Binary(kind) => kind,
        Content::Text => "text",
    };
    assert!(found.contains(expected), "{found}");
}

#[test]
fn kinds_are_told() {
    check(b"", "text");
    check(b"fn main() {}\n", "text");
    check(b"caf\xE9\x1b[0m", "text");
    check(b"\xFF\xFEa\0b\0", "text");
    check(b"\x89PNG\r\n\x1a\n\0\0", "image/png");
    check(b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg");
    check(b"GIF89a\x01\0", "image/gif");
    check(b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp");
    check(b"%PDF-1.7\n%\x01\0", "PDF");
    check(b"ID3 tags, BZh and OggS are names of formats\n", "text");
    check(b"GIF89a is a format\n", "text");
    check(b"\x7fELF\x02", "ELF");
    check(b"a\0b\0c\0d\0", "UTF-16");
    check(b"text and \0 one", "NUL");
}

#[test]
fn images_tell_their_size() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0";
    assert_eq!(dimensions("image/png", png), Some((640, 480)));
    assert_eq!(dimensions("image/gif", b"GIF89a\x40\x01\xf0\0"), Some((320, 240)));
    let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\0\x64\0\xc8";
    assert_eq!(dimensions("image/jpeg", jpeg), Some((200, 100)));
    let webp = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x3f\x01\0\xef\0\0";
    assert_eq!(dimensions("image/webp", webp), Some((320, 240)));
    assert_eq!(dimensions("image/png", b"\x89PNG"), None);
    assert_eq!(dimensions("image/jpeg", b"\xff\xd8\xff\xe0\0\0"), None);
}
