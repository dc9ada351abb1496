//! [`Artifacts`]: whole results, kept as files named by their SHA-256 (`[STORE-02]`).
//!
//! `artifacts/<2 hex>/<64 hex>`; a writer's unfinished file is in `artifacts/partial/`, and is removed
//! when the writer is dropped, or a day later when the kernel was killed.
//!
//! Invariants: a name is never seen before its whole content, which comes by rename (test
//! `an_artifact_shows_only_when_it_is_finished`); a file whose content does not fit its name is an
//! error when it is read whole (test `changed_content_is_an_error_on_a_full_read`).
//!
//! Not here: which results are spilled, and reading on another host (`tollgate.blob.v1`).

mod id;
mod reader;
mod writer;

use std::{
    fs::{self, File},
    io::{self, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    time::SystemTime,
};

pub use id::ArtifactId;
pub use reader::ArtifactReader;
pub use writer::{ArtifactWriter, Cut, Durability, Finished};

use super::{
    FileError, StateDir,
    dir::{self, StateDirError},
    limits::PARTIAL_KEPT,
};
use crate::secrets::Redactor;

/// Why an artifact could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// A directory of the store is not private.
    #[error(transparent)]
    StateDir(#[from] StateDirError),
    /// There is no such artifact here.
    #[error("there is no {id}; it was deleted, or another state directory (TOLLGATE_HOME) has it")]
    Unknown {
        /// What was asked for.
        id: ArtifactId,
    },
    /// The content is not what was written.
    #[error("the content of {id} was changed or damaged; delete {} and make the result again", path.display())]
    Changed {
        /// What was asked for.
        id: ArtifactId,
        /// Its file.
        path: PathBuf,
    },
    /// The artifact is larger than the caller takes.
    #[error("{id} has {bytes} bytes, and at most {bytes_max} are read at once; read it in parts")]
    TooLarge {
        /// What was asked for.
        id: ArtifactId,
        /// Its size.
        bytes: u64,
        /// What the caller takes.
        bytes_max: u64,
    },
    /// An earlier write of this artifact failed, so that its content has a hole.
    #[error("an earlier write of this artifact failed; write it anew")]
    Incomplete,
}

/// The artifacts of a state directory, of all its sessions.
#[derive(Clone, Debug)]
pub struct Artifacts {
    directory: PathBuf,
    secrets: Redactor,
}

impl Artifacts {
    /// The artifacts of a state directory. Removes what killed kernels left unfinished, as far as it
    /// can be removed. Blocking.
    #[must_use]
    pub fn open(state: &StateDir) -> Self {
        let directory = state.artifacts().to_owned();
        let artifacts = Self { directory, secrets: Redactor::default() };
        artifacts.sweep(SystemTime::now());
        artifacts
    }

    /// The same artifacts for whoever keeps these values out of what it writes.
    #[must_use]
    pub fn keeping_out(&self, secrets: Redactor) -> Self {
        Self { directory: self.directory.clone(), secrets }
    }

    /// A writer that keeps at most `bytes_max` bytes. Blocking, as are all functions here.
    ///
    /// # Errors
    /// See [`ArtifactError`].
    pub fn writer(&self, bytes_max: u64) -> Result<ArtifactWriter, ArtifactError> {
        ArtifactWriter::new(self.clone(), bytes_max)
    }

    /// Writes an artifact at once.
    ///
    /// # Errors
    /// See [`ArtifactError`]; nothing is then left.
    pub fn put(&self, bytes: &[u8], durability: Durability) -> Result<ArtifactId, ArtifactError> {
        let bytes = self.secrets.bytes(bytes);
        let mut writer = self.writer(bytes.len() as u64)?;
        writer.write(&bytes)?;
        Ok(writer.finish(durability)?.id)
    }

    /// Reads an artifact from an offset on. From 0 to the end, the content is checked.
    ///
    /// # Errors
    /// [`ArtifactError::Unknown`], [`ArtifactError::File`].
    pub fn open_at(&self, id: ArtifactId, offset: u64) -> Result<ArtifactReader, ArtifactError> {
        let (mut file, path, _) = self.file(id)?;
        file.seek(SeekFrom::Start(offset)).map_err(FileError::at("read", &path))?;
        Ok(ArtifactReader::new(file, id, path, offset == 0))
    }

    /// The whole content, checked, if it has at most `bytes_max` bytes.
    ///
    /// # Errors
    /// See [`ArtifactError`].
    pub fn read(&self, id: ArtifactId, bytes_max: u64) -> Result<Vec<u8>, ArtifactError> {
        let (file, path, bytes) = self.file(id)?;
        if bytes > bytes_max {
            return Err(ArtifactError::TooLarge { id, bytes, bytes_max });
        }
        ArtifactReader::new(file, id, path, true).read_whole(bytes_max)
    }

    /// The size in bytes.
    ///
    /// # Errors
    /// [`ArtifactError::Unknown`], [`ArtifactError::File`].
    pub fn size(&self, id: ArtifactId) -> Result<u64, ArtifactError> {
        Ok(self.file(id)?.2)
    }

    fn file(&self, id: ArtifactId) -> Result<(File, PathBuf, u64), ArtifactError> {
        let path = self.path(id);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ArtifactError::Unknown { id });
            }
            file => file.map_err(FileError::at("open", &path))?,
        };
        let bytes = file.metadata().map_err(FileError::at("look at", &path))?.len();
        Ok((file, path, bytes))
    }

    fn path(&self, id: ArtifactId) -> PathBuf {
        let digest = id.digest();
        let [first, ..] = digest.0;
        self.directory.join(format!("{first:02x}")).join(digest.to_string())
    }

    /// Where unfinished files are.
    fn partial(&self) -> PathBuf {
        self.directory.join("partial")
    }

    /// Removes unfinished files that are older than any call.
    fn sweep(&self, now: SystemTime) {
        let entries = fs::read_dir(self.partial()).into_iter().flatten().flatten();
        for entry in entries {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let age = modified.map(|modified| now.duration_since(modified).unwrap_or_default());
            if age.is_ok_and(|age| age > PARTIAL_KEPT) {
                // Left for the next time: an unfinished file harms nobody.
                fs::remove_file(entry.path()).ok();
            }
        }
    }
}

/// Makes a directory of the store below its own.
fn make(path: &Path) -> Result<(), ArtifactError> {
    dir::make(path)?;
    Ok(())
}

#[cfg(test)]
mod tests;
