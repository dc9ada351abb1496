//! The directory of one kernel: its sockets and the records of its servers.
//!
//! `$XDG_RUNTIME_DIR/tollgate/<8 hex digits>/`, or below `$TMPDIR/tollgate-<uid>/` (`/tmp`), or below a
//! given directory; mode 0700. A kernel holds a lock on `pid` as long as it lives, so that whoever gets
//! that lock knows that the kernel is dead, also in another PID namespace; such directories are removed
//! when the next kernel starts.
//!
//! Invariant: a directory has its name only once its `pid` file is written and locked.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use nix::unistd::{Pid, geteuid};

use super::limits::{RUNTIME_DIR_TRIES, SOCKET_PATH_BYTES_MAX, UNFINISHED_AGE_MAX};

/// Name of the file that says whose directory it is: the process id, locked.
const OWNER_FILE: &str = "pid";
/// End of the name of a directory that is being made.
const UNFINISHED: &str = ".new";

/// Why a runtime directory or a socket in it cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeDirError {
    /// Somebody else could put files there, or change ours.
    #[error(
        "{} is not private: {why}; remove it, or set XDG_RUNTIME_DIR to a directory of your own",
        path.display()
    )]
    NotPrivate {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The path of a socket is longer than a Unix socket's may be.
    #[error(
        "the socket path {} has {bytes} bytes and the limit is {SOCKET_PATH_BYTES_MAX}; set \
         XDG_RUNTIME_DIR or TOLLGATE_HOME to a shorter directory",
        path.display()
    )]
    PathTooLong {
        /// The path.
        path: PathBuf,
        /// Its length in bytes.
        bytes: usize,
    },
    /// A server's name cannot be part of a file name.
    #[error("{name:?} cannot be part of a file name")]
    Name {
        /// The name.
        name: String,
    },
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
}

/// The runtime directory of this kernel; removed when dropped.
#[derive(Debug)]
pub struct RuntimeDir {
    path: PathBuf,
    // Held for its lock, which says that this kernel lives.
    _owner: File,
}

impl RuntimeDir {
    /// Makes a directory for this process, below `below` or in the usual place, and removes those of
    /// dead kernels.
    ///
    /// # Errors
    ///
    /// The place is not private to this user, or a directory cannot be made there.
    pub fn create(below: Option<&Path>) -> Result<Self, RuntimeDirError> {
        let home = home(below);
        make_private(&home)?;
        remove_dead(&home);
        let mut tries = 1;
        loop {
            match Self::create_in(&home) {
                Err(RuntimeDirError::Io { source, .. })
                    if tries < RUNTIME_DIR_TRIES
                        && source.kind() == io::ErrorKind::AlreadyExists =>
                {
                    tries += 1;
                }
                made => return made,
            }
        }
    }

    fn create_in(home: &Path) -> Result<Self, RuntimeDirError> {
        let name = random_name();
        let unfinished = home.join(format!("{name}{UNFINISHED}"));
        let path = home.join(name);
        DirBuilder::new().mode(0o700).create(&unfinished).map_err(io_error("make", &unfinished))?;
        let owner = write_owner(&unfinished.join(OWNER_FILE))
            .and_then(|owner| fs::rename(&unfinished, &path).map(|()| owner));
        match owner {
            Ok(owner) => Ok(Self { path, _owner: owner }),
            Err(source) => {
                fs::remove_dir_all(&unfinished).ok();
                Err(io_error("make", &path)(source))
            }
        }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Binds a listening socket for a server's `generation`-th process: close-on-exec, mode 0600.
    ///
    /// # Errors
    ///
    /// The path would be too long, `server` is no file name, or the socket cannot be bound.
    pub fn listen(
        &self,
        server: &str,
        generation: u32,
    ) -> Result<(OwnedFd, PathBuf), RuntimeDirError> {
        let path = self.path.join(format!("{}-{generation}.sock", file_name(server)?));
        let bytes = path.as_os_str().len();
        if bytes > SOCKET_PATH_BYTES_MAX {
            return Err(RuntimeDirError::PathTooLong { path, bytes });
        }
        let listener = UnixListener::bind(&path).map_err(io_error("bind", &path))?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))
            .map_err(io_error("make private", &path))?;
        Ok((listener.into(), path))
    }
}

