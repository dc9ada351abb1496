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
//! Not kept: extended attributes and access control lists, and the link to other hard links.

use std::{
    fs::File,
    io::{self, Write},
    os::{
        fd::OwnedFd,
        unix::fs::{MetadataExt, PermissionsExt},
    },
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use nix::{
    errno::Errno,
    fcntl::{AtFlags, OFlag, RenameFlags, openat, renameat, renameat2},
    sys::stat::Mode,
    unistd::{AccessFlags, Gid, Uid, UnlinkatFlags, faccessat, fchown, fsync, unlinkat},
};

use crate::{
    failed::{Class, Failed},
    index::Version,
    limits::TEMPORARY_TRIES_MAX,
    roots::{Place, open_in},
    snapshot::Snapshot,
    strays,
};

/// One write of this server at a time, so that two calls for one file cannot lose each other's work.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static WRITING: Mutex<()> = Mutex::new(());
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes `content` where `before` is (`None`: where nothing is), and gives the new file's metadata.
///
/// # Errors
/// `stale` if what is there is not `before` any more; else the operating system's error. Nothing
/// changed then.
pub(crate) fn replace(
    place: &Place,
    content: &[u8],
    before: Option<&Snapshot>,
) -> Result<std::fs::Metadata, Failed> {
    let failed = |error: io::Error| Failed::io("write", &place.shown, &error);
    let directory = place.parent(before.is_none())?;
    if before.is_some() {
        faccessat(&directory, place.name(), AccessFlags::W_OK, AtFlags::AT_EACCESS)
            .map_err(|error| failed(error.into()))?;
    }
    strays::sweep(&directory);
    let mut temporary = Temporary::create(&directory, before.is_some()).map_err(failed)?;
    temporary.file.write_all(content).map_err(failed)?;
    if let Some(before) = before {
        temporary.take_over(before).map_err(failed)?;
    }
    temporary.file.sync_all().map_err(failed)?;
    check(&directory, place, before)?;
    let metadata = temporary.file.metadata().map_err(failed)?;
    temporary.rename(place, before.is_none())?;
    // Makes the rename durable. Where a file system cannot, the new content is in place all the same.
    fsync(&directory).ok();
    Ok(metadata)
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
        let metadata = now.metadata().ok().filter(std::fs::Metadata::is_file);
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
struct Temporary<'a> {
    directory: &'a OwnedFd,
    file: File,
    name: String,
    is_renamed: bool,
}

impl<'a> Temporary<'a> {
    /// A new empty file: for its owner alone if it is to hold an old file's content, else as the
    /// process makes files.
    fn create(directory: &'a OwnedFd, private: bool) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mode = Mode::from_bits_truncate(if private { 0o600 } else { 0o666 });
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
        for _ in 0..TEMPORARY_TRIES_MAX {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = strays::name(count);
            let file = match openat(directory, name.as_str(), flags, mode) {
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

    /// Takes over owner and mode of the file that it will replace.
    fn take_over(&self, before: &Snapshot) -> io::Result<()> {
        let (old, new) = (&before.metadata, self.file.metadata()?);
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            fchown(&self.file, Some(Uid::from_raw(old.uid())), Some(Gid::from_raw(old.gid())))?;
        }
        let mode = std::fs::Permissions::from_mode(old.mode() & 0o7777);
        self.file.set_permissions(mode)
    }

    fn rename(&mut self, place: &Place, create: bool) -> Result<(), Failed> {
        let (from, to) = (Path::new(&self.name), place.name());
        let directory = self.directory;
        let plain = || renameat(directory, from, directory, to);
        let renamed = if create {
            match renameat2(directory, from, directory, to, RenameFlags::RENAME_NOREPLACE) {
                // A file system without this flag: the check just before must do.
                Err(Errno::EINVAL | Errno::ENOSYS) => plain(),
                other => other,
            }
        } else {
            plain()
        };
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

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            // Should this fail too, the next sweep finds it.
            unlinkat(self.directory, self.name.as_str(), UnlinkatFlags::NoRemoveDir).ok();
        }
    }
}

#[cfg(test)]
mod tests;
