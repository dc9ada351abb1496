//! Takes back changes that were made before one failed.
//!
//! What another program changed meanwhile is left to it, and told.

use super::{Change, Kind};
use crate::{
    failed::{Class, Failed},
    replace::{Staged, remove},
    roots::Place,
    snapshot::Snapshot,
};

/// Takes back changes, the last first; gives a sentence for each that could not be.
pub(super) fn undo(changes: &[Change]) -> Vec<String> {
    let mut left = Vec::new();
    for change in changes.iter().rev() {
        if let Err(failed) = one(change) {
            let (place, word) = (&change.target().shown, change.kind.word());
            left.push(format!("{place} was {word} and stays so ({})", failed.message));
        }
    }
    left
}

fn one(change: &Change) -> Result<(), Failed> {
    match (change.kind, &change.before) {
        (Kind::Added, _) | (_, None) => forget(change),
        (Kind::Updated, Some(before)) => {
            let now = current(change, &change.place)?;
            Staged::new(&change.place, &before.bytes, Some(&now), Some(before))?.put().map(|_| ())
        }
        (Kind::Deleted, Some(before)) => back(change, before),
        (Kind::Moved, Some(before)) => {
            back(change, before)?;
            forget(change)
        }
    }
}

/// Removes what a change made.
///
/// # Errors
/// `stale` if it is not that any more; else the operating system's error.
pub(super) fn forget(change: &Change) -> Result<(), Failed> {
    let now = current(change, change.target())?;
    remove(change.target(), &now)
}

fn back(change: &Change, before: &Snapshot) -> Result<(), Failed> {
    Staged::new(&change.place, &before.bytes, None, Some(before))?.put().map(|_| ())
}

/// What a change made, if it is there still.
fn current(change: &Change, place: &Place) -> Result<Snapshot, Failed> {
    // The place was located before it was there.
    let now = Snapshot::take_now(place)?;
    if now.bytes == change.bytes {
        return Ok(now);
    }
    let message = format!("{} was changed by another program since", place.shown);
    Err(Failed::new(Class::Stale, message))
}
