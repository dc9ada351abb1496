//! The stages of one call, in order. Each is made only by the stage before it, so that a reader
//! follows types and a call that skipped a stage does not compile:
//!
//! [`RawCall`] → [`Resolved`] (name) → [`Eligible`] (admission) → [`Checked`] (arguments) →
//! [`Classified`] (what it would do) → [`Permitted`] (holds a permit) → [`Outcome`] → receipt.
//!
//! Not here: the functions between the stages ([`crate::catalog`], [`crate::authority`],
//! [`crate::schema`]), and the one that runs them all (`engine::gate`).

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    authority::Permit,
    catalog::Entry,
    digest::Digest,
    name::{CallId, SessionId},
    safety::{Escalation, Safety, Subject, Trust},
};

/// Who asked for a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// The model, in a step.
    Model,
    /// A program of code mode, or what works for one.
    Program,
    /// Another tool server.
    Server,
    /// A person, by `tollgate call`.
    User,
    /// An MCP or kernel-gRPC client.
    Client,
}

/// Where in a session a call stands.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Position {
    /// The session.
    pub session: SessionId,
    /// From 1; 0 when there is no turn (`tollgate call`).
    pub turn: u32,
    /// Model request within the turn, from 1; 0 likewise.
    pub step: u32,
    /// "main" or a child's id.
    pub agent: String,
}

impl Position {
    /// The agent of every session, which nobody started.
    pub const MAIN: &'static str = "main";

    /// Whether the call is of the session's own agent, and not of a child.
    #[must_use]
    pub fn is_main(&self) -> bool {
        self.agent == Self::MAIN
    }
}

/// A call as it was asked for: nothing is known of it.
#[derive(Clone, Debug)]
pub struct RawCall {
    /// Minted when it was asked for.
    pub id: CallId,
    /// The call that asked, if one did.
    pub parent: Option<CallId>,
    /// How many calls stand above it, each asked for by the one before; 0: none.
    pub depth: u32,
    /// Who asked.
    pub caller: Caller,
    /// Where.
    pub position: Position,
    /// The name as it was written.
    pub name: String,
    /// JSON text as it was written; may be anything.
    pub arguments: Bytes,
}

/// A call whose name is a tool's.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub(crate) raw: RawCall,
    pub(crate) entry: Arc<Entry>,
}

/// A call that mode, lists, caller and availability do not forbid.
#[derive(Clone, Debug)]
pub struct Eligible(pub(crate) Resolved);

/// A call whose arguments fit the tool's schema.
#[derive(Clone, Debug)]
pub struct Checked {
    pub(crate) resolved: Resolved,
    pub(crate) arguments: Bytes,
    pub(crate) value: Value,
    pub(crate) coercions: Vec<Coercion>,
}

/// What a server said that a call would do, as the wire has it.
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    /// Claimed, not yet believed.
    pub safety: Safety,
    /// What rules match.
    pub subjects: Vec<Subject>,
    /// For people, or empty.
    pub title: String,
    /// For the approval card, or empty.
    pub preview: String,
    /// It wants a wider sandbox.
    pub escalation: Option<Escalation>,
}

/// A call of which is known what it would do.
#[derive(Clone, Debug)]
pub struct Classified {
    pub(crate) checked: Checked,
    pub(crate) safety: Safety,
    pub(crate) subjects: Vec<Subject>,
    pub(crate) title: String,
    pub(crate) preview: String,
    pub(crate) escalation: Option<Escalation>,
    pub(crate) arguments_sha256: Digest,
}

/// A call with the permit to run, once.
#[derive(Debug)]
pub struct Permitted {
    pub(crate) call: Classified,
    pub(crate) permit: Permit,
}

/// One change that was made to arguments because it was certainly meant.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Coercion {
    /// JSON pointer; empty for the whole.
    pub pointer: String,
    /// What came: "string".
    pub from: String,
    /// What it was taken as: "integer".
    pub to: String,
}

impl Resolved {
    /// The call as it was asked for.
    #[must_use]
    pub fn raw(&self) -> &RawCall {
        &self.raw
    }

    /// The tool.
    #[must_use]
    pub fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }
}

impl Eligible {
    /// The call with its tool.
    #[must_use]
    pub fn resolved(&self) -> &Resolved {
        &self.0
    }
}

impl Checked {
    /// The call with its tool.
    #[must_use]
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// The exact bytes that will be sent and granted.
    #[must_use]
    pub fn arguments(&self) -> &Bytes {
        &self.arguments
    }

