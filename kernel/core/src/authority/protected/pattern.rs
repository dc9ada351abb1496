//! [`Patterns`]: places of a table, found by the first of their names.
//!
//! A text is one name or a path of names, matched at every depth; `dir/**` is `dir` and everything below;
//! `x*y` matches by beginning and end; `/etc/x` is from the root alone.
//!
//! A name that is a shell's pattern (`.gi*`) matches what it may become.

use std::{borrow::Cow, collections::BTreeMap};

use super::{Place, Role};

/// Many places, each with the number of its row.
#[derive(Debug)]
pub(in crate::authority) struct Patterns {
    by_name: BTreeMap<&'static str, Vec<Pattern>>,
    /// Those whose first name is no plain one.
    others: Vec<Pattern>,
    sieve: Sieve,
}

/// Lets through every name with which a pattern may begin, and few others: nearly all names of a line
/// are none.
#[derive(Debug)]
struct Sieve {
    begins: Pairs,
    /// Bit n of a first byte: a pattern begins with it and has n bytes, or may have.
    lengths: [u64; 256],
    /// How patterns end that may begin with anything.
    ends: Pairs,
}

/// Pairs of bytes: bit n of a byte stands for all bytes beside it that are n in their lower six bits.
#[derive(Debug)]
struct Pairs([u64; 256]);

impl Pairs {
    fn add(&mut self, (outer, inner): (u8, Option<u8>)) {
        let beside = inner.map_or(u64::MAX, |inner| 1 << (inner & 63));
        self.0.get_mut(usize::from(outer)).into_iter().for_each(|bits| *bits |= beside);
    }

    fn has(&self, (outer, inner): (u8, Option<u8>)) -> bool {
        let bits = self.0.get(usize::from(outer)).copied().unwrap_or_default();
        bits & inner.map_or(u64::MAX, |inner| 1 << (inner & 63)) != 0
    }
}

impl Sieve {
    fn new() -> Self {
        Self { begins: Pairs([0; 256]), lengths: [0; 256], ends: Pairs([0; 256]) }
    }

    fn add(&mut self, name: &str) {
        let (begin, end) = name.split_once('*').unwrap_or((name, ""));
        if let Some(pair) = pair(begin.bytes()) {
            let lengths = if begin.len() == name.len() { bit(name) } else { u64::MAX };
            self.begins.add(pair);
            self.lengths.get_mut(usize::from(pair.0)).into_iter().for_each(|it| *it |= lengths);
        } else if let Some(pair) = pair(end.bytes().rev()) {
            self.ends.add(pair);
        }
    }

    fn lets_through(&self, name: &str) -> bool {
        let (Some(begin), Some(end)) = (pair(name.bytes()), pair(name.bytes().rev())) else {
            return false;
        };
        let lengths = self.lengths.get(usize::from(begin.0)).copied().unwrap_or_default();
        (lengths & bit(name) != 0 && self.begins.has(begin))
            || self.ends.has(end)
            || (begin.0 == b'.' && has_glob(name))
    }
}

/// The first byte, and the one beside it.
fn pair(mut bytes: impl Iterator<Item = u8>) -> Option<(u8, Option<u8>)> {
    Some((bytes.next()?, bytes.next()))
}

/// The bit of a name's length; the last one stands for all longer ones.
fn bit(name: &str) -> u64 {
    1 << name.len().min(63)
}

#[derive(Debug)]
struct Pattern {
    row: usize,
    names: Vec<&'static str>,
    below: bool,
    from_root: bool,
}

impl Patterns {
    /// Reads rows, each some texts that are separated by blanks.
    pub(in crate::authority) fn new(rows: impl Iterator<Item = &'static str>) -> Self {
        let mut patterns =
            Self { by_name: BTreeMap::new(), others: Vec::new(), sieve: Sieve::new() };
        for (row, texts) in rows.enumerate() {
            for text in texts.split_ascii_whitespace() {
                let pattern = Pattern::new(row, text);
                patterns.sieve.add(pattern.names.first().copied().unwrap_or_default());
                match pattern.names.first() {
                    Some(first) if !first.contains('*') => {
                        patterns.by_name.entry(first).or_default().push(pattern);
                    }
                    Some(_) | None => patterns.others.push(pattern),
                }
            }
        }
        patterns
    }

    /// Rows that match a place, as often as they do.
    pub(in crate::authority) fn rows_of(
        &self,
        place: &Place<'_>,
        role: Role,
    ) -> impl Iterator<Item = usize> {
        let names = place.names();
        let named = names.iter().enumerate().filter(|(_, name)| self.sieve.lets_through(name));
        named.flat_map(move |(begin, first)| {
            let rest = names.get(begin..).unwrap_or_default();
            let applies = move |pattern: &&Pattern| {
                (begin == 0 || !pattern.from_root) && pattern.matches(rest, role)
            };
            self.beginning_with(first).filter(applies).map(|pattern| pattern.row)
        })
    }

    /// Patterns that may match names of which this is the first. A shell's pattern stands for hidden
    /// names only when it begins with a dot, and for others it says too little.
    fn beginning_with(&self, first: &str) -> impl Iterator<Item = &Pattern> {
        let glob = has_glob(first);
        let hidden = glob && first.starts_with('.');
        let all = hidden.then(|| self.by_name.values().flatten()).into_iter().flatten();
        let named = (!glob).then(|| self.by_name.get(first)).flatten();
        let others = (!glob || hidden).then_some(&self.others);
        named.into_iter().flatten().chain(all).chain(others.into_iter().flatten())
    }
}

impl Pattern {
    fn new(row: usize, text: &'static str) -> Self {
        let rooted = text.strip_prefix('/');
        let text = rooted.unwrap_or(text);
        let folder = text.strip_suffix("/**");
        let names = folder.unwrap_or(text).split('/').collect();
        Self { row, names, below: folder.is_some(), from_root: rooted.is_some() }
    }

    fn matches(&self, names: &[Cow<'_, str>], role: Role) -> bool {
        let alike = self.names.iter().zip(names).all(|(pattern, name)| is_name(pattern, name));
        // What is above a place carries it along when it is moved there or away.
        let hidden = self.names.first().is_some_and(|name| name.starts_with('.'));
        let carries = role != Role::Named && (self.from_root || hidden);
        let long_enough = names.len() >= self.names.len() || carries;
        alike && long_enough && (self.below || names.len() <= self.names.len())
    }
}

/// Whether a name is, or as a pattern of a shell may become, what a name of the table says.
fn is_name(pattern: &str, name: &str) -> bool {
    if let Some((begin, end)) = glob_ends(name) {
        let (from, to) = pattern.split_once('*').unwrap_or((pattern, pattern));
        let begins = begin.starts_with(from) || from.starts_with(begin);
        return begins && (end.ends_with(to) || to.ends_with(end));
    }
    match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
    }
}

/// What stands before the first and behind the last sign of a shell's pattern, if there is one.
fn glob_ends(name: &str) -> Option<(&str, &str)> {
    let sign = |byte: u8| matches!(byte, b'*' | b'?' | b'[' | b']');
    let first = name.bytes().position(sign)?;
    let last = name.bytes().rposition(sign)?;
    Some((name.get(..first)?, name.get(last + 1..)?))
}

fn has_glob(name: &str) -> bool {
    glob_ends(name).is_some()
}
