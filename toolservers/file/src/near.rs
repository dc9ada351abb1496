//! Where `old` almost occurs, when it does not.
//!
//! | difference                                   | unique → | else → |
//! |----------------------------------------------|----------|--------|
//! | Unicode form (NFC, NFD)                      | applied  | told   |
//! | blanks around whole lines, the final newline | applied, if the indentation of `new` can follow | told |
//! | quotes, dashes, blanks within a line         | told     | told   |
//! | anything else                                | the nearest lines are shown | |

use crate::{
    fold::{Fold, Folded, line_key},
    limits::{LIKENESS_PAIRS_MAX, NEAR_BYTES_MAX, NEAR_PLACES_MAX, QUOTE_BYTES_MAX},
    matching::{line_of, lines_told},
    window::head,
};

/// What to do about an `old` that does not occur.
#[derive(Debug)]
pub(crate) enum Near {
    /// Replace these bytes, and say so.
    Apply { start: usize, end: usize, new: String, note: String },
    /// Refuse, with these sentences.
    Tell(String),
}

/// Looks for what `old` was meant as.
pub(crate) fn near(text: &[u8], old: &str, new: &str) -> Near {
    if text.len() > NEAR_BYTES_MAX {
        return Near::Tell("`old` does not occur in the file".to_owned());
    }
    if old.contains(char::REPLACEMENT_CHARACTER) && std::str::from_utf8(text).is_err() {
        let message = "`old` has \u{FFFD}, which stands for bytes that are not UTF-8 where read shows \
                       it; leave it out of `old`";
        return Near::Tell(message.to_owned());
    }
    let form = find(text, old, Fold::Form);
    if let [(start, end)] = form.as_slice() {
        let note = format!(
            "`old` differs from line {} in Unicode form (NFC, NFD) alone and was applied there",
            line_of(text, *start)
        );
        return Near::Apply { start: *start, end: *end, new: new.to_owned(), note };
    }
    if form.len() > 1 {
        return Near::Tell(several(text, &form, "Unicode form (NFC, NFD)"));
    }
    let lines = Lines::new(text);
    let wanted = Wanted::new(old);
    let places = lines.places(&wanted);
    match places.as_slice() {
        [] => {}
        [first] => return lines.apply(*first, &wanted, new),
        many => {
            let many: Vec<(usize, usize)> =
                many.iter().map(|at| lines.span(*at, &wanted)).collect();
            return Near::Tell(several(text, &many, "indentation or trailing blanks"));
        }
    }
    match find(text, old, Fold::Loose).as_slice() {
        [] => lines.closest(&wanted),
        [(start, end)] => {
            let message = format!(
                "`old` does not occur. Line {} differs from it only in quotes, dashes or blanks; the \
                 exact text there is:\n{}",
                line_of(text, *start),
                quote(text.get(*start..*end).unwrap_or_default())
            );
            Near::Tell(message)
        }
        many => Near::Tell(several(text, many, "quotes, dashes or blanks")),
    }
}

fn find(text: &[u8], old: &str, fold: Fold) -> Vec<(usize, usize)> {
    Folded::new(text, fold).find(&Folded::new(old.as_bytes(), fold), NEAR_PLACES_MAX)
}

fn several(text: &[u8], places: &[(usize, usize)], difference: &str) -> String {
    format!(
        "`old` does not occur to the letter; it occurs at lines {} if {difference} is left aside. \
         Copy the one that is meant from the file, with lines around it",
        lines_told(text, places)
    )
}

/// Text of the file between two rows of backticks.
fn quote(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let start = head(&text, QUOTE_BYTES_MAX);
    let more = if start.len() < text.len() { "\n[more is not shown]" } else { "" };
    format!("```\n{start}{more}\n```")
}

/// The lines of `old`.
struct Wanted {
    lines: Vec<String>,
    keys: Vec<String>,
    /// Whether its last line has a break.
    is_ended: bool,
}

