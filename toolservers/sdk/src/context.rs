//! What a running call is given: where and for whom ([`Context`]), and its line to the kernel ([`Call`]).

use std::{path::PathBuf, sync::Arc};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{Caller, Channel, Observation, Withheld, call::Line};

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
    /// What it passes over of the trees that it reads ([`PathReach::GrantedTree`](crate::PathReach)).
    pub withheld: Withheld,
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

    /// Asks for another tool, through the gate. Gives `{"content", "metadata", "truncated"}`.
    ///
    /// # Errors
    /// [`HostError::Refused`] with the gate's sentence, [`HostError::Cancelled`].
    pub async fn call_tool(&self, name: &str, arguments: &Value) -> Result<Value, HostError> {
        self.line.call_tool(name, arguments, &self.cancelled).await
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
