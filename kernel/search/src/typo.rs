//! How near two words are: edits of one letter, or of two neighbours that changed places.
//!
//! Comparing a word with a whole vocabulary is made cheap by the set of its letters: two words that are
//! one edit apart differ in at most two letters of their sets.
//!
//! Not here: which words are compared (`terms.rs`): only unknown ones.

use crate::limits::{TYPO_LETTERS_MIN, WORD_BYTES_MAX};

/// What of a word can be compared at once.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Shape {
    letters: u8,
    set: u32,
}

impl Shape {
    /// Of a word. Only plain letters have a shape; anything else is near nothing.
    pub(crate) fn of(word: &str) -> Self {
        let is_plain = word.bytes().all(|it| it.is_ascii_lowercase());
        let letters = if is_plain { u8::try_from(word.len()).unwrap_or(0) } else { 0 };
        let set = word.bytes().fold(0, |set, it| set | 1_u32 << (it & 31));
        Self { letters, set }
    }

    /// Edits that a word of this shape is forgiven.
    pub(crate) fn edits_max(self) -> usize {
        TYPO_LETTERS_MIN.iter().filter(|it| usize::from(self.letters) >= **it).count()
    }

    /// Whether the other has at least half of this one's letters.
    pub(crate) fn is_half_in(self, other: Self) -> bool {
        2 * (self.set & other.set).count_ones() >= self.set.count_ones()
    }

    /// Whether the other may be within so many edits.
    pub(crate) fn is_near(self, other: Self, edits: usize) -> bool {
        other.letters > 0
            && usize::from(self.letters.abs_diff(other.letters)) <= edits
            && usize::try_from((self.set ^ other.set).count_ones()).is_ok_and(|it| it <= 2 * edits)
    }
}

/// Edits between two words, where there are at most `most`.
pub(crate) fn edits(one: &str, two: &str, most: usize) -> Option<usize> {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    if one.len() > WORD_BYTES_MAX
        || two.len() > WORD_BYTES_MAX
        || one.len().abs_diff(two.len()) > most
    {
        return None;
    }
    // Three rows of the table of optimal string alignment: two back, one back, this one.
    let mut back2 = [0_usize; WORD_BYTES_MAX + 1];
    let mut back = [0_usize; WORD_BYTES_MAX + 1];
    let mut row = [0_usize; WORD_BYTES_MAX + 1];
    back.iter_mut().enumerate().for_each(|(at, cell)| *cell = at);
    let at = |cells: &[usize], column: usize| cells.get(column).copied().unwrap_or(usize::MAX / 2);
    let mut before = None;
    for (line, a) in one.iter().enumerate() {
        let mut least = line + 1;
        let mut left = line + 1;
        row.iter_mut().take(1).for_each(|cell| *cell = left);
        for (column, b) in two.iter().enumerate() {
            let mut cost = (at(&back, column) + usize::from(a != b))
                .min(at(&back, column + 1) + 1)
                .min(left + 1);
            let swapped = column.checked_sub(1).and_then(|it| two.get(it));
            if before == Some(b) && swapped == Some(a) {
                cost = cost.min(at(&back2, column - 1) + 1);
            }
            if let Some(cell) = row.get_mut(column + 1) {
                *cell = cost;
            }
            left = cost;
            least = least.min(cost);
        }
        if least > most {
            return None;
        }
        (back2, back, row) = (back, row, back2);
        before = Some(a);
    }
    Some(at(&back, two.len())).filter(|it| *it <= most)
}

#[cfg(test)]
mod tests;
