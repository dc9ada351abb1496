//! A call's output as it comes: a little in memory, the rest in a file, the file bounded.

use crate::store::{
    Artifacts,
    artifacts::{ArtifactWriter, Durability},
};

/// Output that is kept in memory before a file is opened: most calls print less.
const MEMORY_BYTES: usize = 64 * 1024;

/// What has come so far.
#[derive(Debug)]
pub(super) struct Collected {
    memory: Vec<u8>,
    writer: Option<ArtifactWriter>,
    bytes_max: u64,
    failed: Option<String>,
}

impl Collected {
    pub(super) fn new(bytes_max: u64) -> Self {
        Self { memory: Vec::new(), writer: None, bytes_max, failed: None }
    }

    /// Takes a piece. A disk that is full loses the artifact, not the call; it is told at the end.
    pub(super) fn take(&mut self, artifacts: &Artifacts, data: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        if self.writer.is_none() && self.memory.len() + data.len() <= MEMORY_BYTES {
            self.memory.extend_from_slice(data);
            return;
        }
        if let Err(error) = self.write(artifacts, data) {
            self.failed = Some(crate::servers::chain(&error));
            self.writer = None;
            self.memory = Vec::new();
        }
    }

    fn write(
        &mut self,
        artifacts: &Artifacts,
        data: &[u8],
    ) -> Result<(), crate::store::artifacts::ArtifactError> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            empty => {
                let mut writer = artifacts.writer(self.bytes_max)?;
                writer.write(&std::mem::take(&mut self.memory))?;
                empty.insert(writer)
            }
        };
        writer.write(data)
    }

    /// Whether nothing came.
    pub(super) fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.writer.is_none() && self.failed.is_none()
    }

    /// Keeps all output as an artifact: its id, or why there is none.
    pub(super) fn keep(mut self, artifacts: &Artifacts) -> Result<String, String> {
        if self.writer.is_none() && self.failed.is_none() {
            let rest = std::mem::take(&mut self.memory);
            return artifacts
                .put(&rest, Durability::Process)
                .map(|id| id.to_string())
                .map_err(|error| crate::servers::chain(&error));
        }
        match (self.writer, self.failed) {
            (Some(writer), None) => writer
                .finish(Durability::Process)
                .map(|finished| finished.id.to_string())
                .map_err(|error| crate::servers::chain(&error)),
            (_, failed) => Err(failed.unwrap_or_default()),
        }
    }
}
