//! One configured server: started or dialled when it is needed, watched, started again, given up.
//!
//! Idle => Ready (connect) => Idle (lost: a death is noted) … => quarantined (five deaths).
//! Invariant: the state's lock is held while connecting, so that many waiting calls start it once.

use std::sync::{Arc, Mutex as StdMutex, PoisonError, Weak};

use serde::Serialize;
use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};
use tollgate_core::{name::ServerName, safety::Trust};

use super::{
    Ground,
    connection::Connection,
    error::{ServerError, last_words},
    limits::STOP_WITHIN,
    offer::Known,
    supervise::Deaths,
};
use crate::{
    context::lock,
    process::ServerProcess,
    settings::{Reach, ServerSettings},
};

/// One configured server.
#[derive(Debug)]
pub struct Server {
    pub(super) name: ServerName,
    pub(super) settings: ServerSettings,
    pub(super) ground: Arc<Ground>,
    /// For tasks that outlive a call.
    pub(super) me: Weak<Self>,
    state: Mutex<State>,
    /// The last connection and the deaths, readable without waiting for a start.
    seen: StdMutex<Seen>,
    /// What it offers, as far as is known.
    pub(super) known: StdMutex<Known>,
    /// Held while nothing is known and it is being found out: once, however many sessions open.
    pub(super) first: Mutex<()>,
    /// Held from a question for the manifest until the answer is learnt: the last answer is the last word.
    pub(super) asking: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    connection: Option<Arc<Connection>>,
    generation: u32,
}

#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) connection: Option<Arc<Connection>>,
    deaths: Deaths,
}

/// What can be said of a server without asking it.
#[derive(Clone, Debug, Serialize)]
pub struct ServerView {
    /// Configured name.
    pub name: ServerName,
    /// How far it is believed.
    pub trust: Trust,
    /// The program or the endpoint.
    pub reach: String,
    /// Whether it reaches models.
    pub model: bool,
    /// What it does now.
    #[serde(flatten)]
    pub state: ServerState,
}

/// What a server does now.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum ServerState {
    /// Not started.
    Idle,
    /// Connected.
    Running {
        /// Process id, of a local one.
        #[serde(skip_serializing_if = "Option::is_none")]
        pid: Option<i32>,
        /// The process, by its own id.
        instance: String,
        /// Product version.
        version: String,
        /// ms since the epoch.
        since_unix_ms: u64,
    },
    /// Given up.
    Quarantined {
        /// Why.
        reason: String,
    },
}

