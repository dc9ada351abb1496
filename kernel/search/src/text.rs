//! Text into words: camel, snake and kebab case taken apart, lower case, CJK runs as pairs of
//! neighbouring characters.
//!
//! Invariants: a word is at most [`WORD_BYTES_MAX`] bytes; time is linear in the text; control
//! characters and punctuation are only separators.
//!
//! Not here: stems (`stem.rs`), what a word weighs (`weights.rs`).

use crate::limits::WORD_BYTES_MAX;

/// Calls `each` with every word of `text`, in order.
pub(crate) fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::with_capacity(WORD_BYTES_MAX);
    let mut before = Kind::Other;
    // The character before in a CJK run, and whether it was already part of a pair.
    let mut han: Option<(char, bool)> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let kind = Kind::of(c);
        if kind == Kind::Cjk {
            flush(&mut word, &mut each);
            if let Some((first, _)) = han {
                pair(first, Some(c), &mut each);
                han = Some((c, true));
            } else {
                han = Some((c, false));
            }
            before = kind;
            continue;
        }
        if let Some((first, false)) = han.take() {
            pair(first, None, &mut each);
        }
        let next = rest.peek().copied().map_or(Kind::Other, Kind::of);
        let is_start = kind == Kind::Other || (kind == Kind::Upper && begins(before, next));
        if is_start {
            flush(&mut word, &mut each);
        }
        if kind != Kind::Other {
            push(&mut word, c);
        }
        before = kind;
    }
    if let Some((first, false)) = han {
        pair(first, None, &mut each);
    }
    flush(&mut word, &mut each);
}

/// `readFile` begins a word at `F`, `HTTPServer` at `S`.
fn begins(before: Kind, next: Kind) -> bool {
    matches!(before, Kind::Lower | Kind::Digit) || (before == Kind::Upper && next == Kind::Lower)
}

fn push(word: &mut String, c: char) {
    if word.len() + c.len_utf8() > WORD_BYTES_MAX {
        return;
    }
    if c.is_ascii() {
        word.push(c.to_ascii_lowercase());
    } else {
        word.extend(c.to_lowercase());
    }
}

fn flush(word: &mut String, each: &mut impl FnMut(&str)) {
    if !word.is_empty() {
        each(word);
        word.clear();
    }
}

fn pair(first: char, second: Option<char>, each: &mut impl FnMut(&str)) {
    let mut bytes = [0; 8];
    let one = first.encode_utf8(&mut bytes).len();
    let two =
        second.map_or(0, |it| bytes.get_mut(one..).map_or(0, |free| it.encode_utf8(free).len()));
    if let Some(Ok(text)) = bytes.get(..one + two).map(std::str::from_utf8) {
        each(text);
    }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Kind {
    Upper,
    Lower,
    Digit,
    Cjk,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            _ if c.is_ascii() => Self::Other,
            // Hiragana to CJK extension A and the ideographs, Hangul, compatibility, the planes beyond.
            '\u{3041}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Cjk,
            _ if c.is_uppercase() => Self::Upper,
            _ if c.is_alphabetic() => Self::Lower,
            _ if c.is_numeric() => Self::Digit,
            _ => Self::Other,
        }
    }
}

/// Lower case without anything between the letters: one text for `web-search`, `web_search`, `webSearch`
/// and `web.search`. At most 128 bytes; longer names are nobody's.
pub(crate) fn joined(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.take(128).collect()
}

/// The beginning of `text`, at most `bytes_max` bytes, never within a character.
pub(crate) fn beginning(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text)
}

#[cfg(test)]
mod tests;
