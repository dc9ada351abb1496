//! A file's name without what file systems and eyes pass over, as the kernel folds it for its tables:
//! `.SSH`, `.s\u{200c}sh`, `.ssh.`, `．ssh` and `.ssh:stream` are one name.
//!
//! Written twice, here and in `kernel/core`, since a server links nothing of the kernel; the test
//! `names_are_folded_as_the_kernel_folds_them` compares the two over the characters.

use std::borrow::Cow;

/// A name without what file systems and eyes pass over: case, ignorable characters, wide forms, dots and
/// blanks at its end, a stream behind `:`.
pub(super) fn fold(name: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && byte != b':';
    let is_folded = name.bytes().all(|byte| plain(byte) || byte == b' ')
        && !name.ends_with(['.', ' '])
        && name != SHORT_GIT;
    if is_folded {
        return Cow::Borrowed(name);
    }
    let mut folded = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !is_ignorable(*c)) {
        folded.extend(narrow(c).to_lowercase());
    }
    let stream = folded.find(':').filter(|place| *place > 0).unwrap_or(folded.len());
    folded.truncate(stream);
    let end = folded.trim_end_matches(['.', ' ']).len();
    if end > 0 {
        folded.truncate(end);
    }
    if folded == SHORT_GIT { Cow::Borrowed(".git") } else { Cow::Owned(folded) }
}

/// What FAT and NTFS also call `.git`.
const SHORT_GIT: &str = "git~1";

/// The ASCII character of a wide or compatible form.
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => {
            u32::from(c).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(c)
        }
        '\u{2024}' | '\u{fe52}' | '\u{3002}' | '\u{ff61}' => '.',
        '\u{17f}' => 's',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        c => c,
    }
}

/// Control characters and those that Unicode calls default ignorable.
fn is_ignorable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
