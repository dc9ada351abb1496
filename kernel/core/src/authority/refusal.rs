//! Why not, as the model reads it.

use serde::{Deserialize, Serialize};

/// The layers of the gate, by the numbers of spec 30.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// 0: calls per turn or program.
    Budget,
    /// 1: the name is a tool's.
    Name,
    /// 2: mode, lists, caller, availability.
    Admission,
    /// 3: the schema.
    Arguments,
    /// 4: the server's word on this call.
    Preparation,
    /// 5: hooks before the call.
    Hooks,
    /// 6: what the call's safety needs.
    Baseline,
    /// 7: typed rules.
    Rules,
    /// 8: floor and guardian.
    AutoReview,
    /// 9: law of the repository.
    Law,
    /// 10: the machine owner's rules.
    Managed,
    /// 11: a person, or the posture.
    Approval,
    /// 12: as of now, after a wait.
    Recheck,
    /// 13: the grant and its record.
    Grant,
    /// 14: the server.
    Execution,
    /// 15: the receipt.
    Receipt,
}

impl Layer {
    /// Its number in spec 30: 0 to 15.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// The gate's no: which layer, a stable word, and a sentence for the model that says what would work.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Refusal {
    /// Who said no.
    pub layer: Layer,
    /// A stable word to branch on: "`plan_mode`".
    pub class: String,
    /// For the model. No secret, no path outside the workspace.
    pub message: String,
    /// JSON pointer of the argument at fault, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// The rule that said it, by text and origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// A person said it (`denied`), not the gate (`refused`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
}

impl Refusal {
    /// A refusal by the gate.
    #[must_use]
    pub fn new(layer: Layer, class: &str, message: impl Into<String>) -> Self {
        Self {
            layer,
            class: class.to_owned(),
            message: message.into(),
            pointer: String::new(),
            rule: None,
            by_person: false,
        }
    }

    /// A person's no, with what the person said, if anything.
    #[must_use]
    pub fn denied(message: Option<&str>) -> Self {
        let said = message.map_or(String::new(), |message| format!(": {message}"));
        Self {
            by_person: true,
            ..Self::new(Layer::Approval, "denied", format!("the user denied this call{said}"))
        }
    }

    /// A person's no that ends the turn too.
    #[must_use]
    pub fn stopped() -> Self {
        Self {
            by_person: true,
            ..Self::new(Layer::Approval, "denied", "the user denied this call and stopped the turn")
        }
    }

    /// With the argument at fault.
    #[must_use]
    pub fn at(self, pointer: String) -> Self {
        Self { pointer, ..self }
    }
}