impl Drop for RuntimeDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "runtime directory left behind");
        }
    }
}

/// The place of all runtime directories of this user.
pub(super) fn home(below: Option<&Path>) -> PathBuf {
    let session = || std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match (below, session().filter(|path| path.is_absolute() && path.is_dir())) {
        (Some(given), _) => given.to_owned(),
        (None, Some(session)) => session.join("tollgate"),
        (None, None) => std::env::temp_dir().join(format!("tollgate-{}", geteuid())),
    }
}

/// The runtime directories in `home` of kernels that live, with the process ids of those.
pub(super) fn living(home: &Path) -> Vec<(PathBuf, i32)> {
    let owner = |path: &PathBuf| {
        let file = path.join(OWNER_FILE);
        let is_locked =
            matches!(File::open(&file).ok()?.try_lock_shared(), Err(TryLockError::WouldBlock));
        is_locked.then(|| fs::read_to_string(file).ok()?.trim().parse().ok())?
    };
    directories(home, "").filter_map(|path| owner(&path).map(|pid| (path, pid))).collect()
}

/// `server` as part of a file name.
pub(super) fn file_name(server: &str) -> Result<&str, RuntimeDirError> {
    if server.is_empty() || server.starts_with('.') || server.contains(['/', '\0']) {
        return Err(RuntimeDirError::Name { name: server.to_owned() });
    }
    Ok(server)
}

/// Makes an error of what was tried on `path`; `action` is a verb.
pub(super) fn io_error(
    action: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> RuntimeDirError {
    let path = path.to_owned();
    move |source| RuntimeDirError::Io { action, path, source }
}

/// Eight hexadecimal digits that nobody can foresee.
fn random_name() -> String {
    let [.., a, b, c, d] = uuid::Uuid::now_v7().into_bytes();
    format!("{:08x}", u32::from_be_bytes([a, b, c, d]))
}

/// Makes `path` if it is missing, and refuses it if others could change what is in it.
fn make_private(path: &Path) -> Result<(), RuntimeDirError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(io_error("make", path))?;
    let found = fs::symlink_metadata(path).map_err(io_error("look at", path))?;
    let why = if !found.is_dir() {
        "it is a symbolic link or a file"
    } else if found.uid() != geteuid().as_raw() {
        "it belongs to another user"
    } else if found.mode() & 0o022 != 0 {
        "others may write to it"
    } else {
        return Ok(());
    };
    Err(RuntimeDirError::NotPrivate { path: path.to_owned(), why })
}

/// Writes the owner file and locks it; the lock ends with this process, however it ends.
fn write_owner(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.lock()?;
    writeln!(file, "{}", Pid::this())?;
    Ok(file)
}

/// The directories in `home` whose names are eight hexadecimal digits and `end`.
fn directories(home: &Path, end: &'static str) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(home).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(move |path| {
        let name = path.file_name().and_then(|name| name.to_str()?.strip_suffix(end));
        name.is_some_and(|name| name.len() == 8 && name.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

/// Removes the directories of kernels that have ended without doing so. What cannot be removed now is
/// tried again by the next kernel.
fn remove_dead(home: &Path) {
    for path in directories(home, "") {
        // No owner file: half removed, by its kernel or by another one that did this.
        let is_free = |owner: File| owner.try_lock().is_ok();
        if File::open(path.join(OWNER_FILE)).map_or(true, is_free) {
            fs::remove_dir_all(path).ok();
        }
    }
    for path in directories(home, UNFINISHED) {
        let changed = fs::metadata(&path).and_then(|found| found.modified()).ok();
        let age = changed.and_then(|changed| changed.elapsed().ok());
        if age.is_some_and(|age| age > UNFINISHED_AGE_MAX) {
            fs::remove_dir_all(path).ok();
        }
    }
}

#[cfg(test)]
mod tests;
