//! The walk over folders: where places are that patterns say, with a memory of every folder.
//!
//! A folder whose times are as before is not read again, but looked at: making, renaming and removing an
//! entry changes them, and the change time cannot be set back. The uppermost folders come first, so that a
//! bound takes the lowest.
//!
//! | extent | goes into | looks for |
//! |---|---|---|
//! | [`Extent::Root`] | every folder, links to folders that lead to a place | closed, held |
//! | [`Extent::Home`] | what begins with a dot or leads to a place, some levels deep | closed |
//! | [`Extent::Outside`] | every folder but the system's, few | closed |
//!
//! Invariants: no link is followed but those that lead to a place, and these not far; a closed folder is one
//! place, and so is a held one but for what is closed in it; what was not looked at is told ([`Gap`]).
//!
//! Not here: what is done with the places (`cover`, `caught`).

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    ffi::{OsStr, OsString},
    io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use tollgate_sdk::Withheld;

use super::{
    entry::{Entry, Identity, is_nothing, real},
    folder::{Folder, Reading, What},
    gaps::{Gap, Gaps},
    limits::{
        PLACES_FOLDERS_MAX, PLACES_FOUND_MAX, PLACES_HOME_DEPTH, PLACES_HOME_ENTRIES_MAX,
        PLACES_LINKED_DEPTH, PLACES_OUTSIDE_FOLDERS_MAX, PLACES_REMEMBERED_MAX,
    },
};

/// Folders of the system's programs and devices: nobody keeps secrets there, and without them nothing runs.
pub(super) const SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/lib", "/lib32", "/lib64", "/nix", "/proc", "/run", "/sbin", "/snap",
    "/sys", "/usr",
];

/// What the walks with one set of patterns remember.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// By their paths, as bytes: a path's own hash takes it apart.
    folders: HashMap<OsString, Visited>,
    /// Number of the newest survey.
    survey: u64,
    /// Folders that were read since the beginning.
    #[cfg(test)]
    pub(super) reads: usize,
}

/// A folder that is remembered.
#[derive(Debug)]
struct Visited {
    folder: Folder,
    /// The last survey that came here, and from what.
    survey: u64,
    extent: Extent,
}

/// A place that a pattern says, and that exists.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// As the pattern means it.
    pub(super) place: PathBuf,
    /// The same without links before its last name.
    pub(super) real: PathBuf,
    pub(super) what: What,
    /// The link by which it is there.
    pub(super) by: Option<PathBuf>,
    /// It is none, but cannot be looked into.
    pub(super) unread: bool,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) matches: Vec<Match>,
    /// Folders with a `.git`.
    pub(super) repositories: Vec<PathBuf>,
    /// Links that were followed.
    pub(super) links: BTreeMap<PathBuf, Identity>,
    pub(super) gaps: Gaps,
}

/// Where a walk begins.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Extent {
    Root,
    Home,
    Outside,
}

/// A folder that is still to be looked at.
#[derive(Debug)]
struct Step {
    place: PathBuf,
    real: PathBuf,
    depth: usize,
    /// Of the first folder: there is no way into other file systems.
    device: Option<(u32, u32)>,
    in_held: bool,
    /// The link behind which it is, and how many levels are left there.
    by: Option<(PathBuf, usize)>,
}

/// One walk over what patterns say.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    memory: &'a mut Memory,
    closed: &'a Withheld,
    held: &'a Withheld,
    survey: Survey,
    now: SystemTime,
}

impl<'a> Walk<'a> {
    pub(super) fn new(memory: &'a mut Memory, closed: &'a Withheld, held: &'a Withheld) -> Self {
        memory.survey += 1;
        Self { memory, closed, held, survey: Survey::default(), now: SystemTime::now() }
    }

    pub(super) fn finish(self) -> Survey {
        let Self { memory, survey, .. } = self;
        if memory.folders.len() > PLACES_REMEMBERED_MAX {
            let newest = memory.survey;
            memory.folders.retain(|_, folder| folder.survey == newest);
        }
        survey
    }

    /// One place by its path, for patterns that say exactly one.
    pub(super) fn place(&mut self, place: &Path, what: What) {
        let Some(folder) = place.parent().and_then(real) else { return };
        let real = place.file_name().map_or(folder.clone(), |name| folder.join(name));
        if Entry::of(&real).is_ok() {
            self.found(Match { place: place.to_owned(), real, what, by: None, unread: false });
        }
    }

    /// Looks through these folders, which are without links.
    pub(super) fn through(&mut self, folders: &[PathBuf], extent: Extent) {
        let mut queue = VecDeque::new();
        for folder in folders {
            let above = |patterns: &Withheld| folder.ancestors().any(|it| patterns.holds(it));
            let held = extent == Extent::Root && above(self.held);
            let what = What { closed: above(self.closed), held };
            if what.closed || what.held {
                let (place, real) = (folder.clone(), folder.clone());
                self.found(Match { place, real, what, by: None, unread: false });
            }
            if !what.closed {
                queue.push_back(Step::first(folder, held));
            }
        }
        let (mut folders, mut entries) = (0, 0);
        let folders_max = match extent {
            Extent::Root | Extent::Home => PLACES_FOLDERS_MAX,
            Extent::Outside => PLACES_OUTSIDE_FOLDERS_MAX,
        };
        while let Some(step) = queue.pop_front() {
            folders += 1;
            if folders > folders_max {
                self.survey.gaps.add(Gap::Folders, &step.place);
                return;
            }
            entries += self.step(step, extent, &mut queue);
            if let Some(next) = queue.front()
                && extent == Extent::Home
                && entries > PLACES_HOME_ENTRIES_MAX
            {
                self.survey.gaps.add(Gap::HomeEntries, &next.place);
                return;
            }
        }
    }

