//! Making a connection: the process or the host, `Hello`, the manifest, the session; each with a clock.
//!
//! Invariant: every path that gives no connection ends the process.
//!
//! Not here: when one is made, and how often ([`super::server`]).

use std::path::PathBuf;

use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};
use tollgate_core::{catalog::ServerFacts, digest::Digest};
use tollgate_proto::{
    grant::SigningKey,
    limits::FRAME_BYTES_MAX,
    tool::v1::{HelloRequest, HelloResponse},
};

use super::{
    Connection, Server, ServerError, bootstrap, cache,
    connect::{self, Channel, tool_client},
    error::exited,
    grant::Signer,
    learn::blocking,
    limits::{CALLS_AT_ONCE_MAX, EXIT_SEEN_WITHIN},
    link::Link,
    wire,
};
use crate::{clock, grant_key, process::ServerProcess, settings::Reach};

/// The protocol major that this kernel speaks.
const PROTOCOL: u32 = 1;

/// Who has greeted.
struct Greeted {
    channel: Channel,
    hello: HelloResponse,
    /// The key of its grants, and the key's id.
    signing: (SigningKey, String),
    process: Option<ServerProcess>,
    /// The cache file of its program, as that was before the start.
    file: Option<PathBuf>,
}

impl Server {
    /// Makes a connection; `generation`: the number of the process.
    pub(super) async fn connect(&self, generation: u32) -> Result<Connection, ServerError> {
        let within = self.settings.clocks.hello;
        let file = self.cache_file();
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
                let process = Some(started.process);
                self.joined(Greeted { channel, hello, signing, process, file }).await
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
                let signing = (key, grant_key_id.clone());
                self.joined(Greeted { channel, hello, signing, process: None, file }).await
            }
        }
    }

    /// Says hello; safe to say again.
    pub(super) async fn hello(&self, channel: &Channel) -> Result<HelloResponse, ServerError> {
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

    async fn joined(&self, greeted: Greeted) -> Result<Connection, ServerError> {
        let Greeted { channel, hello, signing: (key, key_id), process, file } = greeted;
        let manifest_sha256 = hello.manifest_sha256[..]
            .try_into()
            .map(Digest)
            .map_err(|_| ServerError::Contract("its manifest digest has not 32 bytes".into()))?;
        self.learn_greeted(&channel, manifest_sha256, file.clone()).await?;
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
            facts: self.facts(&hello, file).await,
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
            channel,
            link,
            slots: Semaphore::new(slots(hello.calls_max)),
            process,
            since_unix_ms: clock::unix_ms(),
        })
    }

    /// What receipts say: the server's own words, but the digest of a local program is looked up here.
    async fn facts(&self, hello: &HelloResponse, file: Option<PathBuf>) -> ServerFacts {
        let mut facts = wire::hello_facts(hello);
        if let (Reach::Local { program, .. }, Some(file)) = (&self.settings.reach, file) {
            let program = program.clone();
            facts.build_sha256 =
                blocking(move || cache::build_sha256(&file, &program)).await.flatten();
        }
        facts
    }
}

/// Calls at once; a server that says nothing, or too much, gets the largest bound.
fn slots(calls_max: u32) -> usize {
    let said = if calls_max == 0 { CALLS_AT_ONCE_MAX } else { calls_max };
    said.min(CALLS_AT_ONCE_MAX) as usize
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
        | ServerError::Unknown(_)
        | ServerError::Quarantined(_) => None,
    };
    process.kill();
    ended.map_or(error, |(exit, words)| exited(&exit.to_string(), &words))
}
