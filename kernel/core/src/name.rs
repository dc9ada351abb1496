//! Names: of tools, of servers, and the ids of sessions and calls; and what "nearest" means.

use std::{borrow::Borrow, fmt};

use serde::{Deserialize, Serialize, Serializer};

use crate::limits::{NEAREST_COMPARED_MAX, NEAREST_NAMES_MAX};

/// A text that is no name of its kind.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("'{text}' is no {kind}: {rule}")]
pub struct NameError {
    text: String,
    kind: &'static str,
    rule: &'static str,
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $kind:literal, $rule:literal, $holds:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $type(String);

        impl $type {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = NameError;
            fn try_from(text: String) -> Result<Self, NameError> {
                let holds: fn(&str) -> bool = $holds;
                if holds(&text) {
                    return Ok(Self(text));
                }
                let text = text.chars().take(80).flat_map(char::escape_default).collect();
                Err(NameError { text, kind: $kind, rule: $rule })
            }
        }

        impl TryFrom<&str> for $type {
            type Error = NameError;
            fn try_from(text: &str) -> Result<Self, NameError> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(
    /// The canonical or hidden name of a tool.
    ToolName,
    "tool name",
    "a letter, then letters, digits and '_', at most 64",
    |text| {
        text.len() <= 64
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    }
);
name!(
    /// The name under which a server is configured.
    ServerName,
    "server name",
    "a lower-case letter, then letters, digits and '-', at most 32",
    |text| {
        text.len() <= 32
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    }
);
name!(
    /// A session (UUIDv7 text); also the name of its files.
    SessionId,
    "session id",
    "letters, digits and '-', at most 64",
    is_id
);
name!(
    /// A call (UUIDv7 text), unique over all sessions.
    CallId,
    "call id",
    "letters, digits and '-', at most 64",
    is_id
);

fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// The names nearest to an unknown one, best first: at most three, none that is far off. Among very many
/// names that have its letters, only the first [`NEAREST_COMPARED_MAX`] are compared as a whole.
pub fn nearest<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let asked: String = asked.chars().take(64).flat_map(char::to_lowercase).collect();
    let far = (asked.chars().count() / 2).max(1);
    let letters = letters(&asked);
    let names = names.into_iter().map(|name| (letters_apart(&letters, name), name));
    let mut alike: Vec<_> = names.filter(|(apart, _)| *apart <= far).collect();
    alike.sort_unstable();
    alike.truncate(NEAREST_COMPARED_MAX);
    let mut near: Vec<_> = alike
        .into_iter()
        .map(|(_, name)| (strsim::osa_distance(&asked, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= far)
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, name)| name).take(NEAREST_NAMES_MAX).collect()
}

/// How often each letter occurs, whatever its case; all that are not ASCII are one.
fn letters(text: &str) -> [usize; 128] {
    let mut counts = [0; 128];
    for c in text.chars().flat_map(char::to_lowercase) {
        let letter = if c.is_ascii() { usize::from(c as u8) } else { 0 };
        if let Some(count) = counts.get_mut(letter) {
            *count += 1;
        }
    }
    counts
}

/// No edit adds or takes away more than one letter, so this is never more than the distance.
fn letters_apart(letters_asked: &[usize; 128], name: &str) -> usize {
    let counts = letters_asked.iter().zip(letters(name));
    let (mut surplus, mut lack) = (0, 0);
    for (asked, has) in counts {
        surplus += asked.saturating_sub(has);
        lack += has.saturating_sub(*asked);
    }
    surplus.max(lack)
}

#[cfg(test)]
mod tests;
