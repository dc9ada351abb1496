//! Which existing places a command must not read or change by path, and what it made in those that it must
//! not change and that did not exist (`[GATE-30, 70]`, `[THR-05]`; FS-05 to FS-09, SH-14, SH-17, GT-05).
//!
//! ```text
//! before:  starts ─► walk (remembers folders) ─► cover (links, hard links, what is open) + git ─► Found
//! after:   the same again ─► caught (what is new; fresh: but for git's own) ─► aside (quarantine)
//! ```
//!
//! Invariants: what is not covered, and could have been meant, is told ([`Found::notes`]); a place that was
//! once closed stays closed when a command moves it (test `what_was_moved_away_stays_closed`).
//!
//! Not here: covering the places (the launcher's mounts), which patterns hold (the grant).

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tollgate_sdk::{Scope, Withheld};

use limits::{GIT_REPOSITORIES_MAX, PLACES_MOVED_MAX, PLACES_SETS_MAX};

mod aside;
mod caught;
mod cover;
mod entry;
mod folder;
mod fresh;
mod gaps;
mod git;
mod index;
mod limits;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use caught::{Caught, Then};
use cover::{Covers, Known, Maker, Moved, Opened};
use entry::{Entry, Identity, real};
use folder::What;
use gaps::{Gap, Gaps};
use git::{Closing, Indexes, Remembered};
use walk::{Extent, Memory, Walk};

/// Where a command runs, and what its grant says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    /// What its grant says.
    pub(crate) scope: &'a Scope,
    /// Folders that are looked through beside the read and write roots of the scope: those of the session,
    /// and what else the command may change.
    pub(crate) roots: &'a [PathBuf],
    /// The user's home.
    pub(crate) home: Option<&'a Path>,
    /// The working directory.
    pub(crate) cwd: &'a Path,
}

/// What was found for one command.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Existing files and folders that it cannot read, without links, none in another.
    pub(crate) masked: Vec<PathBuf>,
    /// Existing files and folders that it cannot change, likewise, none in one that it cannot read.
    pub(crate) held: Vec<PathBuf>,
    /// Sentences for the result and the receipt: what is not covered, and what else a person must know.
    pub(crate) notes: Vec<String>,
    /// The same of git, for commands that use it.
    pub(crate) git: Vec<String>,
    held_places: BTreeMap<PathBuf, Known>,
    closed_places: BTreeMap<PathBuf, (Known, Vec<PathBuf>)>,
    links: BTreeMap<PathBuf, Identity>,
    gaps: Gaps,
}

/// Looks for places; one for a server, which remembers the folders.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The newest first.
    sets: Vec<Set>,
    moved: VecDeque<Moved>,
    tracked: Remembered,
}

/// What is remembered for one set of patterns.
#[derive(Debug)]
struct Set {
    closed: Withheld,
    held: Withheld,
    memory: Memory,
    indexes: Indexes,
}

impl Watch {
    /// What a command cannot read or change. Blocking: some milliseconds, the first time more.
    pub(crate) fn look(&self, ground: &Ground<'_>) -> Found {
        self.state().look(ground)
    }

