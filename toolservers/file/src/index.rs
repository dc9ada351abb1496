//! Where deep lines of large files begin: a sparse index, kept while the file is the same.
//!
//! A hint only: an index of a file that was changed has another key and is not found.

use std::{
    fs::Metadata,
    os::unix::fs::MetadataExt,
    sync::{Mutex, PoisonError},
};

use crate::limits::{INDEX_FILES_MAX, INDEX_MARKS_MAX, INDEX_STEP_BYTES};

/// What makes a file the same file with the same content, as far as its metadata tells.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Version {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// Also set by a change that restores the modification time.
    changed: (i64, i64),
}

impl Version {
    /// The version that this metadata describes.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Lines of one file whose start is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineIndex {
    /// Line from 1 and the byte where it starts, ascending.
    marks: Vec<(u64, u64)>,
    /// Lines of the whole file, once it was read to its end.
    pub(crate) total: Option<u64>,
}

impl LineIndex {
    /// The last known line that is not after this one, and its first byte.
    pub(crate) fn before(&self, line: u64) -> (u64, u64) {
        let known = self.marks.partition_point(|(marked, _)| *marked <= line);
        known.checked_sub(1).and_then(|last| self.marks.get(last)).copied().unwrap_or((1, 0))
    }

    /// Learns where a line starts, if it is far enough after the last one known.
    pub(crate) fn mark(&mut self, (line, start): (u64, u64)) {
        let last = self.marks.last().map_or(0, |(_, start)| *start);
        if start >= last + INDEX_STEP_BYTES && self.marks.len() < INDEX_MARKS_MAX {
            self.marks.push((line, start));
        }
    }
}

/// The indexes of the files read last, the most recent at the end.
static KNOWN: Mutex<Vec<(Version, LineIndex)>> = Mutex::new(Vec::new());

/// What is known of this version of a file.
pub(crate) fn recall(version: Version) -> LineIndex {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .iter()
        .find(|(key, _)| *key == version)
        .map(|(_, index)| index.clone())
        .unwrap_or_default()
}

/// Keeps what was learnt of this version of a file.
pub(crate) fn keep(version: Version, index: LineIndex) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(key, _)| *key != version);
    if known.len() >= INDEX_FILES_MAX {
        known.remove(0);
    }
    known.push((version, index));
}
