//! [`ArtifactWriter`]: an artifact piece by piece, within a quota.

use std::{
    io::{BufWriter, Write as _},
    path::PathBuf,
};

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use tollgate_core::digest::Digest;

use super::{ArtifactError, ArtifactId, Artifacts, make};
use crate::secrets::Pieces;
use crate::store::{FileError, framed::sync_directory, limits::ARTIFACT_BUFFER_BYTES};

/// Whether the device is waited for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Durability {
    /// It survives `kill -9`.
    Process,
    /// It survives a loss of power; about 4 ms.
    Device,
}

/// What a quota left out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Cut {
    /// Bytes that were written after the quota was full; they are nowhere.
    pub dropped_bytes: u64,
}

/// An artifact that is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Finished {
    /// Its name.
    pub id: ArtifactId,
    /// Its size.
    pub bytes: u64,
    /// Present when it is not the whole of what was written to it.
    pub cut: Option<Cut>,
}

/// Writes one artifact. Dropped before it is finished, it leaves nothing.
#[derive(Debug)]
pub struct ArtifactWriter {
    artifacts: Artifacts,
    /// Keeps known secrets out, also those that two pieces share.
    pieces: Pieces,
    file: BufWriter<NamedTempFile>,
    hash: Sha256,
    bytes: u64,
    bytes_max: u64,
    dropped_bytes: u64,
    has_failed: bool,
}

impl ArtifactWriter {
    pub(super) fn new(artifacts: Artifacts, bytes_max: u64) -> Result<Self, ArtifactError> {
        let directory = artifacts.partial();
        make(&directory)?;
        // Made with mode 0600.
        let file =
            NamedTempFile::new_in(&directory).map_err(FileError::at("write in", &directory))?;
        Ok(Self {
            pieces: artifacts.secrets.pieces(),
            artifacts,
            file: BufWriter::with_capacity(ARTIFACT_BUFFER_BYTES, file),
            hash: Sha256::new(),
            bytes: 0,
            bytes_max,
            dropped_bytes: 0,
            has_failed: false,
        })
    }

    /// Adds bytes. What is beyond the quota is dropped and counted, which [`Self::cut`] tells.
    ///
    /// # Errors
    /// [`ArtifactError::File`]; the artifact can then only be dropped.
    pub fn write(&mut self, piece: &[u8]) -> Result<(), ArtifactError> {
        if self.has_failed {
            return Err(ArtifactError::Incomplete);
        }
        let piece = self.pieces.push(piece);
        self.put(&piece)
    }

    fn put(&mut self, piece: &[u8]) -> Result<(), ArtifactError> {
        let room = usize::try_from(self.bytes_max - self.bytes).unwrap_or(usize::MAX);
        let (kept, dropped) = piece.split_at_checked(room).unwrap_or((piece, &[]));
        self.dropped_bytes += dropped.len() as u64;
        if let Err(reason) = self.file.write_all(kept) {
            self.has_failed = true;
            return Err(FileError::at("write", &self.path())(reason).into());
        }
        self.hash.update(kept);
        self.bytes += kept.len() as u64;
        Ok(())
    }

    /// Bytes kept so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What the quota left out so far.
    #[must_use]
    pub fn cut(&self) -> Option<Cut> {
        let dropped_bytes = self.dropped_bytes;
        (dropped_bytes > 0).then_some(Cut { dropped_bytes })
    }

    /// Gives the artifact its name; an artifact of the same content is replaced by itself.
    ///
    /// # Errors
    /// See [`ArtifactError`]; nothing is then left.
    pub fn finish(mut self, durability: Durability) -> Result<Finished, ArtifactError> {
        if self.has_failed {
            return Err(ArtifactError::Incomplete);
        }
        let rest = self.pieces.finish();
        self.put(&rest)?;
        let (cut, partial) = (self.cut(), self.path());
        self.file.flush().map_err(FileError::at("write", &partial))?;
        if durability == Durability::Device {
            let file = self.file.get_ref().as_file();
            file.sync_data().map_err(FileError::at("flush to the device", &partial))?;
        }
        let id = ArtifactId::from(Digest(self.hash.finalize().into()));
        let path = self.artifacts.path(id);
        if let Some(directory) = path.parent() {
            make(directory)?;
        }
        let file = self
            .file
            .into_inner()
            .map_err(|error| FileError::at("write", &partial)(error.into_error()))?;
        file.persist(&path).map_err(|error| FileError::at("rename to", &path)(error.error))?;
        if durability == Durability::Device {
            sync_directory(&path).map_err(FileError::at("flush to the device", &path))?;
        }
        Ok(Finished { id, bytes: self.bytes, cut })
    }

    fn path(&self) -> PathBuf {
        self.file.get_ref().path().to_owned()
    }
}
