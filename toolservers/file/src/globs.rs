//! Patterns of file names, compiled once, with faults that say what helps.
//!
//! | pattern        | matches                                             |
//! |----------------|-----------------------------------------------------|
//! | without `/`    | the name, at any depth                              |
//! | with `/`       | the path from the directory that is searched        |
//! | ends with `/`  | directories                                         |
//!
//! `*` and `?` do not match `/`, `**` does; `{a,b}` and `[a-z]` as usual.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
    overrides::{Override, OverrideBuilder},
};

use crate::{
    failed::{Class, Failed},
    limits::{GLOB_BYTES_MAX, GLOBS_MAX},
    roots::shown,
};

/// One pattern of `find`.
#[derive(Debug)]
pub(crate) struct Glob {
    matcher: GlobMatcher,
    by_name: bool,
    /// Whether directories are meant, else everything but them.
    pub(crate) of_directories: bool,
}

impl Glob {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// `invalid_pattern`.
    pub(crate) fn new(pattern: &str) -> Result<Self, Failed> {
        let plain = pattern.strip_prefix("./").unwrap_or(pattern);
        let (plain, of_directories) = match plain.strip_suffix('/') {
            Some(plain) => (plain, true),
            None => (plain, false),
        };
        bounded(pattern)?;
        if plain.is_empty() {
            return Err(invalid(pattern, "it is empty; `*` matches every name"));
        }
        if plain.starts_with('/') || plain.split('/').any(|part| part == "..") {
            let why = "it must be relative; give the directory as `path`";
            return Err(invalid(pattern, why));
        }
        let glob = GlobBuilder::new(plain).literal_separator(true).build();
        let matcher = glob.map_err(|error| fault(pattern, error.kind()))?.compile_matcher();
        Ok(Self { matcher, by_name: !plain.contains('/'), of_directories })
    }

    /// Whether a path, from the directory that is searched, matches.
    pub(crate) fn matches(&self, path: &Path) -> bool {
        let name = path.file_name().map_or(path, Path::new);
        self.matcher.is_match(if self.by_name { name } else { path })
    }
}

/// What the caller wants left out, as lines of a `.gitignore`.
#[derive(Debug)]
pub(crate) struct LeftOut(Gitignore);

impl LeftOut {
    /// Compiles the patterns; paths are from the directory that is searched.
    ///
    /// # Errors
    /// `invalid_pattern`.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, Failed> {
        few(patterns)?;
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(false);
        for pattern in patterns {
            bounded(pattern)?;
            builder.add_line(None, pattern).map_err(|error| broken(pattern, &error))?;
        }
        let globs = builder.build().map_err(|error| broken(&patterns.join(" "), &error))?;
        Ok(Self(globs))
    }

    /// Whether a path is to be left out.
    pub(crate) fn has(&self, path: &Path, is_directory: bool) -> bool {
        matches!(self.0.matched(path, is_directory), Match::Ignore(_))
    }
}

/// Which files are wanted: those of any pattern without `!`, but those of none with it.
#[derive(Debug)]
pub(crate) struct Wanted(Override);

impl Wanted {
    /// Compiles the patterns; none means every file.
    ///
    /// # Errors
    /// `invalid_pattern`.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, Failed> {
        few(patterns)?;
        let mut builder = OverrideBuilder::new("");
        builder.allow_unclosed_class(false);
        for pattern in patterns {
            bounded(pattern)?;
            builder.add(pattern).map_err(|error| broken(pattern, &error))?;
        }
        let globs = builder.build().map_err(|error| broken(&patterns.join(" "), &error))?;
        Ok(Self(globs))
    }

    /// Whether a file is wanted, or a directory worth entering.
    pub(crate) fn has(&self, path: &Path, is_directory: bool) -> bool {
        !matches!(self.0.matched(path, is_directory), Match::Ignore(_))
    }
}

fn few(patterns: &[String]) -> Result<(), Failed> {
    if patterns.len() <= GLOBS_MAX {
        return Ok(());
    }
    let message = format!("{} globs are too many; give at most {GLOBS_MAX}", patterns.len());
    Err(Failed::new(Class::InvalidPattern, message))
}

fn bounded(pattern: &str) -> Result<(), Failed> {
    if pattern.len() <= GLOB_BYTES_MAX {
        return Ok(());
    }
    let why = format!("it has {} bytes; at most {GLOB_BYTES_MAX} are taken", pattern.len());
    Err(invalid(pattern, &why))
}

fn broken(pattern: &str, error: &ignore::Error) -> Failed {
    if let ignore::Error::Glob { err, .. } = error {
        fault(pattern, err)
    } else {
        fault(pattern, error)
    }
}

fn fault(pattern: &str, why: impl std::fmt::Display) -> Failed {
    invalid(pattern, &format!("{why}. Put a character that is meant as it is in brackets: [{{]"))
}

fn invalid(pattern: &str, why: &str) -> Failed {
    let message = format!("\"{}\" is not a glob: {why}", shown(pattern));
    Failed::new(Class::InvalidPattern, message)
}

#[cfg(test)]
mod tests;
