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
    let escaped = "<U+001B>[2J<U+001B>]0;x<U+0007>";
    check("\u{1b}[2J\u{1b}]0;x\u{7}", escaped, escaped);
    check("a\u{9b}31m", "a<U+009B>31m", "a<U+009B>31m");
    check("a\u{8}\u{7f}\0", "a<U+0008><U+007F><U+0000>", "a<U+0008><U+007F><U+0000>");
}

#[test]
fn lines_stay_lines() {
    check("a\nb\tc\r\nd", r"a\nb\tc<U+000D>\nd", "a\nb\tc\nd");
    check("over\rwritten", "over<U+000D>written", "over<U+000D>written");
}

/// AP-03: control, format, default-ignorable, tag and selector characters, and bidi.
#[test]
fn what_cannot_be_seen_is_shown_by_its_number() {
    for char in [
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{180e}',
        '\u{200b}',
        '\u{200d}',
        '\u{202e}',
        '\u{2066}',
        '\u{2800}',
        '\u{3164}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{fff9}',
        '\u{1bca0}',
        '\u{1d173}',
        '\u{e0041}',
        '\u{e0100}',
    ] {
        let shown = format!("a<U+{:04X}>b", u32::from(char));
        check(&format!("a{char}b"), &shown, &shown);
    }
}

/// AP-03: a name that only looks like another.
#[test]
fn a_letter_that_looks_like_another_is_found() {
    assert_eq!(lookalikes("read fіle.txt and ｐath"), ['і', 'ｐ']);
    for ordinary in ["read file.txt", "привет мир", "日本語 file", "größe", "Δ"] {
        assert!(lookalikes(ordinary).is_empty(), "{ordinary}");
    }
    assert_eq!(name("fіle"), "f<U+0456>le");
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
