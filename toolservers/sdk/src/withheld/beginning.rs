//! [`Beginning`]: the part of a pattern from the root that is no pattern.

use std::path::PathBuf;

/// Where the places of a pattern from the root are.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Beginning {
    /// Absolute; all places of the pattern are it, or lie below it.
    pub place: PathBuf,
    /// It is the pattern's only place, with all below it.
    pub whole: bool,
}

impl Beginning {
    /// Of an absolute glob; `None` of another.
    pub(super) fn of_glob(text: &str) -> Option<Self> {
        Self::of(text.strip_prefix('/')?, |part| {
            let mut literal = String::with_capacity(part.len());
            let mut chars = part.chars();
            while let Some(c) = chars.next() {
                match c {
                    '*' | '?' | '[' | ']' | '{' | '}' => return None,
                    '\\' => literal.push(chars.next()?),
                    c => literal.push(c),
                }
            }
            Some(literal)
        })
    }

    /// Of a name from the root; `None` of one at any depth. Names are folded: a place may be spelled
    /// otherwise.
    pub(super) fn of_name(text: &str) -> Option<Self> {
        Self::of(text.strip_prefix('/')?, |part| (!part.contains('*')).then(|| part.to_owned()))
    }

    fn of(text: &str, literal: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let text = if text == "**" { "" } else { text.strip_suffix("/**").unwrap_or(text) };
        let mut place = PathBuf::from("/");
        for part in text.split('/').filter(|part| !part.is_empty()) {
            match literal(part) {
                Some(part) => place.push(part),
                None => return Some(Self { place, whole: false }),
            }
        }
        Some(Self { place, whole: true })
    }
}