impl Wanted {
    fn new(old: &str) -> Self {
        let old = old.replace("\r\n", "\n");
        let is_ended = old.ends_with('\n');
        let body = old.strip_suffix('\n').unwrap_or(&old);
        let lines: Vec<String> = body.split('\n').map(str::to_owned).collect();
        let keys = lines.iter().map(|line| line_key(line.as_bytes())).collect();
        Self { lines, keys, is_ended }
    }
}

/// The lines of the file.
struct Lines<'a> {
    text: &'a [u8],
    /// Start and end of each, without its break.
    ends: Vec<(usize, usize)>,
    keys: Vec<String>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        let mut ends = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let bare = line.strip_suffix(b"\n").unwrap_or(line);
            let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
            ends.push((start, start + bare.len()));
            start += line.len();
        }
        let keys =
            ends.iter().map(|(start, end)| line_key(text.get(*start..*end).unwrap_or_default()));
        Self { text, keys: keys.collect(), ends }
    }

    /// The first lines of the places that equal `old` but for blanks around lines.
    fn places(&self, wanted: &Wanted) -> Vec<usize> {
        if wanted.keys.iter().all(String::is_empty) {
            return Vec::new();
        }
        let windows = self.keys.windows(wanted.keys.len()).enumerate();
        windows
            .filter(|(_, keys)| *keys == wanted.keys)
            .map(|(at, _)| at)
            .take(NEAR_PLACES_MAX)
            .collect()
    }

    /// The bytes of a place: whole lines, the last break and last blanks only if `old` has them.
    fn span(&self, at: usize, wanted: &Wanted) -> (usize, usize) {
        let last = at + wanted.lines.len() - 1;
        let start = self.ends.get(at).map_or(0, |(start, _)| *start);
        let (from, end) = self.ends.get(last).copied().unwrap_or((start, start));
        if wanted.is_ended {
            return (start, self.ends.get(last + 1).map_or(self.text.len(), |(next, _)| *next));
        }
        let line = self.text.get(from..end).unwrap_or_default();
        let has_blanks = wanted.lines.last().is_some_and(|line| line.trim_end() != line);
        let kept = if has_blanks { line } else { line.trim_ascii_end() };
        (start, from + kept.len())
    }

    fn apply(&self, at: usize, wanted: &Wanted, new: &str) -> Near {
        let (start, end) = self.span(at, wanted);
        let here = self.text.get(start..end).unwrap_or_default();
        let lines = wanted.lines.iter().zip(self.ends.iter().skip(at));
        let pairs =
            lines.filter(|(line, _)| !line.trim().is_empty()).map(|(line, (start, end))| {
                let file = String::from_utf8_lossy(self.text.get(*start..*end).unwrap_or_default());
                (indent(line).to_owned(), indent(&file).to_owned())
            });
        let pairs: Vec<(String, String)> = pairs.collect();
        let number = at + 1;
        let Some(mut new) = reindent(new, &pairs) else {
            let message = format!(
                "`old` does not occur. Line {number} and on differ from it in indentation alone, but \
                 `new` has indentation that cannot be carried over; the exact text there is:\n{}",
                quote(here)
            );
            return Near::Tell(message);
        };
        if wanted.is_ended && !here.ends_with(b"\n") && new.ends_with('\n') {
            new.pop();
        }
        let moved = pairs.iter().any(|(old, file)| old != file);
        let how = if moved { "; `new` was indented as the file is" } else { "" };
        let note = format!(
            "`old` differs from line {number} and on in white space alone and was applied there{how}"
        );
        Near::Apply { start, end, new, note }
    }

    /// Shows the lines that have most in common with `old`.
    fn closest(&self, wanted: &Wanted) -> Near {
        let mut message = "`old` does not occur in the file".to_owned();
        let count = wanted.lines.len();
        if let Some(at) = self.by_equal_lines(wanted).or_else(|| self.by_likeness(wanted)) {
            let last = (at + count).min(self.ends.len());
            let start = self.ends.get(at).map_or(0, |(start, _)| *start);
            let end = self.ends.get(last - 1).map_or(start, |(_, end)| *end);
            let quoted = quote(self.text.get(start..end).unwrap_or_default());
            message = format!("{message}. The nearest is lines {}-{last}:\n{quoted}", at + 1);
        }
        Near::Tell(message)
    }

    /// The first line of the window with most lines equal to those of `old`.
    fn by_equal_lines(&self, wanted: &Wanted) -> Option<usize> {
        let mut hits = vec![0_usize; self.keys.len()];
        let mut places: std::collections::BTreeMap<&str, Vec<usize>> = Default::default();
        for (k, key) in wanted.keys.iter().enumerate().filter(|(_, key)| !key.is_empty()) {
            places.entry(key).or_default().push(k);
        }
        for (at, key) in self.keys.iter().enumerate() {
            // A line that `old` repeats often says little.
            for k in places.get(key.as_str()).into_iter().flatten().take(8) {
                if let Some(hit) = at.checked_sub(*k).and_then(|start| hits.get_mut(start)) {
                    *hit += 1;
                }
            }
        }
        let best = hits.iter().max().filter(|most| **most > 0)?;
        hits.iter().position(|hit| hit == best)
    }

    /// The window whose lead line is most like the longest line of `old`.
    fn by_likeness(&self, wanted: &Wanted) -> Option<usize> {
        let (k, longest) = wanted.keys.iter().enumerate().max_by_key(|(_, key)| key.len())?;
        let longest = pairs(longest);
        let scores = self.keys.iter().map(|key| likeness(&longest, &pairs(key))).enumerate();
        let (at, score) = scores.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        (score >= 0.5).then_some(at.saturating_sub(k))
    }
}

