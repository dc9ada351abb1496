//! What the gate would want of a call of which only the tool is known, for people who look at a catalog.
//!
//! The same table settles it as for a call ([`Need::settled`]). First match wins:
//!
//! | # | what is known | wants |
//! |---|---|---|
//! | 1 | plan mode, and the tool changes things | refusal |
//! | 2 | a rule asks for the whole tool | what the posture says of [`Need::Explicit`]; the owner's: [`Need::Hard`] |
//! | 3 | it runs programs, each call of which is judged by itself | nothing |
//! | 4 | its server says what each call would do | it depends on the call |
//! | 5 | it only reads | nothing |
//! | 6 | policy files are broken | refusal |
//! | 7 | a rule allows the whole tool | nothing, but not under `never` |
//! | 8 | otherwise | what the posture says of [`Need::Ordinary`] |
//!
//! Invariant: it decides nothing. Hooks, law, taint, and rules with a condition speak when there is a
//! call, and may want more.

use serde::{Deserialize, Serialize};

use super::{
    Circumstances, Need, Settled,
    rules::{
        Action, Rule, Rules, compact,
        select::{RANKS, is_in_force},
    },
};
use crate::{
    catalog::Entry,
    safety::Trust,
    stance::{Mode, Posture},
};

/// What a call would want.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Outlook {
    /// Whose word.
    pub requires: Requires,
    /// How strongly it is asked for, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<Need>,
    /// A clause.
    pub because: String,
}

/// Whose word a call would want.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Requires {
    /// Nobody's.
    Nothing,
    /// The guardian's.
    Guardian,
    /// A person's.
    Person,
    /// It would be refused.
    Refused,
    /// It depends on the call.
    PerCall,
}

/// What a call of this tool would want, as of now.
#[must_use]
pub fn outlook(entry: &Entry, at: &Circumstances<'_>) -> Outlook {
    let safety = entry.safety.believed(entry.trust);
    let is =
        |requires, because: &str| Outlook { requires, need: None, because: because.to_owned() };
    let in_plan = safety.read_only && !entry.runs_programs();
    if !in_plan && at.stance.mode == Mode::Plan {
        return is(Requires::Refused, "plan mode changes nothing");
    }
    let owners = whole(&[&at.policy.managed.rules], entry, at);
    if let Some(rule) = owners.filter(|rule| rule.action == Action::Ask) {
        return needs(Need::Hard, at, named(rule));
    }
    match whole(&[&at.policy.rules, at.session], entry, at) {
        Some(rule) if rule.action == Action::Ask => needs(Need::Explicit, at, named(rule)),
        _ if entry.runs_programs() && entry.trust == Trust::Trusted => {
            is(Requires::Nothing, "each call of a program is judged by itself")
        }
        // An untrusted server's word on a call can only tighten what is believed of the tool.
        _ if entry.prepares && entry.trust == Trust::Trusted => {
            is(Requires::PerCall, "its server says what each call would do")
        }
        _ if safety.read_only => is(Requires::Nothing, "it only reads"),
        _ if at.policy.broken.is_some() => is(Requires::Refused, "policy files are broken"),
        Some(rule) if at.stance.posture != Posture::Never => is(Requires::Nothing, &named(rule)),
        _ => needs(Need::Ordinary, at, "it changes something".to_owned()),
    }
}

fn needs(need: Need, at: &Circumstances<'_>, because: String) -> Outlook {
    let requires = match need.settled(at.stance.posture) {
        Settled::Allowed => Requires::Nothing,
        Settled::ByGuardian => Requires::Guardian,
        Settled::ByPerson => Requires::Person,
        Settled::Refused => Requires::Refused,
    };
    Outlook { requires, need: Some(need), because }
}

/// The rule that speaks of every call of a tool: of the strongest source, and there one that asks.
fn whole<'r>(sets: &[&'r Rules], entry: &Entry, at: &Circumstances<'_>) -> Option<&'r Rule> {
    let speaks = |rule: &&Rule| {
        let is_whole = rule.command.is_none() && rule.path.is_none() && rule.host.is_none();
        is_whole && rule.action != Action::Deny && is_in_force(rule, at) && is_of(rule, entry)
    };
    let speaking: Vec<&Rule> = sets.iter().flat_map(|set| set.all()).filter(speaks).collect();
    RANKS.iter().find_map(|sources| {
        let of = |action: Action| {
            let mut ranked = speaking.iter().filter(|it| sources.contains(&it.source));
            ranked.find(|rule| rule.action == action).copied()
        };
        of(Action::Ask).or_else(|| of(Action::Allow))
    })
}

/// Whether a rule is about a tool, by its names and its server's.
fn is_of(rule: &Rule, entry: &Entry) -> bool {
    let names = [Some(entry.canonical().as_str()), entry.told_apart()];
    names.into_iter().flatten().any(|name| rule.tool.matches(name))
        && rule.server.as_ref().is_none_or(|server| {
            server.matches(entry.server.as_str())
                || entry.source.as_ref().is_some_and(|source| server.matches(source))
        })
}

fn named(rule: &Rule) -> String {
    let does = if rule.action == Action::Ask { "asks" } else { "allows it" };
    format!("rule {} ({}) {does}", compact::show(rule), rule.origin)
}

#[cfg(test)]
mod tests;
