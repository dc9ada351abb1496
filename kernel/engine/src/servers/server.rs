//! One configured server: started or dialled when it is needed, watched, started again, given up.
//!
//! Idle => Ready (connect) => Idle (lost: a death is noted) … => quarantined (five deaths).
//! Invariant: the state's lock is held while connecting, so that many waiting calls start it once.

use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use serde::Serialize;
use tokio::{
    sync::Mutex,
    time::{Instant, sleep, timeout},
};
use tollgate_core::{
    catalog::{Entry, ServerFacts},
    digest::Digest,
    name::ServerName,
    safety::Trust,
};
use tollgate_proto::{
    grant::SigningKey,
    limits::FRAME_BYTES_MAX,
    tool::v1::{HelloRequest, HelloResponse},
};

use super::{
    Ground, bootstrap,
    connect::{self, Channel, tool_client},
    connection::Connection,
    error::{ServerError, exited, last_words},
    grant::Signer,
    limits::{EXIT_SEEN_WITHIN, STOP_WITHIN},
    link::Link,
    manifest::{self, Described},
    supervise::Deaths,
    wire,
};
use crate::{
    clock, grant_key,
    process::ServerProcess,
    settings::{Reach, ServerSettings},
};

/// The protocol major that this kernel speaks.
const PROTOCOL: u32 = 1;

/// One configured server.
#[derive(Debug)]
pub struct Server {
    name: ServerName,
    settings: ServerSettings,
    ground: Arc<Ground>,
    state: Mutex<State>,
    /// The last connection and the deaths, readable without waiting for a start.
    seen: StdMutex<Seen>,
}

#[derive(Debug, Default)]
struct State {
    connection: Option<Arc<Connection>>,
    generation: u32,
}

