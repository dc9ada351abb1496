//! [`StoreError`]: whatever the store could not do, for callers that do not act on which it was.

use super::{
    artifacts::ArtifactError, dir::StateDirError, framed::FramedError, receipts::ReceiptsError,
    session::SessionError,
};

/// Something the store could not do. Each says what, why, and what helps.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The state directory is not used.
    #[error(transparent)]
    StateDir(#[from] StateDirError),
    /// A session log.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A receipt log.
    #[error(transparent)]
    Receipts(#[from] ReceiptsError),
    /// A flush of either.
    #[error(transparent)]
    Log(#[from] FramedError),
    /// An artifact.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}
