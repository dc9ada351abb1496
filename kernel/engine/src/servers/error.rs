//! [`ServerError`]: why a server cannot be used, in words for people and models.

use std::time::Duration;

use super::{limits::LAST_WORDS_CHARS, wire};
use crate::process::{RuntimeDirError, SpawnError};

/// Why a server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The configuration is wrong.
    #[error("{0}")]
    Config(String),
    /// The process could not be started.
    #[error("it could not be started")]
    Spawn(#[from] SpawnError),
    /// Its socket could not be made.
    #[error("its socket could not be made")]
    Runtime(#[from] RuntimeDirError),
    /// The process ended before it answered.
    #[error("it {exit} before it answered{words}")]
    Exited {
        /// "exited with code 1".
        exit: String,
        /// "; its last words: …", or empty.
        words: String,
    },
    /// It did not answer in time.
    #[error("it did not answer {what} within {} ms", within.as_millis())]
    Silent {
        /// The request.
        what: &'static str,
        /// The clock.
        within: Duration,
    },
    /// It cannot be connected to.
    #[error("cannot connect to {to}")]
    Connect {
        /// Path or address.
        to: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Another user's process listens.
    #[error("its socket belongs to another user's process")]
    Peer,
    /// It refused a request, or the transport did.
    #[error("it refused: {}", wire::status(.0))]
    Refused(Box<tonic::Status>),
    /// The transport failed.
    #[error("the transport failed")]
    Transport(#[from] tonic::transport::Error),
    /// It broke the contract.
    #[error("it breaks the contract: {0}")]
    Contract(String),
    /// What it offers is not known; why.
    #[error("{0}")]
    Unknown(String),
    /// It died too often.
    #[error("it is quarantined: {0}; `tollgate servers restart NAME` tries again")]
    Quarantined(String),
}

impl From<tonic::Status> for ServerError {
    fn from(status: tonic::Status) -> Self {
        Self::Refused(Box::new(status))
    }
}

/// A process that ended before it answered.
pub(super) fn exited(exit: &str, words: &str) -> ServerError {
    ServerError::Exited { exit: exit.to_owned(), words: last_words(words) }
}

/// "; its last words: …", or nothing.
pub(super) fn last_words(words: &str) -> String {
    let words = words.trim();
    let skip = words.chars().count().saturating_sub(LAST_WORDS_CHARS);
    let tail: String = words.chars().skip(skip).collect();
    if tail.is_empty() { tail } else { format!("; its last words: {tail}") }
}
