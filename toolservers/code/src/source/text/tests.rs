//! Tests of `text`.

use super::plain;

#[track_caller]
fn check(code: &str, expected: &str) {
    assert_eq!(plain(code).unwrap(), expected);
}

#[test]
fn line_ends_become_one_kind() {
    check("a\r\nb\rc\n", "a\nb\nc\n");
    check("\u{feff}a", " a");
}

#[test]
fn a_fence_becomes_blanks_of_its_length() {
    check("```js\na\n```", "     \na\n   ");
    check("\n ````é\na\n```\n  ````  \n\n", "\n      \na\n```\n        \n\n");
    check("~~~\na\n~~~", "   \na\n   ");
    check("a ```\nb\n```", "a ```\nb\n```");
    check("``\n``", "``\n``");
}

#[test]
fn a_fence_is_closed_by_its_own_kind() {
    for code in ["```js\na\n~~~", "````\na\n```", "```", "```js", "```\na\n``` b"] {
        assert!(plain(code).is_err(), "{code:?}");
    }
}

#[test]
fn the_first_line_of_a_file_for_a_shell_goes() {
    check("#!/bin/node é\na", "             \na");
    check("#!/bin/node", "           ");
}
