//! Patterns of names, of hosts and of paths: exact text, or a glob (`globset`), compiled when it is read.
//!
//! Most patterns are one text, or a text and `*` at one end; those are compared without a glob, so that
//! ten thousand of them are read and matched quickly.
//!
//! Invariants: matching is linear in the text (G-15); a pattern that cannot be compiled, or that could
//! never match as it is written, is an error where it is read or is put right, never a rule that matches
//! nothing (G-07).

mod path;

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

pub use path::PathPattern;

/// A pattern that cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("'{text}' is no usable pattern: {why}")]
pub struct PatternError {
    /// The pattern.
    pub text: String,
    /// What is wrong with it, and what would be right.
    pub why: String,
}

impl PatternError {
    pub(super) fn new(text: &str, why: impl fmt::Display) -> Self {
        Self { text: text.to_owned(), why: why.to_string() }
    }
}

/// A name, exact or with `*`: of tools, servers, hosts, models.
#[derive(Clone)]
pub struct NamePattern {
    text: String,
    kind: NameKind,
}

#[derive(Clone)]
enum NameKind {
    Any,
    Exact,
    /// What stands before the only `*`, at the end.
    Prefix(String),
    /// What stands after the only `*`, at the beginning.
    Suffix(String),
    Glob(GlobMatcher),
}

impl NamePattern {
    /// Reads a pattern; without `*`, `?`, `[`, `{` it is the exact name.
    ///
    /// # Errors
    /// A broken glob, or an empty text.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::new(text, "it is empty"));
        }
        let plain = |text: &str| !text.contains(['*', '?', '[', '{', '\\']);
        let kind = match (text.strip_suffix('*'), text.strip_prefix('*')) {
            _ if plain(text) => NameKind::Exact,
            (Some(""), _) => NameKind::Any,
            (Some(prefix), _) if plain(prefix) => NameKind::Prefix(prefix.to_owned()),
            (_, Some(suffix)) if plain(suffix) => NameKind::Suffix(suffix.to_owned()),
            (_, _) => NameKind::Glob(compiled(text, text, false)?),
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    /// Reads a pattern of hosts, "example.com", "*.example.com", "example.com:8443", in any case.
    ///
    /// # Errors
    /// As [`Self::new`], or it is an address with a scheme or a path.
    pub fn host(text: &str) -> Result<Self, PatternError> {
        if text.contains("://") || text.contains('/') {
            let why = "a host is meant, without scheme and path: 'example.com', '*.example.com'";
            return Err(PatternError::new(text, why));
        }
        Self::new(text.trim_end_matches('.').to_ascii_lowercase().as_str())
    }

    /// Every name.
    #[must_use]
    pub fn any() -> Self {
        Self { text: "*".to_owned(), kind: NameKind::Any }
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The exact name, if it is no glob.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        matches!(self.kind, NameKind::Exact).then_some(&self.text)
    }

    /// Whether it is this name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match &self.kind {
            NameKind::Any => true,
            NameKind::Exact => self.text == name,
            NameKind::Prefix(prefix) => name.starts_with(prefix),
            NameKind::Suffix(suffix) => name.ends_with(suffix),
            NameKind::Glob(glob) => glob.is_match(name),
        }
    }

    /// Whether it is every name that begins so, as far as can be told without a glob.
    #[must_use]
    pub fn covers(&self, beginning: &str) -> bool {
        match &self.kind {
            NameKind::Any => true,
            NameKind::Prefix(prefix) => beginning.starts_with(prefix.as_str()),
            NameKind::Exact | NameKind::Suffix(_) | NameKind::Glob(_) => false,
        }
    }

    /// Whether it may be a name that begins so.
    #[must_use]
    pub fn meets(&self, beginning: &str) -> bool {
        match &self.kind {
            NameKind::Any | NameKind::Suffix(_) | NameKind::Glob(_) => true,
            NameKind::Exact => self.text.starts_with(beginning),
            NameKind::Prefix(prefix) => {
                prefix.starts_with(beginning) || beginning.starts_with(prefix.as_str())
            }
        }
    }
}

impl PartialEq for NamePattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamePattern").field(&self.text).finish()
    }
}

fn compiled(text: &str, glob: &str, path: bool) -> Result<GlobMatcher, PatternError> {
    let glob = GlobBuilder::new(glob).literal_separator(path).backslash_escape(true).build();
    Ok(glob.map_err(|fault| PatternError::new(text, fault.kind()))?.compile_matcher())
}
