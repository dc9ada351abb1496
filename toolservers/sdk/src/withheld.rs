//! [`Withheld`]: places of a tree that a call passes over, because its grant withholds them.
//!
//! Invariants: what cannot be read withholds everything (test `what_cannot_be_read_withholds_everything`);
//! names are folded as the kernel folds them (test `names_are_folded_as_the_kernel_folds_them`).
//!
//! Not here: which places those are; the gate says that with each grant.

mod fold;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, path::Path};

use globset::{Glob, GlobBuilder, GlobSet};

use fold::fold;

/// Places that a call passes over, each with all below it.
#[derive(Clone, Debug, Default)]
pub struct Withheld {
    globs: GlobSet,
    names: Vec<Names>,
    /// A pattern could not be read.
    everything: bool,
}

/// The last names of a place.
#[derive(Clone, Debug)]
struct Names {
    /// Each with one `*` at most.
    names: Vec<String>,
    from_root: bool,
}

impl Withheld {
    /// Of patterns as a grant has them: absolute globs, and names at any depth. One that cannot be read
    /// withholds everything.
    #[must_use]
    pub fn new(globs: &[String], names: &[String]) -> Self {
        match compiled(globs) {
            Ok(globs) => {
                let names = names.iter().map(|text| Names::new(text)).collect();
                Self { globs, names, everything: false }
            }
            Err(_) => Self { everything: true, ..Self::default() },
        }
    }

    /// Whether nothing is withheld.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty() && self.names.is_empty() && !self.everything
    }

    /// Whether the place at this absolute path, without links, is withheld. Then all below it is: a walk
    /// does not go into it. What only lies below such a place need not be told.
    #[must_use]
    pub fn holds(&self, absolute: &Path) -> bool {
        self.everything || self.globs.is_match(absolute) || self.is_named(absolute)
    }

    fn is_named(&self, absolute: &Path) -> bool {
        let names = || absolute.components().rev().map(|part| part.as_os_str().to_string_lossy());
        let Some(last) = names().next() else { return false };
        let last = fold(&last);
        let ends_so = |pattern: &&Names| pattern.names.last().is_some_and(|it| is_name(it, &last));
        self.names.iter().filter(ends_so).any(|pattern| {
            let mut place = names().take_while(|name| name != "/");
            let mut patterns = pattern.names.iter().rev();
            let alike = patterns.all(|pattern| {
                place.next().is_some_and(|name: Cow<'_, str>| is_name(pattern, &fold(&name)))
            });
            alike && (!pattern.from_root || place.next().is_none())
        })
    }
}

impl Names {
    fn new(text: &str) -> Self {
        let rest = text.strip_prefix('/');
        let names = rest.unwrap_or(text);
        let names = names.strip_suffix("/**").unwrap_or(names).split('/').map(str::to_owned);
        Self { names: names.collect(), from_root: rest.is_some() }
    }
}

/// Whether a folded name is what a pattern says: `x*y` by its beginning and end.
fn is_name(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
    }
}

/// The globs, and of each `dir/**` also `dir`.
fn compiled(texts: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSet::builder();
    for text in texts {
        set.add(glob(text)?);
        if let Some(folder) = text.strip_suffix("/**") {
            set.add(glob(if folder.is_empty() { "/" } else { folder })?);
        }
    }
    set.build()
}

fn glob(text: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build()
}
