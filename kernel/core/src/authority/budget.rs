//! Layer 0: how many calls a turn may make, nested ones included, and how deep they may stand.

use super::{Layer, Refusal};
use crate::limits::{NESTED_CALLS_MAX, TURN_CALLS_MAX};

/// The calls that are left.
#[derive(Debug)]
pub struct Budget {
    max: u32,
    used: u32,
}

impl Budget {
    /// A budget of `max` calls.
    #[must_use]
    pub fn new(max: u32) -> Self {
        Self { max, used: 0 }
    }

    /// Room for the calls of a program, which are bounded by themselves.
    pub fn lend(&mut self, calls: u32) {
        self.max = self.max.saturating_add(calls);
    }

    /// The program has ended and has made so many calls: neither the room nor they count any more.
    pub fn settle(&mut self, lent: u32, made: u32) {
        self.max = self.max.saturating_sub(lent);
        self.used = self.used.saturating_sub(made);
    }

    /// Takes one call, above which `depth` others wait for it.
    ///
    /// # Errors
    /// A refusal with the number when nothing is left, or when calls ask for calls too deep.
    pub fn take(&mut self, depth: u32) -> Result<(), Refusal> {
        if depth > NESTED_CALLS_MAX {
            let message = format!(
                "calls that ask for calls may stand {NESTED_CALLS_MAX} deep, and this one is deeper; ask \
                 for it directly"
            );
            return Err(Refusal::new(Layer::Budget, "nested_too_deep", message));
        }
        if self.used >= self.max {
            let message = format!(
                "this turn has used its {} calls; finish with what is known, or ask the user to go on",
                self.max
            );
            return Err(Refusal::new(Layer::Budget, "budget", message));
        }
        self.used += 1;
        Ok(())
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(TURN_CALLS_MAX)
    }
}
