//! [`Server`]: from the start of the process to its end.

use std::{
    collections::HashMap,
    convert::Infallible,
    error::Error,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::de::DeserializeOwned;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tollgate_proto::{
    DESCRIPTORS,
    blob::v1::blob_service_server::BlobServiceServer,
    grant::{VerifyingKey, sha256},
    limits::MESSAGE_BYTES_MAX,
    tool::v1::{DescribeResponse, tool_server_server::ToolServerServer},
};
use tonic::{
    body::Body,
    codegen::{Service, http},
    server::NamedService,
    service::RoutesBuilder,
};
use tracing_subscriber::filter::{LevelFilter, Targets};

use crate::{
    Tool,
    blobs::{BlobFront, Blobs},
    describe,
    executions::Executions,
    grants::GrantGate,
    limits::{CALLS_MAX, CLOSE_WITHIN, DRAIN_WITHIN},
    options::{self, Listen, Start, hex_32},
    service::Front,
    shared::Shared,
    tools::Tools,
    transport::{self, Listening},
};

/// Why a server could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The command line, the bootstrap line or the settings are wrong.
    #[error("{0}")]
    Usage(String),
    /// A file or socket.
    #[error("{what}")]
    Io {
        /// What was tried, with the path.
        what: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The transport ended with an error.
    #[error("the transport failed")]
    Transport(#[from] tonic::transport::Error),
    /// The step of [`Server::confined`] failed: a server that should be confined does not serve without.
    #[error("cannot confine this process")]
    Confinement(#[source] Box<dyn Error + Send + Sync>),
}

/// A server that is being put together.
#[derive(Debug)]
pub struct Server {
    name: &'static str,
    version: &'static str,
    start: StartBox,
    grants: GrantGate,
    instance: String,
    tools: Tools,
    routes: RoutesBuilder,
    calls_max: u32,
    confine: Option<Confine>,
    draining: CancellationToken,
}

/// What a server is when it listens and is confined, and has answered nobody yet.
struct Opened {
    builder: tonic::transport::Server,
    listening: Listening,
    described: DescribeResponse,
    confinement: String,
}

/// The step of [`Server::confined`].
struct Confine(Box<dyn FnOnce() -> Result<String, ServeError> + Send>);

impl std::fmt::Debug for Confine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Confine")
    }
}

struct StartBox(Start);

impl std::fmt::Debug for StartBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Start")
    }
}

impl Server {
    /// Reads how the process was started: `--listen` and its companions, `--manifest`, or a kernel's line
    /// on standard input. Prints and exits on `--help`, `--version` and a wrong command line.
    ///
    /// # Errors
    /// [`ServeError::Usage`] with what is wrong and what helps, [`ServeError::Io`].
    pub fn start(name: &'static str, version: &'static str) -> Result<Self, ServeError> {
        let start = options::read(name, version)?;
        trace(match &start {
            Start::Kernel(boot) => &boot.log,
            Start::Alone(_) => "info",
            Start::Manifest(_) => "warn",
        });
        Self::from_start(name, version, start)
    }

    /// A server of a process that was started so.
    pub(crate) fn from_start(
        name: &'static str,
        version: &'static str,
        start: Start,
    ) -> Result<Self, ServeError> {
        let (audience, keys) = match &start {
            Start::Kernel(boot) => {
                let key = hex_32(&boot.grant_key.hmac_sha256).ok_or_else(|| {
                    ServeError::Usage("the bootstrap line's grant key is not 64 hex digits".into())
                })?;
                let keys = HashMap::from([(boot.grant_key.id.clone(), VerifyingKey::Hmac(key))]);
                (boot.server.clone(), keys)
            }
            Start::Alone(alone) => {
                let audience = alone.options.name.clone().unwrap_or_else(|| name.to_owned());
                (audience, alone.keys.clone())
            }
            Start::Manifest(_) => (name.to_owned(), HashMap::new()),
        };
        let instance = uuid::Uuid::now_v7().to_string();
        Ok(Self {
            name,
            version,
            start: StartBox(start),
            grants: GrantGate::new(audience, instance.clone(), keys),
            instance,
            tools: Tools::default(),
            routes: RoutesBuilder::default(),
            calls_max: CALLS_MAX,
            confine: None,
            draining: CancellationToken::new(),
        })
    }

    /// This server's settings as the kernel's configuration has them (`[servers.NAME.settings]`).
    ///
    /// # Errors
    /// [`ServeError::Usage`] naming the key that is wrong.
    pub fn settings<T: DeserializeOwned + Default>(&self) -> Result<T, ServeError> {
        let value = match &self.start.0 {
            Start::Kernel(boot) => boot.settings.clone(),
            Start::Alone(alone) => alone.settings.clone(),
            Start::Manifest(settings) => settings.clone(),
        };
        if value.is_null() {
            return Ok(T::default());
        }
        serde_path_to_error::deserialize(value).map_err(|error| {
            ServeError::Usage(format!("the settings of server '{}': {error}", self.name))
        })
    }

