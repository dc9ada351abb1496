//! [`Open`]: one open session, its turns and calls.
//!
//! A turn has the session alone; calls may run beside each other. Both run in tasks of their own, because
//! neither may be dropped in the middle: a client that goes cancels a token, and the task ends well.
//!
//! Invariant: a stream that is dropped cancels its turn, and with it the questions that the turn put
//! (`B107`).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::{
    sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, mpsc},
    time::{Instant, timeout},
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};
use tollgate_core::call::Caller;
use tollgate_engine::{
    approval::desk::{Desk, Front},
    context::SessionContext,
    error::KernelError,
    gate::CallEnd,
    session::Session,
    turn::TurnLimits,
};
use tonic::{Code, Status};

use crate::{
    hub::{Hub, Told},
    limits::{BUSY_WITHIN, CANCELLED_WITHIN},
    status,
};

/// A session that is open.
#[derive(Debug)]
pub(crate) struct Open {
    /// For what must not wait for a turn: the stance, the catalog.
    pub(crate) cx: Arc<SessionContext>,
    /// Its questions.
    pub(crate) desk: Arc<Desk>,
    /// Its events.
    pub(crate) hub: Arc<Hub>,
    /// As it was opened.
    pub(crate) model: Option<String>,
    /// `None`: closed.
    session: Arc<RwLock<Option<Session>>>,
    /// Fires when the session is being closed.
    closing: CancellationToken,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Tokens of turns and calls; each fires at the end of its work, if not before.
    running: Vec<CancellationToken>,
    used: Instant,
}

/// The events of a turn, and what ends it when its client goes.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Ends with the turn.
    pub(crate) events: mpsc::Receiver<Told>,
    // In this order: the turn is cancelled before its questions are closed.
    _cancel: DropGuard,
    _front: Front,
}

impl Open {
    /// An open session.
    pub(crate) fn new(
        session: Session,
        model: Option<String>,
        desk: Arc<Desk>,
        hub: Arc<Hub>,
        closing: CancellationToken,
    ) -> Self {
        let state = State { running: Vec::new(), used: Instant::now() };
        Self {
            cx: Arc::clone(session.context()),
            desk,
            hub,
            model,
            session: Arc::new(RwLock::new(Some(session))),
            closing,
            state: Mutex::new(state),
        }
    }

    /// Begins a turn; it runs until its end or until the value is dropped.
    pub(crate) async fn turn(
        self: &Arc<Self>,
        tasks: &TaskTracker,
        prompt: String,
    ) -> Result<Turn, Status> {
        let alone = Arc::clone(&self.session);
        let mut session = self.free(|| Arc::clone(&alone).write_owned()).await?;
        let token = self.begin();
        let (cancel, front) = (token.clone().drop_guard(), self.desk.attach());
        let events = self.hub.begin_turn();
        let open = Arc::clone(self);
        tasks.spawn(async move {
            let _over = token.clone().drop_guard();
            let (ended, stream) = open.run(&mut session, prompt, &token).await;
            // Free before the client hears of the end: its next turn may begin at once.
            drop(session);
            if let (Err(error), Some(stream)) = (ended, stream) {
                tokio::select! {
                    biased;
                    () = open.closing.cancelled() => {}
                    // The client may have gone.
                    sent = stream.send(Err(status::of_kernel(&error))) => drop(sent),
                }
            }
        });
        Ok(Turn { events, _cancel: cancel, _front: front })
    }

    async fn run(
        &self,
        session: &mut OwnedRwLockWriteGuard<Option<Session>>,
        prompt: String,
        cancel: &CancellationToken,
    ) -> (Result<(), KernelError>, Option<mpsc::Sender<Told>>) {
        // Also when the turn panics, its stream ends.
        let _end = EndTurn(&self.hub);
        let Some(session) = session.as_mut() else { return (Ok(()), None) };
        let ended = Box::pin(session.turn(prompt, TurnLimits::default(), cancel)).await;
        (ended.map(drop), self.hub.end_turn().await)
    }

    /// One gated call of a client. Dropping the future cancels the call.
    pub(crate) async fn call(
        self: &Arc<Self>,
        tasks: &TaskTracker,
        name: String,
        arguments: Bytes,
    ) -> Result<CallEnd, Status> {
        let beside = Arc::clone(&self.session);
        let session: OwnedRwLockReadGuard<_> =
            self.free(|| Arc::clone(&beside).read_owned()).await?;
        let token = self.begin();
        let _cancel = token.clone().drop_guard();
        let task = tasks.spawn(async move {
            let _over = token.clone().drop_guard();
            let session = session.as_ref()?;
            Some(Box::pin(session.call(&name, arguments, Caller::Client, &token)).await)
        });
        match task.await {
            Ok(Some(Ok(end))) => Ok(end),
            Ok(Some(Err(error))) => Err(status::of_kernel(&error)),
            Ok(None) => Err(status::not_open(self.cx.id.as_str())),
            Err(_) => Err(status::status(
                Code::Internal,
                "FAULT",
                "the call ended by a fault of the kernel; its receipt says how far it came",
            )),
        }
    }

    /// Waits for the session: shortly for work that is ending, longer for work that was cancelled.
    async fn free<G, W>(&self, wait: impl Fn() -> W) -> Result<G, Status>
    where
        W: Future<Output = G>,
        G: std::ops::Deref<Target = Option<Session>>,
    {
        for within in [BUSY_WITHIN, CANCELLED_WITHIN] {
            match timeout(within, wait()).await {
                Ok(session) if session.is_some() => return Ok(session),
                Ok(_) => return Err(status::not_open(self.cx.id.as_str())),
                Err(_) if self.is_running() => break,
                Err(_) => {}
            }
        }
        Err(status::busy())
    }

    /// Whether work runs that nobody has cancelled.
    fn is_running(&self) -> bool {
        self.lock().running.iter().any(|token| !token.is_cancelled())
    }

    /// Since when nothing runs and nobody watches; `None`: it is in use.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let is_used = self.is_running() || self.hub.is_watched();
        (!is_used).then(|| self.lock().used)
    }

    fn begin(&self) -> CancellationToken {
        let token = self.closing.child_token();
        let mut state = self.lock();
        state.used = Instant::now();
        state.running.retain(|token| !token.is_cancelled());
        state.running.push(token.clone());
        token
    }

    /// Cancels what runs and closes the session; everything is on the device when this returns.
    ///
    /// # Cancel safety
    /// None: run it in a task.
    pub(crate) async fn close(&self) -> Result<(), KernelError> {
        self.closing.cancel();
        let session = self.session.write().await.take();
        match session {
            Some(session) => session.close().await,
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the stream of a turn.
struct EndTurn<'a>(&'a Hub);

impl Drop for EndTurn<'_> {
    fn drop(&mut self) {
        self.0.drop_turn();
    }
}
