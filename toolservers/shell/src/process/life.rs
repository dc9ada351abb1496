//! How far a background process is: Running => Left => Ended, or at once Ended.

use std::time::Duration;

use tokio::time::Instant;

use crate::reap::Ending;

/// How far a process is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Life {
    /// The shell runs.
    Running,
    /// The shell has ended, and so many processes that it started have not.
    Left { shell: End, processes: usize },
    /// Nothing of it runs, but for so many processes that could not be ended.
    Ended { shell: End, by: By, at: Instant, survivors: usize },
}

/// How and when the shell ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct End {
    /// Unknown only if it could not be killed.
    pub(crate) ending: Option<Ending>,
    /// Since its start.
    pub(crate) after: Duration,
}

/// Who ended a process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum By {
    /// By itself, or by a signal that is not ours.
    Itself,
    /// A call.
    Call,
    /// Nobody used it for long.
    Idle,
    /// The session's end.
    Session,
}
