//! Goal: bounded text with exact counts, whatever comes.

use super::*;

fn captured(pieces: &[&[u8]]) -> Captured {
    let mut capture = Capture::default();
    for piece in pieces {
        capture.push(piece);
    }
    capture.finish()
}

/// Bytes that are handed over at once, as a command's output is.
fn piece_by_piece(bytes: &[u8]) -> Captured {
    captured(&bytes.chunks(64 * 1024).collect::<Vec<_>>())
}

/// What is shown, as it is told in prose: as much of the beginning as fits in whole lines, then as many
/// lines of the end as fit.
#[track_caller]
fn check_lines(lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let all = piece_by_piece(text.as_bytes());
    let size = |line: &String| line.chars().count() + 1;
    let fit = |lines: &mut dyn Iterator<Item = &String>, most: usize| {
        let mut used = 0;
        lines
            .take_while(|line| {
                used += size(line);
                used <= most
            })
            .count()
    };
    let head = fit(&mut lines.iter(), HEAD_CHARS_MAX);
    let rest = &lines[head..];
    let tail = fit(&mut rest.iter().rev(), TAIL_CHARS_MAX);
    let shown: String = rest[rest.len() - tail..].iter().map(|line| format!("{line}\n")).collect();
    let left: u64 = rest[..rest.len() - tail].iter().map(|line| line.len() as u64 + 1).sum();
    let whole: String = lines[..head].iter().map(|line| format!("{line}\n")).collect();
    assert_eq!((all.head, all.tail), (whole, shown));
    let lines_left = (rest.len() - tail) as u64;
    assert_eq!(all.left_out, LeftOut { lines: lines_left, bytes: left, bytes_of_line: 0 });
    assert_eq!((all.bytes, all.lines), (text.len() as u64, lines.len() as u64));
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

/// [SHELL-02] Lines of every length up to what is shown, few and many.
#[test]
fn head_and_tail_are_whole_lines_of_any_length() {
    for (count, width) in
        [(3, 10), (30_000, 0), (30_000, 1), (9000, 61), (900, 3999), (90, 4001), (30, 24_000)]
    {
        let line = |number: usize| "é".repeat((number * 7) % (width + 1));
        check_lines(&(0..count).map(line).collect::<Vec<_>>());
    }
}

/// [SHELL-02] Memory is that of the end, whatever comes: empty lines, one line, bytes that are no text.
#[test]
fn memory_is_bounded_at_any_output() {
    let pieces: [(&[u8], u64); 5] =
        [(b"\n", 1), (b"x", 0), (b"\0", 0), (b"\xff", 0), (b"\rframe", 0)];
    for (piece, lines) in pieces {
        let chunk = piece.repeat(64 * 1024 / piece.len());
        let mut capture = Capture::default();
        for _ in 0..64 {
            capture.push(&chunk);
            let kept = &capture.kept;
            assert!(
                kept.tail.capacity() <= 16 * ENOUGH_BYTES,
                "{piece:?}: {}",
                kept.tail.capacity()
            );
            assert!(capture.cleaner.current().len() <= 2 * ENOUGH_BYTES, "{piece:?}");
        }
        let all = capture.finish();
        assert_eq!(all.bytes, 64 * chunk.len() as u64);
        assert_eq!(all.lines, (lines * all.bytes).max(1));
        assert!(all.head.len() + all.tail.len() <= 4 * (HEAD_CHARS_MAX + TAIL_CHARS_MAX));
    }
}

/// [SHELL-02] A line that is too long loses its beginning, and is left out whole when others follow.
#[test]
fn a_long_line_among_others() {
    let long = "x".repeat(3 * ENOUGH_BYTES);
    let all = piece_by_piece(format!("first\n{long}\n{long}\nlast\n").as_bytes());
    assert_eq!((all.head.as_str(), all.tail.as_str()), ("first\n", "last\n"));
    let bytes = 2 * (long.len() as u64 + 1);
    assert_eq!(all.left_out, LeftOut { lines: 2, bytes, bytes_of_line: 0 });
    let all = piece_by_piece(format!("first\n{long}\n{long}").as_bytes());
    assert_eq!(all.tail.chars().count(), TAIL_CHARS_MAX);
    let of_line = (long.len() + 1 - TAIL_CHARS_MAX) as u64;
    let bytes = long.len() as u64 + 1 + of_line;
    assert_eq!(all.left_out, LeftOut { lines: 1, bytes, bytes_of_line: of_line });
}
