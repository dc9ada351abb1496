//! What was not looked at, in words for results and receipts.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::limits::{
    GIT_REPOSITORIES_MAX, PLACES_COVERED_MAX, PLACES_ENTRIES_MAX, PLACES_FOLDERS_MAX,
    PLACES_FOUND_MAX, PLACES_HOME_ENTRIES_MAX, PLACES_TOLD_MAX,
};

/// Why something is not covered.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Gap {
    /// From there on, there were too many folders.
    Folders,
    /// A folder with too many entries.
    Entries,
    /// Home has too many.
    HomeEntries,
    /// Something is mounted there.
    OtherFileSystem,
    /// It cannot be read; it is covered whole.
    Unread,
    /// Too many places.
    Found,
    /// Too many places to cover.
    Covered,
    /// A link whose target holds what the command needs.
    WideLink,
    /// A closed file has names that were not found.
    OtherNames,
    /// Too many repositories.
    Repositories,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps(BTreeMap<Gap, BTreeSet<PathBuf>>);

impl Gaps {
    pub(super) fn add(&mut self, gap: Gap, place: &Path) {
        let places = self.0.entry(gap).or_default();
        if places.len() < PLACES_FOUND_MAX {
            places.insert(place.to_owned());
        }
    }

    pub(super) fn of(&self, gap: Gap) -> impl Iterator<Item = &PathBuf> {
        self.0.get(&gap).into_iter().flatten()
    }

    /// One sentence of each kind.
    pub(super) fn told(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(gap, places)| sentence(*gap, &listed(places)))
    }
}

fn sentence(gap: Gap, places: &str) -> String {
    match gap {
        Gap::Folders => format!(
            "some places are not held: there are more than {PLACES_FOLDERS_MAX} folders, or too many outside \
             of the workspace, and those from {places} on were not looked at"
        ),
        Gap::Entries => format!(
            "places in {places} may not be held: only {PLACES_ENTRIES_MAX} entries were looked at"
        ),
        Gap::HomeEntries => format!(
            "some places of the home folder are not held: it has more than {PLACES_HOME_ENTRIES_MAX} entries, \
             and those from {places} on were not looked at"
        ),
        Gap::OtherFileSystem => {
            format!("places below {places} are not held: another file system is mounted there")
        }
        Gap::Unread => format!("{places} cannot be looked into, and so is closed"),
        Gap::Found => {
            format!("some places are not held: there are more than {PLACES_FOUND_MAX}, as {places}")
        }
        Gap::Covered => format!(
            "some places are not held: there are more than {PLACES_COVERED_MAX} of a kind, as {places}"
        ),
        Gap::WideLink => format!(
            "what the link {places} leads to is not held: the command could not run without it"
        ),
        Gap::OtherNames => format!(
            "{places} is closed, and has further names (hard links) that were not found: it can be read by them"
        ),
        Gap::Repositories => format!(
            "git's objects are not closed in {places}: only {GIT_REPOSITORIES_MAX} repositories were looked at"
        ),
    }
}

/// The first places, and how many more there are.
pub(super) fn listed<'a>(places: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let mut places = places.into_iter();
    let first: Vec<_> = places.by_ref().take(PLACES_TOLD_MAX).map(|it| shown(it)).collect();
    match places.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// A path for people: names are whatever a program made them.
pub(super) fn shown(place: &Path) -> String {
    let text = place.to_string_lossy();
    let length = text.chars().count();
    let cut = length.saturating_sub(PLACE_CHARS_MAX);
    let mark = if cut > 0 { "…" } else { "" };
    let visible = text.chars().skip(cut).map(|c| if c.is_control() { '\u{fffd}' } else { c });
    mark.chars().chain(visible).collect()
}

/// Characters of a path that are told, from its end.
const PLACE_CHARS_MAX: usize = 200;
