//! Goal: nothing is wider than it may be, also with wide characters; nothing is lost in wrapping.

use super::*;

#[track_caller]
fn check_cut(text: &str, columns: usize, expected: &str) {
    let cut = cut(text, columns);
    assert_eq!(cut, expected);
    assert!(width(&cut) <= columns.max(1), "{cut}");
}

#[test]
fn a_long_text_is_cut_by_the_columns_it_takes() {
    check_cut("abc", 3, "abc");
    check_cut("abcd", 3, "ab…");
    check_cut("日本語", 6, "日本語");
    check_cut("日本語", 5, "日本…");
    check_cut("日本語", 4, "日…");
    check_cut("日本語abc", 4, "日…");
    check_cut("abc", 0, "…");
}

#[test]
fn a_wrapped_text_loses_nothing() {
    assert_eq!(wrap("abcdef\n\ngh", 4), ["abcd", "ef", "", "gh"]);
    assert_eq!(wrap("日本語", 4), ["日本", "語"]);
    assert_eq!(wrap("a\tb", 10), ["a    b"]);
    assert_eq!(wrap("", 4), [""]);
    assert_eq!(wrap("日", 1), ["日"]);
}

#[test]
fn a_table_is_as_wide_as_its_cells_and_no_wider_than_the_terminal() {
    let rows =
        vec![vec!["a".to_owned(), "日本".to_owned(), "x".repeat(30)], vec!["bcd".to_owned()]];
    let set = table(&["k", "name", "rest"], &rows, 20);
    assert_eq!(set, ["k    name  rest", "a    日本  xxxxxxxx…", "bcd"]);
}

#[test]
fn durations_and_counts_read_well() {
    assert_eq!(
        [0, 349, 9_999, 12_345, 185_000].map(duration),
        ["0.0 s", "0.3 s", "9.9 s", "12 s", "3 min 5 s"]
    );
    assert_eq!([count(1, "line"), count(2, "line")], ["1 line", "2 lines"]);
    assert_eq!(moment(1_796_050_000_000), "2026-11-30 14:46");
}

#[test]
fn prose_breaks_between_words() {
    assert_eq!(prose("one two three", 8), ["one two", "three"]);
    assert_eq!(prose("  one two", 5), ["  one", "two"]);
    assert_eq!(prose("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
    assert_eq!(prose("", 4), [""]);
}

#[test]
fn beginnings_of_ids_are_distinct() {
    assert_eq!(
        beginnings(&["0193aaaa-bbbb-1", "0193aaaa-bbcc-2"]),
        ["0193aaaa-bbb", "0193aaaa-bbc"]
    );
    assert_eq!(beginnings(&["short"]), ["short"]);
    assert_eq!(beginnings(&["0193aaaa-bbbb"]), ["0193aaaa"]);
}
