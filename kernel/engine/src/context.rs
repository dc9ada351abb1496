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
    authority::{Budget, Circumstances, HookSaid, Taint, managed::Managed, rules::Rules},
    call::Position,
    name::{CallId, SessionId},
    safety::Subject,
    stance::{Posture, Stance},
};
use tollgate_policy::{Policies, Standing, hooks::HookEvent};

use crate::{
    approval::{Approver, waits::Waits},
    clock,
    error::KernelError,
    event::{Body, Event, EventSink},
    hooks,
    secrets::{LogSecrets, Redactor},
    servers::{Servers, wire::Observation},
    settings::Limits,
    store::{Artifacts, ReceiptLog, SessionLog, StoreError, session::SessionRecord},
    tools::Tools,
};

/// Files of which a session remembers what it last saw; the oldest go first.
const OBSERVATIONS_MAX: usize = 4096;

/// Sources of untrusted text that a session names; later ones change nothing.
const TAINTS_MAX: usize = 64;

/// A session, as its calls see it.
#[derive(Debug)]
pub struct SessionContext {
    /// The session.
    pub id: SessionId,
    /// All servers.
    pub servers: Arc<Servers>,
    /// The tools of this session.
    pub tools: Tools,
    /// Who can be asked.
    pub approver: Arc<dyn Approver>,
    /// How long people were waited for.
    pub waits: Waits,
    /// Who watches.
    pub events: Arc<Emitter>,
    /// Spilled results.
    pub artifacts: Artifacts,
    /// The conversation's log.
    pub log: Mutex<SessionLog>,
    /// The calls' log.
    pub receipts: Mutex<ReceiptLog>,
    /// Values that nothing of a session shows or keeps.
    pub secrets: Redactor,
    /// The same for servers' logs, which learn.
    pub log_secrets: LogSecrets,
    /// Bounds.
    pub limits: Limits,
    /// Absolute; the first is the workspace.
    pub roots: Vec<PathBuf>,
    /// What changes during a session.
    pub moving: Mutex<Moving>,
    /// Rules, law, managed policy, hooks of this workspace.
    pub policies: Policies,
    /// Runs hooks.
    pub hooks: hooks::Runner,
    /// The model of the session, which also is the guardian unless another is configured.
    pub guardian_model: Option<String>,
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
    /// Grants "for this session".
    pub grants: Arc<Rules>,
    /// Where untrusted text came from, oldest first; bounded.
    pub taint: Vec<Taint>,
    /// The latest time that was seen: the wall clock may jump back, expiry does not.
    pub latest_unix_ms: u64,
    /// What the session last saw of files, by path.
    pub observations: BTreeMap<String, Observation>,
}

impl Moving {
    /// See [`SessionContext::taint`].
    pub(crate) fn taint(&mut self, taint: Taint) -> bool {
        let is_new = self.taint.len() < TAINTS_MAX && !self.taint.contains(&taint);
        if is_new {
            self.taint.push(taint);
        }
        is_new
    }
}

/// The stance as tight as the machine's owner wants it.
///
/// # Errors
/// The owner allows no posture as tight.
pub(crate) fn allowed(managed: &Managed, stance: Stance) -> Result<Stance, KernelError> {
    managed.clamp(stance).ok_or(KernelError::Posture(stance.posture))
}

impl SessionContext {
    /// Mode and posture as of now.
    #[must_use]
    pub fn stance(&self) -> Stance {
        lock(&self.moving).stance
    }

