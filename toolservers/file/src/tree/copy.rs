//! Copies an entry with all below it to another directory, durably.
//!
//! Kept: content, links, mode, owner where it may be, modification time, extended attributes. Files
//! with several names become files of their own.

use std::{
    collections::HashSet,
    fs::{File, Metadata, Permissions},
    io::{self, Read},
    os::{
        fd::OwnedFd,
        unix::fs::{MetadataExt, PermissionsExt},
    },
    path::Path,
};

use nix::{
    errno::Errno,
    fcntl::{OFlag, openat, readlinkat},
    sys::{
        stat::{Mode, futimens, mkdirat},
        time::TimeSpec,
    },
    unistd::{Gid, Uid, fchown, symlinkat, syncfs},
};

use super::{Way, enter, names};
use crate::{
    attributes,
    failed::{Class, Failed},
    index::Version,
    itself::{Itself, Sort},
    kind,
    limits::{BLOCK_BYTES, COPY_BYTES_MAX},
    roots::open_in,
};

/// The files that were copied, as they were.
#[derive(Debug, Default)]
pub(crate) struct Copied {
    versions: HashSet<Version>,
    bytes: u64,
}

impl Copied {
    /// Whether this very version of a file was copied.
    pub(crate) fn has(&self, version: Version) -> bool {
        self.versions.contains(&version)
    }

    /// Bytes of content.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Copies an entry of a directory to a free name of another one, and makes it durable.
///
/// # Errors
/// `too_large` past [`COPY_BYTES_MAX`] or the depth; `special_file`; `stale` for a file that changed
/// meanwhile; `cancelled`; the operating system's error. A part of the copy may be there then.
pub(crate) fn copy(
    (from, name): (&OwnedFd, &Path),
    (to, new_name): (&OwnedFd, &Path),
    shown: &str,
    stopped: &dyn Fn() -> bool,
) -> Result<Copied, Failed> {
    let mut copied = Copied::default();
    let way = Way { shown, stopped, depth: 0 };
    one((from, name), (to, new_name), &way, &mut copied)?;
    syncfs(to).map_err(|error| way.failed("copy", error))?;
    Ok(copied)
}

fn one(
    (from, name): (&OwnedFd, &Path),
    (to, new_name): (&OwnedFd, &Path),
    way: &Way<'_>,
    copied: &mut Copied,
) -> Result<(), Failed> {
    let failed = |error| way.failed("copy", error);
    let entry = Itself::look(from, name).map_err(failed)?;
    match entry.sort {
        Sort::File => file((from, name), (to, new_name), way, copied),
        Sort::Link => {
            let target = readlinkat(from, name).map_err(failed)?;
            symlinkat(target.as_os_str(), to, new_name).map_err(failed)
        }
        Sort::Special => Err(kind::special(way.shown, "or holds, a FIFO, socket or device")),
        Sort::Directory => {
            let Some(inner) = enter(from, name, &entry, way, "copy")? else {
                return Err(changed(way));
            };
            let below = way.below()?;
            mkdirat(to, new_name, Mode::from_bits_truncate(0o700)).map_err(failed)?;
            let made = open_in(to, new_name, OFlag::O_RDONLY | OFlag::O_DIRECTORY)
                .map_err(|error| Failed::io("copy", way.shown, &error))?;
            for name in names(&inner).map_err(failed)? {
                let name = Path::new(&name);
                one((&inner, name), (&made, name), &below, copied)?;
            }
            let (inner, made) = (File::from(inner), File::from(made));
            alike(&inner, &made).map_err(|error| Failed::io("copy", way.shown, &error))
        }
    }
}

fn file(
    (from, name): (&OwnedFd, &Path),
    (to, new_name): (&OwnedFd, &Path),
    way: &Way<'_>,
    copied: &mut Copied,
) -> Result<(), Failed> {
    let io = |error: io::Error| Failed::io("copy", way.shown, &error);
    let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let mut old = File::from(open_in(from, name, flags).map_err(io)?);
    let before = kind::regular(&old, way.shown)?;
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
    let new = openat(to, new_name, flags, Mode::from_bits_truncate(0o600));
    let mut new = File::from(new.map_err(|error| way.failed("copy", error))?);
    loop {
        if (way.stopped)() {
            return Err(Failed::new(Class::Cancelled, "the call was stopped"));
        }
        let block =
            io::copy(&mut (&mut old).take(BLOCK_BYTES as u64 * 64), &mut new).map_err(io)?;
        if block == 0 {
            break;
        }
        copied.bytes += block;
        if copied.bytes > COPY_BYTES_MAX {
            return Err(too_much(way));
        }
    }
    let after: Metadata = old.metadata().map_err(io)?;
    if Version::of(&after) != Version::of(&before) {
        return Err(changed(way));
    }
    copied.versions.insert(Version::of(&after));
    alike(&old, &new).map_err(io)
}

/// Gives the copy what the old one has beside its content.
fn alike(old: &File, new: &File) -> io::Result<()> {
    let metadata = old.metadata()?;
    // Another owner than oneself can be given by root alone.
    if let Err(error) =
        fchown(new, Some(Uid::from_raw(metadata.uid())), Some(Gid::from_raw(metadata.gid())))
        && error != Errno::EPERM
    {
        return Err(error.into());
    }
    attributes::carry(old, new);
    new.set_permissions(Permissions::from_mode(metadata.mode() & 0o7777))?;
    let time = |seconds, nanos| TimeSpec::new(seconds, nanos);
    futimens(
        new,
        &time(metadata.atime(), metadata.atime_nsec()),
        &time(metadata.mtime(), metadata.mtime_nsec()),
    )?;
    Ok(())
}

fn too_much(way: &Way<'_>) -> Failed {
    let message = format!(
        "{} is on another file system, and has more than {COPY_BYTES_MAX} bytes to copy; use bash for it",
        way.shown
    );
    Failed::new(Class::TooLarge, message)
}

fn changed(way: &Way<'_>) -> Failed {
    let message = format!("{} is being changed by another program; try again", way.shown);
    Failed::new(Class::Stale, message)
}
