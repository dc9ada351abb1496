//! Puts an entry of a directory elsewhere: by a rename, or across file systems by a copy.
//!
//! Invariants: what is there already is never replaced; what arrives is the entry that was looked at
//! before, or nothing happened; what was there stays until all of it is there durably (tests
//! `what_is_moved_is_what_was_shown`, `a_move_across_file_systems_is_a_copy`).

use std::{io, os::fd::OwnedFd, path::Path};

use nix::{errno::Errno, unistd::fsync};

use crate::{
    failed::{Class, Failed},
    itself::Itself,
    rename::rename_new,
    roots::Place,
    strays, tree,
};

/// An entry of an open directory, and how messages name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'a> {
    pub(crate) directory: &'a OwnedFd,
    pub(crate) name: &'a Path,
    pub(crate) shown: &'a str,
}

impl<'a> Spot<'a> {
    /// A place in its opened directory.
    pub(crate) fn of(directory: &'a OwnedFd, place: &'a Place) -> Self {
        Self { directory, name: place.name(), shown: &place.shown }
    }
}

/// How something came to be elsewhere.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Way {
    /// By one rename.
    Renamed,
    /// By a copy of so many bytes.
    Copied(u64),
}

/// Why something is not elsewhere.
#[derive(Debug)]
pub(crate) enum Stuck {
    /// Nothing changed.
    Unmoved(Failed),
    /// All of it is there, and some of it is still where it was.
    Doubled(Failed),
}

impl From<Failed> for Stuck {
    fn from(failed: Failed) -> Self {
        Self::Unmoved(failed)
    }
}

/// Puts `expected`, which is at `from`, to a free place.
///
/// # Errors
/// `exists`, `stale` if something else is there by now, those of [`tree::copy`], the operating
/// system's error.
pub(crate) fn transfer(
    from: Spot<'_>,
    to: Spot<'_>,
    expected: &Itself,
    stopped: &dyn Fn() -> bool,
) -> Result<Way, Stuck> {
    match rename_new(from.directory, from.name, to.directory, to.name) {
        Ok(()) => {
            arrived(from, to, expected)?;
            fsync(to.directory).ok();
            fsync(from.directory).ok();
            Ok(Way::Renamed)
        }
        Err(Errno::EXDEV) => across(from, to, expected, stopped),
        Err(error) => Err(failed(from, to, error).into()),
    }
}

/// Looks whether what arrived is what was meant, and puts it back if not.
fn arrived(from: Spot<'_>, to: Spot<'_>, expected: &Itself) -> Result<(), Failed> {
    let is = Itself::look(to.directory, to.name);
    if is.is_ok_and(|is| is.inode == expected.inode && is.sort == expected.sort) {
        return Ok(());
    }
    rename_new(to.directory, to.name, from.directory, from.name).ok();
    Err(other(from))
}

fn across(
    from: Spot<'_>,
    to: Spot<'_>,
    expected: &Itself,
    stopped: &dyn Fn() -> bool,
) -> Result<Way, Stuck> {
    let is = Itself::look(from.directory, from.name);
    if !is.is_ok_and(|is| is.inode == expected.inode && is.sort == expected.sort) {
        return Err(other(from).into());
    }
    strays::sweep(to.directory);
    let io = |error: io::Error| Failed::io("copy", to.shown, &error);
    let (name, temporary) = strays::directory(to.directory).map_err(io)?;
    let new = Path::new("new");
    let put = tree::copy((from.directory, from.name), (&temporary, new), from.shown, stopped)
        .and_then(|copied| {
            let put = rename_new(&temporary, new, to.directory, to.name);
            put.map_err(|error| failed(from, to, error)).map(|()| copied)
        });
    // Should this fail, a later sweep finds it.
    tree::remove(to.directory, Path::new(&name), to.shown).ok();
    let copied = put?;
    fsync(to.directory).ok();
    tree::remove_copied(from.directory, from.name, &copied, from.shown).map_err(Stuck::Doubled)?;
    Ok(Way::Copied(copied.bytes()))
}

fn failed(from: Spot<'_>, to: Spot<'_>, error: Errno) -> Failed {
    if matches!(error, Errno::EEXIST | Errno::ENOTEMPTY) {
        let message = format!("{} was made by another program at this very moment", to.shown);
        return Failed::new(Class::Exists, message);
    }
    if error == Errno::EINVAL {
        let message = format!("{} cannot be put into itself ({})", from.shown, to.shown);
        return Failed::new(Class::InvalidPath, message);
    }
    Failed::io("move", from.shown, &error.into())
}

fn other(from: Spot<'_>) -> Failed {
    let message = format!(
        "{} is not what was there when the call was judged; nothing changed. Look again, then try again",
        from.shown
    );
    Failed::new(Class::Stale, message)
}

#[cfg(test)]
mod tests;
