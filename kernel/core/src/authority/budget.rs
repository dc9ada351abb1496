//! Layer 0: how many calls a turn may make, nested ones included.

use super::{Layer, Refusal};
use crate::limits::TURN_CALLS_MAX;

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

    /// Takes one call.
    ///
    /// # Errors
    /// A refusal with the number when nothing is left.
    pub fn take(&mut self) -> Result<(), Refusal> {
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
