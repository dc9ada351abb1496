//! Temporary files that a killed process left behind, removed before the next write beside them.
//!
//! A temporary file is locked while it is in use; one that can be locked is a stray.

use std::{
    collections::HashSet,
    fs::File,
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::Path,
    sync::{Mutex, PoisonError},
};

use nix::{
    dir::Dir,
    fcntl::OFlag,
    unistd::{UnlinkatFlags, unlinkat},
};

use crate::{
    limits::{NAMES_MAX, SWEPT_MAX},
    roots::open_in,
};

const PREFIX: &str = ".tollgate-";
const SUFFIX: &str = ".tmp";

/// The name of this process's temporary file number `count`.
pub(crate) fn name(count: u64) -> String {
    format!("{PREFIX}{}-{count}{SUFFIX}", std::process::id())
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
    if file.metadata().is_ok_and(|metadata| metadata.is_file()) && file.try_lock().is_ok() {
        unlinkat(directory, name, UnlinkatFlags::NoRemoveDir).ok();
    }
}