impl Server {
    pub(super) fn new(
        name: ServerName,
        settings: ServerSettings,
        ground: Arc<Ground>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            name,
            settings,
            ground,
            me: Weak::clone(me),
            state: Mutex::default(),
            seen: StdMutex::default(),
            known: StdMutex::default(),
            first: Mutex::default(),
            asking: Mutex::default(),
        })
    }

    /// Configured name.
    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.name
    }

    /// Where it runs: "local", or its address.
    #[must_use]
    pub fn host(&self) -> String {
        match &self.settings.reach {
            Reach::Local { .. } => "local".to_owned(),
            Reach::Remote { endpoint, .. } => endpoint.clone(),
        }
    }

    /// As configured.
    #[must_use]
    pub fn settings(&self) -> &ServerSettings {
        &self.settings
    }

    /// What can be said without asking it.
    #[must_use]
    pub fn view(&self) -> ServerView {
        let seen = self.seen();
        let state = match (&seen.connection, seen.deaths.quarantine()) {
            (Some(connection), _) if !connection.is_lost() => ServerState::Running {
                pid: connection.process.as_ref().map(ServerProcess::pid),
                instance: connection.instance.clone(),
                version: connection.facts.version.clone(),
                since_unix_ms: connection.since_unix_ms,
            },
            (_, Some(reason)) => ServerState::Quarantined { reason: reason.to_owned() },
            (_, None) => ServerState::Idle,
        };
        let reach = match &self.settings.reach {
            Reach::Local { program, .. } => program.display().to_string(),
            Reach::Remote { endpoint, .. } => endpoint.clone(),
        };
        ServerView {
            name: self.name.clone(),
            trust: self.settings.trust,
            reach,
            model: self.settings.model,
            state,
        }
    }

    /// The connection, made now if there is none.
    ///
    /// # Errors
    /// Why it cannot be had; a failed start counts as a death.
    pub async fn connection(&self) -> Result<Arc<Connection>, ServerError> {
        let mut state = self.state.lock().await;
        if let Some(connection) = &state.connection {
            if !connection.is_lost() {
                return Ok(Arc::clone(connection));
            }
            // Draining by its own word is no death; everything else is.
            let connection = state.connection.take();
            if let Some(connection) = connection {
                self.note_end(&connection).await;
            }
        }
        let wait = {
            self.check_quarantine()?;
            let seen = self.seen();
            seen.deaths.wait(Instant::now())
        };
        sleep(wait).await;
        state.generation += 1;
        let had = self.ready_sources();
        match self.connect(state.generation).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                state.connection = Some(Arc::clone(&connection));
                self.seen().connection = Some(Arc::clone(&connection));
                let has = self.ready_sources();
                let again = had.into_iter().filter(|source| !has.contains(source));
                self.follow(&connection, again.collect());
                Ok(connection)
            }
            Err(error) => {
                let error = self.told(error);
                self.note_death(&super::chain(&error));
                Err(error)
            }
        }
    }

    /// An error without secrets: a server may quote what it was given.
    pub(super) fn told(&self, error: ServerError) -> ServerError {
        let secrets = self.ground.secrets.now();
        match error {
            ServerError::Refused(status) if secrets.finds(status.message().as_bytes()) => {
                let message = secrets.text(status.message().to_owned());
                ServerError::Refused(Box::new(tonic::Status::new(status.code(), message)))
            }
            ServerError::Contract(why) => ServerError::Contract(secrets.text(why)),
            ServerError::Config(_)
            | ServerError::Spawn(_)
            | ServerError::Runtime(_)
            | ServerError::Exited { .. }
            | ServerError::Silent { .. }
            | ServerError::Connect { .. }
            | ServerError::Peer
            | ServerError::Refused(_)
            | ServerError::Transport(_)
            | ServerError::Unknown(_)
            | ServerError::Quarantined(_) => error,
        }
    }

    /// Ends the process: end of input, then force. Not a death.
    pub async fn stop(&self) {
        let connection = self.state.lock().await.connection.take();
        self.seen().connection = None;
        if let Some(connection) = connection {
            connection.link.close("the server was stopped");
            if let Some(process) = &connection.process {
                process.close_stdin();
                process.stop(STOP_WITHIN).await;
            }
            // A record that stays is recognised as stale by its start time.
            drop(self.ground.runtime.forget(self.name.as_str()));
        }
    }

    /// In quarantine, unless somebody has said since (`tollgate servers restart`): try again.
    pub(super) fn check_quarantine(&self) -> Result<(), ServerError> {
        let mut seen = self.seen();
        if seen.deaths.quarantine().is_some()
            && self.ground.runtime.take_forgiveness(self.name.as_str())
        {
            seen.deaths.forgive();
            // Its tools come back.
            lock(&self.known).generation += 1;
        }
        match seen.deaths.quarantine() {
            Some(reason) => Err(ServerError::Quarantined(reason.to_owned())),
            None => Ok(()),
        }
    }

    /// A connection has ended: if its process died, that counts.
    async fn note_end(&self, connection: &Connection) {
        let lost_by_itself = connection.lost().is_cancelled();
        if !lost_by_itself && connection.process.as_ref().is_none_or(|p| p.exit().is_none()) {
            // Draining: it ends by itself when its calls have.
            return;
        }
        let reason = match &connection.process {
            Some(process) => {
                process.kill();
                let (exit, words) = process.last_words().await;
                format!("it {exit}{}", last_words(&words))
            }
            None => "the connection was lost".to_owned(),
        };
        self.note_death(&reason);
    }

    fn note_death(&self, reason: &str) {
        let mut seen = self.seen();
        seen.deaths.note(Instant::now(), reason, jitter());
        if seen.deaths.quarantine().is_some() {
            // Its tools leave (`[PROTO-08]`).
            lock(&self.known).generation += 1;
        }
    }

    pub(super) fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 0 to 1, for the restart's wait; needs no quality.
fn jitter() -> f64 {
    f64::from(uuid::Uuid::new_v4().as_bytes()[15]) / 255.0
}
