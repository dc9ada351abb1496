//! How far the processes of a call reach. First match wins:
//!
//! | # | the call | reaches |
//! |---|---|---|
//! | 1 | is in plan mode | `read-only` |
//! | 2 | wants more, and a person says yes to that (nothing else permits it) | what it wants |
//! | 3 | only reads | `read-only` |
//! | 4 | configuration or the owner: network `off` | `workspace-write` |
//! | 5 | configuration: network `on`; or posture `full-access` | `network` |
//! | 6 | names a host, talks to one, or fetches what a list names | `network` |
//! | 7 | otherwise | `workspace-write` |
//!
//! Row 6 needs no look at the decision: a call that changes something and was permitted in another posture than
//! `full-access` was allowed by a rule or a hook, or somebody said yes to it; what runs unasked by itself has
//! no commands and no hosts.

use crate::{
    authority::{Circumstances, taint},
    call::Classified,
    safety::Sandbox,
    stance::{Mode, Posture},
};

/// Who has the network (`[sandbox] network`), the tightest first.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Network {
    /// Nobody, but for a wider sandbox that a person gives.
    Off,
    /// Calls that need it, once they are permitted.
    #[default]
    Ask,
    /// Every call that changes something.
    On,
}

impl Network {
    /// All, the tightest first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Ask, Self::On];

    /// As it is written in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Ask => "ask",
            Self::On => "on",
        }
    }
}

/// How far the processes of a permitted call reach.
#[must_use]
pub fn level(call: &Classified, at: &Circumstances<'_>) -> Sandbox {
    let ordinary = ordinary(call, at);
    match call.escalation() {
        Some(wish) if at.stance.mode != Mode::Plan => wish.to.max(ordinary),
        Some(_) | None => ordinary,
    }
}

/// The same for a call that wants no more than it has: what a wish is compared with.
#[must_use]
pub fn ordinary(call: &Classified, at: &Circumstances<'_>) -> Sandbox {
    if at.stance.mode == Mode::Plan || call.safety().read_only {
        return Sandbox::ReadOnly;
    }
    let policy = at.policy;
    let network = policy.managed.network.map_or(policy.network, |it| it.min(policy.network));
    match network {
        Network::Off => Sandbox::WorkspaceWrite,
        Network::On => Sandbox::Network,
        Network::Ask if at.stance.posture == Posture::FullAccess => Sandbox::Network,
        Network::Ask if taint::needs_network(call) => Sandbox::Network,
        Network::Ask => Sandbox::WorkspaceWrite,
    }
}
