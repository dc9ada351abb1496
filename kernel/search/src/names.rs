//! Names in a query: whole ones, short ones, beginnings; and which names are nearest where nothing is.
//!
//! A word that looks like a name (`create_issue`, `git.status`, `readFile`, quoted) is one wherever it
//! stands. A plain word (`read`, `search`) is a name where the query is nothing but names; within a sentence
//! its tool only survives the cut.
//!
//! Not here: words (`terms.rs`).

use crate::{
    found::Why,
    index::{Index, Name},
    limits::{NEAREST_MAX, QUERY_NAMES_MAX},
    text::joined,
    typo::{self, Shape},
};

/// Pairs of letters in common, in hundredths, below which a name is not one that anybody meant.
const SHARED_MIN: u32 = 34;

/// Letters up to which one edit may leave no pair of letters as it was.
const SHORT_MAX: usize = 6;

/// What names are put between.
const QUOTES: [char; 6] = ['`', '"', '“', '”', '「', '」'];

/// What of a query's names is there.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Tools that come first, each with why.
    pub(crate) first: Vec<(u32, Why)>,
    /// Tools that come at the end if they do not come before.
    pub(crate) last: Vec<u32>,
}

/// Finds the names of a text.
pub(crate) fn within(index: &Index, text: &str) -> Named {
    let mut named = Named::default();
    let tokens: Vec<&str> = text.split(is_outside).filter(|it| !it.is_empty()).collect();
    let whole = joined(text);
    named.take(index, text.trim());
    let is_list = !tokens.is_empty()
        && tokens.iter().all(|it| index.named(&joined(trimmed(it))).next().is_some());
    for quoted in text.split(QUOTES).skip(1).step_by(2).take(QUERY_NAMES_MAX) {
        named.take(index, quoted.trim());
    }
    for token in tokens.into_iter().take(QUERY_NAMES_MAX).map(trimmed) {
        if is_list || is_identifier(token) {
            named.take(index, token);
        } else {
            let spelling = joined(token);
            let tools = index.named(&spelling).filter(|it| is_full(index, *it, &spelling));
            named.last.extend(tools.take(1));
        }
    }
    if whole.chars().count() >= 3 {
        let begin = index.names_from(&whole).take_while(|it| it.joined.starts_with(whole.as_str()));
        named.first.extend(begin.map(|it| (it.tool, Why::Prefix)));
    }
    named
}

impl Named {
    fn take(&mut self, index: &Index, asked: &str) {
        let spelling = joined(asked);
        if spelling.is_empty() {
            return;
        }
        // `getCar` and `getCAR` are two tools; a spelling that no tool has may mean either.
        let is_exact = |tool: u32| index.tool(tool).is_some_and(|it| *it.name == *asked);
        let has_exact = index.named(&spelling).any(is_exact);
        let tools = index.named(&spelling).map(|tool| {
            let is_whole = if has_exact { is_exact(tool) } else { is_full(index, tool, &spelling) };
            (tool, if is_whole { Why::Name } else { Why::ShortName })
        });
        self.first.extend(tools);
    }
}

/// Whether it is the whole name, and not only what its server calls it.
fn is_full(index: &Index, tool: u32, spelling: &str) -> bool {
    index.tool(tool).is_some_and(|it| joined(&it.name) == spelling)
}

fn is_outside(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '，' | '、' | '；')
}

fn trimmed(token: &str) -> &str {
    token.trim_matches(|c: char| !c.is_alphanumeric())
}

/// `create_issue`, `git.status`, `a-b`, `readFile`, not `Read`.
fn is_identifier(token: &str) -> bool {
    let has_between = token.chars().any(|c| !c.is_alphanumeric());
    let pairs = token.chars().zip(token.chars().skip(1));
    has_between || pairs.into_iter().any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

/// The names that share most pairs of letters with `text`, the nearest first; at most [`NEAREST_MAX`].
pub(crate) fn nearest(index: &Index, text: &str, allowed: impl Fn(u32) -> bool) -> Vec<usize> {
    let words = text.split(is_outside).map(joined).filter(|it| !it.is_empty());
    let words: Vec<Wanted> = words.take(QUERY_NAMES_MAX).map(Wanted::new).collect();
    let mut best = vec![0; index.tools.len()];
    for Name { joined, tool, shape } in index.names.iter().filter(|it| allowed(it.tool)) {
        let like = words.iter().filter(|it| it.shape.is_half_in(*shape));
        let shared = like.map(|it| it.nearness(joined)).max().unwrap_or(0);
        if let Some(best) = usize::try_from(*tool).ok().and_then(|it| best.get_mut(it)) {
            *best = shared.max(*best);
        }
    }
    let mut near: Vec<(u32, usize)> = best.into_iter().zip(0..).collect();
    near.retain(|(shared, _)| *shared >= SHARED_MIN);
    let name = |at: usize| index.tools.get(at).map(|it| (!it.native, &it.name, &it.server));
    let order =
        |a: &(u32, usize), b: &(u32, usize)| b.0.cmp(&a.0).then_with(|| name(a.1).cmp(&name(b.1)));
    if near.len() > NEAREST_MAX {
        near.select_nth_unstable_by(NEAREST_MAX, order);
        near.truncate(NEAREST_MAX);
    }
    near.sort_unstable_by(order);
    near.into_iter().map(|(_, at)| at).collect()
}

/// A word that names are compared with.
struct Wanted {
    word: String,
    shape: Shape,
    pairs: Pairs,
}

impl Wanted {
    fn new(word: String) -> Self {
        Self { shape: Shape::of(&word), pairs: Pairs::of(&word), word }
    }

    /// In hundredths: the pairs of letters in common, or the letters that need no edit.
    fn nearness(&self, name: &str) -> u32 {
        let shared = self.pairs.shared(name);
        let letters = self.word.len();
        // Of a short word one edit can break every pair; a long one keeps some.
        if letters > SHORT_MAX && shared < SHARED_MIN {
            return shared;
        }
        let edits = typo::edits(&self.word, name, (letters / 3).min(2)).unwrap_or(letters);
        let right = letters.saturating_sub(edits).saturating_mul(100);
        let right = u32::try_from(right.checked_div(letters).unwrap_or(0)).unwrap_or(0);
        right.max(shared)
    }
}

/// The pairs of neighbouring letters of a word: 26 letters and everything else as a 27th.
struct Pairs {
    set: [u32; 27],
    count: u32,
}

impl Pairs {
    fn of(word: &str) -> Self {
        let mut set = [0_u32; 27];
        let mut count = 0;
        for (one, two) in pairs(word) {
            if let Some(row) = set.get_mut(one) {
                *row |= 1 << two;
            }
            count += 1;
        }
        Self { set, count }
    }

    /// How many of both words' pairs are in both, in hundredths (Dice).
    fn shared(&self, name: &str) -> u32 {
        let (mut both, mut count) = (0, 0);
        for (one, two) in pairs(name) {
            both += self.set.get(one).map_or(0, |row| *row >> two & 1);
            count += 1;
        }
        let both = both.min(self.count);
        (200 * both).checked_div(self.count + count).unwrap_or(0)
    }
}

fn pairs(word: &str) -> impl Iterator<Item = (usize, usize)> {
    let letter = |it: u8| usize::from(if it.is_ascii_lowercase() { it - b'a' } else { 26 });
    let letters = word.bytes().map(letter);
    letters.clone().zip(letters.skip(1))
}

#[cfg(test)]
mod tests;
