//! [`Server`]: from the start of the process to its end.

use std::{collections::HashMap, convert::Infallible, io::Read, path::PathBuf, sync::Arc};

use serde::de::DeserializeOwned;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tollgate_proto::{
    DESCRIPTORS,
    blob::v1::blob_service_server::BlobServiceServer,
    bootstrap::Endpoint,
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
    transport::{self, Peers},
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
    draining: CancellationToken,
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
    /// A socket that cannot be had, a transport that fails, or old names that contradict each other.
    pub async fn serve(self) -> Result<(), ServeError> {
        if let Start::Manifest(_) = &self.start.0 {
            return describe::print(&self.describe()?);
        }
        let tasks = TaskTracker::new();
        watch_for_the_end(&self.start.0, self.draining.clone(), &tasks)?;
        self.serve_until_drained(tasks).await
    }

    /// Serves until [`Server::stopping`] fires and all is drained.
    pub(crate) async fn serve_until_drained(
        mut self,
        tasks: TaskTracker,
    ) -> Result<(), ServeError> {
        let described = self.describe()?;
        let blobs = Arc::new(Blobs::default());
        let shared = Arc::new(Shared {
            instance: self.instance.clone(),
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
        self.listen(closing).await
    }

    async fn listen(self, closing: impl Future<Output = ()>) -> Result<(), ServeError> {
        let routes = self.routes.routes();
        let mut builder = transport::builder();
        let end = self.draining.clone();
        let shutdown = end.cancelled_owned();
        let served = async {
            match &self.start.0 {
                Start::Kernel(boot) => {
                    let listener = match &boot.endpoint {
                        Endpoint::Fd(_) => transport::adopted()?,
                        Endpoint::Path(path) => transport::bound(path)?,
                    };
                    let peers = transport::admitted(listener, Peers::Kernel(boot.kernel_pid));
                    let router = builder.add_routes(routes);
                    Ok(router.serve_with_incoming_shutdown(peers, shutdown).await?)
                }
                Start::Alone(alone) => {
                    if let Some(tls) = transport::tls(&alone.options)? {
                        builder = builder.tls_config(tls)?;
                    }
                    let router = builder.add_routes(routes);
                    match &alone.listen {
                        Listen::Unix(path) => {
                            let listener = transport::bound(path)?;
                            let peers = transport::admitted(listener, Peers::SameUser);
                            Ok(router.serve_with_incoming_shutdown(peers, shutdown).await?)
                        }
                        Listen::Tcp(address) => {
                            let incoming = transport::tcp(*address).await?;
                            Ok(router.serve_with_incoming_shutdown(incoming, shutdown).await?)
                        }
                    }
                }
                // Printed by `serve`; nobody connects.
                Start::Manifest(_) => Ok(()),
            }
        };
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

/// Stops the server at the end of standard input (a kernel's server) or at SIGTERM.
fn watch_for_the_end(
    start: &Start,
    draining: CancellationToken,
    tasks: &TaskTracker,
) -> Result<(), ServeError> {
    let io = |source| ServeError::Io { what: "cannot watch for SIGTERM".into(), source };
    let mut terminate = signal(SignalKind::terminate()).map_err(io)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(io)?;
    let stop = draining.clone();
    tasks.spawn(async move {
        tokio::select! {
            _ = terminate.recv() => stop.cancel(),
            _ = interrupt.recv() => stop.cancel(),
            () = stop.cancelled() => {}
        }
    });
    if let Start::Kernel(_) = start {
        // A thread, because a read of standard input cannot be cancelled; it ends with the process.
        std::thread::Builder::new()
            .name("stdin".into())
            .stack_size(64 * 1024)
            .spawn(move || {
                let mut rest = [0; 256];
                while matches!(std::io::stdin().lock().read(&mut rest), Ok(1..)) {}
                draining.cancel();
            })
            .map_err(|source| ServeError::Io { what: "cannot start a thread".into(), source })?;
    }
    Ok(())
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
