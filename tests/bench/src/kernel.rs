//! A kernel in this process with echo servers, or those that come with it, as real, supervised processes.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::rules::{Action, Rule, Source, compact},
    call::{Block, Caller, Position, RawCall},
    catalog::Provenance,
    name::ServerName,
    safety::Trust,
    stance::{Posture, Stance},
};
use tollgate_engine::{
    approval::Nobody,
    clock,
    context::SessionContext,
    event::EVENTS_WAITING,
    gate::{self, CallEnd},
    kernel::{Dirs, Kernel},
    session::{Session, SessionOptions},
    settings::{
        Clocks, Limits, LocalListen, PolicySettings, Reach, ServerSettings, Settings, ToolSettings,
    },
    store::session::SessionKind,
};

use tollgate_policy::Extra;

use crate::{echo, raw::PAYLOAD_BYTES};

/// A kernel and an open session.
#[derive(Debug)]
pub(crate) struct Bench {
    /// The kernel.
    pub(crate) kernel: Arc<Kernel>,
    session: Session,
    arguments: Bytes,
    folder: TempDir,
}

impl Bench {
    /// A kernel with the first `servers` echo servers, whose manifests it knows; none runs.
    ///
    /// # Errors
    /// The kernel or a server cannot be had.
    pub(crate) async fn open(servers: usize) -> anyhow::Result<Self> {
        Self::with(settings(servers)?).await
    }

    /// A kernel with an echo server and the server of code mode.
    ///
    /// # Errors
    /// The kernel or a server cannot be had.
    pub(crate) async fn open_for_programs() -> anyhow::Result<Self> {
        let mut settings = settings(1)?;
        settings.servers.insert(name("code")?, built_in("tollgate-code", false)?);
        Self::with(settings).await
    }

    /// A kernel with the shell server, whose commands nobody is asked about.
    ///
    /// # Errors
    /// The kernel or a server cannot be had.
    pub(crate) async fn open_for_commands() -> anyhow::Result<Self> {
        let mut settings = settings(0)?;
        settings.stance = Stance { posture: Posture::FullAccess, ..Stance::default() };
        settings.servers.insert(name("shell")?, built_in("tollgate-shell", true)?);
        Self::with(settings).await
    }

    /// The workspace.
    pub(crate) fn workspace(&self) -> &Path {
        self.folder.path()
    }

    async fn with(settings: Settings) -> anyhow::Result<Self> {
        let stance = settings.stance;
        let folder = tempfile::Builder::new().prefix("tgb-").tempdir()?;
        let dirs = Dirs {
            state: folder.path().join("state"),
            cache: folder.path().join("cache"),
            runtime: Some(folder.path().join("run")),
        };
        let workspace = folder.path().to_owned();
        let kernel = Kernel::start(settings, &dirs, vec![workspace.clone()])?;
        let options = SessionOptions {
            kind: SessionKind::Exec,
            resume: None,
            workspace,
            add_dirs: Vec::new(),
            stance,
            model: None,
            record_requests: None,
        };
        let (events, mut watched) = mpsc::channel(EVENTS_WAITING);
        // Somebody watches a real session too.
        tokio::spawn(async move { while watched.recv().await.is_some() {} });
        let nobody = Arc::new(Nobody("this is a measurement".to_owned()));
        let session = Box::pin(kernel.open(options, nobody, events)).await?;
        Ok(Self { kernel, session, arguments: arguments(), folder })
    }

    /// What calls need.
    pub(crate) fn context(&self) -> &SessionContext {
        self.session.context()
    }

    /// One gated call of 1 KiB from its name to its receipt.
    ///
    /// # Errors
    /// It did not succeed.
    pub(crate) async fn call(&self, tool: &str) -> anyhow::Result<()> {
        let end = self.ask(tool, self.arguments.clone()).await?;
        let text = text(&end);
        // The argument is the text with 11 bytes of JSON around it.
        ensure!(text.len() + 11 == PAYLOAD_BYTES, "{tool} gave back {} bytes", text.len());
        Ok(())
    }

