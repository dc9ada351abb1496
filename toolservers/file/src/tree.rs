//! An entry with all below it, by descriptor: counted, copied, removed.
//!
//! Each directory is opened in the one above it without following a link, so that a directory that
//! becomes a link meanwhile is a link, which is copied or removed itself (FS-17, test
//! `a_removal_does_not_leave_the_tree`).
//!
//! Not here: what may be deleted (`trash`, `delete`), what is shown of a directory (`walk`).

mod copy;
mod remove;
#[cfg(test)]
mod tests;

use std::{
    ffi::OsString,
    os::{fd::OwnedFd, unix::ffi::OsStringExt},
    path::Path,
};

use nix::{dir::Dir, errno::Errno, fcntl::OFlag};

pub(crate) use copy::{Copied, copy};
pub(crate) use remove::{remove, remove_copied};

use crate::{
    failed::{Class, Failed},
    itself::{Itself, Sort},
    limits::{TREE_DEPTH_MAX, TREE_ENTRIES_MAX},
    roots::open_in,
};

/// What a tree has in it, itself among it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Extent {
    pub(crate) entries: u64,
    /// Regular files among them.
    pub(crate) files: u64,
    /// Bytes of their content.
    pub(crate) bytes: u64,
}

/// Counts an entry of a directory and all below it. `stopped` is asked at every directory.
///
/// # Errors
/// `too_large` past [`TREE_ENTRIES_MAX`] or [`TREE_DEPTH_MAX`]; `cancelled`; the operating system's
/// error.
pub(crate) fn extent(
    directory: &OwnedFd,
    name: &Path,
    shown: &str,
    stopped: &dyn Fn() -> bool,
) -> Result<Extent, Failed> {
    let mut extent = Extent::default();
    count(directory, name, &Way { shown, stopped, depth: 0 }, &mut extent)?;
    Ok(extent)
}

/// Where in a tree somebody is, for whom, and until when.
#[derive(Clone, Copy)]
struct Way<'a> {
    shown: &'a str,
    stopped: &'a dyn Fn() -> bool,
    depth: usize,
}

impl Way<'_> {
    /// One directory further down.
    ///
    /// # Errors
    /// `too_large`, `cancelled`.
    fn below(&self) -> Result<Self, Failed> {
        if (self.stopped)() {
            return Err(Failed::new(Class::Cancelled, "the call was stopped"));
        }
        if self.depth >= TREE_DEPTH_MAX {
            let message = format!(
                "{} has more than {TREE_DEPTH_MAX} directories inside one another, too many for one \
                 call; use bash for it",
                self.shown
            );
            return Err(Failed::new(Class::TooLarge, message));
        }
        Ok(Self { depth: self.depth + 1, ..*self })
    }

    fn failed(&self, doing: &str, error: Errno) -> Failed {
        Failed::io(doing, self.shown, &error.into())
    }
}

fn count(
    directory: &OwnedFd,
    name: &Path,
    way: &Way<'_>,
    extent: &mut Extent,
) -> Result<(), Failed> {
    let entry = match Itself::look(directory, name) {
        // Gone since it was listed.
        Err(Errno::ENOENT) if way.depth > 0 => return Ok(()),
        entry => entry.map_err(|error| way.failed("look at", error))?,
    };
    extent.entries += 1;
    if extent.entries > TREE_ENTRIES_MAX {
        let message = format!(
            "{} has more than {TREE_ENTRIES_MAX} entries, too many for one call; use bash for it, or \
             name a part of it",
            way.shown
        );
        return Err(Failed::new(Class::TooLarge, message));
    }
    extent.files += u64::from(entry.sort == Sort::File);
    extent.bytes += entry.bytes;
    let Some(inner) = enter(directory, name, &entry, way, "look into")? else { return Ok(()) };
    let below = way.below()?;
    for name in names(&inner).map_err(|error| way.failed("look into", error))? {
        count(&inner, Path::new(&name), &below, extent)?;
    }
    Ok(())
}

/// Opens an entry that is a directory; `None` if it is none, or none any more.
fn enter(
    directory: &OwnedFd,
    name: &Path,
    entry: &Itself,
    way: &Way<'_>,
    doing: &str,
) -> Result<Option<OwnedFd>, Failed> {
    if !entry.is_directory() {
        return Ok(None);
    }
    match open_in(directory, name, OFlag::O_RDONLY | OFlag::O_DIRECTORY) {
        Ok(inner) => Ok(Some(inner)),
        Err(error) => match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ELOOP | Errno::ENOTDIR | Errno::ENOENT) => Ok(None),
            _ => Err(Failed::io(doing, way.shown, &error)),
        },
    }
}

/// The names in a directory, one more than [`TREE_ENTRIES_MAX`] at most.
fn names(directory: &OwnedFd) -> nix::Result<Vec<OsString>> {
    let most = usize::try_from(TREE_ENTRIES_MAX).unwrap_or(usize::MAX).saturating_add(1);
    let copy = directory.try_clone().map_err(|_| Errno::EMFILE)?;
    let mut listed = Dir::from_fd(copy)?;
    let mut names = Vec::new();
    for entry in listed.iter() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name.to_vec()));
        }
        if names.len() >= most {
            break;
        }
    }
    names.sort();
    Ok(names)
}
