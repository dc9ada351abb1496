//! Mode and posture: what may be done, and who decides. Two independent controls (`[GATE-10, 11]`).

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// What may be done.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Only calls that change nothing.
    Plan,
    /// Ordinary work.
    #[default]
    Work,
    /// The same authority as work; the prompt prefers delegation.
    Operate,
}

/// Who decides what is left after the rules.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Posture {
    /// A person.
    #[default]
    Ask,
    /// The floor and the guardian; no question is opened.
    AutoReview,
    /// No ordinary approvals; hard limits hold.
    FullAccess,
    /// Nobody: only what is proven read-only runs.
    Never,
}

/// Mode and posture together.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Stance {
    /// What may be done.
    pub mode: Mode,
    /// Who decides.
    pub posture: Posture,
}

impl Mode {
    /// All modes, in the order of their documentation.
    pub const ALL: [Self; 3] = [Self::Plan, Self::Work, Self::Operate];

    /// As it is written in files, flags and receipts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Work => "work",
            Self::Operate => "operate",
        }
    }
}

impl Posture {
    /// All postures, in the order of their documentation.
    pub const ALL: [Self; 4] = [Self::Ask, Self::AutoReview, Self::FullAccess, Self::Never];

    /// As it is written in files, flags and receipts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::AutoReview => "auto-review",
            Self::FullAccess => "full-access",
            Self::Never => "never",
        }
    }
}

impl Stance {
    /// Of both the tighter mode and the tighter posture.
    #[must_use]
    pub fn tighter_of(self, other: Self) -> Self {
        let mode = |mode| match mode {
            Mode::Operate => 0,
            Mode::Work => 1,
            Mode::Plan => 2,
        };
        let posture = |posture| match posture {
            Posture::FullAccess => 0,
            Posture::AutoReview => 1,
            Posture::Ask => 2,
            Posture::Never => 3,
        };
        Self {
            mode: if mode(other.mode) > mode(self.mode) { other.mode } else { self.mode },
            posture: if posture(other.posture) > posture(self.posture) {
                other.posture
            } else {
                self.posture
            },
        }
    }
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::fmt::Display for Posture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
