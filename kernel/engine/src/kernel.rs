//! What one `tollgate` process has: servers, store, and the sessions that it opens.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use tokio::sync::RwLock;
use tollgate_core::{
    authority::{
        Budget,
        rules::{Action, Rule, Rules, Source, compact},
    },
    catalog::Catalog,
    name::{ServerName, SessionId},
};
use tollgate_policy::{Policies, hooks::HookEvent};

use crate::{
    approval::{Approver, waits::Waits},
    clock,
    context::{self, Emitter, Moving, SessionContext},
    error::KernelError,
    event::{Body, EventSink},
    history::History,
    hooks,
    process::{RuntimeDir, Spawner},
    prompt,
    secrets::{LogSecrets, Redactor},
    servers::{Connection, Described, Ground, ServerError, ServerView, Servers, wire::Observation},
    session::{Resumed, Session, SessionOptions, close_in_flight},
    settings::{PolicySettings, Settings},
    store::{
        Artifacts, ReceiptLog, SessionLog, StateDir, StoreError,
        framed::Repairs,
        session::{Head, SessionRecord},
    },
    tools::Tools,
};

/// Where a kernel keeps things.
#[derive(Clone, Debug)]
pub struct Dirs {
    /// Sessions, receipts, artifacts, logs.
    pub state: PathBuf,
    /// Manifests.
    pub cache: PathBuf,
    /// Sockets; `None`: below `XDG_RUNTIME_DIR`, or the temporary folder.
    pub runtime: Option<PathBuf>,
}

/// One kernel.
#[derive(Debug)]
pub struct Kernel {
    settings: Settings,
    state: StateDir,
    artifacts: Artifacts,
    servers: Arc<Servers>,
    spawner: Spawner,
    secrets: Redactor,
    log_secrets: LogSecrets,
}

impl Kernel {
    /// Opens the store and the sockets' folder; starts no server.
    ///
    /// `roots`: absolute; what its servers may work in, the workspace first.
    ///
    /// # Errors
    /// A folder that cannot be had, with what helps.
    pub fn start(
        settings: Settings,
        dirs: &Dirs,
        roots: Vec<PathBuf>,
    ) -> Result<Arc<Self>, KernelError> {
        let state = StateDir::open(&dirs.state).map_err(StoreError::from)?;
        let runtime = RuntimeDir::create(dirs.runtime.as_deref()).map_err(|source| {
            KernelError::Server { server: "all".to_owned(), source: ServerError::from(source) }
        })?;
        let secrets = Redactor::of_environment();
        let log_secrets = LogSecrets::new(secrets.clone());
        let spawner =
            Spawner::with_launcher(settings.launcher.clone()).keeping_out(log_secrets.clone());
        let ground = Arc::new(Ground {
            spawner: spawner.clone(),
            runtime,
            manifests: dirs.cache.join("manifests"),
            logs: state.logs().to_owned(),
            states: state.servers().to_owned(),
            log: settings.log.clone(),
            session: clock::session_id().as_str().to_owned(),
            roots,
            secrets: log_secrets.clone(),
        });
        let servers = Arc::new(Servers::new(&settings, &ground));
        let artifacts = Artifacts::open(&state).keeping_out(secrets.clone());
        Ok(Arc::new(Self { settings, state, artifacts, servers, spawner, secrets, log_secrets }))
    }

    /// The tools that there are.
    pub async fn catalog(&self) -> Catalog {
        self.servers.catalog().await.0
    }

    /// What can be said of the servers without asking them.
    #[must_use]
    pub fn servers(&self) -> Vec<ServerView> {
        self.servers.iter().map(|server| server.view()).collect()
    }

