//! The words of a query, each with what else it may stand for.
//!
//! A word stands for itself; for its synonyms, at a share; and, where no tool has it, for the words that
//! it may be a misspelling or a beginning of.
//!
//! Not here: what they find (`search.rs`).

use crate::{
    index::Index,
    limits::{QUERY_TERMS_MAX, TYPO_WORDS_MAX},
    stem, synonyms,
    text::words,
    typo::{self, Shape},
    weights::WEIGHTS,
};

/// One word of the query.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) stem: String,
    /// Positions of terms, each with its share; the best first.
    pub(crate) stands_for: Vec<(u32, f32)>,
    /// No tool has it; what it stands for looks like it.
    pub(crate) is_guess: bool,
}

/// The distinct words of a text that say something, in order.
pub(crate) fn wanted(index: &Index, text: &str) -> Vec<Wanted> {
    let mut found: Vec<Wanted> = Vec::new();
    words(text, |word| {
        if found.len() >= QUERY_TERMS_MAX || synonyms::is_stop(word) {
            return;
        }
        let mut stem = word.to_owned();
        stem::stem(&mut stem);
        if found.iter().all(|it| it.stem != stem) {
            found.push(wanted_of(index, word, stem));
        }
    });
    if is_guessed(&found) {
        found.clear();
    }
    found
}

/// Nothing of it is known, and less than half of it looks like misspelt words: it is not about tools.
fn is_guessed(wanted: &[Wanted]) -> bool {
    let guesses = wanted.iter().filter(|it| it.is_guess).count();
    let unknown = wanted.iter().filter(|it| it.stands_for.is_empty()).count();
    guesses + unknown == wanted.len() && guesses < unknown
}

fn wanted_of(index: &Index, word: &str, stem: String) -> Wanted {
    let itself = index.vocabulary.get(stem.as_str()).map(|it| (*it, 1.0));
    let synonyms = synonyms::of(&stem).filter_map(|it| index.vocabulary.get(it));
    let synonyms = synonyms.map(|it| (*it, WEIGHTS.synonym));
    let mut stands_for: Vec<(u32, f32)> = itself.into_iter().chain(synonyms).collect();
    let is_unknown = stands_for.is_empty();
    if is_unknown {
        stands_for.extend(near(index, word, &stem).into_iter().map(|it| (it, WEIGHTS.typo)));
    }
    let is_guess = is_unknown && !stands_for.is_empty();
    Wanted { stem, stands_for, is_guess }
}

/// Known words that an unknown one may be a misspelling of: those with the fewest edits. Stems are
/// compared with the word as well: a misspelt ending has a stem of its own.
fn near(index: &Index, word: &str, stem: &str) -> Vec<u32> {
    let forms = [(word, Shape::of(word)), (stem, Shape::of(stem))];
    let most = Shape::of(word).edits_max();
    if most == 0 {
        return Vec::new();
    }
    let measured = index.terms.iter().zip(0_u32..).filter_map(|(term, number)| {
        let like = forms.iter().filter(|(_, shape)| shape.is_near(term.shape, most));
        let edits = like.filter_map(|(form, _)| typo::edits(form, &term.stem, most)).min()?;
        Some((edits, &term.stem, number))
    });
    let mut measured: Vec<_> = measured.collect();
    measured.sort();
    let least = measured.first().map_or(0, |it| it.0);
    let best = measured.into_iter().take_while(|it| it.0 == least).take(TYPO_WORDS_MAX);
    best.map(|(_, _, number)| number).collect()
}

#[cfg(test)]
mod tests;
