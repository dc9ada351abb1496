//! [`Permit`]: proof that one call may run once. [`Prompt`]: a question that can become one.

use serde::{Deserialize, Serialize};

use super::{Circumstances, Layer, Refusal, Verdict, Why, judge};
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
    /// The gate alone: safety, rules, posture.
    Gate,
    /// A person.
    Person,
    /// A model that judged this one call (`[GATE-32]`).
    Guardian,
}

/// Proof that one call may run, once. Made in `authority` only; not cloneable.
#[derive(Debug)]
pub struct Permit {
    call: CallId,
    arguments_sha256: Digest,
    decision: Decision,
    decider: Decider,
    reason: String,
    rule: Option<String>,
    answered: Vec<Why>,
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
            rule: None,
            answered: Vec::new(),
            stance,
        }
    }

    pub(super) fn by_rule(self, rule: Option<String>) -> Self {
        Self { rule, ..self }
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

    /// The rules that decided, if any, by text and origin.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// The stance under which it was decided.
    #[must_use]
    pub fn stance(&self) -> Stance {
        self.stance
    }

    /// Layer 12: does it still hold as of now?
    ///
    /// # Errors
    /// A refusal when the call is refused now, or something asks now that nobody answered.
    pub fn recheck(&self, call: &Classified, now: &Circumstances<'_>) -> Result<(), Refusal> {
        recheck(call, now, &self.answered, self.decider)
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

/// A question to a person or to the guardian.
#[derive(Clone, Debug)]
pub struct Prompt {
    whys: Vec<Why>,
}

impl Prompt {
    pub(super) fn new(whys: Vec<Why>) -> Self {
        Self { whys }
    }

    /// Why it is asked, in the order of the layers; never empty.
    #[must_use]
    pub fn whys(&self) -> &[Why] {
        &self.whys
    }

    /// The reasons as one line.
    #[must_use]
    pub fn why(&self) -> String {
        self.whys.iter().map(|why| why.reason.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// `decider` said yes: layers 11 and 12. The world may have changed meanwhile.
    ///
    /// # Errors
    /// A refusal when, as of now, the call is refused, or asked for another reason, or a person would
    /// have to say what only the guardian said.
    pub fn grant(
        self,
        call: &Classified,
        now: &Circumstances<'_>,
        decider: Decider,
        reason: String,
    ) -> Result<Permit, Refusal> {
        recheck(call, now, &self.whys, decider)?;
        let permit = Permit::new(call, Decision::Approved, decider, reason, now.stance);
        Ok(Permit { answered: self.whys, ..permit })
    }
}

/// Judges again: what asks now must have been answered, and by whoever has to answer it now.
fn recheck(
    call: &Classified,
    now: &Circumstances<'_>,
    answered: &[Why],
    decider: Decider,
) -> Result<(), Refusal> {
    let narrowed = |what: &str| {
        let message = format!(
            "{what}; this became so while the call waited, and nobody approved it under that"
        );
        Err(Refusal::new(Layer::Recheck, "narrowed", message))
    };
    let (prompt, by_person) = match judge(call, now).verdict {
        Verdict::Allow(_) => return Ok(()),
        Verdict::Ask(prompt) => (prompt, true),
        Verdict::Review(prompt) => (prompt, false),
        Verdict::Refuse(refusal) => {
            return Err(Refusal {
                message: format!("{} (this became so while the call waited)", refusal.message),
                layer: Layer::Recheck,
                ..refusal
            });
        }
    };
    let is_new = |why: &&Why| !answered.iter().any(|answered| why.is_same_question(answered));
    if let Some(new) = prompt.whys.iter().find(is_new) {
        return narrowed(&new.reason);
    }
    if by_person && decider == Decider::Guardian {
        return narrowed("posture ask wants a person's yes, and the guardian gave this one");
    }
    Ok(())
}
