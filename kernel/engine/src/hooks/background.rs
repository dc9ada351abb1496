//! Hooks that nobody waits for: few at once, and none longer than their session.
//!
//! Not here: which hooks these are.

use std::sync::Arc;

use tokio::{sync::Semaphore, time::timeout};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use super::{
    job::Job,
    limits::{BACKGROUND_GRACE, BACKGROUND_MAX},
    report,
};
use crate::context::Emitter;

/// The background of one session. Dropping it ends what runs there.
#[derive(Debug)]
pub(super) struct Background {
    tasks: TaskTracker,
    places: Arc<Semaphore>,
    over: CancellationToken,
    _guard: DropGuard,
}

impl Background {
    pub(super) fn new() -> Self {
        let over = CancellationToken::new();
        Self {
            tasks: TaskTracker::new(),
            places: Arc::new(Semaphore::new(BACKGROUND_MAX)),
            _guard: over.clone().drop_guard(),
            over,
        }
    }

    /// Starts a hook, unless too many run already.
    ///
    /// # Errors
    /// Why it was not started, as a clause after "it".
    pub(super) fn start(&self, job: Job, events: &Arc<Emitter>) -> Result<(), String> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Err(format!("was not started: {BACKGROUND_MAX} run in the background already"));
        };
        let (events, over) = (Arc::clone(events), self.over.clone());
        self.tasks.spawn(async move {
            let ran = job.run(&over).await;
            drop(place);
            if let Err(why) = ran
                && !over.is_cancelled()
            {
                report(&events, None, &job.fault(&why)).await;
            }
        });
        Ok(())
    }

    /// Lets what runs come to its end for a while, then ends it.
    pub(super) async fn end(&self) {
        self.tasks.close();
        if timeout(BACKGROUND_GRACE, self.tasks.wait()).await.is_err() {
            self.over.cancel();
            // Each ends its process, which has its own bound.
            self.tasks.wait().await;
        }
    }
}
