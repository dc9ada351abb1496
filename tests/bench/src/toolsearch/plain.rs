//! Plain BM25, the yardstick: names and descriptions as one bag of words, k1 1.2, b 0.75, no stemming, no
//! stop words, ties in the order of the catalog.

use std::collections::{BTreeMap, HashMap};

/// The index.
#[derive(Debug)]
pub(crate) struct Plain {
    /// Word → tools with how often it occurs.
    postings: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean: f64,
}

impl Plain {
    /// Of texts.
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    pub(crate) fn new(texts: impl Iterator<Item = String>) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (number, text) in texts.enumerate() {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            words(&text).into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
            lengths.push(counts.values().sum::<usize>() as f64);
            for (word, count) in counts {
                postings.entry(word).or_default().push((number, count as f64));
            }
        }
        let mean = lengths.iter().sum::<f64>() / (lengths.len().max(1) as f64);
        Self { postings, lengths, mean }
    }

    /// The best `most` tools.
    #[expect(clippy::cast_precision_loss, reason = "numbers of tools")]
    pub(crate) fn search(&self, query: &str, most: usize) -> Vec<usize> {
        let mut scores = vec![0.0; self.lengths.len()];
        for word in words(query) {
            let Some(postings) = self.postings.get(&word) else { continue };
            let (all, with) = (self.lengths.len() as f64, postings.len() as f64);
            let rarity = ((all - with + 0.5) / (with + 0.5)).ln_1p();
            for (tool, count) in postings {
                let (Some(score), Some(length)) = (scores.get_mut(*tool), self.lengths.get(*tool))
                else {
                    continue;
                };
                let norm = 1.2 * (0.25 + 0.75 * length / self.mean);
                *score += rarity * count * 2.2 / (count + norm);
            }
        }
        let mut found: Vec<(usize, f64)> =
            scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.into_iter().take(most).map(|(tool, _)| tool).collect()
    }
}

/// Camel case taken apart, lower case.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_last_capital =
            before.is_uppercase() && rest.peek().is_some_and(|it| it.is_lowercase());
        let begins = c.is_uppercase() && (before.is_lowercase() || before.is_numeric())
            || c.is_uppercase() && is_last_capital;
        if !c.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|it| !it.is_empty());
    words
}
