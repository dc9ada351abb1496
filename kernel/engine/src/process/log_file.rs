//! A server's log on disk: appended to, and bounded by keeping one old file beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use super::limits::LOG_FILE_BYTES_MAX;

/// A log file that becomes `PATH.1` when it is full.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl LogFile {
    /// Opens the file for appending, readable by its owner only; a server may print what it read.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { path, file, bytes })
    }

    /// Appends `lines`, in a new file if the old one is full.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let added = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        if self.bytes > 0 && self.bytes.saturating_add(added) > LOG_FILE_BYTES_MAX {
            let mut old = self.path.clone().into_os_string();
            old.push(".1");
            fs::rename(&self.path, old)?;
            *self = Self::open(std::mem::take(&mut self.path))?;
        }
        self.file.write_all(lines)?;
        self.bytes = self.bytes.saturating_add(added);
        Ok(())
    }
}
