//! What a call gives back: [`Reply`] or [`Failure`].

use std::{path::PathBuf, time::SystemTime};

use serde_json::Value;

/// What may have changed in the world.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Effects {
    /// Nothing changed.
    None,
    /// Some of it happened.
    Partial,
    /// Not known.
    Unknown,
    /// All of it happened.
    Complete,
}

/// A block of the result, as the model gets it.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    Text(String),
    Image { media_type: String, data: Vec<u8> },
    Json(Value),
}

/// For people, apart from what the model gets.
#[derive(Clone, Debug)]
pub enum Rendering {
    /// Plain text.
    Text(String),
    /// A unified diff.
    Diff(String),
}

/// What the content leaves out.
#[derive(Clone, Copy, Debug)]
pub struct Truncated {
    /// Size of the whole in bytes.
    pub bytes: u64,
    /// Size of the whole in lines; 0: not counted.
    pub lines: u64,
    /// All that was sent by [`crate::Call::output`] is the whole.
    pub in_output: bool,
}

/// A file's content as this call saw or made it; the kernel tells it to later calls of the session.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Observation {
    /// Absolute, as in the subject.
    pub path: PathBuf,
    /// SHA-256 of the whole content.
    pub sha256: [u8; 32],
    /// When it was seen.
    pub seen: SystemTime,
    /// The file's modification time then.
    pub modified: SystemTime,
}

/// Where a piece of output comes from.
#[derive(Clone, Copy, Debug)]
pub enum Channel {
    /// Standard output and standard error as they came.
    Terminal,
    /// The tool's full result, when the content shows a part of it.
    Result,
}

/// A result. Built in a chain: `Reply::text("done").metadata(json!({"lines": 3}))`.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub(crate) content: Vec<Block>,
    pub(crate) structured: Option<Value>,
    pub(crate) metadata: Option<Value>,
    pub(crate) messages: Vec<Vec<Block>>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) observations: Vec<Observation>,
    pub(crate) truncated: Option<Truncated>,
    pub(crate) rendering: Option<Rendering>,
    pub(crate) confinement: String,
}

impl Reply {
    /// One block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Block::Text(text.into())], ..Self::default() }
    }

    /// One block of JSON.
    #[must_use]
    pub fn json(value: Value) -> Self {
        Self { content: vec![Block::Json(value)], ..Self::default() }
    }

    /// With one more block of text after what is there.
    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.content.push(Block::Text(text.into()));
        self
    }

    /// With an image after what is there; at most 192 KiB.
    #[must_use]
    pub fn image(mut self, media_type: impl Into<String>, data: Vec<u8>) -> Self {
        self.content.push(Block::Image { media_type: media_type.into(), data });
        self
    }

    /// With a machine-readable result by the output schema.
    #[must_use]
    pub fn structured(self, value: Value) -> Self {
        Self { structured: Some(value), ..self }
    }

    /// With facts beside the content; an object of at most 64 KiB.
    #[must_use]
    pub fn metadata(self, value: Value) -> Self {
        Self { metadata: Some(value), ..self }
    }

    /// With an image as a message of its own after the result, for models that take images only
    /// from users.
    #[must_use]
    pub fn inject_image(mut self, media_type: impl Into<String>, data: Vec<u8>) -> Self {
        self.messages.push(vec![Block::Image { media_type: media_type.into(), data }]);
        self
    }

    /// With a new working directory for the session. Honoured only if the call was not
    /// concurrency-safe.
    #[must_use]
    pub fn cwd(self, cwd: impl Into<PathBuf>) -> Self {
        Self { cwd: Some(cwd.into()), ..self }
    }

    /// With a file that was seen or made; at most 64.
    #[must_use]
    pub fn observed(mut self, observation: Observation) -> Self {
        self.observations.push(observation);
        self
    }

    /// With what the content leaves out.
    #[must_use]
    pub fn truncated(self, truncated: Truncated) -> Self {
        Self { truncated: Some(truncated), ..self }
    }

    /// With the confinement that the processes of this call had, in words for the receipt, where it is
    /// another one than the server's.
    #[must_use]
    pub fn confined(self, words: impl Into<String>) -> Self {
        Self { confinement: words.into(), ..self }
    }

    /// With a rendering for people.
    #[must_use]
    pub fn rendering(self, rendering: Rendering) -> Self {
        Self { rendering: Some(rendering), ..self }
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

/// The tool could not do it. The model reads the content; programs branch on the class.
#[derive(Clone, Debug)]
pub struct Failure {
    pub(crate) class: String,
    pub(crate) effects: Effects,
    pub(crate) cancelled: bool,
    pub(crate) reply: Box<Reply>,
}

impl Failure {
    /// A class to branch on ("`not_found`") and one or more sentences: what happened, why, what helps.
    /// Nothing changed in the world unless [`Failure::effects`] says otherwise.
    #[must_use]
    pub fn new(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            class: class.into(),
            effects: Effects::None,
            cancelled: false,
            reply: Box::new(Reply::text(message)),
        }
    }

    /// A failure with a whole reply: output, metadata, truncation.
    #[must_use]
    pub fn with_reply(class: impl Into<String>, reply: Reply) -> Self {
        Self {
            class: class.into(),
            effects: Effects::None,
            cancelled: false,
            reply: Box::new(reply),
        }
    }

    /// The call stopped because it was told to.
    #[must_use]
    pub fn cancelled(message: impl Into<String>) -> Self {
        Self { cancelled: true, ..Self::new("cancelled", message) }
    }

    /// With what may have changed.
    #[must_use]
    pub fn effects(self, effects: Effects) -> Self {
        Self { effects, ..self }
    }

    /// With a reply in place of the message, for a call that was cancelled after some output.
    #[must_use]
    pub fn reply(self, reply: Reply) -> Self {
        Self { reply: Box::new(reply), ..self }
    }
}
