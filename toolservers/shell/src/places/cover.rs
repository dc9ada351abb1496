//! From what a walk found to what is covered: real paths that exist, none in another.
//!
//! | of | is covered |
//! |---|---|
//! | a file or folder | it |
//! | a folder of which something is open to the call | what else is in it |
//! | a symbolic link | what it leads to; the link itself no cover holds, `caught` looks at it |
//! | a file | also its other names |
//! | a closed place that was moved away | where it is now |
//!
//! Invariants: what is open to the call is covered by nothing (test `what_is_open_is_not_covered`); what a
//! command cannot run without is not covered because a link leads there (test
//! `links_cover_what_they_lead_to`).

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use tollgate_sdk::Withheld;

use super::{
    Ground,
    entry::{Entry, Identity, open_folder, real},
    folder::names_in,
    gaps::{Gap, Gaps},
    limits::{PLACES_COVERED_MAX, PLACES_SPLIT_MAX},
    walk::{Match, Memory, SYSTEM, Survey},
};

#[cfg(test)]
mod tests;

/// A closed place that was moved away.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    pub(super) identity: Identity,
    /// For as long as one of these is closed: where it was, or what git holds of it.
    pub(super) because: Vec<PathBuf>,
}

/// A place as it was found.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) real: PathBuf,
    pub(super) identity: Identity,
    /// The link by which it is there.
    pub(super) by: Option<PathBuf>,
}

/// What is covered, and what is known of it.
#[derive(Debug, Default)]
pub(super) struct Covers {
    pub(super) closed: BTreeSet<PathBuf>,
    pub(super) held: BTreeSet<PathBuf>,
    /// Held places as the patterns mean them.
    pub(super) held_places: BTreeMap<PathBuf, Known>,
    /// Closed ones, with what [`Moved`] says of them.
    pub(super) closed_places: BTreeMap<PathBuf, (Known, Vec<PathBuf>)>,
    pub(super) gaps: Gaps,
}

/// What a call may use though it is held or closed.
#[derive(Debug)]
pub(super) struct Opened(Vec<PathBuf>);

impl Opened {
    /// As named, and without links.
    pub(super) fn new(ground: &Ground<'_>) -> Self {
        let named = &ground.scope.opened;
        let reals = named.iter().filter_map(|place| {
            let folder = real(place.parent()?)?;
            Some(folder.join(place.file_name()?))
        });
        let targets = named.iter().filter_map(|place| real(place));
        Self(named.iter().cloned().chain(reals).chain(targets).collect())
    }

    pub(super) fn has(&self, place: &Path) -> bool {
        self.0.iter().any(|it| place.starts_with(it))
    }

    /// Whether a place is closed to the call, there or not.
    pub(super) fn is_closed(&self, closed: &Withheld, place: &Path) -> bool {
        place.ancestors().any(|it| closed.holds(it)) && !self.has(place)
    }

    fn has_below(&self, place: &Path) -> bool {
        self.0.iter().any(|it| it.starts_with(place) && it != place)
    }
}

/// Makes covers of what a walk found.
#[derive(Debug)]
pub(super) struct Maker<'a> {
    ground: &'a Ground<'a>,
    opened: Opened,
    /// What a command needs: the roots, the working directory, home.
    needed: Vec<PathBuf>,
    covers: Covers,
}

impl<'a> Maker<'a> {
    pub(super) fn new(ground: &'a Ground<'a>, roots: &[PathBuf]) -> Self {
        let also = [Some(ground.cwd), ground.home].into_iter().flatten().filter_map(real);
        let needed = roots.iter().cloned().chain(also).collect();
        Self { ground, opened: Opened::new(ground), needed, covers: Covers::default() }
    }

    /// All covers.
    pub(super) fn of(mut self, survey: &Survey, memory: &Memory, moved: &[Moved]) -> Covers {
        self.covers.gaps = survey.gaps.clone();
        for found in &survey.matches {
            for piece in self.without_opened(found.clone()) {
                self.cover(&piece);
            }
        }
        self.other_names(memory, moved);
        let Covers { closed, held, gaps, .. } = &mut self.covers;
        *closed = outermost(closed, gaps);
        held.retain(|place| !place.ancestors().any(|it| closed.contains(it)));
        *held = outermost(held, gaps);
        self.covers
    }

    /// A match, or the parts of it that are not open.
    fn without_opened(&mut self, found: Match) -> Vec<Match> {
        let is = |test: &dyn Fn(&Path) -> bool| test(&found.place) || test(&found.real);
        if is(&|it| self.opened.has(it)) {
            return Vec::new();
        }
        if !is(&|it| self.opened.has_below(it)) {
            return vec![found];
        }
        let names = open_folder(&found.real).and_then(|it| names_in(&it, PLACES_SPLIT_MAX));
        let Ok((names, true)) = names else { return vec![found] };
        let parts = names.into_iter().map(|name| Match {
            place: found.place.join(&name),
            real: found.real.join(&name),
            ..found.clone()
        });
        parts.collect::<Vec<_>>().into_iter().flat_map(|part| self.without_opened(part)).collect()
    }

