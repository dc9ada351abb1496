//! Whether an allow rule covers one subject of a call, and which subjects need no rule.
//!
//! A rule without matchers beside tool and server covers everything. Any other covers the subjects that
//! its own matcher of their kind matches, and only if each other matcher of it matches all subjects of
//! its kind. What a server that nobody trusts says of its own call loosens nothing.

use std::path::{Component, Path};

use super::{
    NamePattern, PathMatch, Rule, Touch,
    facts::Facts,
    words::is_begun_by,
    wrappers::{behind_pure_wrapper, is_harmless_assignment, is_harmless_loop},
};
use crate::{
    authority::{hosts::without_port, policy::Policy, protected::guarded},
    safety::{Access, Subject},
};

/// Ports that a host without a port means.
const WEB_PORTS: [&str; 2] = [":80", ":443"];

/// The kinds of subjects that rules match.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Command,
    Path,
    Host,
    /// Covered by rules without matchers only.
    Other,
}

/// Whether a rule names no subjects: it covers the tool as a whole.
pub(super) fn is_whole(rule: &Rule) -> bool {
    rule.command.is_none() && rule.path.is_none() && rule.host.is_none()
}

/// Whether an allow rule of this tool and server covers a subject.
pub(super) fn covers(rule: &Rule, subject: &Subject, facts: &Facts<'_>) -> bool {
    if is_whole(rule) {
        return true;
    }
    let all_of = |kind: Kind| {
        let mut subjects = facts.subjects.iter().filter(|other| kind_of(other) == kind).peekable();
        subjects.peek().is_some() && subjects.all(|other| matches(rule, other, facts))
    };
    let others = [Kind::Command, Kind::Path, Kind::Host].into_iter();
    let mut others = others.filter(|kind| *kind != kind_of(subject) && has(rule, *kind));
    facts.trusted && matches(rule, subject, facts) && others.all(all_of)
}

/// Whether a subject needs no rule beside one that covers the rest: it only reads, it is a wrapper or a
/// setting that does nothing by itself, or a redirection to an ordinary file of the workspace.
pub(super) fn is_free(subject: &Subject, facts: &Facts<'_>, policy: &Policy) -> bool {
    facts.trusted
        && match subject {
            Subject::Command { opaque: true, .. } => false,
            Subject::Command { argv, read_only, .. } => *read_only || only_wraps(argv, facts),
            Subject::Path { absolute, relative, reach, .. } => {
                relative.is_some()
                    && reach.is_itself()
                    && facts.commands().next().is_some()
                    && is_straight(absolute)
                    && guarded(absolute, &policy.own).is_none()
            }
            Subject::Host { .. }
            | Subject::Repo { .. }
            | Subject::Mcp { .. }
            | Subject::Tool { .. }
            | Subject::Unknown => false,
        }
}

/// Whether a command does nothing but run others of the line, which are judged themselves.
pub(super) fn only_wraps(argv: &[String], facts: &Facts<'_>) -> bool {
    if let [word] = argv {
        return is_harmless_assignment(word);
    }
    if is_harmless_loop(argv) {
        return true;
    }
    behind_pure_wrapper(argv)
        .is_some_and(|inner| facts.commands().any(|other| !other.opaque && other.argv == inner))
}

fn kind_of(subject: &Subject) -> Kind {
    match subject {
        Subject::Command { .. } => Kind::Command,
        Subject::Path { .. } | Subject::Repo { .. } => Kind::Path,
        Subject::Host { .. } => Kind::Host,
        Subject::Mcp { .. } | Subject::Tool { .. } | Subject::Unknown => Kind::Other,
    }
}

fn has(rule: &Rule, kind: Kind) -> bool {
    match kind {
        Kind::Command => rule.command.is_some(),
        Kind::Path => rule.path.is_some(),
        Kind::Host => rule.host.is_some(),
        Kind::Other => false,
    }
}

/// Whether the rule's matcher of the subject's kind matches it, for certain.
fn matches(rule: &Rule, subject: &Subject, facts: &Facts<'_>) -> bool {
    let base = facts.base;
    match subject {
        Subject::Command { argv, opaque, .. } => {
            let same = rule.command.as_ref().is_some_and(|meant| is_begun_by(argv, meant));
            !opaque && same && runs_where_meant(rule, argv, facts)
        }
        Subject::Path { absolute, access, reach, .. } => {
            let touch = if *access == Access::Read { Touch::Read } else { Touch::Write };
            let with_all =
                |meant: &PathMatch| reach.is_itself() || meant.glob.covers_tree(absolute, base);
            let meant = rule.path.as_ref();
            meant.is_some_and(|meant| is_at(meant, absolute, touch, base) && with_all(meant))
        }
        Subject::Repo { path } => {
            rule.path.as_ref().is_some_and(|meant| is_at(meant, path, Touch::Write, base))
        }
        Subject::Host { host } => rule.host.as_ref().is_some_and(|meant| is_host(meant, host)),
        Subject::Mcp { .. } | Subject::Tool { .. } | Subject::Unknown => false,
    }
}

/// A rule for a workspace is meant for commands that run in it, and a relative program for one in the
/// workspace's own folder: `cd elsewhere && ./build` is another program (AP-09).
fn runs_where_meant(rule: &Rule, argv: &[String], facts: &Facts<'_>) -> bool {
    let relative =
        argv.first().is_some_and(|program| program.contains('/') && !program.starts_with('/'));
    rule.workspace.as_ref().is_none_or(|workspace| facts.stays_below(workspace))
        && (!relative || facts.stays_at_base())
}

fn is_at(meant: &PathMatch, place: &Path, touch: Touch, base: &Path) -> bool {
    meant.access.is_none_or(|access| access == touch)
        && is_straight(place)
        && meant.glob.matches(place, base)
}

/// Without `..`, whose meaning the text does not tell.
fn is_straight(place: &Path) -> bool {
    place.components().all(|part| part != Component::ParentDir)
}

/// A host without a port is meant on the ports of the web only.
fn is_host(meant: &NamePattern, host: &str) -> bool {
    let web = WEB_PORTS.iter().any(|port| host.ends_with(port));
    meant.matches(host) || (web && meant.matches(without_port(host)))
}
