//! [`FramedLog`]: an append-only file of records, one JSON line each with length and checksum.
//!
//! ```text
//! {"len":16,"sum":"9f86d081884c7d65","record":{"type":"end", …}}
//! ```
//!
//! `len` is the record's bytes, `sum` the first eight bytes of their SHA-256: a line is whole and
//! unchanged or it is told as damage, and `jq .record` reads the file.
//!
//! Invariants: a line is written by one call on a file opened with `O_APPEND`; a failed write is cut
//! off again, at the latest before the next (test `a_full_disk_leaves_the_log_as_it_was`); a log cut
//! anywhere opens, and loses at most the line that was cut (test `a_log_cut_anywhere_opens`); after a
//! failed device flush nothing more is claimed to be kept, as the system drops what it could not write.
//!
//! Not here: what a record means, and who may write (`lock`).

mod frame;
mod reader;
mod repair;

use std::{
    fs::{File, OpenOptions},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tollgate_core::digest::Digest;

pub use frame::FrameFault;
pub use reader::{Damage, DamageKind, Line, Reader, read};
pub use repair::{Repairs, Torn};

use super::{
    FileError,
    limits::{FILE_MODE, LINE_BUFFER_KEPT_BYTES, RECORD_BYTES_MAX},
};

/// Why a log could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum FramedError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The record is no single line within the bound; nothing was written.
    #[error(
        "a record of {bytes} bytes does not fit a line of {}; at most {RECORD_BYTES_MAX} bytes without a newline do",
        path.display()
    )]
    NoLine {
        /// The log.
        path: PathBuf,
        /// Size of the record.
        bytes: usize,
    },
    /// A device flush failed earlier; the system may have dropped what it could not write.
    #[error(
        "{} could not be flushed to the device earlier, so what it keeps is not known; open it again",
        path.display()
    )]
    FlushFailed {
        /// The log.
        path: PathBuf,
    },
    /// Too many copies of torn last lines stand beside the log.
    #[error("{} copies of torn lines stand beside {}; look at them and remove them", super::limits::TORN_COPIES_MAX, path.display())]
    TornCopies {
        /// The log.
        path: PathBuf,
    },
}

/// An append-only file of framed records.
#[derive(Debug)]
pub struct FramedLog {
    file: Arc<File>,
    path: Arc<Path>,
    /// Bytes of whole lines; a failed write is cut off to here.
    end: u64,
    /// A failed write could not be cut off yet.
    is_torn: bool,
    flush: Arc<FlushState>,
    line: Vec<u8>,
}

/// What the device has, shared with the flushes that are under way.
#[derive(Debug, Default)]
struct FlushState {
    /// Bytes that the device is known to have.
    kept: AtomicU64,
    /// The directory has the file's name.
    is_named: AtomicBool,
    has_failed: AtomicBool,
}

impl FramedLog {
    /// Makes a new log. Blocking.
    ///
    /// # Errors
    /// [`FramedError::File`], also when it exists.
    pub fn create(path: &Path) -> Result<Self, FramedError> {
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .mode(FILE_MODE)
            .open(path)
            .map_err(FileError::at("create", path))?;
        Ok(Self::new(file, path, 0))
    }

    /// Opens a log, made if missing, repairs its end, and shows each whole record with its line
    /// number to `each`, whose error makes it a damaged line. Blocking.
    ///
    /// # Errors
    /// [`FramedError::File`] and [`FramedError::TornCopies`]; damage is no error.
    pub fn open(
        path: &Path,
        each: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<(Self, Repairs), FramedError> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(FILE_MODE)
            .open(path)
            .map_err(FileError::at("open", path))?;
        let (end, repairs) = repair::load(&file, path, each)?;
        Ok((Self::new(file, path, end), repairs))
    }

    fn new(file: File, path: &Path, end: u64) -> Self {
        // What an earlier kernel wrote may not have reached the device: the first flush has it all.
        let (file, path, flush) = (Arc::new(file), Arc::from(path), Arc::default());
        Self { file, path, end, is_torn: false, flush, line: Vec::new() }
    }

