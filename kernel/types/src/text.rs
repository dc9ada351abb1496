//! Texts of strangers, made harmless: names, strings and prose of a schema can neither leave their
//! place in the TypeScript nor hide anything from a reader.

use std::fmt::Write as _;

/// Whether a name needs no quotes, as a property or after `tools.`.
///
/// ASCII only: which other letters TypeScript takes depends on its version.
pub(crate) fn is_identifier(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// A name as an identifier: every other character is `_`.
pub(crate) fn identifier(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '$' { c } else { '_' });
    let letters: String = letters.collect();
    if is_identifier(&letters) { letters } else { format!("_{letters}") }
}

/// A property's name: as it is, or quoted.
pub(crate) fn key(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { quoted(name) }
}

/// A string literal of TypeScript, on one line and with nothing hidden.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == '\u{2028}' || c == '\u{2029}' || is_hidden(c) => escape(c, &mut out),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn escape(c: char, out: &mut String) {
    let code = u32::from(c);
    // Writing to a string cannot fail.
    let written =
        if code > 0xFFFF { write!(out, "\\u{{{code:x}}}") } else { write!(out, "\\u{code:04x}") };
    debug_assert!(written.is_ok(), "a string takes any text");
}

/// Prose on one line of at most `bytes_max` bytes: white space is one blank, what a reader would not see
/// is left out, the rest of a longer text is cut at a word and shows as `…`.
pub(crate) fn plain(text: &str, bytes_max: usize) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        // Three backticks would end a fence around the declaration.
        let word: String = word.chars().filter(|c| !is_hidden(*c)).collect();
        let word = word.replace("```", "'''");
        if word.is_empty() {
            continue;
        }
        let blank = usize::from(!out.is_empty());
        if out.len() + blank + word.len() > bytes_max {
            cut(&mut out, &word, bytes_max);
            return out;
        }
        if blank > 0 {
            out.push(' ');
        }
        out.push_str(&word);
    }
    out
}

/// Ends a text before `word` with `…`; of a first word that is too long, the beginning stays.
fn cut(out: &mut String, word: &str, bytes_max: usize) {
    let room = bytes_max.saturating_sub('…'.len_utf8());
    let kept = if out.is_empty() { within(word, room) } else { within(out, room) };
    // Half a word says less than none, where there is another.
    let is_whole = kept.len() == out.len();
    let whole = kept.rfind(' ').filter(|_| !is_whole).and_then(|at| kept.get(..at)).unwrap_or(kept);
    *out = format!("{whole}…");
}

/// The longest beginning of at most `bytes_max` bytes.
pub(crate) fn within(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or_default()
}

/// Prose as a comment on one line. Prose that holds `*/`, as a glob does, is kept as it is behind `//`.
pub(crate) fn comment(prose: &str) -> String {
    if prose.contains("*/") { format!("// {prose}") } else { format!("/** {prose} */") }
}

/// Characters that a reader does not see, or that reorder what a reader sees: controls, marks of
/// direction, blanks of no width, tags, and the selectors that can carry text.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests;
