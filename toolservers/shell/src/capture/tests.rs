//! Goal: bounded text with exact counts, whatever comes.

use super::*;

fn captured(pieces: &[&[u8]]) -> Captured {
    let mut capture = Capture::default();
    for piece in pieces {
        capture.push(piece);
    }
    capture.finish()
}

#[test]
fn a_short_output_is_whole() {
    let all = captured(&[b"one\ntwo\n", b"three"]);
    assert_eq!((all.head.as_str(), all.tail.as_str()), ("one\ntwo\nthree\n", ""));
    assert_eq!((all.bytes, all.lines, all.left_out), (13, 3, LeftOut::default()));
}

/// [SHELL-02], B044.
#[test]
fn what_is_left_out_is_counted_exactly() {
    let text: String = (1..=200_000).map(|n| format!("{n}\n")).collect();
    let all = captured(&[text.as_bytes(), b"E: last line failed\n"]);
    assert!(all.head.starts_with("1\n2\n"));
    assert!(all.tail.ends_with("200000\nE: last line failed\n"));
    let shown = (all.head.lines().count() + all.tail.lines().count()) as u64;
    assert_eq!(all.lines, 200_001);
    assert_eq!(shown + all.left_out.lines, all.lines);
    assert_eq!((all.head.len() + all.tail.len()) as u64 + all.left_out.bytes, all.bytes);
    assert!(all.head.chars().count() + all.tail.chars().count() <= HEAD_CHARS_MAX + TAIL_CHARS_MAX);
}

/// B047: cut at characters, never inside one.
#[test]
fn a_single_long_line_keeps_its_end() {
    let all = captured(&["你".repeat(50_000).as_bytes()]);
    assert_eq!(all.tail.chars().count(), TAIL_CHARS_MAX);
    assert!(all.tail.trim_end().chars().all(|c| c == '你'));
    let shown = all.tail.len() as u64 - 1;
    assert_eq!(
        all.left_out,
        LeftOut { lines: 0, bytes: 150_000 - shown, bytes_of_line: 150_000 - shown }
    );
}

#[test]
fn the_newest_line_with_text_is_the_progress() {
    let mut capture = Capture::default();
    assert_eq!(capture.last_line(), "");
    capture.push(b"compiling\n\n");
    assert_eq!(capture.last_line(), "compiling");
    capture.push(b"50%\r60%");
    assert_eq!(capture.last_line(), "60%");
}