    /// Joins the server's word to the call, believed as far as the server is trusted.
    #[must_use]
    pub fn classify(self, preparation: Preparation) -> Classified {
        let trust = self.resolved.entry.trust;
        let safety = preparation.safety.believed(trust);
        let mut subjects = preparation.subjects;
        for subject in &mut subjects {
            subject.believe(trust);
        }
        Classified {
            arguments_sha256: Digest::of(&self.arguments),
            checked: self,
            safety,
            subjects,
            escalation: preparation.escalation,
            title: preparation.title,
            preview: preparation.preview,
        }
    }
}

impl Classified {
    /// The call as it was asked for.
    #[must_use]
    pub fn raw(&self) -> &RawCall {
        &self.checked.resolved.raw
    }

    /// The tool.
    #[must_use]
    pub fn entry(&self) -> &Arc<Entry> {
        &self.checked.resolved.entry
    }

    /// The exact bytes that will be sent and granted.
    #[must_use]
    pub fn arguments(&self) -> &Bytes {
        &self.checked.arguments
    }

    /// The arguments, parsed.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.checked.value
    }

    /// Digest of [`Self::arguments`].
    #[must_use]
    pub fn arguments_sha256(&self) -> Digest {
        self.arguments_sha256
    }

    /// What was changed in the arguments because it was certainly meant.
    #[must_use]
    pub fn coercions(&self) -> &[Coercion] {
        &self.checked.coercions
    }

    /// What it would do, as far as believed.
    #[must_use]
    pub fn safety(&self) -> Safety {
        self.safety
    }

    /// Whether it runs a program and does nothing else, since each of the program's calls is judged by
    /// itself (`[CODE-04]`). Believed of a trusted server only.
    #[must_use]
    pub fn is_program(&self) -> bool {
        self.entry().runs_programs() && self.entry().trust == Trust::Trusted
    }

    /// What it touches.
    #[must_use]
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// For people; the tool's name when the server gave none.
    #[must_use]
    pub fn title(&self) -> &str {
        if self.title.is_empty() { self.entry().canonical().as_str() } else { &self.title }
    }

    /// Its wish for a wider sandbox.
    #[must_use]
    pub fn escalation(&self) -> Option<&Escalation> {
        self.escalation.as_ref()
    }

    /// For the approval card, or empty.
    #[must_use]
    pub fn preview(&self) -> &str {
        &self.preview
    }
}

impl Permitted {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &Classified {
        &self.call
    }

    /// Why it may run.
    #[must_use]
    pub fn permit(&self) -> &Permit {
        &self.permit
    }
}

/// One block of a result.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Block {
    /// Text for the model.
    Text {
        /// UTF-8.
        text: String,
    },
    /// An image.
    Image {
        /// "image/png".
        media_type: String,
        /// Base64.
        data: String,
    },
    /// A sound.
    Audio {
        /// "audio/wav".
        media_type: String,
        /// Base64.
        data: String,
    },
    /// Something with an address.
    Resource {
        /// Where.
        uri: String,
        /// What.
        media_type: String,
        /// Its text, or empty.
        text: String,
    },
    /// A JSON value.
    Json {
        /// The value.
        value: Value,
    },
}

/// The first text among blocks; what an error says of itself.
#[must_use]
pub fn first_text(content: &[Block]) -> Option<&str> {
    content.iter().find_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        Block::Image { .. } | Block::Audio { .. } | Block::Resource { .. } | Block::Json { .. } => {
            None
        }
    })
}

/// What may have changed in the world.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effects {
    /// Nothing.
    None,
    /// Some of it happened.
    Partial,
    /// Not known.
    #[default]
    Unknown,
    /// All of it happened.
    Complete,
}

/// What the content of an outcome leaves out.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Truncated {
    /// Size of the whole.
    pub bytes: u64,
    /// Lines of the whole, if counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// The artifact that holds the whole: `artifact:<64 hex digits>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spill: Option<String>,
}

/// How a call that reached a server ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the tool did what was asked.
    pub succeeded: bool,
    /// What may have changed.
    pub effects: Effects,
    /// For the model.
    pub content: Vec<Block>,
    /// By the output schema, or null.
    pub structured: Value,
    /// Facts beside the content, an object or null.
    pub metadata: Value,
    /// Messages for the conversation after the result.
    pub messages: Vec<Vec<Block>>,
    /// What the content leaves out.
    pub truncated: Option<Truncated>,
    /// A diff or text for people, or empty.
    pub rendering: String,
    /// A stable word when it failed ("`not_found`"), or empty.
    pub error_class: String,
}

impl Outcome {
    /// A failure that the kernel itself reports: the server never answered, or not in time.
    #[must_use]
    pub fn failure(error_class: &str, effects: Effects, message: String) -> Self {
        Self {
            succeeded: false,
            effects,
            content: vec![Block::Text { text: message }],
            structured: Value::Null,
            metadata: Value::Null,
            messages: Vec::new(),
            truncated: None,
            rendering: String::new(),
            error_class: error_class.to_owned(),
        }
    }
}
