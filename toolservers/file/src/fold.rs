//! Texts made alike, to find where one almost occurs in another, with the way back.
//!
//! A cluster is a character with the combining marks after it; a place found is always between two
//! clusters of the file.

use unicode_normalization::{UnicodeNormalization, char::canonical_combining_class};

/// What two texts may differ in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fold {
    /// Unicode form (NFC, NFD).
    Form,
    /// Also white space within a line and at its ends, quotes, dashes, invisible characters.
    Loose,
}

/// A text made alike.
#[derive(Debug)]
pub(crate) struct Folded {
    text: String,
    /// For each cluster, where it starts here and there; ascending.
    starts: Vec<(usize, usize)>,
    end: usize,
}

impl Folded {
    /// Folds a text; bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn new(bytes: &[u8], fold: Fold) -> Self {
        let mut folded = Self { text: String::new(), starts: Vec::new(), end: bytes.len() };
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            for (offset, cluster) in clusters(chunk.valid()) {
                folded.push(at + offset, cluster, fold);
            }
            at += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                folded.push(at, "\u{FFFD}", fold);
                at += chunk.invalid().len();
            }
        }
        folded
    }

    fn push(&mut self, at: usize, cluster: &str, fold: Fold) {
        let start = self.text.len();
        if fold == Fold::Form {
            self.text.extend(cluster.nfd());
        } else {
            let space = self.text.ends_with(' ');
            let alike = cluster.nfd().filter_map(loose);
            self.text.extend(alike.filter(|character| !(space && *character == ' ')));
        }
        if self.text.len() > start {
            self.starts.push((start, at));
        }
    }

    /// Where another text occurs, as start and end in the original of this one; at most `max`.
    pub(crate) fn find(&self, other: &Self, max: usize) -> Vec<(usize, usize)> {
        if other.text.trim().is_empty() {
            return Vec::new();
        }
        let found = self.text.match_indices(&other.text).filter_map(|(start, text)| {
            let end = start + text.len();
            Some((self.original(start)?, self.original(end)?))
        });
        found.take(max).collect()
    }

    fn original(&self, place: usize) -> Option<usize> {
        if place == self.text.len() {
            return Some(self.end);
        }
        let at = self.starts.binary_search_by_key(&place, |(here, _)| *here).ok()?;
        self.starts.get(at).map(|(_, there)| *there)
    }
}

/// One line as a key: NFD, without blanks around it.
pub(crate) fn line_key(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim().nfd().collect()
}

/// The clusters of a text with their places.
fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let mut characters = rest.char_indices().skip(1);
        let next = characters.find(|(_, character)| {
            character.is_ascii() || canonical_combining_class(*character) == 0
        });
        let length = next.map_or(rest.len(), |(length, _)| length);
        let cluster = rest.get(..length).filter(|cluster| !cluster.is_empty())?;
        at += length;
        Some((at - length, cluster))
    })
}

/// The plain character for one that looks like it; `None` for one that is not seen.
fn loose(character: char) -> Option<char> {
    match character {
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{00B4}' | '`' => Some('\''),
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{00AB}' | '\u{00BB}' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}' => None,
        other if other.is_whitespace() => Some(' '),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests;
