//! Goal: nothing that a terminal obeys or a person cannot see comes through (`[GATE-60]`).

use super::*;

#[track_caller]
fn check(text: &str, as_line: &str, as_lines: &str) {
    assert_eq!(line(text), as_line, "{text:?}");
    assert_eq!(lines(text), as_lines, "{text:?}");
}

#[test]
fn ordinary_text_of_any_script_is_left_alone() {
    check("plain ASCII ~", "plain ASCII ~", "plain ASCII ~");
    check("héllo 日本語 עברית 😀", "héllo 日本語 עברית 😀", "héllo 日本語 עברית 😀");
    check("", "", "");
}

#[test]
fn control_sequences_become_visible() {
    check("\u{1b}[2J\u{1b}]0;x\u{7}", r"\e[2J\e]0;x\u{7}", r"\e[2J\e]0;x\u{7}");
    check("a\u{9b}31m", r"a\u{9b}31m", r"a\u{9b}31m");
    check("a\u{8}\u{7f}\0", r"a\u{8}\u{7f}\u{0}", r"a\u{8}\u{7f}\u{0}");
}

#[test]
fn lines_stay_lines() {
    check("a\nb\tc\r\nd", r"a\nb\tc\r\nd", "a\nb\tc\nd");
    check("over\rwritten", r"over\rwritten", r"over\rwritten");
}

#[test]
fn bidi_and_zero_width_characters_become_visible() {
    check("safe\u{202e}txt.exe", r"safe\u{202e}txt.exe", r"safe\u{202e}txt.exe");
    check(
        "a\u{200b}b\u{feff}c\u{2066}d",
        r"a\u{200b}b\u{feff}c\u{2066}d",
        r"a\u{200b}b\u{feff}c\u{2066}d",
    );
    check("x\u{e0041}", r"x\u{e0041}", r"x\u{e0041}");
}

#[test]
fn nothing_that_a_terminal_obeys_comes_through() {
    let all: String = ('\0'..=char::MAX).collect();
    for shown in [line(&all), lines(&all)] {
        let left: Vec<char> =
            shown.chars().filter(|c| is_unseen(*c) && !matches!(c, '\n' | '\t')).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
