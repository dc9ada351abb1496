//! Waits until something is so, by looking again and again within a bound.

use std::{
    thread,
    time::{Duration, Instant},
};

/// How long anything may take on a busy machine before it counts as never.
pub const WITHIN: Duration = Duration::from_secs(30);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until `look` gives something; panics with `what` when it never does.
#[track_caller]
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    match sooner_or_later(|| look().ok_or(())) {
        Ok(found) => found,
        Err(()) => panic!("within {} s it never was so: {what}", WITHIN.as_secs()),
    }
}

/// Looks until `look` gives something; the last reason why not when it never does.
///
/// # Errors
/// As `look` at its last look.
pub fn sooner_or_later<T, E>(mut look: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let give_up = Instant::now() + WITHIN;
    loop {
        let looked = look();
        if looked.is_ok() || Instant::now() >= give_up {
            return looked;
        }
        thread::sleep(PAUSE);
    }
}

/// Looks until `look` is true.
#[track_caller]
pub fn eventually_true(what: &str, mut look: impl FnMut() -> bool) {
    eventually(what, || look().then_some(()));
}