/// The blanks at the start of a line.
fn indent(line: &str) -> &str {
    line.strip_suffix(line.trim_start()).unwrap_or("")
}

/// `new` with its indentation changed as that of `old` must change to be the file's; `None` if no
/// rule covers each of its lines.
fn reindent(new: &str, pairs: &[(String, String)]) -> Option<String> {
    if pairs.iter().all(|(old, file)| old == file) {
        return Some(new.to_owned());
    }
    let (old, file) = pairs.first()?;
    let added = file.strip_suffix(old.as_str());
    let added = added.filter(|by| pairs.iter().all(|(old, file)| *file == format!("{by}{old}")));
    let removed = old.strip_suffix(file.as_str());
    let removed =
        removed.filter(|by| pairs.iter().all(|(old, file)| *old == format!("{by}{file}")));
    let lines = new.split('\n').map(|line| {
        if line.trim().is_empty() {
            return Some(line.to_owned());
        }
        if let Some(by) = added {
            return Some(format!("{by}{line}"));
        }
        if let Some(by) = removed {
            return line.strip_prefix(by).map(str::to_owned);
        }
        let blanks = indent(line);
        let mut files = pairs.iter().filter(|(old, _)| old == blanks).map(|(_, file)| file);
        let file = files.next()?;
        files.all(|other| other == file).then(|| format!("{file}{}", line.trim_start()))
    });
    lines.collect::<Option<Vec<String>>>().map(|lines| lines.join("\n"))
}

/// The pairs of neighbouring bytes of a text's start, sorted.
fn pairs(text: &str) -> Vec<(u8, u8)> {
    let bytes = text.as_bytes();
    let pairs = bytes.iter().copied().zip(bytes.iter().skip(1).copied());
    let mut pairs: Vec<(u8, u8)> = pairs.take(LIKENESS_PAIRS_MAX).collect();
    pairs.sort_unstable();
    pairs
}

/// How much of two texts is the same, by their pairs, from 0 to 1 (Dice).
fn likeness(a: &[(u8, u8)], b: &[(u8, u8)]) -> f64 {
    let mut others = b.iter().peekable();
    let mut shared = 0_u32;
    for pair in a {
        while others.next_if(|other| *other < pair).is_some() {}
        shared += u32::from(others.next_if_eq(&pair).is_some());
    }
    let total = (a.len() + b.len()).max(1);
    2.0 * f64::from(shared) / total as f64
}

#[cfg(test)]
mod tests;
