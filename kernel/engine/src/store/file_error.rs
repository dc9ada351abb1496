//! [`FileError`]: a file operation that the operating system refused, and what helps.

use std::{
    io,
    path::{Path, PathBuf},
};

/// A file operation that the operating system refused.
///
/// The reason is part of the text and not a source, so that one line says everything.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {reason}; {}", path.display(), self.help())]
pub struct FileError {
    action: &'static str,
    path: PathBuf,
    reason: io::Error,
}

impl FileError {
    /// For `map_err`: what was tried ("append to") and where.
    pub(crate) fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self { action, path, reason }
    }

    /// The file or directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The operating system's reason.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.reason.kind()
    }

    /// What helps, one clause.
    #[must_use]
    pub fn help(&self) -> &'static str {
        const HELP: [(io::ErrorKind, &str); 7] = [
            (
                io::ErrorKind::StorageFull,
                "free some space there, or set TOLLGATE_HOME to another disk",
            ),
            (
                io::ErrorKind::QuotaExceeded,
                "free some of your quota, or set TOLLGATE_HOME elsewhere",
            ),
            (
                io::ErrorKind::FileTooLarge,
                "raise the file size limit (ulimit -f) or start a new session",
            ),
            (
                io::ErrorKind::ReadOnlyFilesystem,
                "set TOLLGATE_HOME to a directory that can be written",
            ),
            (
                io::ErrorKind::PermissionDenied,
                "make it yours (chown, chmod u+rwX), or set TOLLGATE_HOME to a directory that is",
            ),
            (
                io::ErrorKind::NotFound,
                "it was removed or never made: check the path and TOLLGATE_HOME",
            ),
            (io::ErrorKind::InvalidData, "it was changed or damaged: restore it, or do without it"),
        ];
        let kind = self.reason.kind();
        HELP.iter()
            .find(|(known, _)| *known == kind)
            .map_or("check the disk and the path", |(_, help)| help)
    }
}
