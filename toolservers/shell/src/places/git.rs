//! Git's objects, which hold every tracked file once more: `git show :secret.txt` reads no `secret.txt`.
//! They are closed whole to commands where a closed place is tracked.
//!
//! The index says what is tracked. A command may write the index, so what it once said is remembered for as
//! long as this server runs.
//!
//! Not here: files that were tracked only in older commits or other branches; nothing says so short of
//! reading all of them.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs::File,
    io::Read as _,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use tollgate_sdk::Withheld;

use super::{
    cover::Opened,
    entry::{Entry, Identity, Stamp, open_file, real},
    gaps::listed,
    index::{self, Unsure},
    limits::{GIT_INDEX_BYTES_MAX, GIT_OBJECTS_MAX, GIT_POINTER_BYTES_MAX, GIT_REPOSITORIES_MAX},
};
use crate::limits::GIT_CONFIG_BYTES_MAX;

#[cfg(test)]
mod tests;

/// Closed places of one repository that are remembered; with more, it is closed whatever is open to a call.
const TRACKED_MAX: usize = 64;

/// The indexes that were read with one set of patterns, by the folder of the working tree.
#[derive(Debug, Default)]
pub(super) struct Indexes(HashMap<PathBuf, (Stamp, Tracked)>);

/// Closed places that repositories once tracked, by their folder of objects, wherever it is now.
#[derive(Debug, Default)]
pub(super) struct Remembered(Vec<(Identity, BTreeSet<PathBuf>)>);

impl Remembered {
    /// What was tracked, with these added; all of them if too many repositories are remembered.
    fn with(&mut self, objects: Identity, places: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let known = self.0.iter().position(|(it, _)| *it == objects);
        let number = known.unwrap_or(self.0.len());
        if known.is_none() {
            if places.is_empty() || number >= GIT_REPOSITORIES_MAX {
                return places;
            }
            self.0.push((objects, BTreeSet::new()));
        }
        let Some((_, all)) = self.0.get_mut(number) else { return places };
        let room = TRACKED_MAX.saturating_sub(all.len());
        all.extend(places.into_iter().take(room));
        all.clone()
    }
}

/// What an index says of the closed places.
#[derive(Clone, Debug, Default)]
struct Tracked {
    places: BTreeSet<PathBuf>,
    /// There may be others.
    unsure: bool,
}

/// A repository on disk; paths without links.
#[derive(Debug)]
pub(super) struct Repository {
    /// Where its files are.
    tree: PathBuf,
    /// Where its index is.
    own: PathBuf,
    /// Where its objects and settings are.
    common: PathBuf,
}

impl Repository {
    /// The one whose working tree is this folder.
    pub(super) fn of(tree: &Path) -> Option<Self> {
        let marker = real(&tree.join(".git"))?;
        let own = if marker.is_dir() {
            marker
        } else {
            let text = small(&marker)?;
            let target = text.strip_prefix("gitdir: ")?.trim_end_matches(['\n', '\r']);
            real(&marker.parent()?.join(target))?
        };
        // Git takes no other for a repository.
        Entry::of(&own.join("HEAD")).ok()?;
        let common = match small(&own.join("commondir")) {
            Some(text) => real(&own.join(text.trim_end_matches(['\n', '\r'])))?,
            None => own.clone(),
        };
        Some(Self { tree: tree.to_owned(), own, common })
    }

    /// Folders of objects that exist, those of other repositories that it uses among them.
    fn objects(&self) -> BTreeSet<PathBuf> {
        let mut all = BTreeSet::new();
        let mut queue = vec![self.common.join("objects")];
        while let Some(folder) = queue.pop().and_then(|it| real(&it)) {
            if all.len() >= GIT_OBJECTS_MAX || !folder.is_dir() || !all.insert(folder.clone()) {
                continue;
            }
            let alternates = small(&folder.join("info/alternates")).unwrap_or_default();
            let lines =
                alternates.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            queue.extend(lines.map(|line| folder.join(line)).filter(|it| it.is_dir()));
        }
        all.extend(real(&self.common.join("lfs/objects")));
        all
    }

    fn id_bytes(&self) -> usize {
        let config = read(&self.common.join("config"), GIT_CONFIG_BYTES_MAX).unwrap_or_default();
        let text = String::from_utf8_lossy(&config).to_ascii_lowercase();
        let sha256 =
            text.lines().any(|line| line.contains("objectformat") && line.contains("sha256"));
        if sha256 { 32 } else { 20 }
    }
}

/// What closes git's objects.
#[derive(Debug)]
pub(super) struct Closing<'a> {
    pub(super) closed: &'a Withheld,
    pub(super) opened: &'a Opened,
    /// Closed places that exist.
    pub(super) found: &'a [&'a Path],
}

/// Folders of objects that are closed.
#[derive(Debug)]
pub(super) struct Closed {
    pub(super) objects: BTreeSet<PathBuf>,
    /// The closed places in them, as far as they are known.
    pub(super) because: Vec<PathBuf>,
    pub(super) note: String,
}

