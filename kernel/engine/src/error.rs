//! What ends a turn or keeps a session from beginning: the operator's errors. What the model can act
//! on is no error but a result.

use tollgate_core::stance::Posture;

use crate::{servers::ServerError, store::StoreError};

/// The kernel cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// Records cannot be written or read.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A server that is needed for more than one call, the model's, is not there.
    #[error("server '{server}' is not available")]
    Server {
        /// Its name.
        server: String,
        /// Why.
        source: ServerError,
    },
    /// No model was chosen.
    #[error("{0}")]
    NoModel(String),
    /// The model answered with a fault.
    #[error("the model failed ({class}): {message}")]
    Model {
        /// "auth", "quota", "rate", "context", "refusal", "network", "invalid", …
        class: String,
        /// The model server's sentence.
        message: String,
        /// The same may succeed later.
        retryable: bool,
    },
    /// Rules, hooks or managed policy cannot be read, or say what cannot be.
    #[error("the policy cannot be used:\n{0}")]
    Policy(#[from] tollgate_policy::PolicyError),
    /// The machine's owner allows no posture that is as tight as the one that was asked for.
    #[error(
        "the machine's owner allows no posture as tight as {0}; `tollgate permissions list` shows which \
         may be used"
    )]
    Posture(Posture),
    /// Something of the host: a folder, a socket.
    #[error("{what}")]
    Io {
        /// What was tried, with the path.
        what: String,
        /// The system's reason.
        source: std::io::Error,
    },
}
