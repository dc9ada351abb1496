//! [`StateDir`]: the directories of the store, private to one user (`[CLI-06]`).
//!
//! ```text
//! <root>/sessions/<id>.jsonl  <id>.lock      receipts/<id>.jsonl
//!        artifacts/<2 hex>/<64 hex>          logs/  servers/<name>/
//! ```
//!
//! Invariant: a directory that another user owns or could write is refused (test
//! `a_directory_that_others_could_write_is_refused`); those below the root are 0700.
//!
//! Not here: where the root is.

use std::{
    fs,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use nix::unistd::geteuid;

use super::{FileError, limits::DIR_MODE};

/// Why a state directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum StateDirError {
    /// It could not be made or looked at.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something else stands at its path.
    #[error("{} is not a directory; move it away, or set TOLLGATE_HOME elsewhere", path.display())]
    NotADirectory {
        /// What is in the way.
        path: PathBuf,
    },
    /// Its owner could read and forge what is kept.
    #[error(
        "{} belongs to user {owner}, and this is user {user}; set TOLLGATE_HOME to a directory of your own",
        path.display()
    )]
    OtherUser {
        /// The directory.
        path: PathBuf,
        /// Its owner's id.
        owner: u32,
        /// This process's effective id.
        user: u32,
    },
    /// Others could put files there.
    #[error("{} can be written by others (mode {mode:04o}); run: chmod go-w {}", path.display(), path.display())]
    Writable {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

/// The directories of the store. All exist, and all are private.
#[derive(Clone, Debug)]
pub struct StateDir {
    root: PathBuf,
    sessions: PathBuf,
    artifacts: PathBuf,
    receipts: PathBuf,
    logs: PathBuf,
    servers: PathBuf,
}

impl StateDir {
    /// Checks the layout below `root` and makes what is missing. Blocking.
    ///
    /// # Errors
    /// See [`StateDirError`]; what exists is left as it was.
    pub fn open(root: &Path) -> Result<Self, StateDirError> {
        make(root)?;
        let state = Self {
            root: root.to_owned(),
            sessions: root.join("sessions"),
            artifacts: root.join("artifacts"),
            receipts: root.join("receipts"),
            logs: root.join("logs"),
            servers: root.join("servers"),
        };
        let folders =
            [&state.sessions, &state.artifacts, &state.receipts, &state.logs, &state.servers];
        for path in folders {
            if make(path)? != DIR_MODE {
                let private = fs::Permissions::from_mode(DIR_MODE);
                fs::set_permissions(path, private).map_err(FileError::at("make private", path))?;
            }
        }
        Ok(state)
    }

    /// What the others are below.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Session logs and their locks.
    #[must_use]
    pub fn sessions(&self) -> &Path {
        &self.sessions
    }

    /// Files named by their content.
    #[must_use]
    pub fn artifacts(&self) -> &Path {
        &self.artifacts
    }

    /// Receipt logs.
    #[must_use]
    pub fn receipts(&self) -> &Path {
        &self.receipts
    }

    /// Logs of the kernel and the servers.
    #[must_use]
    pub fn logs(&self) -> &Path {
        &self.logs
    }

    /// A folder of each server's own.
    #[must_use]
    pub fn servers(&self) -> &Path {
        &self.servers
    }
}

/// Makes a directory if it is missing, and checks that it is private. Its mode.
pub(super) fn make(path: &Path) -> Result<u32, StateDirError> {
    if !path.is_dir() {
        if path.symlink_metadata().is_ok() {
            return Err(StateDirError::NotADirectory { path: path.to_owned() });
        }
        fs::DirBuilder::new()
            .recursive(true)
            .mode(DIR_MODE)
            .create(path)
            .map_err(FileError::at("make the directory", path))?;
    }
    let metadata = path.metadata().map_err(FileError::at("look at", path))?;
    let (owner, user) = (metadata.uid(), geteuid().as_raw());
    if owner != user {
        return Err(StateDirError::OtherUser { path: path.to_owned(), owner, user });
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return Err(StateDirError::Writable { path: path.to_owned(), mode });
    }
    Ok(mode)
}

#[cfg(test)]
mod tests;
