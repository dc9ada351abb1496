//! What happens in a session, as it is told to whoever watches: `exec --output-format stream-json`
//! prints these objects, one a line (`[CLI-02]`). Additive: a reader ignores what it does not know.

use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tollgate_core::{
    call::{Block, Caller, Truncated},
    name::{CallId, ServerName, SessionId},
    receipt::{Decision, Receipt, Status},
};

pub use crate::store::session::Usage;

use crate::approval::Card;

/// Events waiting for the watcher; a full queue makes the session wait, nothing is dropped.
pub const EVENTS_WAITING: usize = 256;

/// Where events go.
pub type EventSink = mpsc::Sender<Event>;

/// One event.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// From 1 in its session's run.
    pub seq: u64,
    /// ms since the epoch.
    pub ts: u64,
    /// The session.
    pub session: SessionId,
    /// The turn, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The model request within the turn, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// The call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// What happened.
    #[serde(flatten)]
    pub body: Body,
}

/// What happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type")]
pub enum Body {
    /// A session began or was resumed.
    #[serde(rename = "session.started")]
    SessionStarted {
        /// Absolute path.
        workspace: String,
        /// "plan", "work", "operate".
        mode: String,
        /// "ask", "auto-review", "full-access", "never".
        posture: String,
        /// As `--model`, or empty.
        model: String,
        /// It was resumed.
        resumed: bool,
    },
    /// A user's message was taken.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// The message.
        prompt: String,
    },
    /// A model request is ready to be sent.
    #[serde(rename = "request.prepared")]
    RequestPrepared {
        /// Bytes of the whole request.
        request_bytes: u64,
        /// Bytes of its tools array.
        tools_bytes: u64,
        /// The tools, in order.
        tool_names: Vec<String>,
        /// SHA-256 of the tools array.
        active_tool_catalog_sha256: String,
        /// Why the prefix is not that of the request before; absent: it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        prefix_change_reason: Option<String>,
    },
    /// A piece of the answer.
    #[serde(rename = "assistant.delta")]
    AssistantDelta {
        /// Text of the answer, or empty.
        #[serde(skip_serializing_if = "String::is_empty")]
        text: String,
        /// Text of the reasoning, or empty.
        #[serde(skip_serializing_if = "String::is_empty")]
        reasoning: String,
    },
    /// The model's whole answer of a step.
    #[serde(rename = "assistant.message")]
    AssistantMessage {
        /// Its text.
        text: String,
        /// How many tools it wants.
        tool_calls: usize,
        /// "end", "tools", "length", "refusal".
        stop: String,
    },
    /// The model server tries a request again.
    #[serde(rename = "model.retrying")]
    ModelRetrying {
        /// From 1.
        attempt: u32,
        /// Wait before it, ms.
        after_ms: u32,
        /// Why.
        reason: String,
    },
    /// A call was asked for.
    #[serde(rename = "tool.call")]
    ToolCall {
        /// The name as asked.
        name: String,
        /// Parsed, or the text as it came.
        arguments: Value,
        /// Who asked.
        caller: Caller,
        /// The call that asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
    },
    /// A call begins to run; for people.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// Canonical name.
        name: String,
        /// From the arguments: "Install dependencies".
        title: String,
    },
    /// How far a call is; may be missing.
    #[serde(rename = "tool.progress")]
    ToolProgress {
        /// One line.
        text: String,
        /// 0 to 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        fraction: Option<f32>,
    },
    /// Mode or posture was changed.
    #[serde(rename = "stance.changed")]
    StanceChanged {
        /// "plan", "work", "operate".
        mode: String,
        /// "ask", "auto-review", "full-access", "never".
        posture: String,
    },
    /// A server's tools are others than before; the session goes on with them.
    #[serde(rename = "catalog.changed")]
    CatalogChanged {
        /// The server.
        server: ServerName,
        /// Names of tools that there are now; at most 100, as of the other lists.
        added: Vec<String>,
        /// Names of tools that there were.
        removed: Vec<String>,
        /// Names of tools that say something else of themselves now.
        changed: Vec<String>,
        /// How many names the lists leave out.
        #[serde(skip_serializing_if = "is_zero")]
        more: usize,
    },
    /// A person is asked.
    #[serde(rename = "approval.requested")]
    ApprovalRequested {
        /// Names the question in the answer.
        id: String,
        /// What is asked.
        card: Box<Card>,
    },
    /// A question was decided.
    #[serde(rename = "approval.decided")]
    ApprovalDecided {
        /// The question.
        id: String,
        /// "approved", "denied", "refused".
        decision: Decision,
        /// "person" or "gate".
        decider: String,
    },
    /// The guardian has judged a held call.
    #[serde(rename = "guardian.judged")]
    GuardianJudged {
        /// The call may run, unless something narrowed meanwhile.
        allowed: bool,
        /// Its reason, or what went wrong with it; one line.
        reason: String,
    },
    /// A call has ended.
    #[serde(rename = "tool.result")]
    ToolResult {
        /// Canonical name, or as asked when there is no such tool.
        name: String,
        /// "ok", "failed", "refused", "`in_flight`".
        status: Status,
        /// "auto", "approved", "denied", "refused".
        decision: Decision,
        /// As the model gets it.
        content: Vec<Block>,
        /// Facts beside the content.
        metadata: Value,
        /// What the content leaves out.
        truncated: Option<Truncated>,
        /// A diff or text for people, or empty.
        #[serde(skip_serializing_if = "String::is_empty")]
        rendering: String,
        /// The whole receipt.
        receipt: Box<Receipt>,
    },
    /// A turn has ended.
    #[serde(rename = "turn.completed")]
    TurnCompleted {
        /// The answer.
        text: String,
        /// "end", "length", "refusal", "steps", "calls", "cancelled", "timeout", "error",
        /// "`repeated_failure`", "stopped", "hook" (a hook denied the message).
        stop_reason: String,
        /// Model requests.
        steps: u32,
        /// Tokens.
        usage: Usage,
        /// Calls that were refused or denied in the turn.
        refused: u32,
    },
    /// The session was closed.
    #[serde(rename = "session.ended")]
    SessionEnded {},
    /// Something failed that is no tool's failure.
    #[serde(rename = "error")]
    Error {
        /// "auth", "quota", "rate", "network", "server", "store", …
        class: String,
        /// What happened, why, what helps.
        message: String,
        /// The same may succeed later.
        retryable: bool,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
