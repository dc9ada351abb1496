//! How good a ranking is: recall at 1, 5 and 10 and nDCG at 10, each the mean over a set's requests.
//!
//! Recall counts all that were judged for a request, as the published figures do; the gain of a tool in nDCG
//! is 2^relevance − 1.

use super::sets::{Request, Set};

/// How many results count.
const DEPTH: usize = 10;

/// Means over requests, from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quality {
    pub(crate) recall_1: f64,
    pub(crate) recall_5: f64,
    pub(crate) recall_10: f64,
    pub(crate) ndcg_10: f64,
}

/// Measures a ranking, which gets a request and how many results are wanted.
#[expect(clippy::cast_precision_loss, reason = "numbers of requests")]
pub(crate) fn measure(set: &Set, rank: impl Fn(&str, usize) -> Vec<usize>) -> Quality {
    let mut sum = Quality::default();
    for request in &set.requests {
        let found = rank(&request.query, DEPTH);
        let names: Vec<&str> =
            found.iter().filter_map(|it| set.tools.get(*it)).map(|it| it.name.as_str()).collect();
        sum.recall_1 += recall(request, &names, 1);
        sum.recall_5 += recall(request, &names, 5);
        sum.recall_10 += recall(request, &names, 10);
        sum.ndcg_10 += ndcg(request, &names);
    }
    let count = set.requests.len().max(1) as f64;
    Quality {
        recall_1: sum.recall_1 / count,
        recall_5: sum.recall_5 / count,
        recall_10: sum.recall_10 / count,
        ndcg_10: sum.ndcg_10 / count,
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of tools")]
fn recall(request: &Request, names: &[&str], most: usize) -> f64 {
    let right = names.iter().take(most).filter(|it| request.gold.iter().any(|gold| gold == *it));
    right.count() as f64 / request.gold.len().max(1) as f64
}

fn ndcg(request: &Request, names: &[&str]) -> f64 {
    let gained = gain(names.iter().map(|it| request.relevance_of(it)));
    let mut best: Vec<f64> = request.gold.iter().map(|it| request.relevance_of(it)).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let most = gain(best.into_iter());
    if most > 0.0 { gained / most } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "ranks")]
fn gain(relevances: impl Iterator<Item = f64>) -> f64 {
    let parts = relevances.take(DEPTH).enumerate();
    parts.map(|(at, it)| (it.exp2() - 1.0) / (at as f64 + 2.0).log2()).sum()
}

#[cfg(test)]
mod tests;
