//! The clocks of one try of a call. Those of an ordinary call stand still while the kernel works for it;
//! those of a program are its own two (`[CODE-08]`).

use std::time::Duration;

use tokio::time::Instant;
use tollgate_core::program::{ProgramClock, Which};

use crate::settings::{Clocks, ProgramLimits};

/// The clocks of one try.
#[derive(Debug)]
pub(super) enum Pace {
    /// Of an ordinary call.
    Call {
        /// The whole call's end, and the next frame's.
        ends: Instant,
        idle: Instant,
        /// What runs out at `idle`.
        idle_clock: (&'static str, Duration),
        /// Host requests that are open, and since when there is one.
        open: usize,
        stands_since: Instant,
        clocks: Clocks,
    },
    /// Of a program.
    Program {
        began: Instant,
        clock: ProgramClock,
        /// A person is asked, as the clock knows.
        is_asked: bool,
        limits: ProgramLimits,
        /// Until the server has said that it begins.
        starts_until: Option<(Instant, Duration)>,
    },
}

impl Pace {
    pub(super) fn call(clocks: Clocks) -> Self {
        let now = Instant::now();
        Self::Call {
            ends: now + clocks.call,
            idle: now + clocks.start,
            idle_clock: ("to start", clocks.start),
            open: 0,
            stands_since: now,
            clocks,
        }
    }

    pub(super) fn program(limits: ProgramLimits, clocks: Clocks) -> Self {
        let began = Instant::now();
        Self::Program {
            began,
            clock: ProgramClock::new(Duration::ZERO, limits.wall, limits.guest),
            is_asked: false,
            limits,
            starts_until: Some((began + clocks.start, clocks.start)),
        }
    }

    pub(super) fn is_program(&self) -> bool {
        matches!(self, Self::Program { .. })
    }

    /// A frame of the call has come.
    pub(super) fn heard(&mut self) {
        match self {
            Self::Call { idle, idle_clock, clocks, .. } => {
                *idle = Instant::now() + clocks.idle;
                *idle_clock = ("without a word", clocks.idle);
            }
            Self::Program { starts_until, .. } => *starts_until = None,
        }
    }

    /// A host request has come.
    pub(super) fn opened(&mut self) {
        match self {
            Self::Call { open, stands_since, .. } => {
                if *open == 0 {
                    *stands_since = Instant::now();
                }
                *open += 1;
            }
            Self::Program { began, clock, .. } => clock.call_opened(began.elapsed()),
        }
    }

    /// A host request was answered.
    pub(super) fn closed(&mut self) {
        match self {
            Self::Call { ends, idle, open, stands_since, .. } => {
                *open = open.saturating_sub(1);
                if *open == 0 {
                    let stood_still = stands_since.elapsed();
                    *ends += stood_still;
                    *idle += stood_still;
                }
            }
            Self::Program { began, clock, .. } => clock.call_closed(began.elapsed()),
        }
    }

    /// Whether a person is asked now; it may be said again and again.
    pub(super) fn asked(&mut self, asked_now: bool) {
        if let Self::Program { began, clock, is_asked, .. } = self
            && *is_asked != asked_now
        {
            *is_asked = asked_now;
            if asked_now { clock.asking(began.elapsed()) } else { clock.answered(began.elapsed()) }
        }
    }

    /// When a clock may have run out; `None`: all stand still.
    pub(super) fn wake(&self) -> Option<Instant> {
        match self {
            Self::Call { open: 0, ends, idle, .. } => Some((*ends).min(*idle)),
            Self::Call { .. } => None,
            Self::Program { starts_until: Some((until, _)), .. } => Some(*until),
            Self::Program { clock, began, .. } => {
                let left = clock.left(began.elapsed())?.1;
                Some(Instant::now() + left)
            }
        }
    }

    /// The clock that has run out, in words, and its limit.
    pub(super) fn ran_out(&self) -> Option<(&'static str, Duration)> {
        let now = Instant::now();
        match self {
            Self::Call { open, .. } if *open > 0 => None,
            Self::Call { ends, clocks, .. } if *ends <= now => Some(("to finish", clocks.call)),
            Self::Call { idle, idle_clock, .. } => (*idle <= now).then_some(*idle_clock),
            Self::Program { starts_until: Some((until, limit)), .. } => {
                (*until <= now).then_some(("to start", *limit))
            }
            Self::Program { clock, began, limits, .. } => {
                clock.ran_out(began.elapsed()).map(|which| match which {
                    Which::Wall => ("to finish (waits for people not counted)", limits.wall),
                    Which::Guest => (
                        "of computing (time in its calls and waits for people not counted)",
                        limits.guest,
                    ),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [CODE-08]: both clocks stand while a person is asked, however often that is looked at, and go on after.
    #[tokio::test(start_paused = true)]
    async fn an_answer_starts_the_clocks_again() {
        let limit = Duration::from_millis(500);
        let limits = ProgramLimits { wall: limit, guest: limit, ..ProgramLimits::default() };
        let mut pace = Pace::program(limits, Clocks::default());
        pace.heard();
        for _ in 0..5 {
            pace.asked(true);
            tokio::time::advance(limit).await;
        }
        assert_eq!((pace.wake(), pace.ran_out()), (None, None));
        pace.asked(false);
        assert_eq!(pace.wake(), Some(Instant::now() + limit));
        tokio::time::advance(limit).await;
        assert!(pace.ran_out().is_some());
    }
}
