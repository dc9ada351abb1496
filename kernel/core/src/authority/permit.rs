//! [`Permit`]: proof that one call may run once. [`Prompt`]: a question that can become one.

use serde::{Deserialize, Serialize};

use super::{Refusal, decide::recheck};
use crate::{
    call::{Classified, Permitted},
    digest::Digest,
    name::CallId,
    receipt::Decision,
    stance::Stance,
};

/// Who decided.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decider {
    /// The gate alone.
    Gate,
    /// A person.
    Person,
}

/// Proof that one call may run, once. Made in `authority` only; not cloneable.
#[derive(Debug)]
pub struct Permit {
    call: CallId,
    arguments_sha256: Digest,
    decision: Decision,
    decider: Decider,
    reason: String,
    stance: Stance,
}

impl Permit {
    pub(super) fn new(
        call: &Classified,
        decision: Decision,
        decider: Decider,
        reason: String,
        stance: Stance,
    ) -> Self {
        Self {
            call: call.raw().id.clone(),
            arguments_sha256: call.arguments_sha256(),
            decision,
            decider,
            reason,
            stance,
        }
    }

    /// `auto` or `approved`.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Who decided.
    #[must_use]
    pub fn decider(&self) -> Decider {
        self.decider
    }

    /// Why, for the receipt.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The stance under which it was decided.
    #[must_use]
    pub fn stance(&self) -> Stance {
        self.stance
    }

    /// Joins the permit to its call.
    ///
    /// # Panics
    /// If the permit was made for another call, which only a fault of the kernel can do.
    #[must_use]
    pub fn join(self, call: Classified) -> Permitted {
        assert!(
            self.call == call.raw().id && self.arguments_sha256 == call.arguments_sha256(),
            "a permit is joined to the call that it was made for"
        );
        Permitted { call, permit: self }
    }
}

/// A question to a person.
#[derive(Clone, Debug)]
pub struct Prompt {
    why: String,
}

impl Prompt {
    pub(super) fn new(why: String) -> Self {
        Self { why }
    }

    /// Why it is asked: layer and reason, for the card.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// A person said yes: layers 11 and 12. The stance may have changed while the person thought.
    ///
    /// # Errors
    /// A refusal when, as of now, the call is refused.
    pub fn grant(self, call: &Classified, now: Stance) -> Result<Permit, Refusal> {
        recheck(call, now, true)?;
        Ok(Permit::new(call, Decision::Approved, Decider::Person, self.why, now))
    }
}
