//! Waiting for a background process: for its end, for something in its output, for its screen to settle.
//!
//! Invariant: every wait ends at its deadline and when its call is stopped, and changes nothing of the
//! process but by [`Background::stop`].

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tollgate_sdk::CancellationToken;

use super::{
    background::{Background, State},
    kind::Keeping,
    life::Life,
};
use crate::limits::STOP_PATIENCE;

/// Why a wait ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Waited {
    /// The shell has ended.
    Ended,
    /// It was enough.
    Enough,
    /// The time is over.
    TimedOut,
    /// The waiting call was stopped; the process was not.
    Cancelled,
}

impl<K: Keeping> Background<K> {
    /// Waits for the shell's end, or until it is `enough`.
    pub(crate) async fn wait(
        &self,
        enough: impl Fn(&State<K>) -> bool,
        deadline: Instant,
        cancelled: &CancellationToken,
    ) -> Waited {
        let mut changed = self.changed.subscribe();
        loop {
            {
                let state = self.state();
                if enough(&state) {
                    return Waited::Enough;
                }
                if state.life != Life::Running {
                    return Waited::Ended;
                }
            }
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return Waited::Cancelled,
                () = sleep_until(deadline) => return Waited::TimedOut,
                _ = changed.changed() => {}
            }
        }
    }

    /// Waits until something came after so many bytes of output and then nothing for a while, or until
    /// the shell's end.
    pub(crate) async fn settle_down(
        &self,
        after_bytes: u64,
        quiet: Duration,
        deadline: Instant,
        cancelled: &CancellationToken,
    ) -> Waited {
        let mut changed = self.changed.subscribe();
        let mut seen = after_bytes;
        let mut quiet_ends = None;
        loop {
            {
                let state = self.state();
                if state.life != Life::Running {
                    return Waited::Ended;
                }
                if state.bytes > seen {
                    seen = state.bytes;
                    quiet_ends = Some(Instant::now() + quiet);
                }
            }
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return Waited::Cancelled,
                () = sleep_until(quiet_ends.unwrap_or(deadline).min(deadline)) => {
                    let enough = quiet_ends.is_some_and(|ends| ends <= deadline);
                    return if enough { Waited::Enough } else { Waited::TimedOut };
                }
                _ = changed.changed() => {}
            }
        }
    }

    /// Ends it and all that it started, and waits for that; `false`: the call was stopped first, or it
    /// took too long.
    pub(crate) async fn stop(&self, cancelled: &CancellationToken) -> bool {
        self.settle();
        self.stop.cancel();
        let deadline = Instant::now() + STOP_PATIENCE;
        let mut changed = self.changed.subscribe();
        while !matches!(self.life(), Life::Ended { .. }) {
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return false,
                () = sleep_until(deadline) => return false,
                _ = changed.changed() => {}
            }
        }
        true
    }
}
