//! What tests with real processes share.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tollgate_confine::Requirement;

use crate::{settings::Settings, tree::tests::alive};

/// Settings without a sandbox: a test's own binary is no launcher.
pub(crate) fn unconfined() -> Settings {
    Settings { sandbox: Requirement::Off, ..Settings::default() }
}

/// One test at a time in a process: they share its children.
static ALONE: Mutex<()> = Mutex::new(());

/// Waits for the tests that run.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until so many processes with that argument run: a child may not have come to its program.
pub(crate) async fn running(word: &str, expected: usize) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while alive(word) != expected {
        assert!(Instant::now() < deadline, "{} of {word}, not {expected}", alive(word));
        tokio::task::yield_now().await;
    }
}
