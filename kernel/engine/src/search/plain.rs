//! Words of servers, made harmless: a description can neither begin a line of its own nor hide anything.

use std::fmt::Write as _;

use tollgate_core::text::is_unseen;

/// Bytes of a first sentence that stands for the whole; a shorter one says too little, as "Search." does.
const SENTENCE_BYTES_MIN: usize = 24;

/// Prose on one line of at most `chars_max` characters: white space is one blank, what a reader would not
/// see is left out, the rest of a longer text is cut at a word and shows as `…`.
pub(super) fn line(text: &str, chars_max: usize) -> String {
    let (mut out, mut chars) = (String::new(), 0);
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| !is_unseen(*c)).take(chars_max + 1).collect();
        let (blank, length) = (usize::from(chars > 0), word.chars().count());
        if length == 0 {
            continue;
        }
        if chars + blank + length > chars_max {
            cut(&mut out, &word, chars_max);
            return out;
        }
        if blank > 0 {
            out.push(' ');
        }
        out.push_str(&word);
        chars += blank + length;
    }
    out
}

/// What a tool says of itself: the first sentence, if it is short enough, else the beginning.
pub(super) fn first_sentence(text: &str, chars_max: usize) -> String {
    let line = line(text, chars_max);
    let ends = line.match_indices(['.', '。']).map(|(at, end)| at + end.len());
    let is_end = |at: &usize| {
        let rest = line.get(*at..).unwrap_or_default();
        let is_next = |rest: &str| !rest.starts_with(char::is_lowercase);
        let is_cjk = line.get(..*at).is_some_and(|said| said.ends_with('。'));
        *at >= SENTENCE_BYTES_MIN && (is_cjk || rest.strip_prefix(' ').is_some_and(is_next))
    };
    let end = ends.into_iter().find(is_end).and_then(|at| line.get(..at));
    end.map_or_else(|| line.clone(), str::to_owned)
}

/// Ends a text before `word`; of a first word that is too long, the beginning stays.
fn cut(out: &mut String, word: &str, chars_max: usize) {
    let room = chars_max.saturating_sub(1);
    if out.is_empty() {
        out.extend(word.chars().take(room));
    } else if out.chars().count() > room {
        // Its last word makes room for the mark.
        out.truncate(out.rfind(' ').unwrap_or(0));
    }
    out.push('…');
}

/// JSON text without white space between its parts, and with what a reader would not see as `\u…`: the
/// same value. Of a text that is no JSON it is nothing worse.
pub(super) fn json(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for c in text.chars() {
        if !in_string && c.is_ascii_whitespace() {
            continue;
        }
        if is_unseen(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let written = write!(out, "\\u{unit:04x}");
                debug_assert!(written.is_ok(), "a string takes any text");
            }
        } else {
            out.push(c);
        }
        if c == '"' && !is_escaped {
            in_string = !in_string;
        }
        is_escaped = in_string && c == '\\' && !is_escaped;
    }
    out
}

#[cfg(test)]
mod tests;
