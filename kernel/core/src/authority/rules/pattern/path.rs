//! [`PathPattern`]: one place, a folder with all below it, or a glob of places.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use globset::GlobMatcher;

use super::{PatternError, compiled};

/// Characters that make a text a glob; a backslash takes their meaning away.
const META: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// A place: `src/**`, `~/notes/*.md` (already made absolute), `/etc/**`.
#[derive(Clone)]
pub struct PathPattern {
    text: String,
    kind: PathKind,
    /// The folders before the first part with a glob; for an exact place, all of it.
    literal: PathBuf,
}

#[derive(Clone)]
enum PathKind {
    Exact,
    /// A folder and everything below it.
    Under,
    Glob {
        whole: GlobMatcher,
        /// For `GLOB/**`: what `GLOB` matches.
        folder: Option<GlobMatcher>,
    },
}

impl PathPattern {
    /// Reads a pattern. `**` crosses folders, `*` does not; `dir/**` also matches `dir` itself, `dir/`
    /// is the same as `dir/**`; a backslash takes the meaning of the character after it away.
    ///
    /// # Errors
    /// A broken glob, an empty text, a `..` in it, a `~` that nobody made absolute.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::new(text, "it is empty"));
        }
        if text == "~" || text.starts_with("~/") {
            return Err(PatternError::new(
                text,
                "there is no home folder that '~' could mean here",
            ));
        }
        if text.split('/').any(|part| part == "..") {
            return Err(PatternError::new(text, "'..' has no meaning in a pattern"));
        }
        let normal = normalised(text);
        if normal.is_empty() {
            let (text, literal) = (".".to_owned(), PathBuf::new());
            return Ok(Self { text, kind: PathKind::Exact, literal });
        }
        let folder = if normal == "**" { Some("") } else { normal.strip_suffix("/**") };
        let folder = folder.map(|folder| if folder.is_empty() { root(&normal) } else { folder });
        let (kind, literal) = match folder {
            Some(folder) if let Some(literal) = unescaped(folder) => (PathKind::Under, literal),
            None if let Some(literal) = unescaped(&normal) => (PathKind::Exact, literal),
            _ => {
                let whole = compiled(text, &normal, true)?;
                let folder = folder.map(|folder| compiled(text, folder, true)).transpose()?;
                (PathKind::Glob { whole, folder }, leading(&normal))
            }
        };
        Ok(Self { text: normal, kind, literal: PathBuf::from(literal) })
    }

    /// As [`Self::new`], with `~/` meant from `home`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_home(text: &str, home: Option<&str>) -> Result<Self, PatternError> {
        match (text.strip_prefix('~'), home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                Self::new(&format!("{}{rest}", escaped(home.trim_end_matches('/'))))
            }
            _ => Self::new(text),
        }
    }

    /// Exactly this place, whatever characters are in its name.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn exactly(place: &str) -> Result<Self, PatternError> {
        Self::new(&escaped(place))
    }

    /// As it was written, without parts that say nothing (`./`, `//`).
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it means places from the root of the file system.
    #[must_use]
    pub fn is_absolute(&self) -> bool {
        self.text.starts_with('/')
    }

    /// Whether it matches an absolute path, meant from `base` if it is relative itself.
    #[must_use]
    pub fn matches(&self, absolute: &Path, base: &Path) -> bool {
        self.seen_from(absolute, base).is_some_and(|path| match self.kind {
            PathKind::Exact => path == self.literal,
            PathKind::Under | PathKind::Glob { .. } => self.holds(path),
        })
    }

    /// As [`Self::matches`], and what lies below an exact place too: who forbids a place means what is
    /// in it.
    #[must_use]
    pub fn reaches(&self, absolute: &Path, base: &Path) -> bool {
        self.seen_from(absolute, base).is_some_and(|path| self.holds(path))
    }

    /// Whether what it means lies below this folder as a whole, so that it goes when the folder goes.
    #[must_use]
    pub fn lies_below(&self, folder: &Path, base: &Path) -> bool {
        if self.is_absolute() {
            return self.literal.starts_with(folder);
        }
        base.join(&self.literal).starts_with(folder)
    }

    /// Whether something that it means may lie below this folder, though not the folder itself.
    #[must_use]
    pub fn may_lie_below(&self, folder: &Path, base: &Path) -> bool {
        let is_glob = matches!(self.kind, PathKind::Glob { .. });
        let from = if self.is_absolute() { self.literal.clone() } else { base.join(&self.literal) };
        self.lies_below(folder, base) || (is_glob && folder.starts_with(from))
    }

    /// Whether it matches a folder and, for certain, all that lies below it.
    #[must_use]
    pub fn covers_tree(&self, folder: &Path, base: &Path) -> bool {
        let whole = match self.kind {
            PathKind::Under | PathKind::Glob { folder: Some(_), .. } => true,
            PathKind::Exact | PathKind::Glob { folder: None, .. } => false,
        };
        whole && self.reaches(folder, base)
    }

    /// The glob that means the same from the root of the file system, and what lies below an exact place
    /// too, as [`Self::reaches`] does; `None`: `base` is no UTF-8.
    #[must_use]
    pub fn from_root(&self, base: &Path) -> Option<String> {
        let mut text = match self.text.as_str() {
            text if self.is_absolute() => text.trim_end_matches('/').to_owned(),
            "." => escaped(base.to_str()?.trim_end_matches('/')),
            text => format!("{}/{text}", escaped(base.to_str()?.trim_end_matches('/'))),
        };
        if self.is_exact() {
            text.push_str("/**");
        }
        Some(text)
    }

    /// The place, if it is no glob.
    pub(in crate::authority::rules) fn is_exact(&self) -> bool {
        matches!(self.kind, PathKind::Exact)
    }

    /// The folders before the first part with a glob.
    pub(in crate::authority::rules) fn literal(&self) -> &Path {
        &self.literal
    }

    /// Whether it matches a path that is seen from where it is meant, or a folder of that if it is exact.
    fn holds(&self, path: &Path) -> bool {
        match &self.kind {
            PathKind::Exact | PathKind::Under => is_in(path, &self.literal),
            PathKind::Glob { whole, folder } => {
                whole.is_match(path) || folder.as_ref().is_some_and(|folder| folder.is_match(path))
            }
        }
    }

    fn seen_from<'p>(&self, absolute: &'p Path, base: &Path) -> Option<&'p Path> {
        if self.is_absolute() { Some(absolute) } else { below(absolute, base) }
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PathPattern").field(&self.text).finish()
    }
}

