//! [`Withheld`]: places of a tree that a call passes over, because its grant withholds them.
//!
//! Invariants: what cannot be read withholds everything (test `what_cannot_be_read_withholds_everything`);
//! names are folded as the kernel folds them (test `names_are_folded_as_the_kernel_folds_them`).
//!
//! Not here: which places those are; the gate says that with each grant.

mod beginning;
mod fold;
#[cfg(test)]
mod tests;

use std::{
    ffi::OsStr,
    path::{Component, Path},
};

use globset::{Glob, GlobBuilder, GlobSet};

pub use beginning::Beginning;
use fold::fold;

/// Places that a call passes over, each with all below it.
#[derive(Clone, Debug, Default)]
pub struct Withheld {
    globs: GlobSet,
    names: Vec<Names>,
    /// A pattern could not be read.
    everything: bool,
    /// The patterns as they came: globs and names.
    texts: (Vec<String>, Vec<String>),
}

/// They say the same in the same words.
impl PartialEq for Withheld {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Eq for Withheld {}

/// The last names of a place.
#[derive(Clone, Debug)]
struct Names {
    last: Name,
    /// The others, from the last on.
    before: Vec<Name>,
    from_root: bool,
}

/// One name, or all that begin and end so.
#[derive(Clone, Debug, Default)]
struct Name {
    begin: String,
    end: Option<String>,
}

impl Withheld {
    /// Of patterns as a grant has them: absolute globs, and names at any depth. One that cannot be read
    /// withholds everything.
    #[must_use]
    pub fn new(globs: &[String], names: &[String]) -> Self {
        let texts = (globs.to_vec(), names.to_vec());
        match compiled(globs) {
            Ok(globs) => {
                let names = names.iter().map(|text| Names::new(text)).collect();
                Self { globs, names, everything: false, texts }
            }
            Err(_) => Self { everything: true, texts, ..Self::default() },
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

    /// Where the places are that are said from the root of the file system, each once.
    #[must_use]
    pub fn beginnings(&self) -> Vec<Beginning> {
        let (globs, names) = &self.texts;
        let globs = globs.iter().filter_map(|text| Beginning::of_glob(text));
        let names = names.iter().filter_map(|text| Beginning::of_name(text));
        let mut all: Vec<_> = globs.chain(names).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a folder at this path, or one below it, may hold a place by the names of both, as `.ssh` does
    /// for `.ssh/id_*`. For walks that follow few folders and links; globs are not looked at.
    #[must_use]
    pub fn leads(&self, folder: &Path) -> bool {
        let Some(name) = folder.file_name().map(OsStr::to_string_lossy) else { return false };
        let name = fold(&name);
        self.everything || self.names.iter().any(|it| it.before.iter().any(|part| part.is(&name)))
    }

    fn is_named(&self, absolute: &Path) -> bool {
        let Some(last) = absolute.file_name().map(OsStr::to_string_lossy) else { return false };
        let last = fold(&last);
        let mut ending_so = self.names.iter().filter(|pattern| pattern.last.is(&last));
        ending_so.any(|pattern| pattern.leads_to(absolute))
    }
}

impl Names {
    fn new(text: &str) -> Self {
        let rest = text.strip_prefix('/');
        let names = rest.unwrap_or(text);
        let mut names = names.strip_suffix("/**").unwrap_or(names).rsplit('/').map(Name::new);
        let last = names.next().unwrap_or_default();
        Self { last, before: names.collect(), from_root: rest.is_some() }
    }

    /// Whether the names before a place's last one are those that the pattern has.
    fn leads_to(&self, place: &Path) -> bool {
        let mut names = place.components().rev().skip(1).filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            Component::RootDir
            | Component::CurDir
            | Component::ParentDir
            | Component::Prefix(_) => None,
        });
        let mut before = self.before.iter();
        let alike = before.all(|pattern| names.next().is_some_and(|name| pattern.is(&fold(&name))));
        alike && (!self.from_root || names.next().is_none())
    }
}

impl Name {
    fn new(text: &str) -> Self {
        let (begin, end) =
            text.split_once('*').map_or((text, None), |(begin, end)| (begin, Some(end)));
        Self { begin: begin.to_owned(), end: end.map(str::to_owned) }
    }

    /// Whether it is this folded name.
    fn is(&self, name: &str) -> bool {
        match &self.end {
            None => self.begin == name,
            Some(end) => {
                name.len() >= self.begin.len() + end.len()
                    && name.starts_with(&self.begin)
                    && name.ends_with(end)
            }
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
