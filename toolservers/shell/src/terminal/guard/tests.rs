//! Goal: what passes to the emulator.

use super::*;

#[track_caller]
fn check(given: &[u8], expected: &[u8]) {
    let passed = Guard::default().pass(given);
    assert_eq!(passed.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn a_repetition_is_bounded() {
    check(b"x\x1b[65535b", b"x\x1b[200b");
    check(b"x\x1b[99999999999999999999b", b"x\x1b[200b");
    check(b"x\x1b[5b", b"x\x1b[5b");
    check(b"x\x1b[b", b"x\x1b[b");
    // What the emulator's parser passes over or obeys in the middle hides nothing.
    check(b"x\x1b[655\r35b", b"x\r\x1b[200b");
    check(b"x\x1b\r[65535b", b"x\r\x1b[200b");
    check(b"x\x1b[655\xff35b", b"x\x1b[200b");
    check(b"\x1b[65535;1b", b"");
    check(b"\x1b]0;t\x1b[65535b", b"\x1b]0;t\x1b[200b");
    check(b"\x1bP\x1b\x1b[65535b", b"\x1bP\x1b\x1b[200b");
}

#[test]
fn a_sequence_without_end_is_dropped() {
    let zeros = "0".repeat(100);
    check(format!("a\x1b[{zeros}65535bc").as_bytes(), b"ac");
    check(format!("a\x1b[{zeros}mc").as_bytes(), b"ac");
    check(format!("a\x1b[{zeros}\x1b[31mc").as_bytes(), b"a\x1b[31mc");
    check(b"a\x1b[31\x18b", b"ab");
}

#[test]
fn what_is_no_text_is_shown_by_escapes() {
    check(b"a\xffb", b"a\\xFFb");
    check(b"\xe4\xbd\xc3\xa9", "\\xE4\\xBDé".as_bytes());
    check(b"\xe4\xbd\n", b"\\xE4\\xBD\n");
    check("\u{fffd}".as_bytes(), b"\\xEF\\xBF\\xBD");
}

#[test]
fn all_else_passes() {
    let all =
        "é中\x1b[?1049h\x1b[38;2;1;2;3mred\x1b[0m\x1b(B\x1b]0;title\x07\x1b[10;20H\r\n\t\x1b7\x1b=";
    check(all.as_bytes(), all.as_bytes());
}

/// A character of several bytes and a sequence may come in pieces.
#[test]
fn pieces_may_be_cut_anywhere() {
    let mut whole = "é\x1b[65535b\x1b[31m中\x1b[2\rK\x1b]0;t\x07é".as_bytes().to_vec();
    whole.extend(b"\xff\xe4\xbd\xe4\xbd\xa0\xc3\x1b[31m");
    let expected = Guard::default().pass(&whole);
    for cut in 0..whole.len() {
        let (first, second) = whole.split_at(cut);
        let mut guard = Guard::default();
        let mut passed = guard.pass(first);
        passed.extend(guard.pass(second));
        assert_eq!(passed, expected, "{cut}");
    }
}