/// As [`Path::starts_with`], but fast where nearly all paths differ: at their first byte.
fn is_in(path: &Path, folder: &Path) -> bool {
    let first = |path: &Path| path.as_os_str().as_encoded_bytes().first().copied();
    folder.as_os_str().is_empty() || (first(path) == first(folder) && path.starts_with(folder))
}

/// As [`Path::strip_prefix`], but fast where the text alone tells: every word of a line comes here.
fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    let texts = path.to_str().zip(folder.to_str());
    let rest = texts.and_then(|(path, folder)| path.strip_prefix(folder)?.strip_prefix('/'));
    let is_plain = |rest: &&str| !rest.starts_with(['.', '/']);
    rest.filter(is_plain).map(Path::new).or_else(|| path.strip_prefix(folder).ok())
}

/// Without empty parts and `.`, which no path has; a slash at the end means what is below.
fn normalised(text: &str) -> String {
    let parts: Vec<&str> =
        text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let slash = root(text);
    let below = if text.ends_with('/') { ["**"].as_slice() } else { &[] };
    format!("{slash}{}", [parts.as_slice(), below].concat().join("/"))
}

fn root(text: &str) -> &'static str {
    if text.starts_with('/') { "/" } else { "" }
}

/// The text that a pattern without globs means.
fn unescaped(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next()?),
            c if META.contains(&c) => return None,
            c => text.push(c),
        }
    }
    Some(text)
}

/// The pattern that means this text.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\\' || META.contains(&c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// The parts before the first one with a glob.
fn leading(pattern: &str) -> String {
    let parts: Vec<String> = pattern.split('/').map_while(unescaped).collect();
    let joined = parts.join("/");
    if joined.is_empty() { root(pattern).to_owned() } else { joined }
}
