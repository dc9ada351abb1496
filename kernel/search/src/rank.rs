//! The score of words: BM25F over the index, as a share of the best that the query could have got.
//!
//! A word and what it stands for count once, as the best of them. A word that no tool has still counts in
//! what could have been got: a query of which little is known finds with little certainty.
//!
//! Not here: names, meaning, the order of the answer (`search.rs`).

use crate::{
    index::{Index, Posting, Term},
    terms::Wanted,
    weights::WEIGHTS,
};

/// Words of a request that a tool can be expected to have.
const IDEAL_WORDS_MAX: usize = 8;

/// Scores of all tools, from 0 to 1, in the order of the tools.
pub(crate) fn scores(index: &Index, wanted: &[Wanted], names_only: bool) -> Vec<f32> {
    let mut sums = vec![0.0_f32; index.tools.len()];
    let mut best = vec![0.0_f32; index.tools.len()];
    for word in wanted {
        let lists = word.stands_for.iter().filter_map(|(term, share)| {
            let term = index.term(*term)?;
            Some((share * rarity(term), term))
        });
        for (factor, term) in lists.clone() {
            for posting in counted(term, names_only) {
                raise(&mut sums, &mut best, posting.tool, factor * posting.impact);
            }
        }
        for (_, term) in lists {
            for posting in counted(term, names_only) {
                if let Some(best) = slot(&mut best, posting.tool) {
                    *best = 0.0;
                }
            }
        }
    }
    let ideal = ideal(index, wanted);
    if ideal > 0.0 {
        sums.iter_mut().for_each(|it| *it /= ideal);
    }
    sums
}

/// What a tool would get in which the words that are worth most are all at their best place. Not more than
/// so many: nobody describes a tool at length, so a long request is not asked to be met in full.
fn ideal(index: &Index, wanted: &[Wanted]) -> f32 {
    let mut worths: Vec<f32> = wanted.iter().map(|word| worth(index, word)).collect();
    worths.sort_unstable_by(|a, b| b.total_cmp(a));
    worths.iter().take(IDEAL_WORDS_MAX).sum::<f32>() * (WEIGHTS.saturation + 1.0)
}

fn counted(term: &Term, names_only: bool) -> impl Iterator<Item = &Posting> {
    term.postings.iter().filter(move |it| it.in_name || !names_only)
}

/// What a word is worth where it is found: as rare as it is, or as what it is a misspelling of; as the
/// rarest where no tool has it.
fn worth(index: &Index, word: &Wanted) -> f32 {
    let itself = word.stands_for.first().filter(|(_, share)| *share >= 1.0 || word.is_guess);
    let term = itself.and_then(|(term, _)| index.term(*term));
    term.map_or_else(|| rarity_of(1), rarity)
}

fn rarity(term: &Term) -> f32 {
    rarity_of(term.postings.len())
}

#[expect(clippy::cast_precision_loss, reason = "at most 100,000, which a float has exactly")]
fn rarity_of(tools: usize) -> f32 {
    1.0 / (1.0 + WEIGHTS.rarity * (tools.max(1) as f32).ln())
}

fn raise(sums: &mut [f32], best: &mut [f32], tool: u32, score: f32) {
    if let (Some(sum), Some(best)) = (slot(sums, tool), slot(best, tool))
        && score > *best
    {
        *sum += score - *best;
        *best = score;
    }
}

fn slot(all: &mut [f32], tool: u32) -> Option<&mut f32> {
    all.get_mut(usize::try_from(tool).ok()?)
}

#[cfg(test)]
mod tests;
