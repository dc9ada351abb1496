//! The names of all files beneath a root that have several there, from one search.

use std::{
    collections::{HashMap, HashSet},
    fs::Metadata,
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, fs::MetadataExt},
    },
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use nix::{
    dir::{Dir, Type},
    fcntl::OFlag,
};

use crate::{
    kind,
    limits::{
        TWINS_CLOCK_MS, TWINS_ENTRIES_MAX, TWINS_FOUND_MAX, TWINS_MS_MAX, TWINS_ROOTS_MAX,
        WALK_DEPTH_MAX,
    },
    roots::open_in,
};

/// The names of files by their inode; only of those with several.
type Names = HashMap<u64, Vec<PathBuf>>;

/// What one search found.
#[derive(Clone)]
struct Index {
    root: PathBuf,
    begun: SystemTime,
    names: Arc<Names>,
}

/// The last searches, one a root.
static INDEXES: Mutex<Vec<Index>> = Mutex::new(Vec::new());

/// The names that a file's inode has beneath a root, if it has several; and whether it was searched for just
/// now. The inode may be of another device: who uses a name looks at it.
pub(super) fn names(root: &OwnedFd, path: &Path, file: &Metadata) -> (Vec<PathBuf>, bool) {
    let known = {
        let indexes = INDEXES.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.iter().find(|index| index.root == path && index.knows(file)).cloned()
    };
    let is_new = known.is_none();
    let index = known.unwrap_or_else(|| search(root, path));
    (index.names.get(&file.ino()).cloned().unwrap_or_default(), is_new)
}

/// Lets the next look search again.
pub(super) fn forget(path: &Path) {
    let mut indexes = INDEXES.lock().unwrap_or_else(PoisonError::into_inner);
    indexes.retain(|index| index.root != path);
}

impl Index {
    /// Whether it is young, and the file was not linked since: that sets its time of change.
    fn knows(&self, file: &Metadata) -> bool {
        let age = SystemTime::now().duration_since(self.begun).unwrap_or(Duration::MAX);
        let seconds = Duration::from_secs(u64::try_from(file.ctime()).unwrap_or(u64::MAX));
        let linked = SystemTime::UNIX_EPOCH.checked_add(
            seconds + Duration::from_nanos(u64::try_from(file.ctime_nsec()).unwrap_or(0)),
        );
        // The clock of file systems is coarse.
        let linked = linked.and_then(|at| at.checked_add(Duration::from_millis(TWINS_CLOCK_MS)));
        age < Duration::from_millis(TWINS_MS_MAX) && linked.is_some_and(|at| at < self.begun)
    }
}

fn search(root: &OwnedFd, path: &Path) -> Index {
    let begun = SystemTime::now();
    let (mut once, mut several) = (HashSet::new(), HashSet::new());
    let mut left = TWINS_ENTRIES_MAX;
    files(root, Path::new(""), 0, &mut left, &mut |_, inode| {
        if !once.insert(inode) {
            several.insert(inode);
        }
    });
    drop(once);
    let mut names = Names::new();
    if !several.is_empty() {
        let (mut left, mut found) = (TWINS_ENTRIES_MAX, 0);
        files(root, Path::new(""), 0, &mut left, &mut |name, inode| {
            if several.contains(&inode) && found < TWINS_FOUND_MAX {
                found += 1;
                names.entry(inode).or_default().push(name.to_path_buf());
            }
        });
    }
    let index = Index { root: path.to_path_buf(), begun, names: Arc::new(names) };
    let mut indexes = INDEXES.lock().unwrap_or_else(PoisonError::into_inner);
    indexes.retain(|other| other.root != path);
    if indexes.len() >= TWINS_ROOTS_MAX {
        indexes.remove(0);
    }
    indexes.push(index.clone());
    index
}

/// Shows the regular files of a directory and all below it, by their listed inodes; what cannot be looked
/// into is passed over.
fn files(
    directory: &OwnedFd,
    path: &Path,
    depth: usize,
    left: &mut usize,
    see: &mut dyn FnMut(&Path, u64),
) {
    let listed = directory.try_clone().ok().and_then(|copy| Dir::from_fd(copy).ok());
    let Some(mut listed) = listed.filter(|_| depth < WALK_DEPTH_MAX) else { return };
    let mut inner = Vec::new();
    for entry in listed.iter().flatten() {
        let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if *left == 0 {
            return;
        }
        *left -= 1;
        match entry.file_type() {
            Some(Type::Directory) => inner.push(path.join(name)),
            // Where the kind is not listed the inode is looked at when it is used.
            Some(Type::File) | None => see(&path.join(name), entry.ino()),
            Some(
                Type::Symlink
                | Type::Fifo
                | Type::Socket
                | Type::CharacterDevice
                | Type::BlockDevice,
            ) => {}
        }
    }
    for path in inner {
        let name = Path::new(path.file_name().unwrap_or_default());
        let opened = open_in(directory, name, OFlag::O_RDONLY | OFlag::O_DIRECTORY);
        if let Some(opened) = opened.ok().filter(|opened| !kind::is_kernel(opened)) {
            files(&opened, &path, depth + 1, left, see);
        }
    }
}
