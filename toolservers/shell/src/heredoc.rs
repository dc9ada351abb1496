//! Whether bash reads a here-document as the parser of `parse` does.
//!
//! That parser takes `EOF;` for the name of an end, takes whatever follows a variable for the end itself,
//! and sees neither backquotes in a text nor lines that bash joins before it looks at them. So the end is
//! looked for here once more, as bash does: line by line.
//!
//! Not here: here-documents that feed a shell (`parse`), proofs (`grammar` takes no here-document).

use std::ops::Range;

#[cfg(test)]
mod tests;

/// What runs in a text without quotes at its end, and the parser does not see.
const HIDDEN: [&str; 3] = ["`", "\\\n", "$["];

/// What may go on below the line on which a here-document is announced, so that its text begins later.
const GOES_ON: [char; 5] = ['(', '`', '\\', '{', '#'];

/// Whether a here-document is certainly what the parser found: the word after `<<` at `start`, its end at
/// `end`, nothing hidden between them. `tabs`: it is one of `<<-`.
pub(crate) fn is_plain(text: &str, start: Range<usize>, end: Range<usize>, tabs: bool) -> bool {
    let word = text.get(start.clone()).and_then(name);
    let after = text.get(start.end..).and_then(|after| after.split_once('\n'));
    let (Some((name, quoted)), Some((line, below))) = (word, after) else { return false };
    let even = |quote| line.matches(quote).count() % 2 == 0;
    if line.contains(GOES_ON) || line.contains("<<") || !even('\'') || !even('"') {
        return false;
    }
    let begin = start.end + line.len() + 1;
    let mut at = begin;
    for line in below.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let bare = if tabs { bare.trim_start_matches('\t') } else { bare };
        if bare == name {
            let body = text.get(begin..at).unwrap_or_default();
            let same = (at..at + line.len()).contains(&end.start) && end.end <= at + line.len();
            let ends = text.get(end).is_some_and(|end| end.trim() == name);
            return same && ends && (quoted || !HIDDEN.iter().any(|it| body.contains(it)));
        }
        at += line.len();
    }
    false
}

/// The name of the end that a word stands for, and whether it is written with quotes, as far as that is
/// plain to see.
fn name(word: &str) -> Option<(&str, bool)> {
    let inside = |quote| word.strip_prefix(quote).and_then(|word| word.strip_suffix(quote));
    let quoted = inside('\'').or_else(|| inside('"')).or_else(|| word.strip_prefix('\\'));
    let name = quoted.unwrap_or(word);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!name.is_empty() && name.chars().all(plain)).then_some((name, quoted.is_some()))
}
