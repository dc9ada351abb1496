//! What each prepared call was about to replace, until it runs.
//!
//! A person approves what the preview shows; should the file be another one when the call runs, the
//! call is refused. A hint of this process: a call that it did not prepare is judged without.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use crate::limits::PREVIEWS_MAX;

/// SHA-256 of the file that a preview showed; `None`: it showed that there was none.
type Seen = Option<[u8; 32]>;

static SHOWN: Mutex<VecDeque<(String, Seen)>> = Mutex::new(VecDeque::new());

/// Remembers what the preview of a call showed.
pub(crate) fn remember(call_id: &str, seen: Seen) {
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    shown.retain(|(id, _)| id != call_id);
    if shown.len() >= PREVIEWS_MAX {
        shown.pop_front();
    }
    shown.push_back((call_id.to_owned(), seen));
}

/// What the preview of a call showed, once.
pub(crate) fn take(call_id: &str) -> Option<Seen> {
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let at = shown.iter().position(|(id, _)| id == call_id)?;
    shown.remove(at).map(|(_, seen)| seen)
}
