//! What a command made in held places: what is there now and was not before, put aside.
//!
//! No mount covers what does not exist, and none keeps a folder above from being renamed; so after a command
//! the places are looked at again.
//!
//! | now | then |
//! |---|---|
//! | a held place that was not there, or is another than before | put aside, but for git's own of a new repository |
//! | the same behind a link that is new | the link is put aside |
//! | a held place that is gone | told |
//! | a closed place that is elsewhere | told; it stays closed there |
//! | a folder that cannot be looked into since | told |
//!
//! Invariant: what is put aside is what now has the name, whoever made it and whatever it was when it was
//! found.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use rustix::fs::FileType;

use super::{
    Found,
    aside::{self, Put},
    cover::Known,
    entry::{Entry, is_nothing},
    fresh,
    gaps::{Gap, shown},
};

/// Something that a command did to held places.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Caught {
    /// Where.
    pub(crate) place: PathBuf,
    /// What, as the end of a sentence: "is a new file".
    pub(crate) what: String,
    /// Where it is now, if it was put aside.
    pub(crate) moved_to: Option<PathBuf>,
}

impl Caught {
    pub(super) fn told(place: &Path, what: impl Into<String>) -> Self {
        Self { place: place.to_owned(), what: what.into(), moved_to: None }
    }

    /// One sentence, for the result and the receipt.
    pub(crate) fn sentence(&self) -> String {
        let (place, what) = (shown(&self.place), &self.what);
        match &self.moved_to {
            Some(moved) => format!(
                "{place} {what} in a place that programs and agents act on, which this command had no leave to \
                 make; it was put aside, to {}",
                shown(moved)
            ),
            None => format!("{place} {what}"),
        }
    }
}

/// What is done with what was caught.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Then<'a> {
    /// It is put aside, into this folder, or beside without one.
    Aside(Option<&'a Path>),
    /// It is only told: others may have made it, and been allowed to.
    Tell,
}

/// Compares, and puts aside what is new, or only tells it. What was told is taken out of `before`.
pub(super) fn catch(before: &mut Found, now: &Found, then: Then<'_>) -> Vec<Caught> {
    let mut caught = Vec::new();
    let mut put: BTreeSet<PathBuf> = BTreeSet::new();
    for (place, known) in &now.held_places {
        let earlier = before.held_places.get(place);
        let is_as_before = earlier.is_some_and(|it| it.identity == known.identity);
        if is_as_before || fresh::is_harmless(&known.real) {
            continue;
        }
        let (place, known) = by_new_link(before, now, known).unwrap_or((place, known.clone()));
        if known.real.ancestors().any(|it| put.contains(it)) {
            continue;
        }
        let what = named(known.identity.kind, earlier.is_some());
        put.insert(known.real.clone());
        let Then::Aside(to) = then else {
            let what = format!(
                "{what} in a place that programs and agents act on, made while a command goes on in the \
                 background; remove it unless it is wanted"
            );
            caught.push(Caught::told(place, what));
            continue;
        };
        let it = Put { real: &known.real, place, what: &what };
        caught.extend(match aside::put(it, to) {
            Ok(Some(moved)) => Some(Caught { moved_to: Some(moved), ..Caught::told(place, what) }),
            // Whatever it was, it is no more.
            Ok(None) => None,
            Err(error) => {
                let what = format!(
                    "{what} in a place that programs and agents act on, and could not be put aside: {error}; \
                     remove it by hand"
                );
                Some(Caught::told(place, what))
            }
        });
    }
    before.held_places.retain(|_, known| !put.contains(&known.real));
    caught.extend(gone(before));
    caught.extend(unread(before, now));
    caught
}

/// The link that is put aside, if the place is there by one that is new.
fn by_new_link<'a>(
    before: &Found,
    now: &'a Found,
    known: &'a Known,
) -> Option<(&'a PathBuf, Known)> {
    let link = known.by.as_ref()?;
    let identity = *now.links.get(link)?;
    let is_new = before.links.get(link) != Some(&identity);
    is_new.then(|| (link, Known { real: link.clone(), identity, by: None }))
}

fn named(kind: FileType, was_there: bool) -> String {
    let kind = match kind {
        FileType::Directory => "folder",
        FileType::Symlink => "symbolic link",
        FileType::RegularFile => "file",
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => "special file",
    };
    if was_there { format!("is another {kind} than before") } else { format!("is a new {kind}") }
}

fn gone(before: &mut Found) -> Vec<Caught> {
    let is_gone = |place: &Path| Entry::of(place).is_err_and(|error| is_nothing(&error));
    let gone = before.held_places.extract_if(.., |place, _| is_gone(place));
    gone.map(|(place, _)| Caught::told(&place, "was held, and is gone: it was moved or removed"))
        .collect()
}

fn unread(before: &mut Found, now: &Found) -> Vec<Caught> {
    let earlier: BTreeSet<_> = before.gaps.of(Gap::Unread).cloned().collect();
    let mut caught = Vec::new();
    for place in now.gaps.of(Gap::Unread).filter(|place| !earlier.contains(*place)) {
        before.gaps.add(Gap::Unread, place);
        let what = "cannot be looked into since this command; it is closed to the next";
        caught.push(Caught::told(place, what));
    }
    caught
}
