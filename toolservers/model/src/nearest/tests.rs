//! Goal: a slip of the finger finds its word, and another word finds none.

use super::*;

#[track_caller]
fn check(word: &str, expected: Option<&str>) {
    assert_eq!(nearest(word, ["text", "reasoning", "tool_calls", "raw"]), expected);
}

#[test]
fn a_slip_finds_its_word() {
    check("txt", Some("text"));
    check("tool_call", Some("tool_calls"));
    check("toolcalls", Some("tool_calls"));
    check("raw", Some("raw"));
    check("resaoning", Some("reasoning"));
}

#[test]
fn another_word_finds_none() {
    check("delay", None);
    check("", None);
}

#[test]
fn distances_are_levenshteins() {
    let rows = [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("ü", "u", 1)];
    for (a, b, edits) in rows {
        assert_eq!((distance(a, b), distance(b, a)), (edits, edits), "{a} {b}");
    }
}
