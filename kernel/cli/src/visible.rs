//! Text from files, commands, models and servers, made safe to show to a person (`[TOOL-04]`, `[GATE-60]`).
//!
//! A terminal obeys what it is sent: an escape sequence can repaint an approval card, a bidi override
//! can turn a file name around, a zero-width character can hide in a command. Here each of them becomes
//! a visible escape. Newline and tab are kept where text has lines.
//!
//! Invariant: what comes out holds no control, bidi or invisible character (test
//! `nothing_that_a_terminal_obeys_comes_through`).

use std::fmt::Write as _;

#[cfg(test)]
mod tests;

/// A text of several lines: newlines and tabs stay, `\r\n` becomes a newline.
pub(crate) fn lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\n' | '\t' => shown.push(char),
            '\r' if chars.peek() == Some(&'\n') => {}
            _ => push(&mut shown, char),
        }
    }
    shown
}

/// A text of one line: newlines and tabs are shown as escapes too.
pub(crate) fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        push(&mut shown, char);
    }
    shown
}

fn push(shown: &mut String, char: char) {
    match char {
        '\n' => shown.push_str("\\n"),
        '\t' => shown.push_str("\\t"),
        '\r' => shown.push_str("\\r"),
        '\u{1b}' => shown.push_str("\\e"),
        // Writing to a `String` cannot fail.
        _ if is_unseen(char) => drop(write!(shown, "\\u{{{:x}}}", u32::from(char))),
        _ => shown.push(char),
    }
}

/// Whether a person would not see this character, or would see others in another order because of it.
fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            // Zero width, bidi marks, line and paragraph separators, bidi embeddings.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            // Blank fillers, variation selectors, byte order mark, annotations.
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            // Musical format characters, tags, more variation selectors.
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
