//! What is asked, and how strongly: the table of postures (`[GATE-11]`) in one place.
//!
//! | what asks | ask | auto-review | full-access | never |
//! |---|---|---|---|---|
//! | [`Need::Ordinary`]: the call changes something | card | guardian | allow | refuse |
//! | [`Need::Taint`]: it would send out or change things after untrusted text came in | card | guardian | allow | refuse |
//! | [`Need::Explicit`]: a rule or a hook asks | card | guardian | refuse | refuse |
//! | [`Need::Hard`]: floor, law, managed policy, protected places, escalation, a deny rule that may hold | card | refuse | refuse | refuse |
//!
//! An allowance (rule, grant, hook, workspace write) clears [`Need::Ordinary`] and nothing else; under
//! `never` it clears nothing.

use serde::{Deserialize, Serialize};

use super::Layer;
use crate::stance::Posture;

/// How strongly something asks.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// Because the call changes something.
    Ordinary,
    /// Because untrusted text came in before.
    Taint,
    /// Because a rule or a hook says so.
    Explicit,
    /// Because nobody but a person may let it through.
    Hard,
}

/// Who settles a need.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Settled {
    /// It does not count.
    Allowed,
    /// One model request.
    ByGuardian,
    /// A person.
    ByPerson,
    /// Nobody: the call is refused.
    Refused,
}

impl Need {
    /// All needs, the weakest first.
    pub const ALL: [Self; 4] = [Self::Ordinary, Self::Taint, Self::Explicit, Self::Hard];

    /// Who settles it under a posture.
    #[must_use]
    pub fn settled(self, posture: Posture) -> Settled {
        match (posture, self) {
            (Posture::Ask, _) => Settled::ByPerson,
            (Posture::AutoReview, Self::Ordinary | Self::Taint | Self::Explicit) => {
                Settled::ByGuardian
            }
            (Posture::FullAccess, Self::Ordinary | Self::Taint) => Settled::Allowed,
            (Posture::AutoReview, Self::Hard)
            | (Posture::FullAccess, Self::Explicit | Self::Hard)
            | (Posture::Never, _) => Settled::Refused,
        }
    }
}

/// One thing that asks: for the card, and to compare what was shown with what holds now.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Why {
    /// Who asks.
    pub layer: Layer,
    /// How strongly.
    pub need: Need,
    /// A stable word: "changes", "destroys", "rule", "`protected_place`", "floor", "law", "taint".
    pub class: String,
    /// One clause for a person.
    pub reason: String,
    /// The rule, by its origin and text, when one asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

impl Why {
    /// Whether what this one asks was already asked by that one.
    #[must_use]
    pub fn is_same_question(&self, other: &Self) -> bool {
        self.layer == other.layer && self.class == other.class && self.rule == other.rule
    }
}
