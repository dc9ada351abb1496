//! Selection (`[GATE-21, 22]`), first match wins:
//!
//! | # | what | answer |
//! |---|---|---|
//! | 1 | a deny rule of any source holds | deny |
//! | 2 | a deny rule could hold, but the call cannot be known that far | ask |
//! | 3 | for each source, managed > user and project > session > built-in: an ask rule holds | ask |
//! | | … else its allow rules, with those of the sources before, cover every subject | allow |
//! | 4 | otherwise | nothing |
//!
//! A project's ask rules stand beside the user's: a project can tighten, so its ask holds where the user
//! allows, as it would inside one source (`deny > ask > allow`). It and the machine's owner allow nothing.
//!
//! Which rule is *named* among several that decide the same: of the highest source, then the most
//! specific (exact command > more words > exact place > longer folder of a glob > host > tool only), then
//! the first.

use super::{
    Action, Rule, Rules, Source,
    cover::{covers, is_free, is_whole},
    facts::Facts,
    hold::{Hit, holds, is_served},
    index::Candidate,
};
use crate::{authority::Circumstances, call::Classified};

/// What the rules say of a call.
#[derive(Clone, Debug)]
pub enum Selected<'a> {
    /// No rule speaks.
    Nothing,
    /// Every subject is covered by these, one a subject at most, each once.
    Allow(Vec<&'a Rule>),
    /// This one asks; or it is a deny rule that could hold, as far as the call can be known.
    Ask(&'a Rule),
    /// This one blocks.
    Deny(&'a Rule),
}

/// Sources that are heard together, the strongest first.
pub(in crate::authority) const RANKS: [&[Source]; 4] =
    [&[Source::Managed], &[Source::User, Source::Project], &[Source::Session], &[Source::BuiltIn]];

/// Selects among several sets of rules (the policy's and the session's).
#[must_use]
pub fn select<'a>(call: &Classified, at: &Circumstances<'_>, sets: &[&'a Rules]) -> Selected<'a> {
    let facts = Facts::of(call, at);
    let found = sets.iter().flat_map(|set| set.candidates(&facts));
    let rules: Vec<Candidate<'a>> =
        found.filter(|it| is_in_force(it.rule, at) && is_served(it.rule, &facts)).collect();
    if rules.is_empty() {
        return Selected::Nothing;
    }
    decide(&rules, &facts, at)
}

/// Selects among rules of this tool and server that are in force.
pub(super) fn decide<'a>(
    rules: &[Candidate<'a>],
    facts: &Facts<'_>,
    at: &Circumstances<'_>,
) -> Selected<'a> {
    let of = |action: Action| rules.iter().copied().filter(move |it| it.rule.action == action);
    let denies: Vec<(Hit, &'a Rule)> =
        of(Action::Deny).map(|it| (holds(it, facts), it.rule)).collect();
    let denying = |hit: Hit| denies.iter().filter(move |(h, _)| *h == hit).map(|(_, rule)| *rule);
    if let Some(rule) = best(denying(Hit::Yes)) {
        return Selected::Deny(rule);
    }
    if let Some(rule) = best(denying(Hit::Maybe)) {
        return Selected::Ask(rule);
    }
    let mut cover: Vec<Option<&'a Rule>> = vec![None; facts.subjects.len()];
    for sources in RANKS {
        let of_rank = |action: Action| of(action).filter(|it| sources.contains(&it.rule.source));
        let asks = of_rank(Action::Ask).filter(|it| holds(*it, facts) != Hit::No);
        if let Some(rule) = best(asks.map(|it| it.rule)) {
            return Selected::Ask(rule);
        }
        let near = || of_rank(Action::Allow).filter(|it| it.near).map(|it| it.rule);
        let allows = || near().filter(|rule| may_allow(rule.source));
        for (covered, subject) in cover.iter_mut().zip(facts.subjects) {
            if covered.is_none() {
                *covered = best(allows().filter(|rule| covers(rule, subject, facts)));
            }
        }
        let whole = || best(allows().filter(|rule| is_whole(rule))).into_iter().collect();
        let allowing = if cover.is_empty() { whole() } else { distinct(&cover) };
        if allowing.is_empty() {
            continue;
        }
        let mut subjects = cover.iter().zip(facts.subjects);
        if subjects.all(|(covered, it)| covered.is_some() || is_free(it, facts, at.policy)) {
            return Selected::Allow(allowing);
        }
    }
    Selected::Nothing
}

/// Managed policy and projects deny and ask only.
fn may_allow(source: Source) -> bool {
    match source {
        Source::BuiltIn | Source::Session | Source::User => true,
        Source::Project | Source::Managed => false,
    }
}

/// Whether a rule has not expired and is meant for this workspace.
pub(in crate::authority) fn is_in_force(rule: &Rule, at: &Circumstances<'_>) -> bool {
    rule.expires_unix_ms.is_none_or(|expires| at.now_unix_ms < expires)
        && rule.workspace.as_ref().is_none_or(|meant| *meant == at.policy.workspace.root)
}

fn distinct<'a>(cover: &[Option<&'a Rule>]) -> Vec<&'a Rule> {
    let mut rules: Vec<&'a Rule> = Vec::new();
    for rule in cover.iter().flatten() {
        if !rules.iter().any(|known| std::ptr::eq(*known, *rule)) {
            rules.push(rule);
        }
    }
    rules
}

/// The rule to name among those that decide the same.
fn best<'a>(rules: impl Iterator<Item = &'a Rule>) -> Option<&'a Rule> {
    rules.reduce(|best, next| {
        let weight = |rule: &Rule| (rule.source, specificity(rule));
        if weight(next) > weight(best) { next } else { best }
    })
}

/// How narrow a rule is: class, then length within it, then whether tool and server are named exactly.
fn specificity(rule: &Rule) -> (u8, usize, bool, bool) {
    let (class, length) = match (&rule.command, &rule.path, &rule.host) {
        (Some(command), _, _) => (if command.exact { 5 } else { 4 }, command.argv.len()),
        (None, Some(path), _) => {
            let literal = path.glob.literal().as_os_str().len();
            (if path.glob.is_exact() { 3 } else { 2 }, literal)
        }
        (None, None, Some(_)) => (1, 0),
        (None, None, None) => (0, 0),
    };
    (class, length, rule.tool.exact().is_some(), rule.server.is_some())
}
