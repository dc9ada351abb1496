//! What of the held and withheld places is open to one call: places that it names, where naming them made
//! somebody answer for it.
//!
//! | the call names | it was | open |
//! |---|---|---|
//! | a place of [`protected`] that asks, or of the law | asked, with what the place is | that place |
//! | credentials, by a command that shows them | asked by the floor | that place |
//! | a place about which a rule asks calls like this one | asked by the rule | that place |
//! | git, by a command that writes settings | asked or allowed as a line | `.git/config` of its repository |
//!
//! What a rule denies is never among them: a call that names it does not run, or the rule speaks of another
//! tool, and then it holds here.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{FRAME_BYTES, git};
use crate::{
    authority::{
        Circumstances,
        baseline::{
            places::{each_place, flat},
            written_tree,
        },
        floor::credentials,
        law,
        protected::{Guards, Place, Protection},
        rules,
        words::Command,
    },
    call::Classified,
};

/// Places of one call, at most; with more, the later ones stay closed.
const PLACES_MAX: usize = 64;
/// Bytes of them in a grant, at most.
pub(super) const BYTES_MAX: usize = 2 * 1024;
/// Folders from a line's own up to a root, at most, in which its repository may be.
const DEPTH_MAX: usize = 16;

/// The places that are open to this call.
pub(super) fn opened(call: &Classified, at: &Circumstances<'_>) -> Vec<PathBuf> {
    let seen = asked_about(call, at);
    let named = rules::named_places(call, at);
    let credentials = credentials::are_read_by(call, at);
    let is_open = |path: &PathBuf| {
        let place = Place::of(path);
        seen.contains(&place.to_path()) || (credentials && credentials::is_named(&place))
    };
    let mut all: BTreeSet<PathBuf> = named.into_iter().filter(is_open).collect();
    all.extend(rules::answered_places(call, at, &[&at.policy.rules, at.session]));
    all.extend(rules::answered_places(call, at, &[&at.policy.managed.rules]));
    all.extend(call.subjects().iter().filter_map(written_tree).map(Path::to_owned));
    all.extend(settings_of_git(call, at));
    // What lies below an open place is open.
    let outer = all.iter().filter(|path| !path.ancestors().skip(1).any(|it| all.contains(it)));
    let mut bytes = 0;
    let fits = |path: &&PathBuf| {
        bytes += path.as_os_str().len() + FRAME_BYTES;
        bytes <= BYTES_MAX && path.to_str().is_some()
    };
    outer.filter(fits).take(PLACES_MAX).cloned().collect()
}

/// Places, folded, that made the call ask because something protects them.
fn asked_about(call: &Classified, at: &Circumstances<'_>) -> BTreeSet<PathBuf> {
    let guards = Guards::new(&at.policy.own);
    let mut law = law::Holds::new(&at.policy.law);
    let mut seen = BTreeSet::new();
    each_place(
        call,
        at,
        |_| true,
        |place, _, role| {
            let guard = guards.of(place, role).map(|guard| guard.protection);
            if guard == Some(Protection::Card) || law.holds(place, role) {
                seen.insert(place.to_path());
            }
        },
    );
    seen
}

/// `.git/config` where the repository of a git command may be, from its folder up to the root that holds it.
fn settings_of_git(call: &Classified, at: &Circumstances<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let lines = rules::folders(call, at);
    for command in call.subjects().iter().filter_map(Command::of) {
        if !git::writes(&command).settings {
            continue;
        }
        let to = git::folders(&command);
        for line in &lines {
            let folder = flat(&to.iter().fold(line.clone(), |folder, to| folder.join(to)));
            let above = folder.ancestors().take(DEPTH_MAX);
            let inside = above.take_while(|folder| is_in_a_root(folder, at));
            found.extend(inside.flat_map(|folder| {
                [".git/config", ".git/config.worktree"].map(|name| folder.join(name))
            }));
        }
    }
    found
}

fn is_in_a_root(folder: &Path, at: &Circumstances<'_>) -> bool {
    let workspace = &at.policy.workspace;
    let mut roots = workspace.roots.iter().chain([&workspace.root]);
    roots.any(|root| root.is_absolute() && folder.starts_with(root))
}
