//! Texts of strangers, on their way to whoever reads them.

use std::borrow::Cow;

/// Whether a reader would not see it: controls, marks of direction, blanks of no width, tags, and the
/// selectors that can carry text.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Prose with its lines, and without what a reader would not see: a model would read that too, and some
/// providers refuse a whole request for a NUL.
#[must_use]
pub fn prose(text: &str) -> Cow<'_, str> {
    let stays = |c: char| matches!(c, '\n' | '\t') || !is_unseen(c);
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| stays(*c)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(prose(text), expected, "{text:?}");
    }

    #[test]
    fn prose_is_what_can_be_seen() {
        check("Two\n\tlines, 搜索, é, 👩‍💻.", "Two\n\tlines, 搜索, é, 👩‍💻.");
        check("a\0b\u{1b}[2Jc\r\nd", "ab[2Jc\nd");
        check("\u{202e}evil\u{200b}\u{e0041}\u{e0042}\u{fe0f}", "evil");
        check("", "");
    }
}