    /// Asks one server for its manifest; starts it if needed.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn describe(
        &self,
        server: &ServerName,
    ) -> Result<(Described, Arc<Connection>), ServerError> {
        let found = self.servers.get(server.as_str());
        let server =
            found.ok_or_else(|| ServerError::Config(format!("there is no server '{server}'")))?;
        server.describe().await
    }

    /// Opens a session, new or resumed, in a stance as tight as the machine's owner wants it.
    ///
    /// # Errors
    /// The store fails, another kernel has the session, or the owner allows no posture as tight.
    pub async fn open(
        &self,
        mut options: SessionOptions,
        approver: Arc<dyn Approver>,
        events: EventSink,
    ) -> Result<Session, KernelError> {
        let (cx, records, repairs) = self.context(&mut options, approver, events).await?;
        let cx = Arc::new(cx);
        let mut turns = 0;
        for record in &records {
            // A message that a hook denied has an end and no beginning.
            if let SessionRecord::User { turn, .. } | SessionRecord::TurnEnd { turn, .. } = record {
                turns = *turn;
            }
        }
        let resumed = options.resume.is_some();
        let session = Session {
            history: History::from_records(&records),
            system: system_of(&records, &options),
            turn: turns,
            sent: None,
            kept: None,
            model: options.model.clone(),
            record_requests: recorder(options.record_requests.as_deref())?,
            resumed: Resumed { repairs, in_flight: close_in_flight(&cx)?, turns },
            cx,
        };
        session.say_started(&options, resumed).await?;
        Ok(session)
    }

    /// What the calls of a session need, with its records and what was mended in them; nobody is told
    /// of it yet.
    pub(crate) async fn context(
        &self,
        options: &mut SessionOptions,
        approver: Arc<dyn Approver>,
        events: EventSink,
    ) -> Result<(SessionContext, Vec<SessionRecord>, Vec<String>), KernelError> {
        let (catalog, generation) = self.servers.catalog().await;
        let catalog = Arc::new(catalog);
        let roots: Vec<PathBuf> =
            std::iter::once(&options.workspace).chain(&options.add_dirs).cloned().collect();
        let policies = self.policies(&catalog, &roots)?;
        options.stance = context::allowed(&policies.current().policy.managed, options.stance)?;
        let (mut log, records, mut repairs) = self.log_of(options, &roots)?;
        log.keep_out(self.secrets.clone());
        let id = log.id().clone();
        let (mut receipts, mended) =
            ReceiptLog::open(&self.state, log.lock()).map_err(StoreError::from)?;
        receipts.keep_out(self.secrets.clone());
        repairs.extend(sentences(&mended));
        let guardian = self.settings.guardian_model.clone().or_else(|| options.model.clone());
        let cx = SessionContext {
            policies,
            hooks: hooks::Runner::new(&self.spawner),
            guardian_model: guardian,
            servers: Arc::clone(&self.servers),
            tools: Tools::new(catalog, generation, &self.settings.tools),
            approver,
            waits: Waits::default(),
            events: Arc::new(Emitter::new(id.clone(), events, self.secrets.clone())),
            artifacts: self.artifacts.clone(),
            log: Mutex::new(log),
            receipts: Mutex::new(receipts),
            secrets: self.secrets.clone(),
            log_secrets: self.log_secrets.clone(),
            limits: self.settings.limits,
            moving: Mutex::new(moving(&records, options)),
            roots,
            budget: Mutex::new(Budget::new(self.settings.limits.turn_calls_max)),
            lane: RwLock::new(()),
            id,
        };
        Ok((cx, records, repairs))
    }

    /// Ends every server.
    pub async fn stop(&self) {
        self.servers.stop().await;
    }

    /// The store's folder, for views of it.
    #[must_use]
    pub fn state(&self) -> &StateDir {
        &self.state
    }

    /// Reads all policy of a workspace.
    ///
    /// # Errors
    /// Every fault of its files, and rules that name tools that there are not.
    pub fn policies(&self, catalog: &Catalog, roots: &[PathBuf]) -> Result<Policies, KernelError> {
        let PolicySettings { places, extra } = self.settings.policy.clone();
        let policies = Policies::open(places, extra, roots.to_vec())?;
        policies.check_tools(&catalog.ruled_names())?;
        Ok(policies)
    }

    fn log_of(
        &self,
        options: &SessionOptions,
        roots: &[PathBuf],
    ) -> Result<(SessionLog, Vec<SessionRecord>, Vec<String>), StoreError> {
        let Some(id) = &options.resume else {
            let log =
                SessionLog::create(&self.state, self.head(clock::session_id(), options, roots))?;
            return Ok((log, Vec::new(), Vec::new()));
        };
        let (log, records, repairs) = SessionLog::resume(&self.state, id)?;
        Ok((log, records, sentences(&repairs)))
    }

    fn head(&self, id: SessionId, options: &SessionOptions, roots: &[PathBuf]) -> Head {
        Head {
            id,
            kind: options.kind,
            created_unix_ms: clock::unix_ms(),
            workspace: options.workspace.clone(),
            roots: roots.to_vec(),
            stance: options.stance,
            model: options.model.clone().unwrap_or_default(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl Session {
    async fn say_started(
        &self,
        options: &SessionOptions,
        resumed: bool,
    ) -> Result<(), KernelError> {
        if resumed {
            for receipt in &self.resumed.in_flight {
                let text = format!(
                    "call {} ({}) was running when the kernel ended",
                    receipt.id, receipt.tool
                );
                self.record(&SessionRecord::Note { text })?;
            }
            self.record(&SessionRecord::Stance(options.stance))?;
        }
        let body = Body::SessionStarted {
            workspace: options.workspace.display().to_string(),
            mode: options.stance.mode.as_str().to_owned(),
            posture: options.stance.posture.as_str().to_owned(),
            model: options.model.clone().unwrap_or_default(),
            resumed,
        };
        self.cx.events.tell(None, None, body).await;
        let started = serde_json::json!({
            "source": if resumed { "resume" } else { "startup" },
            "model": options.model,
            "kind": options.kind,
        });
        hooks::tell(&self.cx, HookEvent::SessionStart, started).await;
        Ok(())
    }
}

fn sentences(repairs: &Repairs) -> Vec<String> {
    repairs.to_string().lines().map(str::to_owned).collect()
}

/// What the log says of the working directory and of seen files; the stance is the caller's.
fn moving(records: &[SessionRecord], options: &SessionOptions) -> Moving {
    let mut moving = Moving {
        stance: options.stance,
        cwd: options.workspace.clone(),
        grants: Arc::default(),
        taint: Vec::new(),
        latest_unix_ms: 0,
        observations: std::collections::BTreeMap::new(),
    };
    for record in records {
        if let SessionRecord::Cwd { path } = record
            && path.is_dir()
        {
            moving.cwd.clone_from(path);
        } else if let SessionRecord::Grants { rules } = record {
            let of_session = rules.iter().filter_map(|rule| {
                compact::parse(rule, Action::Allow, Source::Session, None, "session").ok()
            });
            // Each says its workspace: in another one, to which the session may have been taken, it is nothing.
            let here = of_session.filter(|rule: &Rule| rule.workspace.is_some());
            moving.grants =
                Arc::new(Rules::new(moving.grants.all().iter().cloned().chain(here).collect()));
        } else if let SessionRecord::Tainted(taint) = record {
            moving.taint(taint.clone());
        } else if let SessionRecord::Observed { files } = record {
            let seen = files.iter().map(|file| Observation {
                path: file.path.clone(),
                sha256: file.sha256,
                seen_unix_ms: file.seen_unix_ms,
                modified_unix_ns: file.modified_unix_ns,
            });
            moving.observations.extend(seen.map(|one| (one.path.clone(), one)));
        }
    }
    moving
}

/// The system prompt: the session's own date, so that a resumed session prepares the same bytes.
fn system_of(records: &[SessionRecord], options: &SessionOptions) -> String {
    let created = match records.first() {
        Some(SessionRecord::Session(head)) => head.created_unix_ms,
        Some(_) | None => clock::unix_ms(),
    };
    let ms = i64::try_from(created).unwrap_or_default();
    let date = jiff::Timestamp::from_millisecond(ms).unwrap_or_default();
    let date = date.strftime("%Y-%m-%d").to_string();
    prompt::system(&options.workspace, options.stance, &date)
}

/// The folder of `--record-requests` and the number of its last file.
fn recorder(folder: Option<&Path>) -> Result<Option<(PathBuf, u32)>, KernelError> {
    let Some(folder) = folder else { return Ok(None) };
    let io = |source| KernelError::Io { what: format!("cannot use {}", folder.display()), source };
    std::fs::create_dir_all(folder).map_err(io)?;
    let numbers = std::fs::read_dir(folder).map_err(io)?.filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.to_str()?.strip_suffix(".json")?.parse::<u32>().ok()
    });
    Ok(Some((folder.to_owned(), numbers.max().unwrap_or(0))))
}
