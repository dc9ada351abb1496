//! A move between file systems: a bounded copy, then the removal.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read as _, Write as _},
    os::fd::{BorrowedFd, OwnedFd},
};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, readlinkat, unlinkat};

use super::{
    super::{
        entry::Entry,
        folder::names_in,
        limits::{ASIDE_BYTES_MAX, ASIDE_DEPTH_MAX, ASIDE_ENTRIES_MAX},
    },
    CONTENT,
};

/// Moves what has this name in `from` to [`CONTENT`] in `to`. Links become files that say where they led;
/// pipes, sockets and devices go.
///
/// # Errors
/// It is too much, or cannot be read: then all of it is still there.
pub(super) fn moved(from: BorrowedFd<'_>, name: &OsStr, to: BorrowedFd<'_>) -> io::Result<()> {
    let mut budget = Budget { bytes: ASIDE_BYTES_MAX, entries: ASIDE_ENTRIES_MAX };
    copy(from, name, to, OsStr::new(CONTENT), &mut budget, 0)?;
    remove(from, name, 0)
}

struct Budget {
    bytes: u64,
    entries: usize,
}

fn too_much() -> io::Error {
    io::ErrorKind::QuotaExceeded.into()
}

fn copy(
    from: BorrowedFd<'_>,
    name: &OsStr,
    to: BorrowedFd<'_>,
    new: &OsStr,
    budget: &mut Budget,
    depth: usize,
) -> io::Result<()> {
    budget.entries = budget.entries.checked_sub(1).ok_or_else(too_much)?;
    let kind = Entry::at(from, name)?.identity.kind;
    if kind == FileType::Directory {
        if depth >= ASIDE_DEPTH_MAX {
            return Err(too_much());
        }
        mkdirat(to, new, Mode::RWXU)?;
        let (source, target) = (folder(from, name)?, folder(to, new)?);
        return each(&source, &mut |name| {
            copy(as_fd(&source), name, as_fd(&target), name, budget, depth + 1)
        });
    }
    if kind == FileType::RegularFile {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let source = File::from(openat(from, name, flags, Mode::empty())?);
        let copied = io::copy(&mut source.take(budget.bytes + 1), &mut made(to, new)?)?;
        budget.bytes = budget.bytes.checked_sub(copied).ok_or_else(too_much)?;
    } else if kind == FileType::Symlink {
        let target = readlinkat(from, name, Vec::new())?;
        let mut file = made(to, new)?;
        file.write_all(b"a symbolic link to ")?;
        file.write_all(target.as_bytes())?;
    }
    Ok(())
}

fn made(to: BorrowedFd<'_>, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(openat(to, name, flags, Mode::RUSR | Mode::WUSR)?))
}

/// Removes what has this name, with all below it.
fn remove(from: BorrowedFd<'_>, name: &OsStr, depth: usize) -> io::Result<()> {
    if Entry::at(from, name)?.is_folder() {
        if depth >= ASIDE_DEPTH_MAX {
            return Err(too_much());
        }
        let inner = folder(from, name)?;
        each(&inner, &mut |name| remove(as_fd(&inner), name, depth + 1))?;
        return Ok(unlinkat(from, name, AtFlags::REMOVEDIR)?);
    }
    Ok(unlinkat(from, name, AtFlags::empty())?)
}

fn folder(at: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(at, name, flags, Mode::empty())?)
}

fn as_fd(folder: &OwnedFd) -> BorrowedFd<'_> {
    std::os::fd::AsFd::as_fd(folder)
}

/// Calls `act` for every name in a folder. All names are read first, since acts change it.
fn each(folder: &OwnedFd, act: &mut dyn FnMut(&OsStr) -> io::Result<()>) -> io::Result<()> {
    match names_in(folder, ASIDE_ENTRIES_MAX)? {
        (names, true) => names.iter().try_for_each(|name| act(name)),
        (_, false) => Err(too_much()),
    }
}
