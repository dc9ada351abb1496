//! Removes an entry with all below it.

use std::{fs::File, os::fd::OwnedFd, path::Path};

use nix::{
    errno::Errno,
    fcntl::OFlag,
    unistd::{UnlinkatFlags, unlinkat},
};

use super::{Copied, Way, enter, names};
use crate::{
    failed::{Class, Failed},
    index::Version,
    itself::{Itself, Sort},
    roots::open_in,
};

/// Removes an entry of a directory with all below it.
///
/// # Errors
/// The operating system's error, `too_large` for its depth; some of it may be gone then.
pub(crate) fn remove(directory: &OwnedFd, name: &Path, shown: &str) -> Result<(), Failed> {
    take(directory, name, None, &Way { shown, stopped: &|| false, depth: 0 })
}

/// Removes what was copied, but for a file that is not what was copied any more.
///
/// # Errors
/// `stale` for such a file, else those of [`remove`]; some of it may be gone then, and is in the copy.
pub(crate) fn remove_copied(
    directory: &OwnedFd,
    name: &Path,
    copied: &Copied,
    shown: &str,
) -> Result<(), Failed> {
    take(directory, name, Some(copied), &Way { shown, stopped: &|| false, depth: 0 })
}

fn take(
    directory: &OwnedFd,
    name: &Path,
    only: Option<&Copied>,
    way: &Way<'_>,
) -> Result<(), Failed> {
    let failed = |error| way.failed("delete", error);
    let entry = match Itself::look(directory, name) {
        Err(Errno::ENOENT) => return Ok(()),
        entry => entry.map_err(failed)?,
    };
    if let Some(copied) = only
        && entry.sort == Sort::File
        && !is_copied(directory, name, copied)
    {
        let message =
            format!("a file of {} was changed by another program while it was copied", way.shown);
        return Err(Failed::new(Class::Stale, message));
    }
    let gone = match enter(directory, name, &entry, way, "delete")? {
        None => unlinkat(directory, name, UnlinkatFlags::NoRemoveDir),
        Some(inner) => {
            let below = way.below()?;
            for name in names(&inner).map_err(failed)? {
                take(&inner, Path::new(&name), only, &below)?;
            }
            unlinkat(directory, name, UnlinkatFlags::RemoveDir)
        }
    };
    match gone {
        Ok(()) | Err(Errno::ENOENT) => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

/// Whether a file is still the one that was copied.
fn is_copied(directory: &OwnedFd, name: &Path, copied: &Copied) -> bool {
    let look = open_in(directory, name, OFlag::O_PATH).map(File::from);
    look.and_then(|look| look.metadata()).is_ok_and(|now| copied.has(Version::of(&now)))
}