    /// Looks at one folder; how many entries it has.
    fn step(&mut self, step: Step, extent: Extent, queue: &mut VecDeque<Step>) -> usize {
        let for_held = extent == Extent::Root && !step.in_held;
        let looked = self.looked_at(&step, extent, for_held);
        let (mut folder, device) = match looked {
            Ok(Some(looked)) => looked,
            Ok(None) => return 0,
            Err(error) => {
                if !is_nothing(&error) {
                    self.unread(&step, for_held);
                }
                return 0;
            }
        };
        if folder.real != step.real {
            folder.real.clone_from(&step.real);
        }
        self.take(&step, device, &folder, extent, queue);
        let entries = folder.inodes.len();
        let visited = Visited { folder, survey: self.memory.survey, extent };
        self.memory.folders.insert(step.place.into_os_string(), visited);
        entries
    }

    /// The folder out of the memory, as it is now, and its device; `None`: it is none, or looked at before.
    fn looked_at(
        &mut self,
        step: &Step,
        extent: Extent,
        for_held: bool,
    ) -> io::Result<Option<(Folder, (u32, u32))>> {
        let entry = Entry::of(&step.real)?;
        if !entry.is_folder() {
            return Ok(None);
        }
        let device = step.device.unwrap_or_else(|| entry.stamp.device());
        if device != entry.stamp.device() {
            self.survey.gaps.add(Gap::OtherFileSystem, &step.place);
            return Ok(None);
        }
        let place = step.place.as_os_str();
        if let Some(known) = self.memory.folders.get(place) {
            let goes_further = known.extent == Extent::Home && extent != Extent::Home;
            if known.survey == self.memory.survey && !goes_further {
                return Ok(None);
            }
            if known.folder.is_as(&entry.stamp, for_held) {
                return Ok(self.memory.folders.remove(place).map(|known| (known.folder, device)));
            }
        }
        #[cfg(test)]
        {
            self.memory.reads += 1;
        }
        let reading =
            Reading { closed: self.closed, held: for_held.then_some(self.held), now: self.now };
        Ok(Some((reading.read(&step.place, &step.real)?, device)))
    }

    /// What nobody can look into nobody can vouch for: it is covered whole.
    fn unread(&mut self, step: &Step, for_held: bool) {
        self.survey.gaps.add(Gap::Unread, &step.place);
        let held = for_held && !self.held.is_empty();
        let what = What { closed: !self.closed.is_empty(), held };
        let (place, real) = (step.place.clone(), step.real.clone());
        self.found(Match { place, real, what, by: None, unread: true });
    }

    /// Takes what a folder has over into the survey and the queue.
    fn take(
        &mut self,
        step: &Step,
        device: (u32, u32),
        folder: &Folder,
        extent: Extent,
        queue: &mut VecDeque<Step>,
    ) {
        if folder.has_more {
            self.survey.gaps.add(Gap::Entries, &step.place);
        }
        if folder.has_git {
            self.survey.repositories.push(step.real.clone());
        }
        let mut held = Vec::new();
        for (name, what) in &folder.found {
            if what.held {
                held.push(name);
            }
            let by = step.by.as_ref().map(|(link, _)| link.clone());
            let (place, real) = (step.place.join(name), step.real.join(name));
            self.found(Match { place, real, what: *what, by, unread: false });
        }
        let behind = match &step.by {
            // It was the last level.
            Some((_, 0)) => return,
            Some((link, left)) => Some((link.clone(), left - 1)),
            None => None,
        };
        for name in &folder.below {
            let place = step.place.join(name);
            if self.goes_into(&place, name, step.depth, extent) {
                queue.push_back(Step {
                    real: step.real.join(name),
                    depth: step.depth + 1,
                    device: Some(device),
                    in_held: step.in_held || held.contains(&name),
                    by: behind.clone(),
                    place,
                });
            }
        }
        for name in &folder.links {
            let place = step.place.join(name);
            let link = step.real.join(name);
            let (Some(real), Ok(entry)) = (real(&link), Entry::of(&link)) else { continue };
            let by = behind.clone().unwrap_or_else(|| (place.clone(), PLACES_LINKED_DEPTH));
            self.survey.links.insert(place.clone(), entry.identity);
            let (depth, in_held) = (step.depth + 1, step.in_held);
            queue.push_back(Step { place, real, depth, device: None, in_held, by: Some(by) });
        }
    }

    fn goes_into(&self, place: &Path, name: &OsStr, depth: usize, extent: Extent) -> bool {
        match extent {
            Extent::Root => true,
            Extent::Home => {
                let is_hidden = name.as_bytes().starts_with(b".");
                depth + 1 < PLACES_HOME_DEPTH
                    && (depth > 0 || is_hidden || self.closed.leads(place))
            }
            Extent::Outside => !SYSTEM.iter().any(|system| place == Path::new(system)),
        }
    }

    fn found(&mut self, found: Match) {
        if self.survey.matches.len() < PLACES_FOUND_MAX {
            self.survey.matches.push(found);
        } else {
            self.survey.gaps.add(Gap::Found, &found.place);
        }
    }
}

impl Memory {
    /// Entries of the folders of the newest survey that are one of these, as (which, place): the numbers are
    /// remembered, the entries are looked at.
    pub(super) fn names_of(&self, wanted: &[Identity]) -> Vec<(usize, PathBuf)> {
        let newest = self.folders.values().filter(|it| it.survey == self.survey);
        newest.filter_map(|it| it.folder.names_of(wanted).ok()).flatten().collect()
    }
}

impl Step {
    fn first(folder: &Path, in_held: bool) -> Self {
        let (place, real) = (folder.to_owned(), folder.to_owned());
        Self { place, real, depth: 0, device: None, in_held, by: None }
    }
}
