//! The nearest of the known words to an unknown one, for error messages.
//!
//! Never for dispatch: a name that is not known is refused, however near it is.

#[cfg(test)]
mod tests;

/// Edits above which two words are not near.
const DISTANCE_MAX: usize = 3;

/// The nearest of `known`, if one is near.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= DISTANCE_MAX.min(candidate.len() / 2))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, row by row.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b.chars()) {
            let above = *cell;
            left = (diagonal + usize::from(x != y)).min(above + 1).min(left + 1);
            diagonal = above;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
