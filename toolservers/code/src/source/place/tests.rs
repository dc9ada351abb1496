//! Tests of `place`.

use super::{of, render_place};

#[track_caller]
fn check(code: &str, line: u32, column: u32, expected: &str) {
    assert_eq!(render_place(code, line, column), expected);
}

#[test]
fn lines_and_columns_count_characters_from_one() {
    assert_eq!(of("", 0), (1, 1));
    assert_eq!(of("aé\n中b", 0), (1, 1));
    assert_eq!(of("aé\n中b", 3), (1, 3));
    assert_eq!(of("aé\n中b", 4), (2, 1));
    assert_eq!(of("aé\n中b", 5), (2, 1));
    assert_eq!(of("aé\n中b", 99), (2, 3));
}

/// `[CODE-19]`.
#[test]
fn a_line_has_its_number_and_a_caret() {
    check("a\nb\nconst x = ;", 3, 11, "  3 | const x = ;\n    |           ^");
    check("abc", 1, 1, "  1 | abc\n    | ^");
    check("abc", 1, 4, "  1 | abc\n    |    ^");
    check("abc", 1, 99, "  1 | abc\n    |    ^");
    check("a\r\nb\r\n", 2, 1, "  2 | b\n    | ^");
    check("\n", 1, 1, "  1 |\n    | ^");
}

#[test]
fn a_line_that_is_not_there_is_not_drawn() {
    check("abc", 0, 0, "");
    check("abc", 2, 1, "");
    check("abc", u32::MAX, u32::MAX, "");
}

#[test]
fn the_caret_stands_under_wide_characters_and_tabs() {
    check("\tx", 1, 2, "  1 |     x\n    |     ^");
    check("中😀é!", 1, 4, "  1 | 中😀é!\n    |      ^");
    check("e\u{301}x", 1, 3, "  1 | e\u{301}x\n    |  ^");
}

/// A line of a program goes to a terminal.
#[test]
fn what_steers_a_terminal_is_not_drawn() {
    check("a\u{1b}[2Jb\u{202e}c", 1, 7, "  1 | a\u{fffd}[2Jb\u{fffd}c\n    |       ^");
}

#[test]
fn a_long_line_is_cut_around_the_caret() {
    let line = format!("{}X{}", "a".repeat(500), "b".repeat(500));
    let shown = render_place(&line, 1, 501);
    let (text, caret) = shown.split_once('\n').unwrap();
    assert!(text.starts_with("  1 | …a") && text.ends_with("b…"), "{text}");
    assert!(text.chars().count() < 120, "{text}");
    assert_eq!(
        text.chars().position(|each| each == 'X'),
        caret.chars().position(|each| each == '^')
    );
    for column in [0, 1, 2, 1000, 1001, 5000] {
        assert!(render_place(&line, 1, column).lines().all(|each| each.chars().count() < 120));
    }
}
