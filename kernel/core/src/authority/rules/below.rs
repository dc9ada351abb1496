//! What deny and ask rules say of places that a call does not name: below the trees that it reads, and
//! wherever its programs could read. Its grant withholds them.
//!
//! A rule that holds for a tree itself is none of these: it holds for the call (`hold`). Rules of `read`
//! speak here too, whatever tool reads the tree: who denies a file does not want its lines shown.

use std::{collections::BTreeSet, path::PathBuf};

use super::{
    Action, Rules,
    facts::{BASH, Facts, READ},
    hold::{Hit, holds, is_served, may_speak},
    select::is_in_force,
};
use crate::{authority::Circumstances, call::Classified};

/// Globs from the root of the file system, in order; `None`: a rule cannot be said as one.
pub(in crate::authority) fn globs_below(
    call: &Classified,
    at: &Circumstances<'_>,
    sets: &[&Rules],
) -> Option<BTreeSet<String>> {
    let facts = Facts::of(call, at);
    let trees = || facts.places().all.iter().filter(|place| place.spared);
    let mut globs = BTreeSet::new();
    for candidate in sets.iter().flat_map(|set| set.candidates(&facts)) {
        let rule = candidate.rule;
        let Some(path) = rule.path.as_ref().filter(|_| rule.action != Action::Allow) else {
            continue;
        };
        let may_hold = is_in_force(rule, at)
            && is_served(rule, &facts)
            && (rule.command.is_none() || facts.commands().next().is_some())
            && (rule.host.is_none() || !facts.hosts().is_empty());
        let mut meant = trees().filter(|tree| tree.is_touched(path.access)).peekable();
        if !may_hold || meant.peek().is_none() {
            continue;
        }
        let (base, glob) = (facts.base, &path.glob);
        let holds = facts.places().all.iter().any(|place| glob.reaches(&place.path, base));
        if !holds && meant.any(|tree| glob.may_lie_below(&tree.path, base)) {
            globs.insert(glob.from_root(base)?);
        }
    }
    Some(globs)
}

/// The same for the programs of a call, which could read anything: what is said of reading, of `bash`, and of
/// this tool. An ask rule that holds for the folder that the line works in is none of these: in a folder of
/// which nothing can be read nothing runs, so that whoever lets it run there has answered it.
pub(in crate::authority) fn globs_anywhere(
    call: &Classified,
    at: &Circumstances<'_>,
    sets: &[&Rules],
) -> Option<BTreeSet<String>> {
    if sets.iter().all(|set| set.deny_nowhere()) {
        return Some(BTreeSet::new());
    }
    let facts = Facts::of(call, at);
    let told_apart = facts.told_apart.unwrap_or(facts.tool);
    let names = [READ, BASH, facts.tool, told_apart];
    let mut globs = BTreeSet::new();
    for name in BTreeSet::from([facts.tool, told_apart]) {
        for rule in sets.iter().flat_map(|set| set.denying(name)) {
            let Some(path) = rule.path.as_ref() else { continue };
            let speaks = names.iter().any(|name| rule.tool.matches(name))
                && is_in_force(rule, at)
                && is_served(rule, &facts)
                && may_speak(rule, &facts);
            let holds_here = rule.action == Action::Ask && path.glob.reaches(at.cwd, facts.base);
            if speaks && !holds_here {
                globs.insert(path.glob.from_root(facts.base)?);
            }
        }
    }
    Some(globs)
}

/// Places that a call names about which a rule asks it: who let it run has answered for them.
pub(in crate::authority) fn answered_places(
    call: &Classified,
    at: &Circumstances<'_>,
    sets: &[&Rules],
) -> Vec<PathBuf> {
    let facts = Facts::of(call, at);
    let mut answered = Vec::new();
    for candidate in sets.iter().flat_map(|set| set.candidates(&facts)) {
        let rule = candidate.rule;
        let Some(path) = rule.path.as_ref().filter(|_| rule.action == Action::Ask) else {
            continue;
        };
        let asks = is_in_force(rule, at)
            && is_served(rule, &facts)
            && holds(candidate, &facts) == Hit::Yes;
        if asks {
            let places = facts.places().all.iter().filter(|place| place.is_touched(path.access));
            let meant = places.filter(|place| path.glob.reaches(&place.path, facts.base));
            answered.extend(meant.map(|place| place.path.clone()));
        }
    }
    answered
}

/// All places that a call touches, or that words of it could name.
pub(in crate::authority) fn named_places(
    call: &Classified,
    at: &Circumstances<'_>,
) -> Vec<PathBuf> {
    let facts = Facts::of(call, at);
    facts.places().all.iter().map(|place| place.path.clone()).collect()
}

/// The folders that a line works in, as far as its words say.
pub(in crate::authority) fn folders(call: &Classified, at: &Circumstances<'_>) -> Vec<PathBuf> {
    Facts::of(call, at).folders().0
}
