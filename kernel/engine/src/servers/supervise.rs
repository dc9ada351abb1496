//! When a server may be started again: after a growing, jittered wait, and not at all after five
//! deaths in three minutes (`[PROTO-08]`).

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

use super::limits::{BACKOFF_MAX, BACKOFF_MIN, DEATHS_MAX, DEATHS_WITHIN};

/// The deaths of one server.
#[derive(Debug, Default)]
pub(super) struct Deaths {
    recent: VecDeque<Instant>,
    quarantine: Option<String>,
    not_before: Option<Instant>,
}

impl Deaths {
    /// A process died, or could not be started. `jitter` is 0 to 1.
    pub(super) fn note(&mut self, now: Instant, reason: &str, jitter: f64) {
        self.recent.push_back(now);
        while self.recent.front().is_some_and(|first| now - *first > DEATHS_WITHIN) {
            self.recent.pop_front();
        }
        if self.recent.len() >= DEATHS_MAX {
            self.quarantine = Some(format!(
                "it died {} times within {} s; the last time: {reason}",
                self.recent.len(),
                DEATHS_WITHIN.as_secs()
            ));
        }
        let doublings = u32::try_from(self.recent.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let wait = BACKOFF_MIN.saturating_mul(2_u32.saturating_pow(doublings)).min(BACKOFF_MAX);
        self.not_before = Some(now + wait.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0));
    }

    /// Why it may not be started, if so.
    pub(super) fn quarantine(&self) -> Option<&str> {
        self.quarantine.as_deref()
    }

    /// How long to wait before the next start.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        self.not_before.map_or(Duration::ZERO, |then| then.saturating_duration_since(now))
    }

    /// A person says: try again.
    pub(super) fn forgive(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests;