    /// What a command on this ground that had `before` made in held places since. Blocking. Of a command that
    /// goes on in the background it is asked again later, with the same `before`, from which what was told is
    /// taken out.
    pub(crate) fn after(
        &self,
        ground: &Ground<'_>,
        before: &mut Found,
        then: Then<'_>,
    ) -> Vec<Caught> {
        let mut state = self.state();
        let now = state.look(ground);
        let mut caught = caught::catch(before, &now, then);
        caught.extend(state.follow(before, &now));
        caught
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn look(&mut self, ground: &Ground<'_>) -> Found {
        let (closed, held) = (&ground.scope.withheld, &ground.scope.held);
        if closed.is_empty() && held.is_empty() {
            return Found::default();
        }
        let mut set = self.set(closed, held);
        let roots = roots(ground);
        let mut walk = Walk::new(&mut set.memory, closed, held);
        walk.through(&roots, Extent::Root);
        if !closed.is_empty() {
            let home: Vec<_> = ground.home.and_then(real).into_iter().collect();
            walk.through(&home, Extent::Home);
        }
        beginnings(&mut walk, ground, &roots);
        let survey = walk.finish();
        let moved: Vec<_> = self.moved.iter().cloned().collect();
        let mut covers = Maker::new(ground, &roots).of(&survey, &set.memory, &moved);
        let notes = self.close_git(ground, &survey.repositories, &mut set.indexes, &mut covers);
        self.sets.insert(0, set);
        self.sets.truncate(PLACES_SETS_MAX);
        Found {
            notes: covers.gaps.told().collect(),
            git: notes,
            masked: covers.closed.into_iter().collect(),
            held: covers.held.into_iter().collect(),
            held_places: covers.held_places,
            closed_places: covers.closed_places,
            links: survey.links,
            gaps: covers.gaps,
        }
    }

    /// What is remembered for these patterns, taken out.
    fn set(&mut self, closed: &Withheld, held: &Withheld) -> Set {
        let known = self.sets.iter().position(|set| set.closed == *closed && set.held == *held);
        known.map(|number| self.sets.remove(number)).unwrap_or_else(|| Set {
            closed: closed.clone(),
            held: held.clone(),
            memory: Memory::default(),
            indexes: Indexes::default(),
        })
    }

    /// Closes the objects of repositories that track a closed place.
    fn close_git(
        &mut self,
        ground: &Ground<'_>,
        below: &[PathBuf],
        indexes: &mut Indexes,
        covers: &mut Covers,
    ) -> Vec<String> {
        if ground.scope.withheld.is_empty() {
            return Vec::new();
        }
        let cwd = real(ground.cwd);
        let above = cwd.iter().flat_map(|it| it.ancestors()).map(Path::to_owned);
        let mut trees: Vec<_> =
            above.filter(|it| it.join(".git").symlink_metadata().is_ok()).collect();
        trees.extend_from_slice(below);
        if let Some(tree) = trees.get(GIT_REPOSITORIES_MAX) {
            covers.gaps.add(Gap::Repositories, tree);
        }
        let found: Vec<_> = covers.closed.iter().map(PathBuf::as_path).collect();
        let opened = Opened::new(ground);
        let closing = Closing { closed: &ground.scope.withheld, opened: &opened, found: &found };
        let mut notes = Vec::new();
        for it in closing.of(&trees, indexes, &mut self.tracked) {
            for folder in it.objects {
                let Ok(entry) = Entry::of(&folder) else { continue };
                let known = Known { real: folder.clone(), identity: entry.identity, by: None };
                covers.closed_places.insert(folder.clone(), (known, it.because.clone()));
                covers.closed.insert(folder);
            }
            notes.push(it.note);
        }
        notes
    }

    /// Remembers closed places that are no longer where they were.
    fn follow(&mut self, before: &Found, now: &Found) -> Vec<Caught> {
        let mut caught = Vec::new();
        for (place, (known, because)) in &before.closed_places {
            let is_it = |it: &Identity| *it == known.identity;
            let is_closed = now.closed_places.values().any(|(it, _)| is_it(&it.identity));
            let is_there = Entry::of(&known.real).is_ok_and(|it| is_it(&it.identity));
            if is_closed || is_there || self.moved.iter().any(|it| is_it(&it.identity)) {
                continue;
            }
            if self.moved.len() >= PLACES_MOVED_MAX {
                self.moved.pop_front();
            }
            self.moved.push_back(Moved { identity: known.identity, because: because.clone() });
            caught.push(Caught::told(
                place,
                "was closed by a rule, and is gone: if it was moved inside the workspace, it stays closed there",
            ));
        }
        caught
    }
}

/// The roots without links, none in another.
fn roots(ground: &Ground<'_>) -> Vec<PathBuf> {
    let scope = ground.scope;
    let all = ground.roots.iter().chain(&scope.write_roots).chain(&scope.read_roots);
    let mut all: Vec<_> = all.filter_map(|it| real(it)).filter(|it| it.is_dir()).collect();
    all.sort_unstable();
    all.dedup();
    let is_outer = |it: &&PathBuf| !all.iter().any(|other| other != *it && it.starts_with(other));
    all.iter().filter(is_outer).cloned().collect()
}

/// Places that are said from the root of the file system.
fn beginnings(walk: &mut Walk<'_>, ground: &Ground<'_>, roots: &[PathBuf]) {
    let is_inside = |place: &Path| roots.iter().any(|root| place.starts_with(root));
    let mut folders = Vec::new();
    for it in ground.scope.withheld.beginnings() {
        if it.whole {
            walk.place(&it.place, What { closed: true, held: false });
        } else if let Some(folder) =
            real(&it.place).filter(|it| !is_inside(it) && !is_of_system(it))
        {
            folders.push(folder);
        }
    }
    folders.sort_unstable();
    folders.dedup();
    walk.through(&folders, Extent::Outside);
    for it in ground.scope.held.beginnings() {
        if it.whole && is_inside(&it.place) {
            walk.place(&it.place, What { closed: false, held: true });
        }
    }
}

fn is_of_system(place: &Path) -> bool {
    walk::SYSTEM.iter().any(|it| place.starts_with(it))
}
