//! What a running call is given: where and for whom ([`Context`]), and its line to the kernel ([`Call`]).

use std::{path::PathBuf, sync::Arc};

use tokio_util::sync::CancellationToken;

use crate::{Caller, Channel, Observation, Sandbox, Withheld, call::Line};

/// Where a call runs and for whom. Explicit: a server keeps nothing else about sessions.
#[derive(Clone, Debug)]
pub struct Context {
    /// The call's id; empty while preparing is not possible, it is always set.
    pub call_id: String,
    /// The session.
    pub session: String,
    /// Turn and step of the session from 1; 0 when there is none.
    pub turn: u32,
    /// See `turn`.
    pub step: u32,
    /// "main" or a child's id.
    pub agent: String,
    /// The agent's role, or empty.
    pub role: String,
    /// Who asked.
    pub caller: Caller,
    /// Absolute paths; the first is the workspace.
    pub roots: Vec<PathBuf>,
    /// The session's working directory, inside a root.
    pub cwd: PathBuf,
    /// "plan", "work" or "operate".
    pub mode: String,
    /// "ask", "auto-review", "full-access" or "never".
    pub posture: String,
    /// Whether a person can be asked.
    pub can_ask: bool,
    /// What this session last saw of the files that this call touches.
    pub observations: Vec<Observation>,
}

/// What the grant lets the call reach.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Absolute paths below which it may read.
    pub read_roots: Vec<PathBuf>,
    /// Absolute paths below which it may write.
    pub write_roots: Vec<PathBuf>,
    /// Hosts it may talk to.
    pub hosts: Vec<String>,
    /// May start programs.
    pub exec: bool,
    /// May use the network.
    pub network: bool,
    /// What it passes over of the trees that it reads ([`PathReach::GrantedTree`](crate::PathReach)); of a
    /// call that starts programs, what these cannot read.
    pub withheld: Withheld,
    /// How far its programs may reach.
    pub sandbox: Sandbox,
    /// What its programs leave as it is, also where nothing is yet.
    pub held: Withheld,
    /// Absolute paths that are held and that it may change all the same.
    pub opened: Vec<PathBuf>,
}

/// Why a call is stopped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CancelReason {
    /// A person stopped it.
    User,
    /// A clock of the kernel ran out.
    Deadline,
    /// The turn, the session or the server ends.
    Session,
    /// Mode or posture became narrower.
    Narrowed,
    /// The call broke the contract.
    Fault,
}

/// The kernel did not do what a call asked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum HostError {
    /// The gate, a limit or a fault said no.
    #[error("{0}")]
    Refused(String),
    /// The call is being stopped.
    #[error("the call was cancelled while it waited for the kernel")]
    Cancelled,
}

/// How a call that a call asked for ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ending {
    /// It did what was asked.
    Succeeded,
    /// It ran, or began to, and could not.
    Failed,
    /// The gate, a limit or a fault said no: it did not run.
    Refused,
    /// A person or the guardian said no: it did not run.
    Denied,
}

/// What became of a call that a call asked for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Called {
    /// How it ended.
    pub ending: Ending,
    /// `{"content", "metadata", "truncated"}` as JSON text.
    pub result: bytes::Bytes,
    /// When it did not succeed: what happened.
    pub message: String,
    /// When it did not succeed: a stable word to branch on.
    pub class: String,
}

impl Called {
    /// The result of a call that succeeded, as JSON text, or what happened instead.
    ///
    /// # Errors
    /// It did not succeed: the message.
    pub fn succeeded(self) -> Result<String, String> {
        match self.ending {
            Ending::Succeeded => Ok(String::from_utf8_lossy(&self.result).into_owned()),
            Ending::Failed | Ending::Refused | Ending::Denied => Err(self.message),
        }
    }
}

/// A running call: its context, its grant's scope, and its line to the kernel.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where and for whom.
    pub context: Arc<Context>,
    /// What the grant lets it reach.
    pub scope: Arc<Scope>,
    /// Bytes of content that the kernel keeps inline.
    pub content_bytes_max: usize,
    /// Bytes of [`Call::output`] that the kernel keeps; stop sending there and say so.
    pub output_bytes_max: u64,
    /// Fires when the call must stop. A tool that does not watch it is ended after the grace.
    pub cancelled: CancellationToken,
    /// Fires when the kernel's session has ended, after the call or before: what a call leaves running
    /// in this server ends with it.
    pub session_over: CancellationToken,
    pub(crate) line: Line,
}

impl Call {
    /// Why the call is stopped, once [`Call::cancelled`] has fired.
    #[must_use]
    pub fn cancel_reason(&self) -> Option<CancelReason> {
        self.line.cancel_reason()
    }

    /// Tells people how far the call is. Never waits; may be dropped or merged.
    pub fn progress(&self, text: impl Into<String>, fraction: Option<f32>) {
        self.line.progress(text.into(), fraction);
    }

    /// Sends a piece of output. Waits for credit: a slow reader slows this call and no other.
    ///
    /// # Errors
    /// The call is cancelled, or the session has ended.
    pub async fn output(&self, channel: Channel, data: &[u8]) -> Result<(), HostError> {
        self.line.output(channel, data, &self.cancelled).await
    }

    /// Asks for another tool, through the gate; `arguments` is JSON text. At most 32 requests of a call
    /// are with the kernel at once, further ones wait here. Needs [`crate::HostService::CallTool`].
    ///
    /// # Errors
    /// [`HostError::Refused`]: the request itself was no good (not declared, too large);
    /// [`HostError::Cancelled`]. A call that fails or is refused is no error: see [`Called::ending`].
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: impl Into<bytes::Bytes>,
    ) -> Result<Called, HostError> {
        self.line.call_tool(name, arguments.into(), &self.cancelled).await
    }

    /// Asks the catalog; `arguments` are those of `tool_search`. Needs
    /// [`crate::HostService::SearchTools`].
    ///
    /// # Errors
    /// As [`Call::call_tool`].
    pub async fn search_tools(
        &self,
        arguments: impl Into<bytes::Bytes>,
    ) -> Result<Called, HostError> {
        self.line.search_tools(arguments.into(), &self.cancelled).await
    }

    /// Reads a piece of an artifact of this session, at most 64 KiB; fewer bytes than asked for are
    /// its end. Needs [`crate::HostService::ReadArtifact`] in the spec.
    ///
    /// # Errors
    /// [`HostError::Refused`] with the reason (no such artifact, not declared), [`HostError::Cancelled`].
    pub async fn read_artifact(
        &self,
        id: &str,
        offset: u64,
        limit: u32,
    ) -> Result<bytes::Bytes, HostError> {
        self.line.read_artifact(id, offset, limit, &self.cancelled).await
    }
}
