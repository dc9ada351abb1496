//! What a grant withholds of the trees that a call reads (`grep`, `find`, `list`): the call names one
//! folder, and rules and the floor speak of files below it.
//!
//! | says so | withheld |
//! |---|---|
//! | a deny or ask rule of the user, the project, the session or the owner, for this tool or for `read` | its place |
//! | the floor, unless the posture is `full-access` | places of credentials |
//!
//! What holds for the folder itself is not withheld but judged. Ask rules withhold too: nobody is asked
//! about files that a walk only passes; who wants them names them, and is asked then.
//!
//! Invariant: what cannot be withheld is refused, never read (test `too_many_places_are_refused`).
//!
//! Not here: passing over the places, which the tool does that says it will ([`Reach::GrantedTree`]); trees
//! of others, which ask (`rules::hold`).

#[cfg(test)]
mod tests;

use std::path::Path;

use super::{Circumstances, Layer, Refusal, floor::credentials, rules::globs_below};
use crate::{
    call::Classified,
    safety::{Reach, Subject},
    stance::Posture,
};

/// Patterns of one grant, at most; a folder further down has fewer.
const PATTERNS_MAX: usize = 256;
/// Bytes of them, at most: a grant's claims are at most 16 KiB.
const BYTES_MAX: usize = 8 * 1024;

/// Places that a call passes over, with all below them, as a grant says them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Withheld {
    /// Globs from the root of the file system.
    pub globs: Vec<String>,
    /// Names at any depth, folded.
    pub names: Vec<String>,
}

/// Globs that a receipt names; the others it counts.
const TOLD: usize = 3;

impl Withheld {
    /// The first globs, and how many more there are.
    pub(super) fn told(&self) -> String {
        let first = self.globs.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.globs.len().saturating_sub(TOLD) {
            0 => first,
            more => format!("{first} and {more} more"),
        }
    }
}

fn granted_tree(subject: &Subject) -> Option<&Path> {
    if let Subject::Path { absolute, reach: Reach::GrantedTree, .. } = subject {
        return Some(absolute);
    }
    None
}

/// What is withheld from a call, as of now; nothing from one that says of no tree that it passes over
/// what is.
///
/// # Errors
/// A refusal when it is too much for a grant, or cannot be said in one.
pub fn withheld(call: &Classified, at: &Circumstances<'_>) -> Result<Withheld, Refusal> {
    let trees: Vec<&Path> = call.subjects().iter().filter_map(granted_tree).collect();
    if trees.is_empty() {
        return Ok(Withheld::default());
    }
    let refused = |why: &str| {
        let message = format!("{why}; give a folder further down");
        Err(Refusal::new(Layer::Rules, "too_much_withheld", message))
    };
    let sets = [&at.policy.rules, at.session, &at.policy.managed.rules];
    let Some(globs) = globs_below(call, at, &sets) else {
        return refused(
            "a rule denies places below it, and its pattern cannot be said from the root",
        );
    };
    let names = match at.stance.posture {
        Posture::FullAccess => Vec::new(),
        Posture::Ask | Posture::AutoReview | Posture::Never => credentials::below(&trees),
    };
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let globs: Vec<String> = globs.into_iter().collect();
    let bytes: usize = globs.iter().chain(&names).map(String::len).sum();
    if globs.len() + names.len() > PATTERNS_MAX || bytes > BYTES_MAX {
        return refused("rules deny more places below it than a grant can withhold");
    }
    Ok(Withheld { globs, names })
}