    /// The roots that calls may work in, absolute; the first is the workspace. None with `--manifest`.
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        match &self.start.0 {
            Start::Kernel(boot) => &boot.roots,
            Start::Alone(alone) => &alone.options.workspaces,
            Start::Manifest(_) => &[],
        }
    }

    /// A folder of this server's alone that lasts over its restarts: absolute, private. None with
    /// `--manifest`, of a kernel without state, and alone without `--state`.
    #[must_use]
    pub fn state_dir(&self) -> Option<&Path> {
        match &self.start.0 {
            Start::Kernel(boot) => boot.state.as_deref(),
            Start::Alone(alone) => alone.options.state.as_deref(),
            Start::Manifest(_) => None,
        }
    }

    /// Checks grants of services beside the tools.
    #[must_use]
    pub fn gate(&self) -> GrantGate {
        self.grants.clone()
    }

    /// Fires when the server is told to stop.
    #[must_use]
    pub fn stopping(&self) -> CancellationToken {
        self.draining.clone()
    }

    /// With one more tool.
    #[must_use]
    pub fn tool<T: Tool>(mut self, tool: T) -> Self {
        self.tools.add(tool);
        self
    }

    /// With an old name of one of its tools: `T::NAME` is that name, with an input, schema and handler
    /// of its own. It is never advertised; the kernel judges its calls as calls of the tool that it
    /// `means`, and asks [`Tool::prepare`] here if that tool is prepared. Nothing else of [`Tool::spec`]
    /// counts than `safety`, and that only where `prepare` is the default one.
    #[must_use]
    pub fn legacy<T: Tool>(mut self, means: &'static str, tool: T) -> Self {
        self.tools.add_legacy(means, None, tool);
        self
    }

    /// The same, only for calls whose argument has this text: for names that meant several tools
    /// (`File` with action "write"). `T::Input` has that argument too. All variants of a name look at the
    /// same one; a handler without condition, by [`Server::legacy`], takes the calls that no other takes.
    #[must_use]
    pub fn legacy_when<T: Tool>(
        mut self,
        means: &'static str,
        (argument, value): (&'static str, &'static str),
        tool: T,
    ) -> Self {
        self.tools.add_legacy(means, Some((argument, value)), tool);
        self
    }

    /// With a step that confines this process. It runs once: after the socket listens and every file that
    /// the SDK needs was read, before anybody is answered and before the SDK starts a thread (what a thread
    /// imposes on itself holds for the threads that it starts). Its words go into receipts: "landlock:7
    /// seccomp". If it fails the server does not serve. It does not run with `--manifest`.
    #[must_use]
    pub fn confined<E: Into<Box<dyn Error + Send + Sync>>>(
        mut self,
        confine: impl FnOnce() -> Result<String, E> + Send + 'static,
    ) -> Self {
        let step = move || confine().map_err(|error| ServeError::Confinement(error.into()));
        self.confine = Some(Confine(Box::new(step)));
        self
    }

    /// Running at most so many calls at once, 256 if it says nothing; the kernel keeps the others waiting.
    #[must_use]
    pub fn calls_max(self, calls: u32) -> Self {
        Self { calls_max: calls.clamp(1, CALLS_MAX), ..self }
    }

    /// With one more gRPC service beside `ToolServer`.
    #[must_use]
    pub fn service<S>(mut self, service: S) -> Self
    where
        S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        self.routes.add_service(service);
        self
    }

    /// Serves until standard input closes or SIGTERM comes, then drains: running calls may finish
    /// for 10 s, connections close within 1 s more. With `--manifest`: prints it and serves nothing.
    ///
    /// # Errors
    /// A socket that cannot be had, a confinement that fails, a transport that fails, or old names that
    /// contradict each other.
    pub async fn serve(mut self) -> Result<(), ServeError> {
        if let Start::Manifest(_) = &self.start.0 {
            return describe::print(&self.describe()?);
        }
        let tasks = TaskTracker::new();
        watch_for_signals(self.draining.clone(), &tasks)?;
        let opened = self.open().await?;
        if let Start::Kernel(_) = &self.start.0 {
            watch_for_the_end_of_input(self.draining.clone())?;
        }
        self.serve_opened(opened, tasks).await
    }

    /// Serves until [`Server::stopping`] fires and all is drained.
    #[cfg(test)]
    pub(crate) async fn serve_until_drained(
        mut self,
        tasks: TaskTracker,
    ) -> Result<(), ServeError> {
        let opened = self.open().await?;
        self.serve_opened(opened, tasks).await
    }

    /// Reads what is to be read and listens; then confines the process.
    async fn open(&mut self) -> Result<Opened, ServeError> {
        let described = self.describe()?;
        let builder = transport::builder(&self.start.0)?;
        let listening = Listening::open(&self.start.0).await?;
        let confinement = match self.confine.take() {
            Some(Confine(step)) => step()?,
            None => String::new(),
        };
        Ok(Opened { builder, listening, described, confinement })
    }

    async fn serve_opened(mut self, opened: Opened, tasks: TaskTracker) -> Result<(), ServeError> {
        let Opened { builder, listening, described, confinement } = opened;
        let blobs = Arc::new(Blobs::default());
        let shared = Arc::new(Shared {
            instance: self.instance.clone(),
            confinement,
            tools: std::mem::take(&mut self.tools),
            manifest: described.manifest.unwrap_or_default(),
            specs: described.tools,
            features: Vec::new(),
            calls_max: self.calls_max,
            grants: self.grants.clone(),
            executions: Executions::default(),
            blobs: Arc::clone(&blobs),
            draining: self.draining.clone(),
            tasks: tasks.clone(),
        });
        let front = Front { shared, sessions: Arc::default() };
        let (health, health_service) = tonic_health::server::health_reporter();
        health.set_serving::<ToolServerServer<Front>>().await;
        self.routes
            .add_service(
                ToolServerServer::new(front)
                    .max_decoding_message_size(MESSAGE_BYTES_MAX)
                    .max_encoding_message_size(MESSAGE_BYTES_MAX),
            )
            .add_service(
                BlobServiceServer::new(BlobFront { blobs, grants: self.grants.clone() })
                    .max_decoding_message_size(MESSAGE_BYTES_MAX),
            )
            .add_service(health_service);
        self.add_reflection()?;

        let stopped = self.draining.clone();
        let closing = {
            let tasks = tasks.clone();
            async move {
                stopped.cancelled().await;
                health.set_not_serving::<ToolServerServer<Front>>().await;
                tasks.close();
                // What has not ended by then is ended with the process.
                drop(tokio::time::timeout(DRAIN_WITHIN, tasks.wait()).await);
            }
        };
        let shutdown = self.draining.cancelled_owned();
        let served = listening.serve(builder, self.routes.routes(), shutdown);
        // A connection that stays open, or a peer that never speaks, must not keep the process.
        tokio::select! {
            served = served => served,
            () = async { closing.await; tokio::time::sleep(CLOSE_WITHIN).await } => Ok(()),
        }
    }

    /// The whole manifest, on one page.
    pub(crate) fn describe(&self) -> Result<DescribeResponse, ServeError> {
        describe::describe(self.name, self.version, self.build_sha256(), &self.tools)
    }

    /// The digest of this program's file, for receipts. Empty when it cannot be read, and for a server
    /// that a kernel starts: that kernel has the file and looks itself, once. So has `--manifest`, whose
    /// digest is then that server's.
    fn build_sha256(&self) -> Vec<u8> {
        match &self.start.0 {
            Start::Kernel(_) | Start::Manifest(_) => Vec::new(),
            Start::Alone(_) => std::fs::read("/proc/self/exe")
                .map(|bytes| sha256(&bytes).to_vec())
                .unwrap_or_default(),
        }
    }

    fn add_reflection(&mut self) -> Result<(), ServeError> {
        let offered = match &self.start.0 {
            Start::Kernel(_) => true,
            Start::Manifest(_) => false,
            Start::Alone(alone) => {
                matches!(alone.listen, Listen::Unix(_)) || alone.options.reflection
            }
        };
        if offered {
            let service = tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                .build_v1()
                .map_err(|error| ServeError::Usage(format!("reflection: {error}")))?;
            self.routes.add_service(service);
        }
        Ok(())
    }
}

