//! What the operating system holds the processes of a call to (`[GATE-70, 71, 72]`), as its grant says it.
//!
//! | part | where |
//! |---|---|
//! | how far they reach: [`Sandbox`] | [`level()`] |
//! | what they cannot read | [`withheld()`](super::withheld) |
//! | what they leave as it is, also where nothing is yet | `held` |
//! | what of both is open to this one call, because whoever decided was shown it | `opened`, `clients` |
//! | what git itself writes | `git` |
//!
//! The words of a line say what is asked; these parts hold whatever the words say (finding 4 of the threat
//! model: classification is advice). Nothing here asks or refuses, but for what does not fit a grant.
//!
//! Invariants: it depends on the call and the circumstances alone, so that who calls makes no difference (test
//! `who_calls_makes_no_difference`); what cannot be said in a grant is refused, never left out (test
//! `what_does_not_fit_a_grant_is_refused`); a call that only reads has no write roots, whatever was asked (test
//! `plan_mode_only_reads`).
//!
//! Not here: doing it (the servers that start programs), network by host.

pub(super) mod clients;
mod git;
mod held;
mod level;
mod opened;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, path::PathBuf};

use serde::Serialize;

use super::{
    Circumstances, Layer, Refusal, taint,
    withheld::{Withheld, withheld},
};
use crate::{
    call::Classified,
    safety::{Sandbox, Subject},
};
pub(super) use held::whole;
pub use level::{Network, level, ordinary};

/// Bytes of all patterns and paths of one grant, each with its frame: claims are at most 16 KiB, and names,
/// digests and roots need the rest.
const BYTES_MAX: usize = 13 * 1024;
/// Bytes that stand around one text in a grant.
const FRAME_BYTES: usize = 3;

/// The tool that runs a line: its calls start programs, whatever they name.
const BASH: &str = "bash";

/// What holds the processes of a call.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Confinement {
    /// How far they reach.
    pub sandbox: Sandbox,
    /// What they cannot read; of a call that starts none, what it passes over itself.
    pub withheld: Withheld,
    /// What they leave as it is.
    pub held: Withheld,
    /// Places of both, with all below them, that this call may read and change all the same.
    pub opened: Vec<PathBuf>,
}

/// What holds the processes of a permitted call, as of now.
///
/// # Errors
/// A refusal when it is too much for a grant, or cannot be said in one.
pub fn confinement(call: &Classified, at: &Circumstances<'_>) -> Result<Confinement, Refusal> {
    let sandbox = level(call, at);
    let (none, starts) = (Withheld::default, starts_programs(call));
    let (withheld, held) = match sandbox {
        _ if !starts => (withheld(call, at)?, none()),
        // There is nothing that they could change.
        Sandbox::ReadOnly => (withheld(call, at)?, none()),
        Sandbox::WorkspaceWrite | Sandbox::Network => (withheld(call, at)?, held::held(call, at)?),
        // Nothing would hold.
        Sandbox::Off => (none(), none()),
    };
    check(&withheld, &held)?;
    let is_closed = starts && sandbox != Sandbox::Off;
    let opened = if is_closed { opened::opened(call, at) } else { Vec::new() };
    Ok(Confinement { sandbox, withheld, held, opened })
}

/// Whether a call starts programs: it has commands, or is a line in which none was found.
#[must_use]
pub fn starts_programs(call: &Classified) -> bool {
    call.entry().canonical().as_str() == BASH
        || call.subjects().iter().any(|subject| matches!(subject, Subject::Command { .. }))
}

/// Whether all of it fits a grant, where rules withhold these places: the same answer as [`confinement()`] gives,
/// mostly by a look that costs little, since every judgement needs it.
///
/// # Errors
/// It does not.
pub(super) fn fits(
    call: &Classified,
    at: &Circumstances<'_>,
    by_rules: &BTreeSet<String>,
) -> Result<(), Refusal> {
    if !starts_programs(call) || !held::may_not_fit(at, by_rules) {
        return Ok(());
    }
    confinement(call, at).map(|_| ())
}

fn check(withheld: &Withheld, held: &Withheld) -> Result<(), Refusal> {
    if withheld.bytes() + held.bytes() <= BYTES_MAX - opened::BYTES_MAX {
        return Ok(());
    }
    Err(too_much("rules and law together name more places than a grant can say"))
}

/// The refusal of a call that cannot be held as it has to be.
fn too_much(why: &str) -> Refusal {
    let message = format!(
        "{why}, so that its programs cannot be kept from all of them; fewer and wider patterns help"
    );
    Refusal::new(Layer::Rules, "too_much_withheld", message)
}

/// What a person is told of how far the processes of a call reach: on its card, by `permissions explain`.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Bounds {
    /// How far, if it is permitted.
    pub sandbox: Sandbox,
    /// Hosts that it names, at most [`HOSTS_SHOWN`]; it may reach others too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Of one that wants more: how far it would reach without that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<Sandbox>,
}

/// Hosts that a card names, at most.
pub const HOSTS_SHOWN: usize = 4;

/// How far the processes of a call would reach; `None`: it starts none.
#[must_use]
pub fn bounds(call: &Classified, at: &Circumstances<'_>) -> Option<Bounds> {
    if !starts_programs(call) {
        return None;
    }
    let sandbox = level(call, at);
    let mut hosts = if sandbox >= Sandbox::Network { taint::named_hosts(call) } else { Vec::new() };
    hosts.sort_unstable();
    hosts.dedup();
    hosts.truncate(HOSTS_SHOWN);
    let instead_of = call.escalation().map(|_| ordinary(call, at));
    Some(Bounds { sandbox, hosts, instead_of })
}

impl Bounds {
    /// One line: "network: yes (example.org)", "network: no", "only reads, network: no".
    #[must_use]
    pub fn told(&self) -> String {
        let reach = of_level(self.sandbox, &self.hosts);
        match self.instead_of {
            Some(ordinary) if ordinary < self.sandbox => {
                format!("{reach}; without the wider sandbox: {}", of_level(ordinary, &[]))
            }
            Some(_) | None => reach,
        }
    }
}

fn of_level(sandbox: Sandbox, hosts: &[String]) -> String {
    match sandbox {
        Sandbox::ReadOnly => "only reads, network: no".to_owned(),
        Sandbox::WorkspaceWrite => "writes in the workspace, network: no".to_owned(),
        Sandbox::Network if hosts.is_empty() => "writes in the workspace, network: yes".to_owned(),
        Sandbox::Network => {
            format!("writes in the workspace, network: yes ({})", hosts.join(", "))
        }
        Sandbox::Off => "everything that you can, network: yes (no sandbox)".to_owned(),
    }
}
