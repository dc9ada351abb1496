//! [`SessionRecord`]: what a session log holds, in the order in which it happened.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_core::{
    authority::Taint,
    call::{Block, Truncated},
    digest::Digest,
    name::{CallId, SessionId},
    receipt::{Decision, Status},
    stance::Stance,
};

/// One line of a session log.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionRecord {
    /// The first record, and only that.
    Session(Head),
    /// A person's message; begins a turn.
    User {
        /// From 1.
        turn: u32,
        /// The message.
        text: String,
    },
    /// A request is about to go to the model.
    Request {
        /// The turn, from 1.
        turn: u32,
        /// Model request within the turn, from 1.
        step: u32,
        /// Size of the whole request.
        bytes: u64,
        /// Digest of its exact bytes.
        sha256: Digest,
        /// Digest of its tools array.
        tools_sha256: Digest,
        /// What is kept for looks at it; none in logs of older kernels.
        #[serde(flatten)]
        kept: RequestKept,
    },
    /// The model's whole answer.
    Assistant(Assistant),
    /// A call's result as the model gets it; its receipt is written before.
    ToolResult(ToolResult),
    /// Messages that a tool put behind its result.
    Inject {
        /// Each one message.
        messages: Vec<Vec<Block>>,
    },
    /// The working directory from here on.
    Cwd {
        /// Absolute.
        path: PathBuf,
    },
    /// Files whose content the conversation has seen.
    Observed {
        /// In the order in which they were seen.
        files: Vec<Observed>,
    },
    /// Mode and posture from here on.
    Stance(Stance),
    /// A person allowed such calls until the session ends.
    Grants {
        /// In compact form.
        rules: Vec<String>,
    },
    /// Untrusted text came in: it holds for the whole session, also when that is resumed (`[THR-04]`).
    Tainted(Taint),
    /// A turn has ended.
    TurnEnd {
        /// The turn, from 1.
        turn: u32,
        /// A stable word ("`done`", "`step_limit`").
        stop_reason: String,
        /// The final answer, or empty.
        text: String,
        /// Model requests of the turn.
        steps: u32,
        /// Of the whole turn.
        usage: Usage,
    },
    /// Something for people that reads the log: a repair, a server that was restarted.
    Note {
        /// A sentence.
        text: String,
    },
    /// The session was ended on purpose. It can be resumed all the same.
    End,
}

/// What is kept of a request for looks at it later (`[CAT-31]`). Artifacts are there before the record.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct RequestKept {
    /// Size of the tools array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_bytes: Option<u64>,
    /// The artifact with the tools array, where secrets had to be taken out of it; else `tools_sha256`
    /// names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted_tools_sha256: Option<Digest>,
    /// The artifact with what was known of the tools beside (`core::catalog::snapshot::SurfaceFacts`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_sha256: Option<Digest>,
    /// As `--model`; absent: none was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What a session is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Head {
    /// Its id; the name of its files.
    pub id: SessionId,
    /// What started it.
    pub kind: SessionKind,
    /// When, ms since the epoch.
    pub created_unix_ms: u64,
    /// Absolute.
    pub workspace: PathBuf,
    /// Absolute; what tools may read, the workspace first.
    pub roots: Vec<PathBuf>,
    /// At the start.
    #[serde(flatten)]
    pub stance: Stance,
    /// "provider/model"; empty when no model is used.
    pub model: String,
    /// Version of the kernel that made it.
    pub version: String,
}

/// What started a session.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// `tollgate`: a person at a terminal.
    Interactive,
    /// `tollgate exec`: a headless turn.
    Exec,
    /// `tollgate call`: one call.
    Call,
    /// `tollgate run`: one program.
    Run,
    /// `tollgate mcp serve`: an MCP client.
    Mcp,
    /// `tollgate serve`: a client of the kernel's own protocol.
    Serve,
    /// A child agent.
    Agent,
    /// `tollgate demo`.
    Demo,
    /// A kind of a newer version.
    #[serde(other)]
    Other,
}

/// The model's whole answer.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Assistant {
    /// The turn, from 1.
    pub turn: u32,
    /// Model request within the turn, from 1.
    pub step: u32,
    /// What it said, or empty.
    pub text: String,
    /// What it thought, or empty.
    pub reasoning: String,
    /// Reasoning as the provider wants it back with the next request; JSON text or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub carried: String,
    /// What it asked for, in its order.
    pub tool_calls: Vec<ToolCall>,
    /// Why it stopped, a stable word.
    pub stop: String,
    /// Of this request.
    pub usage: Usage,
    /// The model that answered.
    pub model: String,
}

/// A call that the model asked for.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ToolCall {
    /// The model's own id for it.
    pub id: String,
    /// The name as written.
    pub name: String,
    /// JSON text as written; may be anything.
    pub arguments: String,
}

/// A call's result as the model gets it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ToolResult {
    /// The turn, from 1; 0 when there is none.
    pub turn: u32,
    /// Model request within the turn, from 1; 0 likewise.
    pub step: u32,
    /// The kernel's id.
    pub call_id: CallId,
    /// The model's id; empty when no model asked.
    pub tool_call_id: String,
    /// Canonical name; as asked when it is no tool's.
    pub name: String,
    /// What became of it.
    pub status: Status,
    /// The gate's decision.
    pub decision: Decision,
    /// For the model.
    pub content: Vec<Block>,
    /// Facts beside the content, an object or null.
    pub metadata: Value,
    /// What the content leaves out.
    pub truncated: Option<Truncated>,
    /// Head of the receipt chain after this call's receipt: anchors the chain's end.
    pub receipt_head: Digest,
}

/// A file whose content the conversation has seen.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Observed {
    /// Absolute, on the server's host.
    pub path: String,
    /// Of the whole content.
    pub sha256: Digest,
    /// When it was seen, ms since the epoch.
    pub seen_unix_ms: u64,
    /// Modification time when seen, ns since the epoch; 0: not told.
    pub modified_unix_ns: u64,
}

/// Tokens; 0 is not told.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Usage {
    /// Of the request.
    pub input: u64,
    /// Of the answer.
    pub output: u64,
    /// Of the request, read from the provider's cache.
    pub cached_input: u64,
}
