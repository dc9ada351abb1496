//! Goal: breaks are counted and rewritten whole; a lone carriage return is no break.

use super::*;

#[test]
fn breaks_are_told_apart() {
    for (text, word) in [
        ("", "none"),
        ("a\rb", "none"),
        ("a\nb", "lf"),
        ("a\r\n", "crlf"),
        ("a\r\nb\n", "mixed"),
        ("a\r\r\n", "crlf"),
    ] {
        assert_eq!(Endings::of(text.as_bytes()).word(), word, "{text:?}");
    }
}

#[test]
fn a_break_split_between_blocks_is_one() {
    let mut endings = Endings::default();
    endings.count(b"a\r", 0);
    endings.count(b"\nb", b'\r');
    assert_eq!(endings, Endings { crlf: 1, lf: 0 });
}

#[test]
fn every_break_is_rewritten_once() {
    assert_eq!(with_endings("a\r\nb\nc", |_| "\r\n"), "a\r\nb\r\nc");
    assert_eq!(with_endings("\n\n", |k| if k == 0 { "\r\n" } else { "\n" }), "\r\n\n");
    assert_eq!(with_endings("a\rb", |_| "\r\n"), "a\rb");
}
