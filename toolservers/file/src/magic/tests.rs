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

/// The bytes that a PDF begins with can be typed: a text of no other bytes is left to the parser.
#[test]
fn a_text_may_be_a_pdf() {
    assert!(may_be_pdf(b"%PDF-1.4\n1 0 obj"));
    assert!(!may_be_pdf(b"%PDF- is how a PDF begins") && !may_be_pdf(b" %PDF-1.4"));
    check(b"%PDF-1.4\n1 0 obj", "text");
    check(b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n1 0 obj", "a PDF document");
}

/// [FILE-03]: a picture that is written as text is read as text.
#[test]
fn svg_is_text() {
    check(b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\"/>", "text");
}
