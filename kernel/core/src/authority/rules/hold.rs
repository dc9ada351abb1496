//! Whether a deny or an ask rule holds for a call: when each of its matchers matches some subject, or
//! something that a subject could be. One is enough; what is not known counts as maybe.

use super::{
    Action, NamePattern, PathMatch, Rule, facts::Facts, index::Candidate, words::could_be,
};
use crate::{authority::hosts::without_port, safety::Subject};

/// Whether a rule matches.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Hit {
    No,
    /// What the call would do cannot be known as far as the rule looks.
    Maybe,
    Yes,
}

/// Whether a rule of places may speak of a call, whatever it touches: its other matchers hold, or may.
pub(super) fn may_speak(rule: &Rule, facts: &Facts<'_>) -> bool {
    commands(rule, facts).min(hosts(rule, facts)) != Hit::No
}

fn commands(rule: &Rule, facts: &Facts<'_>) -> Hit {
    rule.command.as_ref().map_or(Hit::Yes, |meant| {
        let hits = facts.commands().map(|command| could_be(command.argv, command.opaque, meant));
        hits.max().unwrap_or(Hit::No)
    })
}

fn hosts(rule: &Rule, facts: &Facts<'_>) -> Hit {
    rule.host.as_ref().map_or(Hit::Yes, |meant| speaks_to(meant, facts))
}

/// Whether a deny or ask rule of this tool holds.
pub(super) fn holds(candidate: Candidate<'_>, facts: &Facts<'_>) -> Hit {
    let Candidate { rule, near } = candidate;
    let path = rule.path.as_ref().map_or(Hit::Yes, |meant| touches(meant, near, facts));
    commands(rule, facts).min(path).min(hosts(rule, facts))
}

fn touches(meant: &PathMatch, near: bool, facts: &Facts<'_>) -> Hit {
    let (glob, base) = (&meant.glob, facts.base);
    let places = facts.places();
    let touched = || places.all.iter().filter(|place| near && place.is_touched(meant.access));
    let hit = touched().any(|place| {
        glob.reaches(&place.path, base) || (place.goes && glob.lies_below(&place.path, base))
    });
    // Of a tree nobody knows what is in it.
    let over = || touched().any(|place| place.over && glob.may_lie_below(&place.path, base));
    match hit {
        true => Hit::Yes,
        false if places.cut || facts.unknown.touches(meant.access) || over() => Hit::Maybe,
        false => Hit::No,
    }
}

fn speaks_to(meant: &NamePattern, facts: &Facts<'_>) -> Hit {
    let is_it = |host: &String| meant.matches(host) || meant.matches(without_port(host));
    if facts.hosts().iter().any(is_it) { Hit::Yes } else { Hit::No }
}

/// Whether a rule's server is the call's: the one that has the tool, or the MCP server that the call says
/// it goes to. Who is not trusted may say that only where the tool's own name says it too, or else to be
/// denied or asked for: a claim of another's name opens nothing (I17).
pub(super) fn is_served(rule: &Rule, facts: &Facts<'_>) -> bool {
    let Some(meant) = &rule.server else { return true };
    let opens = rule.action == Action::Allow && !facts.trusted && rule.tool.exact().is_none();
    let through = |subject: &Subject| match subject {
        Subject::Mcp { server, .. } => {
            meant.matches(server) && (!opens || is_tool_of(facts.tool, server))
        }
        Subject::Path { .. }
        | Subject::Command { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => false,
    };
    meant.matches(facts.server) || facts.subjects.iter().any(through)
}

/// Whether a tool is named as one of this MCP server: `mcp_SERVER_TOOL`.
fn is_tool_of(tool: &str, server: &str) -> bool {
    let rest = tool.strip_prefix("mcp_").and_then(|rest| rest.strip_prefix(server));
    rest.is_some_and(|rest| rest.starts_with('_'))
}