/// Stops the server at SIGTERM.
fn watch_for_signals(draining: CancellationToken, tasks: &TaskTracker) -> Result<(), ServeError> {
    let io = |source| ServeError::Io { what: "cannot watch for SIGTERM".into(), source };
    let mut terminate = signal(SignalKind::terminate()).map_err(io)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(io)?;
    tasks.spawn(async move {
        tokio::select! {
            _ = terminate.recv() => draining.cancel(),
            _ = interrupt.recv() => draining.cancel(),
            () = draining.cancelled() => {}
        }
    });
    Ok(())
}

/// Stops a kernel's server at the end of standard input.
fn watch_for_the_end_of_input(draining: CancellationToken) -> Result<(), ServeError> {
    // A thread, because a read of standard input cannot be cancelled; it ends with the process.
    let watching = std::thread::Builder::new().name("stdin".into()).stack_size(64 * 1024);
    let watching = watching.spawn(move || {
        let mut rest = [0; 256];
        while matches!(std::io::stdin().lock().read(&mut rest), Ok(1..)) {}
        draining.cancel();
    });
    match watching {
        Ok(_) => Ok(()),
        Err(source) => Err(ServeError::Io { what: "cannot start a thread".into(), source }),
    }
}

/// `filter`: "info", or "target=level" pairs; what cannot be read means "info".
fn trace(filter: &str) {
    use tracing_subscriber::{Layer, layer::SubscriberExt, util::SubscriberInitExt};

    // `Targets`, not `EnvFilter`: that one brings regular expressions, a millisecond and a megabyte.
    let filter: Targets =
        filter.parse().unwrap_or_else(|_| Targets::new().with_default(LevelFilter::INFO));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .with_filter(filter);
    // The log is standard error; the kernel reads it. A second start in one process keeps the first.
    drop(tracing_subscriber::registry().with(lines).try_init());
}
