//! Temporary files that a killed process left behind, removed before the next write beside them.
//!
//! A temporary is locked while it is in use; one that can be locked is a stray. What comes from another
//! file system is copied into a temporary directory first, which is locked and swept in the same way.

use std::{
    collections::HashSet,
    fs::File,
    io,
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use nix::{
    dir::Dir,
    errno::Errno,
    fcntl::OFlag,
    sys::stat::{Mode, mkdirat},
};

use crate::{
    limits::{NAMES_MAX, SWEPT_MAX, TEMPORARY_TRIES_MAX},
    roots::open_in,
    tree,
};

const PREFIX: &str = ".tollgate-";
const SUFFIX: &str = ".tmp";

/// A name for a temporary that this process has not used.
pub(crate) fn name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}{}-{count}{SUFFIX}", std::process::id())
}

/// Makes a temporary directory, locked while what is given lives, and gives its name.
///
/// # Errors
/// The operating system's error.
pub(crate) fn directory(within: &OwnedFd) -> io::Result<(String, OwnedFd)> {
    for _ in 0..TEMPORARY_TRIES_MAX {
        let name = name();
        match mkdirat(within, name.as_str(), Mode::from_bits_truncate(0o700)) {
            Ok(()) => {}
            Err(Errno::EEXIST) => continue,
            Err(error) => return Err(error.into()),
        }
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
        let file = File::from(open_in(within, Path::new(&name), flags)?);
        // A sweep of another process may have taken it for a stray before it was locked.
        if file.try_lock().is_ok() && file.metadata()?.nlink() > 0 {
            return Ok((name, file.into()));
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name for a temporary directory"))
}

/// Directories, by device and inode, that this process has swept: once each is enough, since it
/// leaves no strays itself while it lives.
static SWEPT: Mutex<Option<HashSet<(u64, u64)>>> = Mutex::new(None);

/// Removes the strays of a directory, if this process has not done so before. What cannot be
/// removed stays: a stray is untidy, not wrong.
pub(crate) fn sweep(directory: &OwnedFd) {
    let Ok(listed) = open_in(directory, Path::new("."), OFlag::O_RDONLY | OFlag::O_DIRECTORY)
    else {
        return;
    };
    if is_swept(&listed) {
        return;
    }
    let Ok(mut listed) = Dir::from_fd(listed) else { return };
    for entry in listed.iter().flatten().take(NAMES_MAX) {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            remove_if_stray(directory, name);
        }
    }
}

fn is_swept(directory: &OwnedFd) -> bool {
    let metadata = directory.try_clone().map(File::from).and_then(|file| file.metadata());
    let Ok(metadata) = metadata else { return true };
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let swept = swept.get_or_insert_default();
    if swept.len() >= SWEPT_MAX {
        swept.clear();
    }
    !swept.insert((metadata.dev(), metadata.ino()))
}

fn remove_if_stray(directory: &OwnedFd, name: &str) {
    let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let Ok(file) = open_in(directory, Path::new(name), flags) else { return };
    let file = File::from(file);
    let Ok(metadata) = file.metadata() else { return };
    if !(metadata.is_file() || metadata.is_dir()) || file.try_lock().is_err() {
        return;
    }
    tree::remove(directory, Path::new(name), name).ok();
}