    fn cover(&mut self, found: &Match) {
        let Ok(entry) = Entry::of(&found.real) else { return };
        let known =
            Known { real: found.real.clone(), identity: entry.identity, by: found.by.clone() };
        if found.what.held && !found.unread {
            self.covers.held_places.insert(found.place.clone(), known.clone());
        }
        if found.what.closed && !found.unread {
            let because = vec![found.place.clone()];
            self.covers.closed_places.insert(found.place.clone(), (known, because));
        }
        let Some(covered) = self.covered(found, &entry) else { return };
        if found.what.held {
            self.covers.held.insert(covered.clone());
        }
        if found.what.closed {
            self.covers.closed.insert(covered);
        }
    }

    /// What is covered for one entry.
    fn covered(&mut self, found: &Match, entry: &Entry) -> Option<PathBuf> {
        if entry.is_folder() || entry.is_file() {
            return Some(found.real.clone());
        }
        if !entry.is_link() {
            // Devices, sockets and pipes hold nothing.
            return None;
        }
        // One that leads to nothing shows nothing, and what is made there shows afterwards.
        let target = real(&found.real)?;
        let holds = Entry::of(&target).is_ok_and(|entry| entry.is_folder() || entry.is_file());
        if !holds || self.opened.has(&target) {
            return None;
        }
        let is_needed = self.needed.iter().any(|it| it.starts_with(&target));
        let is_of_system =
            target.parent().is_none() || SYSTEM.iter().any(|it| target.starts_with(it));
        if !is_needed && !is_of_system {
            return Some(target);
        }
        // The system's own nobody can change.
        if is_needed || found.what.closed {
            self.covers.gaps.add(Gap::WideLink, &found.place);
        }
        None
    }

    /// Covers the other names of covered files, and what was closed and is elsewhere now.
    fn other_names(&mut self, memory: &Memory, moved: &[Moved]) {
        let closed = &self.ground.scope.withheld;
        let still = |it: &&Moved| it.because.iter().any(|it| self.opened.is_closed(closed, it));
        let mut wanted: Vec<Identity> = moved.iter().filter(still).map(|it| it.identity).collect();
        let (moved, linked) = (wanted.len(), linked(&self.covers.closed));
        let closed = moved + linked.len();
        wanted.extend(linked.iter().map(|(_, entry)| entry.identity));
        wanted.extend(self::linked(&self.covers.held).iter().map(|(_, entry)| entry.identity));
        if wanted.is_empty() {
            return;
        }
        // Of one identity the first counts for all, and a closed one comes before a held one.
        let mut names: BTreeMap<usize, BTreeSet<PathBuf>> = BTreeMap::new();
        for (which, name) in memory.names_of(&wanted) {
            names.entry(which).or_default().insert(name);
        }
        for (place, entry) in linked {
            let first = wanted.iter().position(|it| *it == entry.identity).unwrap_or_default();
            let mut known = names.get(&first).cloned().unwrap_or_default();
            known.insert(place.clone());
            if known.len() < usize::try_from(entry.links).unwrap_or(usize::MAX) {
                self.covers.gaps.add(Gap::OtherNames, &place);
            }
        }
        for (which, names) in names {
            let covered =
                if which < closed { &mut self.covers.closed } else { &mut self.covers.held };
            covered.extend(names.into_iter().filter(|name| !self.opened.has(name)));
        }
    }
}

/// The files among these that have several names, as many as are covered.
fn linked(places: &BTreeSet<PathBuf>) -> Vec<(PathBuf, Entry)> {
    let entries = places.iter().filter_map(|it| Some((it.clone(), Entry::of(it).ok()?)));
    let linked = entries.filter(|(_, entry)| entry.is_file() && entry.links > 1);
    linked.take(PLACES_COVERED_MAX).collect()
}

/// Those that lie in no other, at most as many as are covered.
fn outermost(places: &BTreeSet<PathBuf>, gaps: &mut Gaps) -> BTreeSet<PathBuf> {
    let is_outer = |place: &&PathBuf| !place.ancestors().skip(1).any(|it| places.contains(it));
    let mut outer = BTreeSet::new();
    for place in places.iter().filter(is_outer) {
        if outer.len() < PLACES_COVERED_MAX {
            outer.insert(place.clone());
        } else {
            gaps.add(Gap::Covered, place);
        }
    }
    outer
}
