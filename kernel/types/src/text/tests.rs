//! Tests of `text`.

use super::*;

#[test]
fn names_without_quotes() {
    for name in ["a", "_a1", "$", "constructor", "__proto__", "new"] {
        assert_eq!(key(name), name);
    }
    for name in ["", "1a", "a-b", "a b", "é", "名前"] {
        assert_eq!(key(name), format!("\"{name}\""));
    }
}

#[test]
fn names_made_identifiers() {
    for (name, expected) in [("a-b", "a_b"), ("1", "_1"), ("", "_"), ("é", "_"), ("A$b", "A$b")] {
        assert_eq!(identifier(name), expected);
        assert!(is_identifier(expected));
    }
}

#[test]
fn strings_hide_nothing() {
    for (text, expected) in [
        ("a\"\\\n\r\t", r#""a\"\\\n\r\t""#),
        ("\0\u{7F}\u{85}", r#""\u0000\u007f\u0085""#),
        ("\u{2028}\u{2029}\u{202E}\u{200B}\u{FEFF}", r#""\u2028\u2029\u202e\u200b\ufeff""#),
        ("\u{E0041}😀\u{FE0F}é", r#""\u{e0041}😀\ufe0fé""#),
    ] {
        assert_eq!(quoted(text), expected);
    }
}

#[test]
fn prose_is_one_line_and_bounded() {
    for (text, bytes_max, expected) in [
        ("  a\n\tb\r\n c\u{2028}d ", 20, "a b c d"),
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one two three", 9, "one…"),
        ("aaaaaaaaaa", 6, "aaa…"),
        ("éééé", 6, "é…"),
        ("a\u{202E}b\u{200B}\u{E0041}c \u{200B} d", 20, "abc d"),
        ("``` x ````", 20, "''' x '''`"),
        ("", 5, ""),
    ] {
        let found = plain(text, bytes_max);
        assert_eq!(found, expected, "{text:?}");
        assert!(found.len() <= bytes_max);
    }
}

#[test]
fn prose_stays_in_its_comment() {
    assert_eq!(comment("a b"), "/** a b */");
    assert_eq!(comment("**/*.rs and /* this"), "// **/*.rs and /* this");
}
