//! An unchanged re-read of the same window is answered with a sentence. [FILE-04]
//!
//! A sentence is wrong when the model does not have the window in its conversation any more, or never
//! had it. So it is given only if all of this holds:
//!
//! - The model asks. What programs, servers, clients and people read is neither remembered nor
//!   shortened: it goes elsewhere.
//! - The same agent of the same session asked for the same window of the same place in the same turn,
//!   in an earlier step, no more than [`SEEN_STEPS_MAX`] steps ago: the result of an earlier step is part of
//!   the request that this step answers, a result of the same step is not. The kernel does not tell yet when it
//!   folds a conversation; so few steps of one turn are hardly folded.
//! - The whole content has the digest that it had then. A file that is too large to be hashed is always shown.
//! - The answer then was the window itself. After a sentence the window is shown again: who asks once
//!   more needs it.
//!
//! The memory is this process's: after a restart of the server everything is shown. It is bounded by
//! [`SEEN_MAX`] windows.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tollgate_sdk::{Caller, Context};

use crate::{
    limits::{SEEN_BYTES_MIN, SEEN_MAX, SEEN_STEPS_MAX},
    window::Wanted,
};

/// A window of a file as an agent got it.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Seen {
    session: String,
    agent: String,
    path: PathBuf,
    wanted: Wanted,
    turn: u32,
    step: u32,
    sha256: [u8; 32],
}

impl Seen {
    fn is_of(&self, context: &Context, path: &Path, wanted: Wanted) -> bool {
        self.session == context.session
            && self.agent == context.agent
            && self.path == path
            && self.wanted == wanted
    }
}

/// The windows shown last, the most recent at the end.
static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());

/// The step, of this turn, in which this agent got exactly what it asks for now; `None`: it gets it now, which
/// is remembered if `bytes`, those of the text, are worth it.
pub(crate) fn since(
    context: &Context,
    path: &Path,
    wanted: Wanted,
    sha256: [u8; 32],
    bytes: usize,
) -> Option<u32> {
    if context.caller != Caller::Model || bytes < SEEN_BYTES_MIN || context.step == 0 {
        return None;
    }
    let mut all = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.iter().position(|seen| seen.is_of(context, path, wanted));
    let last = known.map(|at| all.remove(at));
    let again = last.filter(|seen| {
        let steps = context.step.checked_sub(seen.step);
        seen.sha256 == sha256
            && seen.turn == context.turn
            && steps.is_some_and(|steps| (1..=SEEN_STEPS_MAX).contains(&steps))
    });
    if let Some(seen) = again {
        return Some(seen.step);
    }
    if all.len() >= SEEN_MAX {
        all.remove(0);
    }
    all.push(Seen {
        session: context.session.clone(),
        agent: context.agent.clone(),
        path: path.to_path_buf(),
        wanted,
        turn: context.turn,
        step: context.step,
        sha256,
    });
    None
}

/// What the model reads instead of the window.
pub(crate) fn sentence(shown: &str, step: u32) -> String {
    format!(
        "[unchanged since you read the same lines of {shown} in step {step} of this turn: what was shown then is \
         what the file holds now. To see it again, read it once more]"
    )
}

#[cfg(test)]
mod tests;
