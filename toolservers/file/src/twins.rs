//! The other names of a file: hard links, as far as its root holds them.
//!
//! A rule names a path, and a file with several names can be reached by any of them. A link of this kind
//! cannot be told by its name, so the root is searched for the file's inode; what is found counts as
//! touched too, and where a name is not found nobody can say what rules would say of it (FS-05).
//!
//! One search finds the names of all files with several, and is used again for `TWINS_MS_MAX` unless
//! the file was linked since. Names are looked at again before they are believed.
//!
//! Not here: what a rule says of a name (the gate).

mod index;
#[cfg(test)]
mod tests;

use std::{
    fs::{File, Metadata},
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
};

use nix::fcntl::OFlag;

use crate::{
    limits::TWINS_TOLD_MAX,
    roots::{Place, open_in},
};

/// The other names of a file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Twins {
    /// From the root.
    pub(crate) names: Vec<PathBuf>,
    /// Names that were not found.
    pub(crate) missing: u64,
}

/// The other names of the file at a place; none of what is no file, or has one name.
pub(crate) fn of(place: &Place) -> Twins {
    let is_possible = place.exists() && !place.relative.as_os_str().is_empty();
    let Some(root) = is_possible.then(|| place.beside(Path::new("")).ok()).flatten() else {
        return Twins::default();
    };
    match look(&root, &place.relative) {
        Some(metadata) => of_open(&root, place.root(), &place.relative, &metadata),
        None => Twins::default(),
    }
}

/// The other names of a file beneath an open root, by what is known of it.
pub(crate) fn of_open(root: &OwnedFd, path: &Path, own: &Path, file: &Metadata) -> Twins {
    if !file.is_file() || file.nlink() < 2 {
        return Twins::default();
    }
    let (known, is_new) = index::names(root, path, file);
    let (mut found, mut is_old) = (Vec::new(), false);
    for name in known.into_iter().filter(|name| name != own) {
        if is_same(root, &name, file) {
            found.push(name);
        } else {
            is_old = !is_new;
        }
    }
    if is_old {
        // A folder has another name since.
        index::forget(path);
        return of_open(root, path, own, file);
    }
    found.truncate(TWINS_TOLD_MAX);
    let missing = (file.nlink() - 1).saturating_sub(found.len() as u64);
    Twins { names: found, missing }
}

fn is_same(root: &OwnedFd, name: &Path, file: &Metadata) -> bool {
    look(root, name).is_some_and(|is| (is.dev(), is.ino()) == (file.dev(), file.ino()))
}

fn look(root: &OwnedFd, name: &Path) -> Option<Metadata> {
    File::from(open_in(root, name, OFlag::O_PATH).ok()?).metadata().ok()
}