    /// One gated call of the model, with arguments of one's own.
    ///
    /// # Errors
    /// It did not succeed.
    pub(crate) async fn ask(&self, tool: &str, arguments: Bytes) -> anyhow::Result<CallEnd> {
        let end = self.ended(tool, arguments).await?;
        if end.result.is_error {
            bail!("a call of {tool} failed: {}", text(&end));
        }
        Ok(end)
    }

    /// The same, however it ends.
    ///
    /// # Errors
    /// The store failed.
    pub(crate) async fn ended(&self, tool: &str, arguments: Bytes) -> anyhow::Result<CallEnd> {
        self.stoppable(tool, arguments, &CancellationToken::new()).await
    }

    /// The same, until it is told to stop.
    ///
    /// # Errors
    /// The store failed.
    pub(crate) async fn stoppable(
        &self,
        tool: &str,
        arguments: Bytes,
        stop: &CancellationToken,
    ) -> anyhow::Result<CallEnd> {
        let cx = self.context();
        let position =
            Position { session: cx.id.clone(), turn: 1, step: 1, agent: "main".to_owned() };
        let raw = RawCall {
            id: clock::call_id(),
            parent: None,
            depth: 0,
            caller: Caller::Model,
            position,
            name: tool.to_owned(),
            arguments,
        };
        Ok(gate::run_call(cx, raw, stop).await?)
    }
}

/// The text that a call came back with; empty when it has none.
pub(crate) fn text(end: &CallEnd) -> &str {
    match end.result.content.first() {
        Some(Block::Text { text }) => text,
        Some(_) | None => "",
    }
}

fn settings(servers: usize) -> anyhow::Result<Settings> {
    let program = std::env::current_exe()?;
    let servers = echo::TOOLS.iter().take(servers);
    let servers = servers.map(|tool| {
        let args = vec!["--name".to_owned(), (*tool).to_owned()];
        Ok((name(tool)?, server(&program, args)))
    });
    Ok(Settings {
        model: None,
        stance: Stance::default(),
        servers: servers.collect::<anyhow::Result<BTreeMap<_, _>>>()?,
        limits: Limits { turn_calls_max: u32::MAX, ..Limits::default() },
        tools: ToolSettings::default(),
        policy: PolicySettings {
            extra: Extra { rules: rules()?, ..Extra::default() },
            ..PolicySettings::default()
        },
        guardian_model: None,
        launcher: "/proc/self/exe".into(),
        log: "warn".to_owned(),
    })
}

/// A hundred rules of a user, of which none speaks of the tools that are measured.
fn rules() -> anyhow::Result<Vec<Rule>> {
    let rules = (0..100).map(|number| {
        let text = format!("mcp_server{number}_*(host:host{number}.example.com)");
        Ok(compact::parse(&text, Action::Deny, Source::User, None, "bench")?)
    });
    rules.collect()
}

fn name(tool: &str) -> anyhow::Result<ServerName> {
    ServerName::try_from(tool.replace('_', "-")).context("a server's name")
}

/// A server that comes with `tollgate`.
fn built_in(program: &str, warden: bool) -> anyhow::Result<ServerSettings> {
    let program = std::env::current_exe()?.with_file_name(program);
    ensure!(
        program.is_file(),
        "{} is not there; build everything first: cargo build --release",
        program.display()
    );
    let listen = LocalListen::Descriptor;
    let reach = Reach::Local { program: program.clone(), args: Vec::new(), listen, warden };
    Ok(ServerSettings { reach, provenance: Provenance::Builtin, ..server(&program, Vec::new()) })
}

fn server(program: &Path, args: Vec<String>) -> ServerSettings {
    ServerSettings {
        reach: Reach::Local {
            program: program.to_owned(),
            args,
            listen: LocalListen::Descriptor,
            warden: false,
        },
        trust: Trust::Trusted,
        provenance: Provenance::Plugin,
        settings: serde_json::Value::Null,
        env: Vec::new(),
        model: false,
        clocks: Clocks::default(),
    }
}

/// `{"text":"…"}` of [`PAYLOAD_BYTES`].
fn arguments() -> Bytes {
    let text = "x".repeat(PAYLOAD_BYTES.saturating_sub(11));
    Bytes::from(format!("{{\"text\":\"{text}\"}}"))
}