    /// Changes mode and posture from here on: calls that wait or run are judged again (`[GATE-12]`).
    /// Gives the stance that holds, which is tighter where the machine's owner wants it (`[GATE-51]`).
    ///
    /// # Errors
    /// The owner allows no posture as tight, or it cannot be written down; the stance is as it was then.
    pub async fn set_stance(&self, stance: Stance) -> Result<Stance, KernelError> {
        let stance = allowed(&self.policies.current().policy.managed, stance)?;
        let written = lock(&self.log).append(&SessionRecord::Stance(stance));
        written.map_err(StoreError::from)?;
        let before = std::mem::replace(&mut lock(&self.moving).stance, stance);
        let (mode, posture) = (stance.mode, stance.posture);
        let body = Body::StanceChanged {
            mode: mode.as_str().to_owned(),
            posture: posture.as_str().to_owned(),
        };
        self.events.tell(None, None, body).await;
        let payload = serde_json::json!({ "before": before, "after": stance });
        hooks::tell(self, HookEvent::ModeChange, payload).await;
        Ok(stance)
    }

    /// The working directory as of now.
    #[must_use]
    pub fn cwd(&self) -> PathBuf {
        lock(&self.moving).cwd.clone()
    }

    /// Everything that a judgement depends on, as of now.
    #[must_use]
    pub fn now(&self) -> Now {
        let standing = self.policies.current();
        let mut moving = lock(&self.moving);
        let unix_ms = moving.tick(clock::unix_ms());
        Now {
            stance: moving.stance,
            standing,
            grants: Arc::clone(&moving.grants),
            taint: moving.taint.clone(),
            cwd: moving.cwd.clone(),
            can_ask: self.approver.can_ask(),
            unix_ms,
        }
    }

    /// Remembers a source of untrusted text, each once; false: it is known, or one too many.
    pub fn taint(&self, taint: Taint) -> bool {
        lock(&self.moving).taint(taint)
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

impl Moving {
    /// The time of a judgement: as of now, or the latest that was seen when the clock jumped back, so
    /// that a rule that has expired stays expired.
    fn tick(&mut self, now_unix_ms: u64) -> u64 {
        self.latest_unix_ms = self.latest_unix_ms.max(now_unix_ms);
        self.latest_unix_ms
    }
}

/// A moment of a session, owned, so that a judgement borrows from one place.
#[derive(Clone, Debug)]
pub struct Now {
    stance: Stance,
    standing: Arc<Standing>,
    grants: Arc<Rules>,
    taint: Vec<Taint>,
    cwd: PathBuf,
    can_ask: bool,
    unix_ms: u64,
}

impl Now {
    /// As a judgement takes it.
    #[must_use]
    pub fn circumstances<'a>(&'a self, hooks: &'a HookSaid) -> Circumstances<'a> {
        Circumstances {
            stance: self.stance,
            policy: &self.standing.policy,
            session: &self.grants,
            hooks,
            taint: &self.taint,
            cwd: &self.cwd,
            can_ask: self.can_ask,
            now_unix_ms: self.unix_ms,
        }
    }

    /// Who decides.
    pub(crate) fn posture(&self) -> Posture {
        self.stance.posture
    }

    /// Grants "for this session".
    pub(crate) fn grants(&self) -> &Arc<Rules> {
        &self.grants
    }

    /// The policy and hooks that were read last.
    #[must_use]
    pub fn standing(&self) -> &Standing {
        &self.standing
    }
}

/// Tells events, numbered, to whoever watches.
#[derive(Debug)]
pub struct Emitter {
    sink: EventSink,
    session: SessionId,
    secrets: Redactor,
    seq: AtomicU64,
}

impl Emitter {
    /// An emitter for a session.
    #[must_use]
    pub fn new(session: SessionId, sink: EventSink, secrets: Redactor) -> Self {
        Self { sink, session, secrets, seq: AtomicU64::new(0) }
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

    fn event(&self, at: Option<&Position>, call: Option<&CallId>, mut body: Body) -> Event {
        self.secrets.body(&mut body);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall clock may jump; what has expired does not come back.
    #[test]
    fn time_never_goes_back() {
        let mut moving = Moving {
            stance: Stance::default(),
            cwd: PathBuf::new(),
            grants: Arc::default(),
            taint: Vec::new(),
            latest_unix_ms: 0,
            observations: BTreeMap::new(),
        };
        assert_eq!([5, 9, 3, 10].map(|now| moving.tick(now)), [5, 9, 9, 10]);
    }
}
