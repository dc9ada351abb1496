//! Goal: a name is one line, and its bytes can be told from it.

use std::os::unix::ffi::OsStrExt;

use super::*;

#[track_caller]
fn check(name: &[u8], expected: &str) {
    assert_eq!(told(OsStr::from_bytes(name)), expected);
}

#[test]
fn names_are_one_line_of_plain_characters() {
    check(b"plain name.rs", "plain name.rs");
    check("中文.rs".as_bytes(), "中文.rs");
    check(b"caf\xE9\xFF.txt", "caf\\xe9\\xff.txt");
    check(b"a\nb\x1b[31m", "a\\nb\\u{1b}[31m");
    check("x\u{202e}gnp.exe".as_bytes(), "x\\u{202e}gnp.exe");
    assert_eq!(told_path(Path::new("")), ".");
}
