//! [`Exit`]: with what the process ends (`[CLI-05]`), and [`Failure`]: why a command did not do its job.
//!
//! Invariant: an error's chain is printed in one place, `main.rs`, joined by `: `.

use std::process::ExitCode;

use tollgate_engine::{
    error::KernelError,
    model::FORBIDDEN,
    store::{
        artifacts::ArtifactError, dir::StateDirError, receipts::ReceiptsError,
        session::SessionError,
    },
};

use crate::config::ConfigError;

#[cfg(test)]
mod tests;

/// The exit codes of `tollgate`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The task or the tool failed.
    Failed,
    /// Usage or configuration.
    Usage,
    /// Refused or denied by the gate.
    Refused,
    /// A tool server or the model is not available.
    Unavailable,
    /// The same may succeed later.
    Retryable,
    /// The time given by `--timeout` is over.
    Timeout,
    /// Interrupted by a person.
    Interrupted,
}

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Unavailable => 4,
            Self::Retryable => 75,
            Self::Timeout => 124,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// Why a command did not do its job.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What the process ends with.
    pub(crate) exit: Exit,
    /// What happened, why, and what helps.
    pub(crate) error: anyhow::Error,
}

impl Failure {
    /// A mistake in how the command was used.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, anyhow::Error::msg(message.into()))
    }

    /// Any other failure.
    pub(crate) fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self { exit, error: error.into() }
    }

    /// The whole chain as one line: each part after its `: `, none twice.
    pub(crate) fn chain(&self) -> String {
        let mut text = String::new();
        for cause in self.error.chain().map(ToString::to_string) {
            if text.is_empty() {
                text = cause;
            } else if !text.ends_with(&cause) {
                text = format!("{text}: {cause}");
            }
        }
        text
    }

    /// A stable word for machines: "usage", "server", "store", or the model's class.
    pub(crate) fn class(&self) -> &str {
        match self.error.downcast_ref::<KernelError>() {
            Some(KernelError::Model { class, .. }) => class,
            Some(KernelError::Server { .. }) => "server",
            Some(KernelError::Store(_)) => "store",
            Some(KernelError::NoModel(_)) => "no_model",
            Some(KernelError::Io { .. }) => "io",
            Some(KernelError::Policy(_)) => "policy",
            Some(KernelError::Posture(_)) => "posture",
            None if self.exit == Exit::Usage => "usage",
            None => "failed",
        }
    }
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Self {
        let exit = match &error {
            KernelError::Model { retryable: true, .. } => Exit::Retryable,
            KernelError::Model { class, .. } => match class.as_str() {
                FORBIDDEN => Exit::Refused,
                "auth" | "quota" | "rate" | "network" | "unknown_model" => Exit::Unavailable,
                _ => Exit::Failed,
            },
            KernelError::Server { .. } => Exit::Unavailable,
            KernelError::Posture(_) => Exit::Refused,
            KernelError::NoModel(_) | KernelError::Policy(_) => Exit::Usage,
            KernelError::Store(_) | KernelError::Io { .. } => Exit::Failed,
        };
        Self::new(exit, error)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let exit = match &error {
            SessionError::Unknown { .. } | SessionError::Ambiguous { .. } => Exit::Usage,
            SessionError::File(_)
            | SessionError::Log(_)
            | SessionError::Lock(_)
            | SessionError::Encode(_) => Exit::Failed,
        };
        Self::new(exit, error)
    }
}

impl From<ReceiptsError> for Failure {
    fn from(error: ReceiptsError) -> Self {
        match error {
            ReceiptsError::Session(error) => error.into(),
            ReceiptsError::Unknown { .. } | ReceiptsError::Ambiguous { .. } => {
                Self::new(Exit::Usage, error)
            }
            ReceiptsError::File(_)
            | ReceiptsError::Log(_)
            | ReceiptsError::Encode(_)
            | ReceiptsError::Twice { .. } => Self::new(Exit::Failed, error),
        }
    }
}

impl From<ArtifactError> for Failure {
    fn from(error: ArtifactError) -> Self {
        Self::new(Exit::Failed, error)
    }
}

impl From<StateDirError> for Failure {
    fn from(error: StateDirError) -> Self {
        Self::new(Exit::Failed, error)
    }
}
