//! Goal: what a server says is bounded in every direction, and what is kept is the end of it.

use super::*;

/// Feeds `reads` and compares the lines that come out, joined.
#[track_caller]
fn check_lines(reads: &[&str], expected: &str) {
    let mut line = Line::default();
    let mut lines: Vec<u8> = reads.iter().flat_map(|read| line.add(read.as_bytes())).collect();
    if line.is_begun() {
        lines.append(&mut line.finish());
    }
    assert_eq!(String::from_utf8(lines).unwrap(), expected);
}

#[test]
fn lines_are_whole_however_they_are_read() {
    check_lines(&[], "");
    check_lines(&["a\nb\n"], "a\nb\n");
    check_lines(&["a", "b", "\n", "\n", "c"], "ab\n\nc\n");
    check_lines(&["\n\n", "x\ny"], "\n\nx\ny\n");
}

#[test]
fn a_long_line_is_cut_once() {
    let full = "x".repeat(LOG_LINE_BYTES_MAX);
    check_lines(&[&full, "\nnext\n"], &format!("{full}\nnext\n"));
    check_lines(&[&full, "y", "z", "\nnext\n"], &format!("{full} [line cut]\nnext\n"));
    check_lines(&[&full, &full, &full], &format!("{full} [line cut]\n"));
}

/// Keeps `batches` and returns the tail.
fn tail(batches: &[&str]) -> String {
    let (log, tail) = Log::new("test".into(), None, LogSecrets::default());
    for batch in batches {
        keep(&mut log.kept.lock().unwrap(), batch.as_bytes());
    }
    tail.text()
}

#[test]
fn the_tail_is_the_last_whole_lines() {
    assert_eq!(tail(&["a\n", "b\n"]), "a\nb\n");
    let half = "h".repeat(LOG_TAIL_BYTES_MAX / 2 - 1);
    let rest = format!("{half}\n{half}\n");
    // Exactly full, then one line too many.
    assert_eq!(tail(&[&rest]), rest);
    assert_eq!(tail(&[&rest, "n\n"]), format!("{half}\nn\n"));
    assert_eq!(tail(&["gone\n", &rest]), rest);
}

#[test]
fn one_line_longer_than_the_tail_keeps_its_end() {
    let long = format!("{}end\n", "x".repeat(LOG_TAIL_BYTES_MAX));
    let kept = tail(&[&long]);
    assert_eq!(kept.len(), LOG_TAIL_BYTES_MAX);
    assert!(kept.ends_with("xend\n"));
}

#[test]
fn a_terminal_is_not_controlled_by_what_a_server_says() {
    let (log, tail) = Log::new("test".into(), None, LogSecrets::default());
    keep(&mut log.kept.lock().unwrap(), b"\x1b[2Jred\r\xff\tok\n");
    assert_eq!(tail.text(), "\u{fffd}[2Jred\u{fffd}\u{fffd}\tok\n");
}
