//! [`Hub`]: the events of one session, to the client of its turn and to everybody who watches.
//!
//! The client of a turn gets every event: when it is slow the session waits for it, as for any front.
//! A watcher that is slow is ended, so that it holds up nobody.
//!
//! Invariants: all get the same bytes in the same order; who comes while questions wait gets these
//! first (test `a_late_watcher_sees_the_questions_that_wait`).
//!
//! Not here: what ends with a stream that is dropped (`open`).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tollgate_engine::event::{Body, Event};
use tonic::Status;

use crate::limits::{TURN_EVENTS_WAITING, WATCHED_EVENTS_WAITING};

#[cfg(test)]
mod tests;

/// An event, or how a stream ends.
pub(crate) type Told = Result<Bytes, Status>;

/// Where events are told.
#[derive(Debug)]
pub(crate) struct Hub {
    watchers: broadcast::Sender<Bytes>,
    state: Mutex<State>,
    flushes: mpsc::Sender<oneshot::Sender<()>>,
    /// Fires when nobody is waited for any more.
    closing: CancellationToken,
}

#[derive(Debug, Default)]
struct State {
    /// Questions that wait: their ids and events.
    questions: Vec<(String, Bytes)>,
    /// The client of the turn that runs.
    turn: Option<mpsc::Sender<Told>>,
}

/// What the task of a hub reads.
#[derive(Debug)]
pub(crate) struct Feed {
    events: mpsc::Receiver<Event>,
    flushes: mpsc::Receiver<oneshot::Sender<()>>,
}

impl Hub {
    /// A hub for the events that come out of `events`; [`Self::run`] is its task.
    pub(crate) fn new(
        events: mpsc::Receiver<Event>,
        closing: CancellationToken,
    ) -> (Arc<Self>, Feed) {
        let (flushes, asked) = mpsc::channel(1);
        let watchers = broadcast::Sender::new(WATCHED_EVENTS_WAITING);
        let hub = Self { watchers, state: Mutex::default(), flushes, closing };
        (Arc::new(hub), Feed { events, flushes: asked })
    }

    /// Tells events until the session is gone.
    pub(crate) async fn run(self: Arc<Self>, mut feed: Feed) {
        loop {
            tokio::select! {
                biased;
                event = feed.events.recv() => match event {
                    Some(event) => self.tell(&event).await,
                    None => return,
                },
                // Last: everything that was told before it has been passed on.
                Some(done) = feed.flushes.recv() => drop(done.send(())),
            }
        }
    }

    /// From here on the client of a turn gets every event.
    pub(crate) fn begin_turn(&self) -> mpsc::Receiver<Told> {
        let (turn, told) = mpsc::channel(TURN_EVENTS_WAITING);
        self.lock().turn = Some(turn);
        told
    }

    /// What is left of the turn's stream, once all events so far are in it; dropping it ends the stream.
    pub(crate) async fn end_turn(&self) -> Option<mpsc::Sender<Told>> {
        let (done, flushed) = oneshot::channel();
        if self.flushes.send(done).await.is_ok() {
            // The task of the hub is gone: there is nothing more to tell.
            drop(flushed.await);
        }
        self.lock().turn.take()
    }

    /// Ends the turn's stream, if it has not ended.
    pub(crate) fn drop_turn(&self) {
        drop(self.lock().turn.take());
    }

    /// Whether somebody watches.
    pub(crate) fn is_watched(&self) -> bool {
        self.watchers.receiver_count() > 0
    }

    /// The questions that wait, and all events from here on.
    pub(crate) fn watch(&self) -> (Vec<Bytes>, broadcast::Receiver<Bytes>) {
        let state = self.lock();
        let questions = state.questions.iter().map(|(_, event)| event.clone()).collect();
        (questions, self.watchers.subscribe())
    }

    async fn tell(&self, event: &Event) {
        let Ok(bytes) = serde_json::to_vec(event).map(Bytes::from) else { return };
        let turn = {
            let mut state = self.lock();
            if let Body::ApprovalRequested { id, .. } = &event.body {
                state.questions.push((id.clone(), bytes.clone()));
            } else if let Body::ApprovalDecided { id, .. } = &event.body {
                state.questions.retain(|(it, _)| it != id);
            }
            // Nobody watches: that is no fault.
            drop(self.watchers.send(bytes.clone()));
            state.turn.clone()
        };
        let Some(turn) = turn else { return };
        tokio::select! {
            biased;
            // The client may have gone; then its turn is being cancelled.
            sent = turn.send(Ok(bytes)) => drop(sent),
            () = self.closing.cancelled() => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
