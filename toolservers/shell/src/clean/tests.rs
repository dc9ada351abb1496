//! Goal: what a person would see at the end of a terminal session, line by line.

use super::*;

#[derive(Default)]
struct Kept(Vec<(String, u64)>);

impl Lines for Kept {
    fn line(&mut self, text: &str, cut: u64) {
        self.0.push((text.to_owned(), cut));
    }
}

fn lines_of(pieces: &[&[u8]]) -> Vec<String> {
    let (mut cleaner, mut kept) = (Cleaner::default(), Kept::default());
    for piece in pieces {
        cleaner.push(piece, &mut kept);
    }
    cleaner.finish(&mut kept);
    kept.0.into_iter().map(|(text, _)| text).collect()
}

#[track_caller]
fn check(bytes: &[u8], expected: &[&str]) {
    assert_eq!(lines_of(&[bytes]), expected);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(lines_of(&single), expected, "byte by byte");
}

#[test]
fn lines_end_at_line_feeds() {
    check(b"", &[]);
    check(b"a\nb\n", &["a", "b"]);
    check(b"a\nb", &["a", "b"]);
    check(b"\n\n", &["", ""]);
    check(b"a\r\nb\r\n", &["a", "b"]);
}

/// B046.
#[test]
fn progress_bars_fold_to_their_last_state() {
    check(b"\r\x1b[2Kprogress 1\r\x1b[2Kprogress 2\nDONE", &["progress 2", "DONE"]);
    check(b"10%\r50%\r100%\n", &["100%"]);
    check(b"100%\r", &["100%"]);
    check(b"|\x08/\x08-", &["-"]);
}

#[test]
fn sequences_vanish() {
    check(b"\x1b[1;31mred\x1b[0m", &["red"]);
    check(b"\x1b]0;title\x07text", &["text"]);
    check(b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", &["link"]);
    check(b"\x1b(Bplain\x1b7\x1b8", &["plain"]);
    check(b"\x1bPq#0\x1b\\done", &["done"]);
}

#[test]
fn an_unfinished_sequence_swallows_no_later_line() {
    check(b"\x1b]0;title\nerror: x\n", &["", "error: x"]);
    let mut long = b"\x1b]".to_vec();
    long.extend(vec![b'a'; SEQUENCE_BYTES_MAX + 1]);
    long.extend(b"seen");
    check(&long, &["seen"]);
}

#[test]
fn what_is_no_text_is_shown_by_escapes() {
    check(b"a\xe9b\n", &["a\\xE9b"]);
    check(b"\xe4\xbd\n", &["\\xE4\\xBD"]);
    check(b"\xe4\xbd", &["\\xE4\\xBD"]);
    check(b"\xff\xfe\x00", &["\\xFF\\xFE\\x00"]);
    check("\u{9b}31m".as_bytes(), &["\\u{9b}31m"]);
    check(b"a\tb\x07", &["a\tb"]);
}

/// B047.
#[test]
fn pieces_may_be_cut_anywhere() {
    check("你好 é \u{1f600}\n".as_bytes(), &["你好 é \u{1f600}"]);
}

#[test]
fn a_line_without_end_keeps_its_end_and_counts_the_rest() {
    let (mut cleaner, mut kept) = (Cleaner::default(), Kept::default());
    let piece = vec![b'x'; 50_000];
    for _ in 0..100 {
        cleaner.push(&piece, &mut kept);
    }
    cleaner.push(b"END", &mut kept);
    assert!(cleaner.current().len() <= 2 * LINE_BYTES_MAX);
    cleaner.finish(&mut kept);
    let (text, cut) = &kept.0[0];
    assert_eq!(text.len() as u64 + cut, 5_000_003);
    assert!(text.ends_with("xEND"));
}

/// [SHELL-02] The same lines however the bytes come: all at once, one by one, or cut anywhere.
#[test]
fn any_bytes_in_any_pieces() {
    let parts: [&[u8]; 16] = [
        b"\n",
        b"\r",
        b"\r\n",
        b"\x1b[",
        b"\x1b]0;",
        b"2K",
        b"\x07",
        b"\x08",
        b"\x00\x00\x7f",
        b"\xff\xff",
        b"\xe4\xbd",
        b"\xf0\x9f\x98",
        "你é\u{9b}\u{85}".as_bytes(),
        b"text",
        b"a\tlonger text\n\n",
        b"\x1b\\",
    ];
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..40).flat_map(|_| parts[random(parts.len())].to_vec()).collect();
        let whole = lines_of(&[&bytes]);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(lines_of(&single), whole, "{bytes:?}");
        let (first, second) = bytes.split_at(random(bytes.len()));
        assert_eq!(lines_of(&[first, second]), whole, "{bytes:?}");
        for line in &whole {
            assert!(!line.chars().any(|c| c.is_control() && c != '\t'), "{line:?}");
        }
    }
}

#[test]
fn wrong_bytes_between_others_are_each_shown() {
    check(b"a\xe4\xbdb\xff\xfe\xe4c", &["a\\xE4\\xBDb\\xFF\\xFE\\xE4c"]);
    check("é\u{85}é\nz".as_bytes(), &["é\\u{85}é", "z"]);
    check(b"\x00\x01\x7f\x1f", &["\\x00\\x01\\x7F\\x1F"]);
}
