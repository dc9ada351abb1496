//! Goal: what is proposed to a shell is one word on one line.

use std::{ffi::OsStr, path::Path};

use super::*;

#[test]
fn a_path_is_one_word_of_a_shell() {
    for (path, word) in [
        (&b"/w/a b"[..], "'/w/a b'"),
        (b"/w/it's", r"'/w/it'\''s'"),
        (b"/w/a\nb", r"$'/w/a\x0ab'"),
        (b"/w/\xff'\\", r"$'/w/\xff\'\\'"),
        ("/w/中".as_bytes(), "'/w/中'"),
        ("/w/\u{202e}x".as_bytes(), r"$'/w/\xe2\x80\xaex'"),
    ] {
        assert_eq!(quoted(Path::new(OsStr::from_bytes(path))), word);
    }
}
