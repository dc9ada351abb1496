//! Values that must turn up nowhere (`[GATE-81]`): found in one pass, replaced by `[secret NAME]`.
//!
//! A kernel knows the values of those variables of its own environment whose names are names of
//! secrets, whether a server is handed them or not. A call adds what its schema marks as secret, for
//! its own records and results, and for servers' logs: a server must not be able to blind cards of
//! other tools.
//!
//! Invariant: with nothing to hide nothing is looked at or copied.
//!
//! Not here: which arguments are secret (`core::schema`), which names are (`process::environment`).

mod apply;
mod kept;
mod logs;
mod pieces;

use std::{borrow::Cow, fmt, sync::Arc};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::Value;

pub(crate) use kept::kept;
pub use logs::LogSecrets;
pub use pieces::Pieces;

use crate::process;

/// Shorter values are ordinary words too often: hiding them would spoil results.
const VALUE_BYTES_MIN: usize = 8;
/// Of a longer value, only its beginning is looked for.
const VALUE_BYTES_MAX: usize = 64 * 1024;
/// Values that are looked for at once.
const VALUES_MAX: usize = 256;
/// Bytes of everything that is looked for; what comes after it is not.
const PATTERNS_BYTES_MAX: usize = 256 * 1024;
/// What stands for a secret argument.
const ARGUMENT: &str = "argument";

/// Hides known values. Cheap to clone.
#[derive(Clone, Default)]
pub struct Redactor(Option<Arc<Known>>);

struct Known {
    /// Names and values, as they were given.
    given: Vec<(String, Vec<u8>)>,
    /// What is looked for: the values, and how they stand in JSON text.
    patterns: Vec<Vec<u8>>,
    /// What stands for each pattern.
    stands: Vec<String>,
    finder: AhoCorasick,
}

impl fmt::Debug for Redactor {
    /// Names only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.0.iter().flat_map(|known| &known.given);
        f.debug_set().entries(known.map(|(name, _)| name)).finish()
    }
}

impl Redactor {
    /// Knows the secrets of this process's environment.
    #[must_use]
    pub fn of_environment() -> Self {
        Self::new(process::secret_variables())
    }

    /// Knows these names and values. Values are taken without the white space around them; those of
    /// less than 8 bytes are not looked for.
    #[must_use]
    pub fn new(given: Vec<(String, Vec<u8>)>) -> Self {
        let (mut patterns, mut stands, mut bytes) = (Vec::new(), Vec::new(), 0);
        for (name, value) in given.iter().take(VALUES_MAX) {
            let value = value.trim_ascii();
            let value = value.get(..VALUE_BYTES_MAX).unwrap_or(value);
            if value.len() < VALUE_BYTES_MIN {
                continue;
            }
            for pattern in std::iter::once(value.to_vec()).chain(escaped(value)) {
                bytes += pattern.len();
                if bytes > PATTERNS_BYTES_MAX {
                    break;
                }
                patterns.push(pattern);
                stands.push(format!("[secret {name}]"));
            }
        }
        if patterns.is_empty() {
            return Self::default();
        }
        // The small automaton: an argument may be large, and its search is a rare one.
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&patterns);
        // Fails for gigabytes of patterns only, which the bounds above exclude.
        let known = finder.ok().map(|finder| Arc::new(Known { given, patterns, stands, finder }));
        Self(known)
    }

    /// Knows the secret arguments of one call as well.
    #[must_use]
    pub(crate) fn with_arguments(&self, values: Vec<String>) -> Self {
        if values.is_empty() {
            return self.clone();
        }
        let mut given: Vec<_> =
            self.0.iter().flat_map(|known| known.given.iter().cloned()).collect();
        for value in values {
            let value = (ARGUMENT.to_owned(), value.into_bytes());
            if !given.contains(&value) {
                given.push(value);
            }
        }
        // The oldest argument goes first.
        while given.len() > VALUES_MAX {
            let oldest = given.iter().position(|(name, _)| name == ARGUMENT).unwrap_or_default();
            given.remove(oldest);
        }
        Self::new(given)
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a known value is in there, as it is or as JSON text has it.
    #[must_use]
    pub fn finds(&self, bytes: &[u8]) -> bool {
        self.0.as_deref().is_some_and(|known| known.finder.is_match(bytes))
    }

    /// Bytes without known values. A text may have been cut inside a value: most of one at its end
    /// counts as one.
    #[must_use]
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(known) = self.0.as_deref() else { return Cow::Borrowed(bytes) };
        let cut = known.may_begin_at(bytes);
        let is_cut = bytes.len() - cut >= VALUE_BYTES_MIN;
        if !is_cut && !known.finder.is_match(bytes) {
            return Cow::Borrowed(bytes);
        }
        let mut told = Vec::with_capacity(bytes.len());
        let (whole, rest) = bytes.split_at(if is_cut { cut } else { bytes.len() });
        known.finder.replace_all_with_bytes(whole, &mut told, |found, _, told| {
            told.extend_from_slice(known.stand(found.pattern().as_usize()));
            true
        });
        let cut = known.patterns.iter().position(|it| !rest.is_empty() && it.starts_with(rest));
        told.extend_from_slice(cut.map_or(&[], |pattern| known.stand(pattern)));
        Cow::Owned(told)
    }

    /// A text without known values.
    #[must_use]
    pub fn text(&self, text: String) -> String {
        match self.bytes(text.as_bytes()) {
            Cow::Borrowed(_) => text,
            Cow::Owned(told) => String::from_utf8_lossy(&told).into_owned(),
        }
    }

    /// Hides known values in a text in place.
    pub fn hide(&self, text: &mut String) {
        if !self.is_empty() {
            *text = self.text(std::mem::take(text));
        }
    }

    /// Hides known values in all texts, numbers and keys of a JSON value.
    pub fn value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(text) => self.hide(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => {
                for (key, mut inner) in std::mem::take(map) {
                    self.value(&mut inner);
                    map.insert(self.text(key), inner);
                }
            }
            Value::Number(number) => {
                if let Cow::Owned(told) = self.bytes(number.to_string().as_bytes()) {
                    *value = Value::String(String::from_utf8_lossy(&told).into_owned());
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// For a stream that comes in pieces, of which two may share a value.
    #[must_use]
    pub fn pieces(&self) -> Pieces {
        Pieces::new(self.clone())
    }
}

impl Known {
    /// What stands for a pattern.
    fn stand(&self, pattern: usize) -> &[u8] {
        self.stands.get(pattern).map_or(&[], |stand| stand.as_bytes())
    }

    /// Where the end of `bytes` may be the beginning of a value; their length, if nowhere.
    fn may_begin_at(&self, bytes: &[u8]) -> usize {
        let begins = |pattern: &Vec<u8>| {
            let longest = pattern.len().saturating_sub(1).min(bytes.len());
            let first = bytes.len() - longest;
            (first..bytes.len())
                .find(|at| bytes.get(*at..).is_some_and(|end| pattern.starts_with(end)))
        };
        self.patterns.iter().filter_map(begins).min().unwrap_or(bytes.len())
    }
}

/// How a value stands inside JSON text, if that differs.
fn escaped(value: &[u8]) -> Option<Vec<u8>> {
    let json = Value::from(std::str::from_utf8(value).ok()?).to_string().into_bytes();
    let inner = json.get(1..json.len().checked_sub(1)?)?;
    (inner != value).then(|| inner.to_vec())
}

#[cfg(test)]
mod tests;