impl Closing<'_> {
    /// What to close for these working trees.
    pub(super) fn of(
        &self,
        trees: &[PathBuf],
        indexes: &mut Indexes,
        remembered: &mut Remembered,
    ) -> Vec<Closed> {
        let mut all = Vec::new();
        let mut seen = HashSet::new();
        for tree in trees.iter().take(GIT_REPOSITORIES_MAX).filter(|tree| seen.insert(*tree)) {
            let Some(repository) = Repository::of(tree) else { continue };
            let tracked = self.tracked(&repository, indexes, remembered);
            let (why, because) = if tracked.places.is_empty() {
                if !tracked.unsure || !self.may_be_in(tree) {
                    continue;
                }
                let found = self.found.iter().filter(|place| place.starts_with(tree));
                let why = "a rule denies reading places in it, and its index does not say whether it holds them";
                (why.to_owned(), found.map(|it| it.to_path_buf()).collect())
            } else {
                let places = listed(&tracked.places);
                let why = format!("a rule denies reading {places}, which the repository holds");
                (why, tracked.places.into_iter().collect())
            };
            let note = format!(
                "git's objects of {} are closed to commands: {why}; git's own commands fail there",
                listed([tree])
            );
            all.push(Closed { objects: repository.objects(), because, note });
        }
        all
    }

    fn tracked(
        &self,
        repository: &Repository,
        indexes: &mut Indexes,
        remembered: &mut Remembered,
    ) -> Tracked {
        let found = self.read(repository, indexes);
        let all = match Entry::of(&repository.common.join("objects")) {
            Ok(objects) => remembered.with(objects.identity, found.places),
            Err(_) => found.places,
        };
        let is_closed = |place: &PathBuf| self.opened.is_closed(self.closed, place);
        Tracked { places: all.into_iter().filter(is_closed).collect(), unsure: found.unsure }
    }

    fn read(&self, repository: &Repository, indexes: &mut Indexes) -> Tracked {
        let index = repository.own.join("index");
        let Ok(entry) = Entry::of(&index) else {
            // Nothing was ever added.
            return Tracked::default();
        };
        let known = indexes.0.get(&repository.tree);
        if let Some((_, tracked)) = known.filter(|(stamp, _)| *stamp == entry.stamp) {
            return tracked.clone();
        }
        let mut tracked = Tracked::default();
        let mut folder = (Vec::new(), false);
        let read = read(&index, GIT_INDEX_BYTES_MAX).ok_or(Unsure).and_then(|bytes| {
            index::names(&bytes, repository.id_bytes(), &mut |name| {
                if self.closes(&repository.tree, name, &mut folder) {
                    let place = repository.tree.join(std::ffi::OsStr::from_bytes(name));
                    if tracked.places.len() < TRACKED_MAX {
                        tracked.places.insert(place);
                    } else {
                        tracked.unsure = true;
                    }
                }
            })
        });
        tracked.unsure |= read.is_err();
        if entry.stamp.is_settled(std::time::SystemTime::now()) {
            indexes.0.insert(repository.tree.clone(), (entry.stamp, tracked.clone()));
        }
        tracked
    }

    /// Whether a name of an index is closed. `folder`: that of the name before, and whether it is closed.
    fn closes(&self, tree: &Path, name: &[u8], folder: &mut (Vec<u8>, bool)) -> bool {
        let path = |name: &[u8]| tree.join(std::ffi::OsStr::from_bytes(name));
        let end = name.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let parent = name.get(..end).unwrap_or_default();
        if parent != folder.0 {
            let is_below = |it: &Path| it.starts_with(tree) && it != tree;
            let place = path(parent);
            let mut above = place.ancestors().take_while(|it| is_below(it));
            *folder = (parent.to_owned(), above.any(|it| self.closed.holds(it)));
        }
        folder.1 || self.closed.holds(&path(name))
    }

    /// Whether a closed place lies in this tree, or a pattern from the root may mean one there.
    fn may_be_in(&self, tree: &Path) -> bool {
        self.found.iter().any(|place| place.starts_with(tree))
            || self
                .closed
                .beginnings()
                .iter()
                .any(|it| it.place.starts_with(tree) || (!it.whole && tree.starts_with(&it.place)))
    }
}

/// The text of a small file of git's.
fn small(path: &Path) -> Option<String> {
    String::from_utf8(read(path, GIT_POINTER_BYTES_MAX)?).ok()
}

/// A regular file's bytes; `None`: it is none, too large, or cannot be read. Its folder is without links.
fn read(path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
    let path = path.parent().and_then(real)?.join(path.file_name()?);
    let file = open_file(&path).ok()?;
    let entry = Entry::of_open(&file).ok()?;
    if !entry.is_file() || entry.stamp.bytes() > bytes_max {
        return None;
    }
    let mut bytes = Vec::new();
    File::from(file).take(bytes_max + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= bytes_max).then_some(bytes)
}
