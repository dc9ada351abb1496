//! Words and meaning, as one score.
//!
//! The share of words is absolute (`rank.rs`): where the query's words are mostly known it is large and
//! decides; where a request is paraphrased it is small, and meaning decides.
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
    let mut candidates = Vec::new();
    let near = near.as_deref().unwrap_or_default();
    for (at, (tool, lexical)) in (0_u32..).zip(&scores).enumerate() {
        let meaning = near.get(at).copied();
        let score = mixed(*lexical, best, meaning);
        let why = if *lexical > 0.0 { Why::Words } else { Why::Meaning };
        let is_found = *lexical > WEIGHTS.floor
            || meaning.is_some_and(|it| it >= WEIGHTS.meaning_alone && best > 0.0);
        if is_found {
            candidates.push(Candidate { tool, score, why });
        }
    }
    candidates
}

fn mixed(lexical: f32, best: f32, meaning: Option<f32>) -> f32 {
    let Some(meaning) = meaning else { return lexical };
    let share = WEIGHTS.lexical;
    let scale = if best > 0.0 { best.powf(-WEIGHTS.relative) } else { 0.0 };
    share * lexical * scale + (1.0 - share) * meaning.max(0.0)
}

/// The cosine of every tool with a text; None where there is no table, or none of its words is in it.
fn nearness(index: &Index, text: &str) -> Option<Vec<f32>> {
    let vectors = index.vectors.as_ref()?;
    let table = vectors.table();
    let mut meaning = Meaning::new(table.dimensions());
    let mut known = 0;
    words(text, |word| {
        if let Some(row) = table.row(word) {
            meaning.add(table, row, 1.0);
            known += 1;
        }
    });
    (known > 0).then(|| vectors.cosines(&meaning))
}

#[cfg(test)]
mod tests;
