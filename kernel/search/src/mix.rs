//! Words and meaning, as one score.
//!
//! The score of words is absolute (`rank.rs`): where the best tool has most of what is asked for, words know
//! and meaning is hardly asked; where a request is paraphrased even the best has little, and meaning counts.
//!
//! Invariants: for one request more of either is never less; nothing that has neither enough words nor a
//! near enough meaning is found, so that nonsense finds nothing.
//!
//! Not here: names, which come before any score (`search.rs`).

use crate::{
    found::Why, index::Index, rank, search::Candidate, terms, text::words, vectors::Meaning,
    weights::WEIGHTS,
};

/// Every tool that has something of a text, with its score.
pub(crate) fn candidates(index: &Index, text: &str, names_only: bool) -> Vec<Candidate> {
    let wanted = terms::wanted(index, text);
    let scores = rank::scores(index, &wanted, names_only);
    let best = scores.iter().copied().fold(0.0, f32::max);
    let near = if names_only { None } else { nearness(index, text) };
    let near = near.unwrap_or_else(|| vec![0.0; scores.len()]);
    let share = share(best);
    let mut candidates = Vec::new();
    for (tool, (lexical, meaning)) in (0_u32..).zip(scores.into_iter().zip(near)) {
        let has_words = lexical > WEIGHTS.floor;
        if has_words || meaning >= WEIGHTS.meaning_alone {
            let why = if has_words { Why::Words } else { Why::Meaning };
            candidates.push(Candidate { tool, score: lexical + share * meaning.max(0.0), why });
        }
    }
    candidates
}

/// The share of meaning where the best score of words is `best`.
fn share(best: f32) -> f32 {
    WEIGHTS.meaning * (1.0 - best.clamp(0.0, 1.0)).powi(WEIGHTS.doubt)
}

/// The cosine of every tool with a text; None where there is no table, or none of its words is in it.
fn nearness(index: &Index, text: &str) -> Option<Vec<f32>> {
    let vectors = index.vectors.as_ref()?;
    let table = vectors.table();
    let mut meaning = Meaning::new(table.dimensions());
    let mut known = 0;
    words(text, |word| {
        if let Some(row) = table.row_of(word) {
            meaning.add(table, row, 1.0);
            known += 1;
        }
    });
    (known > 0).then(|| vectors.cosines(&meaning))
}

#[cfg(test)]
mod tests;
