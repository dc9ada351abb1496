//! Goal: the right lines, the right reason for the cut, however the blocks fall. [FILE-01]

use super::*;
use crate::testing::Numbers;

/// Feeds a text in blocks of a size and shows the window.
fn show(text: &[u8], offset: u64, limit: Option<u64>, block: usize) -> (Shown, u64) {
    let mut scan = Scan::new(Wanted { offset, limit }, 1, 0);
    text.chunks(block).for_each(|block| scan.feed(block));
    (scan.show(Form::of(text)), scan.total())
}

#[track_caller]
fn check(text: &str, offset: u64, limit: Option<u64>, expected: (&str, u64, Option<Cut>)) {
    for block in [1, 2, 3, 7, 64 * 1024] {
        let (shown, total) = show(text.as_bytes(), offset, limit, block);
        assert_eq!((shown.text.as_str(), total, shown.cut), expected, "blocks of {block}");
    }
}

/// B028: the last line counts with and without its break, and nothing after it.
#[test]
fn lines_are_counted_as_people_do() {
    check("a\nb\nc", 3, Some(1), ("c", 3, None));
    check("a\nb\nc\n", 1, Some(3), ("a\nb\nc\n", 3, None));
    check("a\nb\nc\n", 4, None, ("", 3, None));
    check("a\nb\nc\n", 2, Some(1), ("b\n", 3, Some(Cut::Limit)));
    check("", 1, None, ("", 0, None));
    check("\n", 1, None, ("\n", 1, None));
    check("\n\nx", 2, Some(5), ("\nx", 3, None));
}

#[test]
fn breaks_are_shown_as_line_feeds() {
    check("a\r\nb\r\n", 1, None, ("a\nb\n", 2, None));
    check("a\rb\r", 1, None, ("a\rb\r", 1, None));
}

#[test]
fn the_lines_of_a_window_are_bounded() {
    let text: String = (1..=2_500).map(|line| format!("{line}\n")).collect();
    let (shown, total) = show(text.as_bytes(), 1, None, 100);
    assert_eq!((shown.lines, total, shown.cut), (2_000, 2_500, Some(Cut::Lines)));
    let (shown, _) = show(text.as_bytes(), 501, Some(5_000), 100);
    assert_eq!((shown.lines, shown.cut), (2_000, None));
    let (shown, _) = show(text.as_bytes(), 500, Some(5_000), 100);
    assert_eq!((shown.lines, shown.cut), (2_000, Some(Cut::Lines)));
}

#[test]
fn the_bytes_of_a_window_are_bounded_by_whole_lines() {
    let text = format!("{}\n", "x".repeat(1_023)).repeat(100);
    let (shown, total) = show(text.as_bytes(), 1, None, 4_096);
    assert_eq!((shown.lines, total, shown.cut), (50, 100, Some(Cut::Bytes)));
    let (shown, _) = show(text.as_bytes(), 51, None, 4_096);
    assert_eq!((shown.lines, shown.cut), (50, None));
    // Nothing but the bound of bytes keeps the last line out, even if the limit is reached with it.
    let (shown, _) = show(text.as_bytes(), 1, Some(51), 4_096);
    assert_eq!((shown.lines, shown.cut), (50, Some(Cut::Bytes)));
}

/// B029, B034: one line over the bound is cut between characters, and the next can be read.
#[test]
fn a_line_that_is_too_long_shows_its_start() {
    let text = format!("{}\nsecond\n", "中".repeat(350_000));
    let (shown, total) = show(text.as_bytes(), 1, None, 64 * 1024);
    assert!(shown.text.len() <= READ_BYTES_MAX && shown.text.chars().all(|c| c == '中'));
    let shown_to = Some(shown.text.len() as u64);
    assert_eq!(
        (total, shown.cut),
        (2, Some(Cut::Line { length: 1_050_000, is_whole: true, shown_to }))
    );
    let (shown, _) = show(text.as_bytes(), 2, None, 64 * 1024);
    assert_eq!((shown.text.as_str(), shown.cut), ("second\n", None));
    // As the second line of a window it is left to the next.
    let text = format!("first\n{}\n", "x".repeat(1 << 20));
    let (shown, _) = show(text.as_bytes(), 1, None, 64 * 1024);
    assert_eq!((shown.text.as_str(), shown.cut), ("first\n", Some(Cut::Bytes)));
}

/// B034: at any cap, the start of a text is valid, no longer than the cap, and a start.
#[test]
fn a_cut_falls_between_characters() {
    let text = "a中😀\u{e9}z";
    for cap in 0..=text.len() + 1 {
        let start = head(text, cap);
        assert!(
            start.len() <= cap && text.starts_with(start) && cap - start.len() < 4
                || cap > text.len()
        );
    }
}

/// Any window of any text, in blocks of any size, is what splitting the whole text gives.
#[test]
fn windows_agree_with_the_whole_text() {
    let mut numbers = Numbers::new(7);
    for _ in 0..2_000 {
        let length = numbers.below(60);
        let text: String =
            (0..length).map(|_| ["a", "\n", "中", "\r\n", "b"][numbers.below(5)]).collect();
        let offset = numbers.below(20) as u64 + 1;
        let limit = numbers.below(12) as u64 + 1;
        let (shown, total) = show(text.as_bytes(), offset, Some(limit), numbers.below(9) + 1);
        let lines: Vec<String> =
            text.split_inclusive('\n').map(|line| line.replace("\r\n", "\n")).collect();
        let window = lines
            .iter()
            .skip(usize::try_from(offset).unwrap() - 1)
            .take(usize::try_from(limit).unwrap());
        assert_eq!(shown.text, window.cloned().collect::<String>(), "{text:?} {offset} {limit}");
        assert_eq!(total, lines.len() as u64);
        let goes_on = offset + limit <= total && offset <= total;
        assert_eq!(shown.cut, goes_on.then_some(Cut::Limit), "{text:?} {offset} {limit}");
    }
}
