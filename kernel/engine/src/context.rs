//! What every call of a session needs: [`SessionContext`].
//!
//! Locks here are held for single statements and never across a wait.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::RwLock;
use tollgate_core::{
    authority::Budget,
    call::Position,
    catalog::Catalog,
    name::{CallId, SessionId},
    safety::Subject,
    stance::Stance,
};

use crate::{
    approval::Approver,
    clock,
    event::{Body, Event, EventSink},
    servers::{Servers, wire::Observation},
    settings::Limits,
    store::{Artifacts, ReceiptLog, SessionLog},
};

/// Files of which a session remembers what it last saw; the oldest go first.
const OBSERVATIONS_MAX: usize = 4096;

/// A session, as its calls see it.
#[derive(Debug)]
pub struct SessionContext {
    /// The session.
    pub id: SessionId,
    /// All servers.
    pub servers: Arc<Servers>,
    /// The tools of this session.
    pub catalog: Catalog,
    /// Who can be asked.
    pub approver: Arc<dyn Approver>,
    /// Who watches.
    pub events: Emitter,
    /// Spilled results.
    pub artifacts: Artifacts,
    /// The conversation's log.
    pub log: Mutex<SessionLog>,
    /// The calls' log.
    pub receipts: Mutex<ReceiptLog>,
    /// Bounds.
    pub limits: Limits,
    /// Absolute; the first is the workspace.
    pub roots: Vec<PathBuf>,
    /// What changes during a session.
    pub moving: Mutex<Moving>,
    /// Calls of the running turn.
    pub budget: Mutex<Budget>,
    /// Concurrency-safe calls share it; any other has it alone (`[KERN-03]`).
    pub lane: RwLock<()>,
}

/// What changes during a session.
#[derive(Debug)]
pub struct Moving {
    /// Mode and posture as of now.
    pub stance: Stance,
    /// The working directory.
    pub cwd: PathBuf,
    /// What the session last saw of files, by path.
    pub observations: BTreeMap<String, Observation>,
}

impl SessionContext {
    /// Mode and posture as of now.
    #[must_use]
    pub fn stance(&self) -> Stance {
        lock(&self.moving).stance
    }

    /// The working directory as of now.
    #[must_use]
    pub fn cwd(&self) -> PathBuf {
        lock(&self.moving).cwd.clone()
    }

    /// What the session last saw of the files among these subjects.
    #[must_use]
    pub fn observations_of(&self, subjects: &[Subject]) -> Vec<Observation> {
        let moving = lock(&self.moving);
        let seen = subjects.iter().filter_map(|subject| match subject {
            Subject::Path { absolute, .. } => {
                moving.observations.get(absolute.to_string_lossy().as_ref()).cloned()
            }
            Subject::Command { .. }
            | Subject::Host { .. }
            | Subject::Repo { .. }
            | Subject::Mcp { .. }
            | Subject::Tool { .. }
            | Subject::Unknown => None,
        });
        seen.collect()
    }

    /// Remembers what a call saw.
    pub fn observe(&self, seen: &[Observation]) {
        let mut moving = lock(&self.moving);
        for one in seen {
            moving.observations.insert(one.path.clone(), one.clone());
        }
        while moving.observations.len() > OBSERVATIONS_MAX {
            let oldest = moving.observations.values().min_by_key(|one| one.seen_unix_ms);
            let Some(path) = oldest.map(|one| one.path.clone()) else { break };
            moving.observations.remove(&path);
        }
    }
}

/// Tells events, numbered, to whoever watches.
#[derive(Debug)]
pub struct Emitter {
    sink: EventSink,
    session: SessionId,
    seq: AtomicU64,
}

impl Emitter {
    /// An emitter for a session.
    #[must_use]
    pub fn new(session: SessionId, sink: EventSink) -> Self {
        Self { sink, session, seq: AtomicU64::new(0) }
    }

    /// Tells an event; waits while the watcher is behind, and is no fault when nobody watches.
    pub async fn tell(&self, at: Option<&Position>, call: Option<&CallId>, body: Body) {
        let event = self.event(at, call, body);
        drop(self.sink.send(event).await);
    }

    /// Tells an event that may be dropped when the watcher is behind.
    pub fn hint(&self, at: Option<&Position>, call: Option<&CallId>, body: Body) {
        let event = self.event(at, call, body);
        drop(self.sink.try_send(event));
    }

    fn event(&self, at: Option<&Position>, call: Option<&CallId>, body: Body) -> Event {
        let positive = |number: u32| (number > 0).then_some(number);
        Event {
            seq: self.seq.fetch_add(1, Ordering::Relaxed) + 1,
            ts: clock::unix_ms(),
            session: self.session.clone(),
            turn: at.and_then(|at| positive(at.turn)),
            step: at.and_then(|at| positive(at.step)),
            call_id: call.cloned(),
            body,
        }
    }
}

/// A lock whose holder cannot have left it half changed: single statements hold it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
