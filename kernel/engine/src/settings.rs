//! What the configuration means, once read: the engine knows nothing of files, flags or variables.
//!
//! Not here: reading `config.toml`, layering, provenance (`tollgate` the command).

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde_json::Value;
use tollgate_core::{
    authority::rules::NamePattern,
    catalog::{Provenance, Surface},
    limits,
    name::ServerName,
    safety::Trust,
    stance::Stance,
};
use tollgate_policy::{Extra, Places};

/// The name that stands for the kernel where a server's is expected; no server may be configured so.
pub const KERNEL: &str = "kernel";

/// Everything that a kernel is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `--model`: "script:FILE", "replay:SESSION", "PROVIDER:NAME"; `None`: none was chosen.
    pub model: Option<String>,
    /// Mode and posture of new sessions.
    pub stance: Stance,
    /// The servers, by name.
    pub servers: BTreeMap<ServerName, ServerSettings>,
    /// Bounds that a user may change.
    pub limits: Limits,
    /// What a model sees of its tools.
    pub tools: ToolSettings,
    /// Where policy files are, and what options add to them.
    pub policy: PolicySettings,
    /// The guardian's model (`auto_review.model`); `None`: the session's.
    pub guardian_model: Option<String>,
    /// The program that becomes a server's launcher: the `tollgate` binary itself.
    pub launcher: PathBuf,
    /// Filter of the servers' logs, in the syntax of `RUST_LOG`.
    pub log: String,
}

/// Policy as the command line and `config.toml` lay it down.
#[derive(Clone, Debug, Default)]
pub struct PolicySettings {
    /// Where the files are.
    pub places: Places,
    /// What options and `config.toml` add.
    pub extra: Extra,
}

/// `[tools]`, as far as it is not policy.
#[derive(Clone, Debug)]
pub struct ToolSettings {
    /// Names that are in every request beside the contract's (`[CAT-05]`).
    pub always_load: Vec<NamePattern>,
    /// How much of the catalog a model gets (`[CAT-04]`).
    pub surface: Surface,
    /// Whether `tool_search` also goes by meaning (`[CAT-11b]`).
    pub semantic_search: bool,
    /// Whether `execute_tools` is in every request, and not found by `tool_search` (`[CODE-16]`).
    pub code_mode: bool,
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            always_load: Vec::new(),
            surface: Surface::Full,
            semantic_search: false,
            code_mode: true,
        }
    }
}

/// One `[servers.NAME]`.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// How it is reached.
    pub reach: Reach,
    /// How far its claims are believed.
    pub trust: Trust,
    /// Where its tools come from: a server that comes with Tollgate, or another.
    pub provenance: Provenance,
    /// `[servers.NAME.settings]`, given to the server as it is.
    pub settings: Value,
    /// Names of environment variables that it may see beside the ordinary ones.
    pub env: Vec<String>,
    /// Whether the server serves `tollgate.model.v1.Model`, not tools.
    pub model: bool,
    /// Clocks.
    pub clocks: Clocks,
}

/// How a server is reached.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reach {
    /// The kernel starts it.
    Local {
        /// The program, absolute.
        program: PathBuf,
        /// Its arguments.
        args: Vec<String>,
        /// How it learns where to listen.
        listen: LocalListen,
        /// It starts programs of its own: a warden ends what it leaves behind.
        warden: bool,
    },
    /// It runs elsewhere.
    Remote {
        /// `https://host:7443`; `http://` to a loopback address only.
        endpoint: String,
        /// PEM files, for `https`.
        tls: Option<RemoteTls>,
        /// The Ed25519 key that signs grants: a file with 64 hex digits; its id.
        grant_key_file: PathBuf,
        /// As in the server's `--grant-keys`.
        grant_key_id: String,
        /// Roots on the server's host; the first is the workspace there.
        roots: Vec<PathBuf>,
    },
}

/// Certificates for a remote server.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RemoteTls {
    /// The authority that signed the server's certificate.
    pub ca: PathBuf,
    /// This kernel's certificate and key.
    pub cert: PathBuf,
    /// See `cert`.
    pub key: PathBuf,
    /// The name in the server's certificate, when it is not the endpoint's host.
    pub name: Option<String>,
}

/// How a local server learns where to listen.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LocalListen {
    /// The socket comes as descriptor 3.
    #[default]
    Descriptor,
    /// It binds the path that the bootstrap line names.
    Path,
}

/// The kernel's clocks for one server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Clocks {
    /// From the start of the process to `Hello`.
    pub hello: Duration,
    /// From `Start` to `Accepted`.
    pub start: Duration,
    /// Without any frame of the call; progress resets it.
    pub idle: Duration,
    /// The whole call.
    pub call: Duration,
    /// After a cancel, until the kernel stops waiting.
    pub grace: Duration,
    /// How often the server says that it lives. Three missed ones end it.
    pub heartbeat: Duration,
}

impl Default for Clocks {
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(5),
            start: Duration::from_secs(10),
            idle: Duration::from_secs(15 * 60),
            call: Duration::from_secs(60 * 60),
            grace: Duration::from_secs(2),
            heartbeat: Duration::from_secs(10),
        }
    }
}

/// Bounds that a user may change.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Calls of one turn.
    pub turn_calls_max: u32,
    /// Model requests of one turn.
    pub turn_steps_max: u32,
    /// Calls of one step that run side by side.
    pub parallel_calls_max: usize,
    /// Bytes of one call's output that are kept.
    pub output_bytes_max: u64,
    /// Of one program of code mode.
    pub program: ProgramLimits,
}

/// `[code]`, as far as the kernel holds it; the rest is the settings of server `code`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ProgramLimits {
    /// A program with its calls, without the time that people are asked (`[CODE-08]`).
    pub wall: Duration,
    /// What it computes by itself, while no call of it is open.
    pub guest: Duration,
    /// Calls of one program.
    pub calls: u32,
    /// Bytes of what it prints that are kept; what comes after is counted.
    pub log_bytes: usize,
}

impl Default for ProgramLimits {
    fn default() -> Self {
        Self {
            wall: Duration::from_millis(limits::PROGRAM_WALL_MS),
            guest: Duration::from_millis(limits::PROGRAM_GUEST_MS),
            calls: limits::PROGRAM_CALLS_MAX,
            log_bytes: limits::PROGRAM_LOG_BYTES_MAX,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turn_calls_max: limits::TURN_CALLS_MAX,
            turn_steps_max: 200,
            parallel_calls_max: limits::PARALLEL_CALLS_MAX,
            output_bytes_max: 256 * 1024 * 1024,
            program: ProgramLimits::default(),
        }
    }
}
