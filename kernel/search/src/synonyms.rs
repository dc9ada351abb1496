//! Words that stand for each other, and words that say nothing: two reviewed tables as data.
//!
//! Not here: what a synonym weighs (`weights.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::stem;

/// Stem → stems of the groups that it is in, itself left out; in order of the alphabet.
static GROUPS: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let lines = include_str!("../data/synonyms.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let group: BTreeSet<String> = line.split_whitespace().map(stemmed).collect();
        for word in &group {
            let others = group.iter().filter(|it| *it != word).cloned();
            groups.entry(word.clone()).or_default().extend(others);
        }
    }
    groups
});

static STOP: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| include_str!("../data/stop.txt").split_whitespace().collect());

/// What else may be meant by a stem.
pub(crate) fn of(stem: &str) -> impl Iterator<Item = &'static str> {
    GROUPS.get(stem).into_iter().flatten().map(String::as_str)
}

/// Whether a word (not a stem) says nothing.
pub(crate) fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

fn stemmed(word: &str) -> String {
    let mut word = word.to_owned();
    stem::stem(&mut word);
    word
}

#[cfg(test)]
mod tests;
