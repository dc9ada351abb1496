//! [`SessionLock`]: one kernel per session (`[STORE-04]`).
//!
//! An exclusive `flock` on `sessions/<id>.lock`, which names its holder's process id. The file stays
//! when the lock goes: removing it would let two kernels hold two files of one name.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::PathBuf,
};

use tollgate_core::name::SessionId;

use super::{FileError, StateDir, limits::FILE_MODE};

/// Why a session could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The lock file could not be opened or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another kernel has the session.
    #[error(
        "session {session} is open in another kernel ({}); end that one, or start a new session",
        .pid.map_or_else(|| "its process id is not known".to_owned(), |pid| format!("process {pid}"))
    )]
    Held {
        /// The session.
        session: SessionId,
        /// The process that holds it, if it has told already.
        pid: Option<u32>,
    },
}

/// Proof that this kernel, and no other, has a session; until dropped.
#[derive(Debug)]
pub struct SessionLock {
    session: SessionId,
    /// Holds the lock; closing it is what frees it.
    _file: File,
}

impl SessionLock {
    /// Takes the session, at once or not at all. Blocking, but never for another kernel.
    ///
    /// # Errors
    /// See [`LockError`].
    pub fn acquire(state: &StateDir, session: &SessionId) -> Result<Self, LockError> {
        let path = path(state, session);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(&path)
            .map_err(FileError::at("open the lock", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Who holds it is for the reader only: not knowing changes nothing.
                let pid =
                    file.take(16).read_to_string(&mut text).ok().and(text.trim().parse().ok());
                return Err(LockError::Held { session: session.clone(), pid });
            }
            Err(TryLockError::Error(reason)) => {
                return Err(FileError::at("lock", &path)(reason).into());
            }
        }
        file.set_len(0)
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(FileError::at("write this process's id to", &path))?;
        Ok(Self { session: session.clone(), _file: file })
    }

    /// The session that is held.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.session
    }
}

fn path(state: &StateDir, session: &SessionId) -> PathBuf {
    state.sessions().join(format!("{session}.lock"))
}

#[cfg(test)]
mod tests;
