//! [`ProgramClock`]: the two clocks of a program (`[CODE-08]`), told what the time is by whoever has one.
//!
//! | | the program computes | a nested call is open | a person is asked |
//! |---|---|---|---|
//! | wall | runs | runs | stands |
//! | guest | runs | stands | stands |
//!
//! Open calls and questions are counted: a clock that stands goes on when the last of them has ended.
//!
//! Invariant: what has run out stays so, and time that goes backwards counts as none (tests
//! `what_has_run_out_stays_so`, `time_that_goes_backwards_counts_as_none`).

use std::time::Duration;

#[cfg(test)]
mod tests;

/// One of the two clocks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Which {
    /// Of the program with its calls.
    Wall,
    /// Of what the program computes by itself.
    Guest,
}

/// The clocks of one program. Times are since any one moment, the same for all calls.
#[derive(Clone, Debug)]
pub struct ProgramClock {
    /// Up to when all is counted.
    at: Duration,
    wall_left: Duration,
    guest_left: Duration,
    /// Nested calls that have not ended.
    open: usize,
    /// Questions to people that are not answered.
    asked: usize,
}

impl ProgramClock {
    /// Clocks that begin to run `now`.
    #[must_use]
    pub fn new(now: Duration, wall_limit: Duration, guest_limit: Duration) -> Self {
        Self { at: now, wall_left: wall_limit, guest_left: guest_limit, open: 0, asked: 0 }
    }

    /// A nested call begins, and be it only to wait for its turn.
    pub fn call_opened(&mut self, now: Duration) {
        self.count(now);
        self.open += 1;
    }

    /// A nested call has ended, however it did.
    pub fn call_closed(&mut self, now: Duration) {
        self.count(now);
        self.open = self.open.saturating_sub(1);
    }

    /// A person is asked.
    pub fn asking(&mut self, now: Duration) {
        self.count(now);
        self.asked += 1;
    }

    /// A question has ended, by an answer or because its call was given up.
    pub fn answered(&mut self, now: Duration) {
        self.count(now);
        self.asked = self.asked.saturating_sub(1);
    }

    /// Which clock runs out first, if nothing changes, and at what time; `None`: both stand still. Of two
    /// at the same time it is the wall's.
    #[must_use]
    pub fn expires_at(&self) -> Option<(Which, Duration)> {
        let [wall, guest] = self.running();
        let of = |which, runs: bool, left: Duration| {
            // Nothing left is run out, also while it stands.
            (runs || left.is_zero()).then(|| (which, self.at.saturating_add(left)))
        };
        let both =
            [of(Which::Wall, wall, self.wall_left), of(Which::Guest, guest, self.guest_left)];
        both.into_iter().flatten().min_by_key(|(_, at)| *at)
    }

    /// How long until [`Self::expires_at`]; zero: it is or was now.
    #[must_use]
    pub fn left(&self, now: Duration) -> Option<(Which, Duration)> {
        let (which, at) = self.expires_at()?;
        Some((which, at.saturating_sub(now)))
    }

    /// The clock that has run out by `now`.
    #[must_use]
    pub fn ran_out(&self, now: Duration) -> Option<Which> {
        self.expires_at().filter(|(_, at)| *at <= now).map(|(which, _)| which)
    }

    /// Whether wall and guest run.
    fn running(&self) -> [bool; 2] {
        [self.asked == 0, self.asked == 0 && self.open == 0]
    }

    /// Counts the time until now as what it was.
    fn count(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.at);
        let [wall, guest] = self.running();
        if wall {
            self.wall_left = self.wall_left.saturating_sub(passed);
        }
        if guest {
            self.guest_left = self.guest_left.saturating_sub(passed);
        }
        self.at = self.at.max(now);
    }
}