#[derive(Debug, Default)]
struct Seen {
    connection: Option<Arc<Connection>>,
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
    pub(super) fn new(name: ServerName, settings: ServerSettings, ground: Arc<Ground>) -> Self {
        Self { name, settings, ground, state: Mutex::default(), seen: StdMutex::default() }
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
        match self.connect(state.generation).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                state.connection = Some(Arc::clone(&connection));
                self.seen().connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                let error = self.told(error);
                self.seen().deaths.note(Instant::now(), &super::chain(&error), jitter());
                Err(error)
            }
        }
    }

    /// The catalog's entries, from the cached manifest; without one the server is asked, then stopped.
    ///
    /// # Errors
    /// Why its tools are not available.
    pub async fn entries(&self) -> Result<Vec<Entry>, ServerError> {
        self.check_quarantine()?;
        let cached = self.cache_file().and_then(|file| manifest::read(&file));
        let described = match cached {
            Some(described) => described,
            None => {
                let described = self.describe().await;
                self.stop().await;
                described?.0
            }
        };
        described.entries(&self.name, self.settings.trust)
    }

    /// The manifest as the server tells it now, and its connection.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn describe(&self) -> Result<(Described, Arc<Connection>), ServerError> {
        let connection = self.connection().await?;
        let cached = self.cache_file().and_then(|file| manifest::read(&file));
        let described = match cached {
            Some(described) if described.digest() == connection.manifest_sha256 => described,
            Some(_) | None => manifest::ask(&connection.channel).await?,
        };
        Ok((described, connection))
    }

    /// An error without secrets: a server may quote what it was given.
    fn told(&self, error: ServerError) -> ServerError {
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
    fn check_quarantine(&self) -> Result<(), ServerError> {
        let mut seen = self.seen();
        if seen.deaths.quarantine().is_some()
            && self.ground.runtime.take_forgiveness(self.name.as_str())
        {
            seen.deaths.forgive();
        }
        match seen.deaths.quarantine() {
            Some(reason) => Err(ServerError::Quarantined(reason.to_owned())),
            None => Ok(()),
        }
    }

    fn cache_file(&self) -> Option<std::path::PathBuf> {
        manifest::cache_file(&self.ground.manifests, &self.name, &self.settings)
    }

    async fn connect(&self, generation: u32) -> Result<Connection, ServerError> {
        let clocks = self.settings.clocks;
        let within = clocks.hello;
        match &self.settings.reach {
            Reach::Local { .. } => {
                let started =
                    bootstrap::start(&self.name, &self.settings, &self.ground, generation).await?;
                let until = Instant::now() + within;
                let channel = connect::unix(&started.socket, until);
                let greeted = async {
                    let channel = channel.await?;
                    let hello = self.hello(&channel).await?;
                    Ok((channel, hello))
                };
                let greeted = tokio::select! {
                    biased;
                    (exit, words) = started.process.last_words() => Err(exited(&exit.to_string(), &words)),
                    greeted = timeout(within, greeted) => greeted
                        .unwrap_or(Err(ServerError::Silent { what: "Hello", within })),
                };
                // The socket has served: no path is left for anybody else to connect to.
                drop(std::fs::remove_file(&started.socket));
                let (channel, hello) = match greeted {
                    Ok(greeted) => greeted,
                    Err(error) => return Err(not_greeted(&started.process, error).await),
                };
                let pid = started.process.pid();
                drop(self.ground.runtime.record(self.name.as_str(), pid, &hello.instance));
                let signing = (started.key, started.key_id);
                self.joined(channel, hello, signing, Some(started.process)).await
            }
            Reach::Remote { endpoint, tls, grant_key_file, grant_key_id, .. } => {
                let key = grant_key::read(grant_key_file)
                    .map_err(|error| ServerError::Config(error.to_string()))?;
                let greeted = async {
                    let channel = connect::remote(endpoint, tls.as_ref()).await?;
                    let hello = self.hello(&channel).await?;
                    Ok((channel, hello))
                };
                let (channel, hello) = timeout(within, greeted)
                    .await
                    .unwrap_or(Err(ServerError::Silent { what: "Hello", within }))?;
                self.joined(channel, hello, (key, grant_key_id.clone()), None).await
            }
        }
    }

    async fn hello(&self, channel: &Channel) -> Result<HelloResponse, ServerError> {
        let request = HelloRequest {
            protocols: vec![PROTOCOL],
            features: Vec::new(),
            kernel: format!("tollgate {}", env!("CARGO_PKG_VERSION")),
            session: self.ground.session.clone(),
            frame_bytes_max: u32::try_from(FRAME_BYTES_MAX).unwrap_or(u32::MAX),
        };
        let hello = tool_client(channel).hello(request).await?.into_inner();
        if hello.protocol != PROTOCOL {
            return Err(ServerError::Contract(format!(
                "it speaks protocol {}, this kernel speaks {PROTOCOL}",
                hello.protocol
            )));
        }
        if hello.instance.is_empty() || hello.instance.len() > 64 {
            return Err(ServerError::Contract("its instance id is empty or too long".into()));
        }
        Ok(hello)
    }

    async fn joined(
        &self,
        channel: Channel,
        hello: HelloResponse,
        (key, key_id): (SigningKey, String),
        process: Option<ServerProcess>,
    ) -> Result<Connection, ServerError> {
        let manifest_sha256 = hello.manifest_sha256[..]
            .try_into()
            .map(Digest)
            .map_err(|_| ServerError::Contract("its manifest digest has not 32 bytes".into()))?;
        self.refresh_manifest(&channel, manifest_sha256).await?;
        let opened = Link::open(
            self.name.as_str().to_owned(),
            tool_client(&channel),
            &self.ground.session,
            self.settings.clocks.heartbeat,
            self.ground.secrets.clone(),
        );
        // `Hello` proves nothing of `Session`: it has a clock of its own.
        let within = self.settings.clocks.hello;
        let link = timeout(within, opened)
            .await
            .map_err(|_| ServerError::Silent { what: "Session", within })??;
        let (host, roots) = match &self.settings.reach {
            Reach::Local { .. } => ("local".to_owned(), self.ground.roots.clone()),
            Reach::Remote { endpoint, roots, .. } => (endpoint.clone(), roots.clone()),
        };
        Ok(Connection {
            facts: self.facts(&hello),
            signer: Signer {
                key,
                key_id,
                server: self.name.as_str().to_owned(),
                instance: hello.instance.clone(),
                session: self.ground.session.clone(),
            },
            instance: hello.instance,
            confinement: wire::bounded(hello.confinement, 256),
            host,
            roots,
            manifest_sha256,
            channel,
            link,
            process,
            since_unix_ms: clock::unix_ms(),
        })
    }

    /// What receipts say: the server's own words, but the digest of a local program is looked up here.
    fn facts(&self, hello: &HelloResponse) -> ServerFacts {
        let mut facts = wire::hello_facts(hello);
        if let Reach::Local { program, .. } = &self.settings.reach {
            facts.build_sha256 =
                self.cache_file().and_then(|file| manifest::build_sha256(&file, program));
        }
        facts
    }

    /// Asks for the manifest when the cached one is not the server's any more.
    async fn refresh_manifest(&self, channel: &Channel, now: Digest) -> Result<(), ServerError> {
        let Some(file) = self.cache_file() else { return Ok(()) };
        if manifest::read(&file).is_some_and(|cached| cached.digest() == now) {
            return Ok(());
        }
        let described = manifest::ask(channel).await?;
        if described.digest() != now {
            return Err(ServerError::Contract(
                "its manifest is not the one that Hello told".into(),
            ));
        }
        manifest::write(&file, &described);
        Ok(())
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
        self.seen().deaths.note(Instant::now(), &reason, jitter());
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A start that failed: every such path ends the process. Its connection may break a moment before its
/// end is seen; then the end is the reason, not the broken connection.
async fn not_greeted(process: &ServerProcess, error: ServerError) -> ServerError {
    let ended = match error {
        ServerError::Refused(_) | ServerError::Transport(_) | ServerError::Connect { .. } => {
            timeout(EXIT_SEEN_WITHIN, process.last_words()).await.ok()
        }
        ServerError::Config(_)
        | ServerError::Spawn(_)
        | ServerError::Runtime(_)
        | ServerError::Exited { .. }
        | ServerError::Silent { .. }
        | ServerError::Peer
        | ServerError::Contract(_)
        | ServerError::Quarantined(_) => None,
    };
    process.kill();
    ended.map_or(error, |(exit, words)| exited(&exit.to_string(), &words))
}

/// 0 to 1, for the restart's wait; needs no quality.
fn jitter() -> f64 {
    f64::from(uuid::Uuid::new_v4().as_bytes()[15]) / 255.0
}
