//! [`Waits`]: how long people were waited for, so that no clock counts it (`[GATE-61]`).
//!
//! While several questions wait, the time counts once.

use std::{sync::Mutex, time::Duration};

use tokio::{
    sync::{Notify, futures::Notified},
    time::Instant,
};

use crate::context::lock;

#[cfg(test)]
mod tests;

/// The time that was spent waiting for people, so far.
#[derive(Debug, Default)]
pub struct Waits {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    open: usize,
    since: Option<Instant>,
    before: Duration,
}

/// One wait, until it is dropped.
#[derive(Debug)]
pub struct Wait<'a>(&'a Waits);

impl Waits {
    /// A wait begins.
    #[must_use]
    pub fn begin(&self) -> Wait<'_> {
        let mut state = lock(&self.state);
        state.open += 1;
        if state.open == 1 {
            state.since = Some(Instant::now());
            self.changed.notify_waiters();
        }
        Wait(self)
    }

    /// Whether somebody is waited for now.
    #[must_use]
    pub fn is_open(&self) -> bool {
        lock(&self.state).open > 0
    }

    /// Ends when [`Waits::is_open`] changes after this was called.
    pub fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// All time so far, with that of a wait that goes on.
    #[must_use]
    pub fn total(&self) -> Duration {
        let state = lock(&self.state);
        state.before + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Runs `work` with `within` of time that is no waiting for people; `None` when that is over.
    ///
    /// # Cancel safety
    /// As `work`; a timeout leaves it where it is, to be polled again.
    pub(crate) async fn timeout<T>(
        &self,
        within: Duration,
        work: impl Future<Output = T> + Unpin,
    ) -> Option<T> {
        let (began, waited) = (Instant::now(), self.total());
        let mut work = work;
        loop {
            let now_waited = self.total().saturating_sub(waited);
            // While a person is waited for, the end moves away as fast as it comes nearer.
            let left = (within + now_waited).saturating_sub(began.elapsed());
            if left.is_zero() && !self.is_open() {
                return None;
            }
            if let Ok(done) = tokio::time::timeout(left.max(LOOK_EVERY), &mut work).await {
                return Some(done);
            }
        }
    }
}

/// How soon a clock that stands still is looked at again, at least.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.open = state.open.saturating_sub(1);
        if state.open == 0
            && let Some(since) = state.since.take()
        {
            state.before += since.elapsed();
            self.0.changed.notify_waiters();
        }
    }
}
