//! What a grant withholds: of the trees that a call reads (`grep`, `find`, `list`), and of everything that
//! the programs of a call could read (`bash`). The call names one folder, or none, and rules and the floor
//! speak of files below it.
//!
//! | says so | withheld |
//! |---|---|
//! | a deny or ask rule of the user, the project, the session or the owner, for this tool or for `read`, of a program's also for `bash` | its place |
//! | the floor, unless the posture is `full-access` | places of credentials, but for those of a program that signs in with them |
//! | nobody has to | of programs: sessions, receipts and sockets of Tollgate |
//!
//! What holds for the folder itself is not withheld but judged. Ask rules withhold too: nobody is asked
//! about files that a walk or a program only comes by; who wants them names them, and is asked then.
//!
//! Invariant: what cannot be withheld is refused, never read (test `too_many_places_are_refused`).
//!
//! Not here: passing over the places, which the tool does that says it will ([`Reach::GrantedTree`]); keeping
//! programs from them, which the servers do that start some; trees of others, which ask (`rules::hold`);
//! what of it is open to one call (`confinement`).

#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, path::Path};

use serde::Serialize;

use super::{
    Circumstances, Layer, Refusal,
    confinement::{clients, starts_programs, whole},
    floor::credentials,
    rules::{globs_anywhere, globs_below},
};
use crate::{
    call::Classified,
    safety::{Reach, Subject},
    stance::Posture,
};

/// Patterns of one grant, at most; a folder further down has fewer.
pub(super) const PATTERNS_MAX: usize = 256;
/// Bytes of them, at most: a grant's claims are at most 16 KiB.
pub(super) const BYTES_MAX: usize = 8 * 1024;

/// Places with all below them, as a grant says them: those that are withheld, or those that are held.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Withheld {
    /// Globs from the root of the file system.
    pub globs: Vec<String>,
    /// Names at any depth, folded.
    pub names: Vec<String>,
}

/// Globs that a receipt names; the others it counts.
const TOLD: usize = 3;

/// The first globs, and how many more there are.
pub(super) fn told(globs: &BTreeSet<String>) -> String {
    let first = globs.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    match globs.len().saturating_sub(TOLD) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

impl Withheld {
    /// How many patterns there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.globs.len() + self.names.len()
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> usize {
        self.globs.iter().chain(&self.names).map(String::len).sum()
    }
}

fn granted_tree(subject: &Subject) -> Option<&Path> {
    if let Subject::Path { absolute, reach: Reach::GrantedTree, .. } = subject {
        return Some(absolute);
    }
    None
}

/// What is withheld from a call, as of now; nothing from one that starts no programs, and says of no tree
/// that it passes over what is.
///
/// # Errors
/// A refusal when it is too much for a grant, or cannot be said in one.
pub fn withheld(call: &Classified, at: &Circumstances<'_>) -> Result<Withheld, Refusal> {
    let mut globs = by_rules(call, at)?;
    if starts_programs(call) {
        globs.extend(whole(&at.policy.own.hidden)?);
    }
    Ok(Withheld { globs: globs.into_iter().collect(), names: names(call, at) })
}

/// What of it rules say; all of it fits a grant then.
///
/// # Errors
/// As [`withheld`].
pub(super) fn by_rules(
    call: &Classified,
    at: &Circumstances<'_>,
) -> Result<BTreeSet<String>, Refusal> {
    let programs = starts_programs(call);
    if !programs && trees(call).next().is_none() {
        return Ok(BTreeSet::new());
    }
    let helps =
        if programs { "fewer and wider patterns help" } else { "give a folder further down" };
    let refused = |why: &str| {
        let message = format!("{why}; {helps}");
        Err(Refusal::new(Layer::Rules, "too_much_withheld", message))
    };
    let sets = [&at.policy.rules, at.session, &at.policy.managed.rules];
    let globs =
        if programs { globs_anywhere(call, at, &sets) } else { globs_below(call, at, &sets) };
    let Some(globs) = globs else {
        return refused(
            "a rule denies places below it, and its pattern cannot be said from the root",
        );
    };
    // As if all were said that may be: nothing more has to be looked at then.
    let hidden = if programs { at.policy.own.hidden.as_slice() } else { &[] };
    if !hidden.iter().all(|place| place.to_str().is_some()) {
        return refused("a place of Tollgate's own is no UTF-8");
    }
    let escaped = |place: &std::path::PathBuf| 2 * place.as_os_str().len() + "/**".len();
    let bytes = globs.iter().map(String::len).chain(hidden.iter().map(escaped)).sum::<usize>();
    let (most_names, name_bytes) = *credentials::SIZE;
    if globs.len() + hidden.len() + most_names > PATTERNS_MAX || bytes + name_bytes > BYTES_MAX {
        return refused("rules deny more places below it than a grant can withhold");
    }
    Ok(globs)
}

fn trees(call: &Classified) -> impl Iterator<Item = &Path> {
    call.subjects().iter().filter_map(granted_tree)
}

/// The floor's places of credentials.
fn names(call: &Classified, at: &Circumstances<'_>) -> Vec<String> {
    let trees: Vec<&Path> = trees(call).collect();
    let names = match at.stance.posture {
        Posture::FullAccess => Vec::new(),
        Posture::Ask | Posture::AutoReview | Posture::Never if starts_programs(call) => {
            let own: BTreeSet<&str> = clients::places(call).into_iter().collect();
            credentials::all().filter(|name| !own.contains(name)).collect()
        }
        Posture::Ask | Posture::AutoReview | Posture::Never if trees.is_empty() => Vec::new(),
        Posture::Ask | Posture::AutoReview | Posture::Never => credentials::below(&trees),
    };
    names.into_iter().map(str::to_owned).collect()
}