    /// Writes one record, JSON text without a newline; when this returns it survives `kill -9`.
    /// Gives its digest, which the line begins with a part of. Blocking, but only for a copy into the
    /// page cache.
    ///
    /// # Errors
    /// See [`FramedError`]; the log then holds what it held.
    pub fn append(&mut self, record: &[u8]) -> Result<Digest, FramedError> {
        if self.flush.has_failed.load(Ordering::Acquire) {
            return Err(FramedError::FlushFailed { path: self.path.to_path_buf() });
        }
        if record.len() > RECORD_BYTES_MAX || record.contains(&b'\n') {
            return Err(FramedError::NoLine { path: self.path.to_path_buf(), bytes: record.len() });
        }
        self.cut_off()?;
        let digest = Digest::of(record);
        frame::encode(record, digest, &mut self.line);
        let written = (&*self.file).write_all(&self.line);
        if written.is_ok() {
            self.end += self.line.len() as u64;
        } else {
            self.is_torn = true;
            // If this fails too, the next append tries again before it writes.
            self.cut_off().ok();
        }
        if self.line.capacity() > LINE_BUFFER_KEPT_BYTES {
            self.line = Vec::new();
        }
        written.map_err(FileError::at("append to", &self.path))?;
        Ok(digest)
    }

    /// Cuts off what a failed write left.
    fn cut_off(&mut self) -> Result<(), FileError> {
        if self.is_torn {
            self.file
                .set_len(self.end)
                .map_err(FileError::at("cut a failed write off", &self.path))?;
            self.is_torn = false;
        }
        Ok(())
    }

    /// Has the device keep everything appended so far. Starts at once, on a thread of its own, and
    /// borrows nothing: await it later, and append meanwhile.
    ///
    /// # Errors
    /// As [`Self::flush_blocking`].
    ///
    /// # Cancel safety
    /// Dropping the future does not stop the flush; its failure then shows at the next one.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn flush(&self) -> impl Future<Output = Result<(), FramedError>> + Send + use<> {
        let job = self.flush_job();
        let path = Arc::clone(&self.path);
        let running = job.map(tokio::task::spawn_blocking);
        async move {
            match running {
                None => Ok(()),
                // A flush that did not end is one that failed.
                Some(running) => running
                    .await
                    .unwrap_or(Err(FramedError::FlushFailed { path: path.to_path_buf() })),
            }
        }
    }

    /// The same, blocking.
    ///
    /// # Errors
    /// [`FramedError::File`] once, [`FramedError::FlushFailed`] ever after.
    pub fn flush_blocking(&self) -> Result<(), FramedError> {
        self.flush_job().map_or(Ok(()), |flush| flush())
    }

    /// The flush, unless the device has everything.
    fn flush_job(&self) -> Option<impl FnOnce() -> Result<(), FramedError> + Send + use<>> {
        let has_failed = self.flush.has_failed.load(Ordering::Acquire);
        if self.flush.kept.load(Ordering::Acquire) >= self.end && !has_failed {
            return None;
        }
        let (file, path, end) = (Arc::clone(&self.file), Arc::clone(&self.path), self.end);
        let state = Arc::clone(&self.flush);
        Some(move || {
            if state.has_failed.load(Ordering::Acquire) {
                return Err(FramedError::FlushFailed { path: path.to_path_buf() });
            }
            let flushed = file.sync_data().and_then(|()| {
                if state.is_named.load(Ordering::Acquire) { Ok(()) } else { sync_directory(&path) }
            });
            if let Err(reason) = flushed {
                state.has_failed.store(true, Ordering::Release);
                return Err(FileError::at("flush to the device", &path)(reason).into());
            }
            state.is_named.store(true, Ordering::Release);
            state.kept.fetch_max(end, Ordering::AcqRel);
            Ok(())
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Has the device keep a file's name: a new file is lost with its directory's entry.
pub(super) fn sync_directory(file: &Path) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

#[cfg(test)]
mod tests;
