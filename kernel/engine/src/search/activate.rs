//! Which of the found tools go into the toolbox (`[CAT-20]`): those that are meant, the best first.
//!
//! | a match | goes in |
//! |---|---|
//! | is named | yes |
//! | has at least half of the best score, and is no stray match | yes |
//! | has less, or only belongs to the server that was asked for | no: it is described |
//!
//! Invariant: nothing that this search put or found in the toolbox leaves it for another match of the same
//! search (test `a_search_evicts_nothing_of_its_own`).
//!
//! Not here: the toolbox itself (`core::catalog`).

use tollgate_core::{
    catalog::{Activated, Exposure},
    limits::{TOOLBOX_BYTES_MAX, TOOLBOX_TOOLS_MAX},
    name::ToolName,
};
use tollgate_search::Why;

use super::{
    answer::Hit,
    limits::{SCORE_MIN, SCORE_SHARE_MIN},
};
use crate::tools::Tools;

/// What a search did to the toolbox.
#[derive(Debug, Default)]
pub(super) struct Activation {
    /// In the requests that follow, and were not before.
    pub(super) activated: Vec<ToolName>,
    /// They left for them, the least recently used first.
    pub(super) evicted: Vec<ToolName>,
    /// One schema alone is larger than the toolbox.
    pub(super) too_large: Vec<(ToolName, usize)>,
    /// Meant, and one too many.
    pub(super) no_room: Vec<ToolName>,
}

/// Activates what is meant among the matches of an answer.
pub(super) fn activate(tools: &Tools, hits: &[Hit]) -> Activation {
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
    let is_meant = |hit: &&Hit| {
        hit.entry.exposure == Exposure::Deferred
            && hit.why != Why::Server
            && (hit.why >= Why::ShortName || hit.score >= SCORE_MIN.max(best * SCORE_SHARE_MIN))
    };
    let (mut count, mut bytes) = (0, 0);
    // First what is there already, so that it is used last and stays.
    let (held, new): (Vec<&Hit>, Vec<&Hit>) =
        hits.iter().filter(is_meant).partition(|hit| tools.used(hit.entry.name.as_str()));
    for hit in held {
        count += 1;
        bytes += hit.entry.input_schema.len();
    }
    let mut activation = Activation::default();
    for hit in new {
        let (name, size) = (hit.entry.name.clone(), hit.entry.input_schema.len());
        let is_full = count >= TOOLBOX_TOOLS_MAX || bytes + size > TOOLBOX_BYTES_MAX;
        if is_full && size <= TOOLBOX_BYTES_MAX {
            activation.no_room.push(name);
            continue;
        }
        match tools.activate(&hit.entry) {
            Activated::Added { evicted } => {
                count += 1;
                bytes += size;
                activation.activated.push(name);
                activation.evicted.extend(evicted);
            }
            Activated::TooLarge { bytes } => activation.too_large.push((name, bytes)),
            Activated::Already | Activated::Eager => {}
        }
    }
    activation
}

#[cfg(test)]
mod tests;
