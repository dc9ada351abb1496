//! Goal: which lines are kept and shown, and exact counts of the others. [TOOL-03]

use super::*;

fn kept(output: &str) -> Kept {
    let mut kept = Kept::default();
    kept.push(output.as_bytes());
    kept
}

#[track_caller]
fn check(window: &Window, text: &str, (gone, older, newer): (u64, u64, u64), next: u64) {
    assert_eq!(window.text, text);
    assert_eq!((window.gone, window.older, window.newer, window.next), (gone, older, newer, next));
}

#[test]
fn lines_are_read_from_where_the_reader_was() {
    let kept = kept("a\nb\nc\n");
    check(&kept.newest(), "a\nb\nc\n", (0, 0, 0), 3);
    check(&kept.after(0), "a\nb\nc\n", (0, 0, 0), 3);
    check(&kept.after(2), "c\n", (0, 0, 0), 3);
    check(&kept.after(3), "", (0, 0, 0), 3);
    check(&kept.after(u64::MAX), "", (0, 0, 0), 3);
    check(&Kept::default().newest(), "", (0, 0, 0), 0);
}

/// A prompt has no line end; it is shown until it has one, and then as a line.
#[test]
fn a_line_without_an_end_is_shown_and_not_counted() {
    let mut kept = kept("a\n>>> ");
    for window in [kept.newest(), kept.after(1)] {
        assert!(window.open && window.text.ends_with(">>> "), "{window:?}");
        assert_eq!(window.next, 1);
    }
    kept.push(b"x\n");
    check(&kept.after(1), ">>> x\n", (0, 0, 0), 2);
    kept.push(b"y");
    kept.finish();
    check(&kept.after(2), "y\n", (0, 0, 0), 3);
    assert_eq!(kept.total(), 3);
}

#[test]
fn progress_bars_and_colours_are_cleaned() {
    check(&kept("10%\r20%\x1b[31m!\x1b[0m\n").newest(), "20%!\n", (0, 0, 0), 1);
}

#[test]
fn what_is_gone_is_counted_exactly() {
    let line = "x".repeat(999);
    let mut kept = Kept::default();
    let lines = 1000;
    for _ in 0..lines {
        kept.push(format!("{line}\n").as_bytes());
    }
    let left = KEPT_BYTES_MAX as u64 / 1000;
    assert_eq!((kept.total(), kept.gone_lines()), (lines, lines - left));
    assert_eq!(kept.gone_bytes(), (lines - left) * 1000);
    let shown = SHOWN_CHARS_MAX as u64 / 1000;
    let newest = kept.newest();
    assert_eq!((newest.older, newest.from, newest.next), (left - shown, lines - shown, lines));
    let oldest = kept.after(10);
    assert_eq!((oldest.gone, oldest.next), (lines - left - 10, lines - left + shown));
    assert_eq!(oldest.newer, left - shown);
}

#[test]
fn many_empty_lines_are_bounded_too() {
    let mut kept = Kept::default();
    kept.push(&b"\n".repeat(KEPT_LINES_MAX + 7));
    assert_eq!((kept.gone_lines(), kept.gone_bytes()), (7, 7));
}

/// A reader that follows the numbers sees each kept line once, and comes to the end.
#[test]
fn reading_on_shows_every_line_once() {
    let mut kept = Kept::default();
    let all: Vec<String> = (1..=9000).map(|n| format!("line {n}")).collect();
    kept.push(all.join("\n").as_bytes());
    kept.push(b"\n");
    let (mut seen, mut after) = (String::new(), 0);
    loop {
        let window = kept.after(after);
        assert_eq!((window.gone, window.older), (0, 0));
        seen.push_str(&window.text);
        assert!(window.next > after || window.newer == 0);
        after = window.next;
        if window.newer == 0 {
            break;
        }
    }
    assert_eq!(seen, all.join("\n") + "\n");
}

#[test]
fn of_a_long_line_the_end_is_kept() {
    let length = 3 * KEPT_LINE_BYTES_MAX;
    let mut kept = kept(&"é".repeat(length / 2));
    let open = kept.newest();
    assert!(open.open && open.text.len() <= KEPT_LINE_BYTES_MAX);
    kept.push(b"\nnext\n");
    let window = kept.after(0);
    let cut = length - KEPT_LINE_BYTES_MAX;
    assert!(window.text.starts_with(&format!("[… {cut} bytes …] é")), "{:.40}", window.text);
    assert_eq!((window.next, kept.gone_bytes()), (2, cut as u64));
}

#[test]
fn a_text_is_found_in_lines_and_in_the_open_one() {
    let kept = kept("ready on 80\nthen\n>>> ");
    assert!(kept.has("ready", 0) && kept.has("then", 1) && kept.has(">>>", 2));
    assert!(!kept.has("ready", 1) && !kept.has("never", 0));
}
