//! One folder as it was read: what in it is a place, and where a walk goes on.
//!
//! Not here: when it is read again (`walk`).

use std::{
    ffi::{OsStr, OsString},
    io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use rustix::fs::{Dir, FileType};
use tollgate_sdk::Withheld;

use super::{
    entry::{Entry, Identity, Stamp, kind_of, open_folder},
    limits::PLACES_ENTRIES_MAX,
};

/// A folder when it was last read.
#[derive(Debug)]
pub(super) struct Folder {
    stamp: Stamp,
    settled: bool,
    /// Held places were looked for.
    for_held: bool,
    /// Where it is, without links.
    pub(super) real: PathBuf,
    pub(super) found: Vec<(OsString, What)>,
    pub(super) below: Vec<OsString>,
    /// Links that lead to a place.
    pub(super) links: Vec<OsString>,
    /// Of all entries.
    pub(super) inodes: Vec<u64>,
    pub(super) has_git: bool,
    /// It has more entries than were looked at.
    pub(super) has_more: bool,
}

/// What a place is.
#[derive(Clone, Copy, Debug)]
pub(super) struct What {
    pub(super) closed: bool,
    pub(super) held: bool,
}

/// What is looked for in a folder.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) closed: &'a Withheld,
    pub(super) held: Option<&'a Withheld>,
    pub(super) now: SystemTime,
}

/// Bytes of a folder's path with which every path of an entry in it can still be said (`PATH_MAX`).
const PATH_BYTES_MAX: usize = 4096 - 257;

impl Folder {
    /// Whether reading it again would find the same.
    pub(super) fn is_as(&self, stamp: &Stamp, for_held: bool) -> bool {
        self.settled && self.stamp == *stamp && self.for_held == for_held
    }

    /// The entries that are one of these, as (which, place).
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn names_of(&self, wanted: &[Identity]) -> io::Result<Vec<(usize, PathBuf)>> {
        let mut names = Vec::new();
        let is_wanted = |inode: &u64| wanted.iter().any(|it| it.inode == *inode);
        if !self.inodes.iter().any(is_wanted) {
            return Ok(names);
        }
        let opened = open_folder(&self.real)?;
        for name in names_in(&opened, PLACES_ENTRIES_MAX)?.0 {
            let Ok(entry) = Entry::at(&opened, &name) else { continue };
            if let Some(which) = wanted.iter().position(|it| *it == entry.identity) {
                names.push((which, self.real.join(name)));
            }
        }
        Ok(names)
    }
}

impl Reading<'_> {
    /// Reads the folder `real`, which is meant by the path `place`.
    ///
    /// # Errors
    /// It cannot be read, or not what is in it.
    pub(super) fn read(&self, place: &Path, real: &Path) -> io::Result<Folder> {
        if real.as_os_str().len() > PATH_BYTES_MAX {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        let opened = open_folder(real)?;
        let stamp = Entry::of_open(&opened)?.stamp;
        // Fails where names can be read but not used.
        Entry::at(&opened, OsStr::new("."))?;
        let mut folder = Folder {
            settled: stamp.is_settled(self.now),
            stamp,
            for_held: self.held.is_some(),
            real: real.to_owned(),
            found: Vec::new(),
            below: Vec::new(),
            links: Vec::new(),
            inodes: Vec::new(),
            has_git: false,
            has_more: false,
        };
        let mut place = place.to_owned();
        let mut first = None;
        for listed in Dir::new(opened.try_clone()?)? {
            let listed = listed?;
            let name = OsStr::from_bytes(listed.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if folder.inodes.len() >= PLACES_ENTRIES_MAX {
                folder.has_more = true;
                break;
            }
            let kind = kind_of(&opened, name, listed.file_type());
            place.push(name);
            self.note(&mut folder, &place, name, kind);
            place.pop();
            folder.inodes.push(listed.ino());
            if first.is_none() && kind == FileType::RegularFile {
                first = Entry::at(&opened, name).ok().map(|it| it.identity.inode == listed.ino());
            }
        }
        if first == Some(false) {
            // A layered file system, which lists other numbers than it tells of the files.
            let names = names_in(&opened, PLACES_ENTRIES_MAX)?.0.into_iter();
            let entries = names.filter_map(|name| Entry::at(&opened, &name).ok());
            folder.inodes = entries.map(|entry| entry.identity.inode).collect();
        }
        Ok(folder)
    }

    fn note(&self, folder: &mut Folder, place: &Path, name: &OsStr, kind: FileType) {
        let closed = self.closed.holds(place);
        let held = self.held.is_some_and(|held| held.holds(place));
        if closed || held {
            folder.found.push((name.to_owned(), What { closed, held }));
        }
        folder.has_git |= name == ".git";
        if kind == FileType::Directory && !closed && !is_of_git_alone(place) {
            folder.below.push(name.to_owned());
        }
        let leads = || self.closed.leads(place) || self.held.is_some_and(|held| held.leads(place));
        if kind == FileType::Symlink && !closed && leads() {
            folder.links.push(name.to_owned());
        }
    }
}

/// The names in an open folder, from its beginning, at most so many; and whether these are all.
///
/// # Errors
/// It cannot be read.
pub(super) fn names_in(folder: &OwnedFd, max: usize) -> io::Result<(Vec<OsString>, bool)> {
    let mut listing = Dir::new(folder.try_clone()?)?;
    listing.rewind();
    let mut names = Vec::new();
    for listed in listing {
        let listed = listed?;
        let name = OsStr::from_bytes(listed.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if names.len() >= max {
            return Ok((names, false));
        }
        names.push(name.to_owned());
    }
    Ok((names, true))
}

/// Folders of git's that only git reads: nothing in them has a name that means something to anybody.
fn is_of_git_alone(place: &Path) -> bool {
    let Some(folder) = place.parent() else { return false };
    place.file_name().is_some_and(|name| name == "objects" || name == "lfs")
        && (folder.ends_with(".git") || folder.ancestors().any(|it| it.ends_with(".git/modules")))
}
