//! Names of files as a reader sees them: one line, whatever bytes they have.
//!
//! Bytes that are not UTF-8 are shown as `\xNN`, control and invisible characters escaped, so that a
//! name can neither break a line nor look like another.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};

/// A name or path on one line.
pub(crate) fn told(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_plain(character) {
                text.push(character);
            } else {
                text.extend(character.escape_default());
            }
        }
        for byte in chunk.invalid() {
            text.push_str("\\x");
            text.extend(char::from_digit(u32::from(byte >> 4), 16));
            text.extend(char::from_digit(u32::from(byte & 15), 16));
        }
    }
    text
}

/// A path on one line, `.` for the empty one.
pub(crate) fn told_path(path: &Path) -> String {
    if path.as_os_str().is_empty() { ".".to_owned() } else { told(path.as_os_str()) }
}

/// Whether a character is seen as what it is.
pub(crate) fn is_plain(character: char) -> bool {
    let invisible = matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}');
    !character.is_control() && !invisible
}

#[cfg(test)]
mod tests;
