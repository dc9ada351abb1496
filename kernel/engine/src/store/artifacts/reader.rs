//! [`ArtifactReader`]: the bytes of an artifact, checked against its name when read whole.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use sha2::{Digest as _, Sha256};
use tollgate_core::digest::Digest;

use super::{ArtifactError, ArtifactId};
use crate::store::FileError;

/// Reads an artifact. Read from its first byte to its end, the content is checked: the read that
/// finds the end fails with `InvalidData` if the content does not fit the name.
#[derive(Debug)]
pub struct ArtifactReader {
    file: File,
    id: ArtifactId,
    path: PathBuf,
    /// Of what was read; none when it is not read from its first byte.
    hash: Option<Sha256>,
}

impl ArtifactReader {
    pub(super) fn new(file: File, id: ArtifactId, path: PathBuf, is_whole: bool) -> Self {
        Self { file, id, path, hash: is_whole.then(Sha256::new) }
    }

    /// The rest, if it has at most `bytes_max` bytes.
    pub(super) fn read_whole(mut self, bytes_max: u64) -> Result<Vec<u8>, ArtifactError> {
        let mut bytes = Vec::new();
        // One more than allowed: a file that grows meanwhile is not read for ever.
        let limit = bytes_max.saturating_add(1);
        let read = (&mut self).take(limit).read_to_end(&mut bytes);
        let Self { id, path, .. } = self;
        match read {
            Ok(_) if bytes.len() as u64 <= bytes_max => Ok(bytes),
            Ok(_) => Err(ArtifactError::TooLarge { id, bytes: limit, bytes_max }),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(ArtifactError::Changed { id, path })
            }
            Err(error) => Err(FileError::at("read", &path)(error).into()),
        }
    }
}

impl Read for ArtifactReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let Some(hash) = &mut self.hash else { return Ok(count) };
        hash.update(buffer.get(..count).unwrap_or_default());
        if count == 0 && !buffer.is_empty() {
            let found = Digest(hash.clone().finalize().into());
            if found != self.id.digest() {
                let changed = ArtifactError::Changed { id: self.id, path: self.path.clone() };
                return Err(io::Error::new(io::ErrorKind::InvalidData, changed));
            }
        }
        Ok(count)
    }
}
