//! The folder of this process for its shells: the start-up file, and what they leave there.
//!
//! It goes with this process, unless that is killed; so every start removes what killed ones left.
//! Whose process lives is told by a lock that it holds on a file in there, since ids mean nothing
//! across PID namespaces. The file appears locked: a folder without it is just being made, or the
//! process was killed in that instant, and is left alone.
//!
//! Invariants: only folders of this user are touched, only what is in them is removed, and no link is
//! followed (test `nothing_else_is_touched`).

use std::{
    env,
    fs::{self, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use nix::libc;
use tempfile::TempDir;

use crate::limits::{DESK_FILES_MAX, TEMPORARY_NAMES_MAX};

#[cfg(test)]
mod tests;

/// How the folders are named, before some random letters.
const PREFIX: &str = "tollgate-shell-";

/// The file that is locked while the process lives.
const LOCK: &str = "lock";

/// The folder.
#[derive(Debug)]
pub(crate) struct Desk {
    // Removed before the folder, and that before the lock goes.
    blank: Blank,
    folder: TempDir,
    _lock: File,
}

/// An empty folder that nobody may open, which the removal of what holds it could not do either.
#[derive(Debug)]
struct Blank(PathBuf);

impl Drop for Blank {
    fn drop(&mut self) {
        drop(fs::remove_dir(&self.0));
    }
}

impl Desk {
    /// Makes one in the temporary folder, and removes what killed processes left there.
    ///
    /// # Errors
    /// Nothing can be made there.
    pub(crate) fn new() -> io::Result<Self> {
        let base = env::temp_dir();
        let desk = Self::below(&base)?;
        sweep(&base);
        Ok(desk)
    }

    fn below(base: &Path) -> io::Result<Self> {
        // For this user alone: another one must not hold the lock, nor read where commands ended.
        let private = Permissions::from_mode(0o700);
        let folder =
            tempfile::Builder::new().prefix(PREFIX).permissions(private).tempdir_in(base)?;
        let unlocked = folder.path().join("lock.new");
        let lock = File::create_new(&unlocked)?;
        lock.try_lock()?;
        fs::rename(unlocked, folder.path().join(LOCK))?;
        let blank = Blank(folder.path().join("blank.d"));
        let desk = Self { blank, folder, _lock: lock };
        desk.furnish()?;
        Ok(desk)
    }

    /// What confined commands find here: a temporary folder of theirs, and what covers a closed place.
    fn furnish(&self) -> io::Result<()> {
        let nobody = Permissions::from_mode(0o000);
        let (file, folder) = self.blanks();
        fs::create_dir(self.temporary())?;
        File::create_new(&file)?.set_permissions(nobody.clone())?;
        fs::create_dir(&folder)?;
        fs::set_permissions(folder, nobody)
    }

    /// The temporary folder of confined commands.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.path().join("tmp")
    }

    /// An empty file and an empty folder that nobody may open.
    pub(crate) fn blanks(&self) -> (PathBuf, PathBuf) {
        (self.path().join("blank"), self.blank.0.clone())
    }

    /// Where it is; absolute.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of processes that are gone. What cannot be removed stays: nobody waits for it.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    for entry in entries.flatten().take(TEMPORARY_NAMES_MAX) {
        let named = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        if named && let Err(error) = remove_if_left(&entry.path()) {
            tracing::debug!(folder = %entry.path().display(), %error, "a folder is left alone");
        }
    }
}

/// Removes one, if its lock can be had.
fn remove_if_left(folder: &Path) -> io::Result<()> {
    let metadata = folder.symlink_metadata()?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it is not a folder of this user"));
    }
    let lock = folder.join(LOCK);
    // Neither through a link, nor waiting for the other end of a pipe.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(&lock)?;
    // Until the end of this function; another process that holds it lives.
    file.try_lock()?;
    // The lock last: what an interrupted sweep leaves is found by the next one.
    for (seen, entry) in fs::read_dir(folder)?.enumerate() {
        if seen == DESK_FILES_MAX {
            return Err(io::Error::other("it holds too many files"));
        }
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            // An empty one may be closed to reading; the other way follows no link, at any depth.
            fs::remove_dir(&path).or_else(|_| fs::remove_dir_all(&path))?;
        } else if path != lock {
            fs::remove_file(path)?;
        }
    }
    fs::remove_file(lock)?;
    fs::remove_dir(folder)
}
