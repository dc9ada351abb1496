//! Text from files, commands, models and servers, made safe to show to a person (`[TOOL-04]`, `[GATE-60]`).
//!
//! A terminal obeys what it is sent: an escape sequence can repaint an approval card, a bidi override
//! can turn a file name around, a zero-width character can hide in a command. Here each of them becomes
//! its code, `<U+202E>`. Newline and tab are kept where text has lines.
//!
//! Invariant: what comes out holds no control, bidi or invisible character (test
//! `nothing_that_a_terminal_obeys_comes_through`).

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
        match char {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            _ => push(&mut shown, char),
        }
    }
    shown
}

/// A name, which has no business being anything but ASCII.
pub(crate) fn name(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii_graphic() || char == ' ' {
            shown.push(char);
        } else {
            shown.push_str(&code(char));
        }
    }
    shown
}

/// A character by its number: `<U+202E>`.
pub(crate) fn code(char: char) -> String {
    format!("<U+{:04X}>", u32::from(char))
}

fn push(shown: &mut String, char: char) {
    if is_unseen(char) {
        shown.push_str(&code(char));
    } else {
        shown.push(char);
    }
}

/// Whether a person would not see this character, or would see others in another order because of
/// it: Unicode's Cc, Cf, Zl, Zp and `Default_Ignorable_Code_Point` (version 17), and blank fillers.
fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(char,
            // Soft hyphen, grapheme joiner, Arabic marks, Hangul and Khmer fillers, Mongolian selectors.
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            // Zero width, bidi marks, line and paragraph separators, bidi embeddings.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            // Blank fillers, variation selectors, byte order mark, annotations.
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            // Kaithi and hieroglyph format, shorthand, musical format characters.
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            // Tags, more variation selectors.
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character only takes room.
pub(crate) fn is_blank(char: char) -> bool {
    matches!(
        char,
        ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{2800}'
                | '\u{3000}'
                | '\u{3164}'
                | '\u{ffa0}'
    )
}

/// The letters of a text that look like ASCII ones and stand in a word with such: `fіle`, whose `і` is
/// Cyrillic. In order, each once.
pub(crate) fn lookalikes(text: &str) -> Vec<char> {
    let mut found = Vec::new();
    for word in text.split(|char: char| !char.is_alphanumeric()) {
        if !word.chars().any(|char| char.is_ascii_alphanumeric()) {
            continue;
        }
        for char in word.chars().filter(|char| may_look_ascii(*char)) {
            if !found.contains(&char) {
                found.push(char);
            }
        }
    }
    found
}

/// Scripts that hold most of the letters that are taken for ASCII ones.
fn may_look_ascii(char: char) -> bool {
    matches!(char,
        // Greek, Cyrillic, Armenian, Cherokee, full width, mathematical letters and digits.
        '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{531}'..='\u{58f}'
        | '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}' | '\u{ff01}'..='\u{ff5e}'
        | '\u{1d400}'..='\u{1d7ff}')
}
