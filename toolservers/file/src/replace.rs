//! Puts new content in a file's place: all of it, or nothing.
//!
//! A temporary file in the same directory is written, made durable, given the old file's mode and
//! owner, and renamed over it beneath one directory descriptor. Just before the rename the old
//! content is compared with what the caller started from.
//!
//! Invariant: at every instant the name holds the whole old or the whole new content, and a
//! temporary file of a secret is never readable by others (tests `a_replaced_file_keeps_its_mode`,
//! `a_concurrent_change_is_refused`).
//!
//! Extended attributes, access control lists among them, go along; what could not be kept is told
//! ([`Put::notes`]). Not kept: the link to other hard links, and bits that lend the owner's rights, which a
//! write in place ends too.

use std::{
    fs::{File, Metadata, Permissions},
    io::{self, Write},
    os::{
        fd::OwnedFd,
        unix::fs::{MetadataExt, PermissionsExt},
    },
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use nix::{
    errno::Errno,
    fcntl::{AtFlags, OFlag, openat, renameat},
    sys::stat::Mode,
    unistd::{AccessFlags, Gid, Uid, UnlinkatFlags, faccessat, fchown, fsync, unlinkat},
};

use crate::{
    attributes,
    failed::{Class, Failed},
    index::Version,
    limits::TEMPORARY_TRIES_MAX,
    rename::rename_new,
    roots::{Place, open_in},
    snapshot::Snapshot,
    strays,
};

/// One write of this server at a time, so that two calls for one file cannot lose each other's work.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static WRITING: Mutex<()> = Mutex::new(());
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What came into place.
#[derive(Debug)]
pub(crate) struct Put {
    /// Of the new file.
    pub(crate) metadata: Metadata,
    /// Sentences, without full stop, on what of the old file could not be kept.
    pub(crate) notes: Vec<String>,
}

/// Writes `content` where `before` is (`None`: where nothing is).
///
/// # Errors
/// `stale` if what is there is not `before` any more; else the operating system's error. Nothing
/// changed then.
pub(crate) fn replace(
    place: &Place,
    content: &[u8],
    before: Option<&Snapshot>,
) -> Result<Put, Failed> {
    Staged::new(place, content, before, before)?.put()
}

/// Content that is durable beside its place, and not yet in it. Goes away unless it is put there.
#[derive(Debug)]
pub(crate) struct Staged<'a> {
    place: &'a Place,
    before: Option<&'a Snapshot>,
    temporary: Temporary,
    notes: Vec<String>,
}

impl<'a> Staged<'a> {
    /// Stages content for a place where `before` is (`None`: where nothing is), with the mode and owner
    /// of `like` (`None`: as the process makes files).
    ///
    /// # Errors
    /// The operating system's error. Nothing changed but that parents of the place are there.
    pub(crate) fn new(
        place: &'a Place,
        content: &[u8],
        before: Option<&'a Snapshot>,
        like: Option<&Snapshot>,
    ) -> Result<Self, Failed> {
        let failed = |error: io::Error| Failed::io("write", &place.shown, &error);
        let directory = place.parent(before.is_none())?;
        if before.is_some() {
            faccessat(&directory, place.name(), AccessFlags::W_OK, AtFlags::AT_EACCESS)
                .map_err(|error| failed(error.into()))?;
        }
        strays::sweep(&directory);
        let mut temporary = Temporary::create(directory, like.is_some()).map_err(failed)?;
        temporary.file.write_all(content).map_err(failed)?;
        let notes = match like {
            Some(like) => temporary.take_over(like).map_err(failed)?,
            None => Vec::new(),
        };
        temporary.file.sync_all().map_err(failed)?;
        Ok(Self { place, before, temporary, notes })
    }

    /// Looks whether it could be put in place now.
    ///
    /// # Errors
    /// `stale` if what is there is not what was.
    pub(crate) fn check(&self) -> Result<(), Failed> {
        check(&self.temporary.directory, self.place, self.before)
    }

    /// Puts it in place.
    ///
    /// # Errors
    /// As [`Staged::check`], or the operating system's error. Nothing changed then.
    pub(crate) fn put(mut self) -> Result<Put, Failed> {
        self.check()?;
        let metadata = self.temporary.file.metadata();
        let metadata = metadata.map_err(|error| Failed::io("write", &self.place.shown, &error))?;
        self.temporary.rename(self.place, self.before.is_none())?;
        // Makes the rename durable. Where a file system cannot, the content is in place all the same.
        fsync(&self.temporary.directory).ok();
        Ok(Put { metadata, notes: self.notes })
    }
}

