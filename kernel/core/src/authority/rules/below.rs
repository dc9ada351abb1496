//! What deny and ask rules say of places below the trees that a call reads: its grant withholds them, and
//! the call passes over them.
//!
//! A rule that holds for a tree itself is none of these: it holds for the call (`hold`). Rules of `read`
//! speak here too, whatever tool reads the tree: who denies a file does not want its lines shown.

use std::collections::BTreeSet;

use super::{Action, Rules, facts::Facts, hold::is_served, select::is_in_force};
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