/// Removes the file at a place where `before` is.
///
/// # Errors
/// `stale` if what is there is not `before` any more; else the operating system's error. Nothing
/// changed then.
pub(crate) fn remove(place: &Place, before: &Snapshot) -> Result<(), Failed> {
    let directory = place.parent(false)?;
    check(&directory, place, Some(before))?;
    unlinkat(&directory, place.name(), UnlinkatFlags::NoRemoveDir)
        .map_err(|error| Failed::io("delete", &place.shown, &error.into()))?;
    fsync(&directory).ok();
    Ok(())
}

/// Looks whether what is at a place is `before` still.
///
/// # Errors
/// `stale`.
pub(crate) fn unchanged(place: &Place, before: &Snapshot) -> Result<(), Failed> {
    check(&place.parent(false)?, place, Some(before))
}

/// What is said of a file that had other hard links.
pub(crate) fn other_links(links: u64) -> String {
    format!("the file had {} other hard links, which keep the old content", links - 1)
}

/// Refuses if what is at the place now is not `before`.
fn check(directory: &OwnedFd, place: &Place, before: Option<&Snapshot>) -> Result<(), Failed> {
    let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let now = match open_in(directory, place.name(), flags) {
        Ok(now) => File::from(now),
        Err(error) if error.kind() == io::ErrorKind::NotFound && before.is_none() => return Ok(()),
        Err(_) => return Err(changed(place)),
    };
    let same = before.is_some_and(|before| {
        let metadata = now.metadata().ok().filter(Metadata::is_file);
        let seen = metadata.filter(|now| Version::of(now) == Version::of(&before.metadata));
        // Times are coarse: two changes in one tick look alike, their content does not.
        seen.and_then(|seen| Snapshot::read(now, seen, &place.shown).ok())
            .is_some_and(|now| now.sha256 == before.sha256)
    });
    if same { Ok(()) } else { Err(changed(place)) }
}

fn changed(place: &Place) -> Failed {
    let message = format!(
        "{} was changed by another program at this very moment; nothing was written. Read it again",
        place.shown
    );
    Failed::new(Class::Stale, message)
}

/// A file that goes away unless it is renamed. Locked, so that a sweep knows it is in use.
#[derive(Debug)]
struct Temporary {
    directory: OwnedFd,
    file: File,
    name: String,
    is_renamed: bool,
}

impl Temporary {
    /// A new empty file: for its owner alone if it is to hold an old file's content, else as the
    /// process makes files.
    fn create(directory: OwnedFd, private: bool) -> io::Result<Self> {
        let mode = Mode::from_bits_truncate(if private { 0o600 } else { 0o666 });
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
        for _ in 0..TEMPORARY_TRIES_MAX {
            let name = strays::name();
            let file = match openat(&directory, name.as_str(), flags, mode) {
                Ok(file) => File::from(file),
                Err(Errno::EEXIST) => continue,
                Err(error) => return Err(error.into()),
            };
            // A sweep of another process may have taken it for a stray before it was locked.
            if file.try_lock().is_ok() && file.metadata()?.nlink() > 0 {
                return Ok(Self { directory, file, name, is_renamed: false });
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name for a temporary file"))
    }

    /// Takes over owner, attributes and mode of the file that it will replace; sentences on what it could
    /// not.
    fn take_over(&self, before: &Snapshot) -> io::Result<Vec<String>> {
        let (old, new) = (&before.metadata, self.file.metadata()?);
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            fchown(&self.file, Some(Uid::from_raw(old.uid())), Some(Gid::from_raw(old.gid())))?;
        }
        let lost = attributes::carry(&before.file, &self.file);
        let mut notes = Vec::new();
        if !lost.is_empty() {
            notes.push(format!("extended attributes that were not kept: {}", lost.join(", ")));
        }
        let mode = old.mode() & 0o7777;
        let lent = if mode & 0o010 == 0 { mode & 0o4000 } else { mode & 0o6000 };
        if lent != 0 {
            notes.push("the bits set-user-ID and set-group-ID were not kept".to_owned());
        }
        self.file.set_permissions(Permissions::from_mode(mode & !lent))?;
        Ok(notes)
    }

    fn rename(&mut self, place: &Place, create: bool) -> Result<(), Failed> {
        let (from, to) = (Path::new(&self.name), place.name());
        let directory = &self.directory;
        let plain = || renameat(directory, from, directory, to);
        let renamed = if create { rename_new(directory, from, directory, to) } else { plain() };
        match renamed {
            Ok(()) => {
                self.is_renamed = true;
                Ok(())
            }
            Err(Errno::EEXIST) => Err(changed(place)),
            Err(error) => Err(Failed::io("write", &place.shown, &error.into())),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_renamed {
            // Should this fail too, the next sweep finds it.
            unlinkat(&self.directory, self.name.as_str(), UnlinkatFlags::NoRemoveDir).ok();
        }
    }
}

#[cfg(test)]
mod tests;
