//! The provider-neutral request, as `proto/tollgate/model/v1/model.proto` documents it.
//!
//! Strict: an unknown key, a role with fields that are not its own, or a result without its call's
//! id is refused with the place where it stands, before anything is sent.
//!
//! Not here: how a provider wants it (`chat/request.rs`).

use serde::Deserialize;
use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

/// One request to a model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The system prompt; may be empty.
    #[serde(default)]
    pub(crate) system: String,
    /// The conversation, oldest first.
    pub(crate) messages: Vec<Message>,
    /// The tools on offer, in order.
    #[serde(default)]
    pub(crate) tools: Vec<Tool>,
    /// Tokens that the answer may have.
    pub(crate) tokens_max: Option<u64>,
    /// Sampling temperature, as the provider understands it.
    pub(crate) temperature: Option<f64>,
    /// What it is for; no provider is told.
    #[serde(default)]
    pub(crate) purpose: Purpose,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    /// A step of a turn.
    #[default]
    Turn,
    /// To judge a call.
    Guardian,
}

/// One message of the conversation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    /// Who speaks.
    pub(crate) role: Role,
    /// What is said.
    #[serde(default)]
    pub(crate) content: Vec<Block>,
    /// Calls of an assistant message.
    #[serde(default)]
    pub(crate) tool_calls: Vec<Call>,
    /// What an earlier `Finished.reasoning` held.
    pub(crate) reasoning: Option<serde_json::Value>,
    /// The call that a tool message answers.
    pub(crate) tool_call_id: Option<String>,
    /// Whether a tool message tells of a failure.
    pub(crate) is_error: Option<bool>,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

/// A piece of content.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Block {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// "image/png".
        media_type: String,
        /// The bytes in base64.
        data: String,
    },
}

/// A call that the model made.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    /// As `ToolCall.id` had it.
    pub(crate) id: String,
    /// The tool.
    pub(crate) name: String,
    /// The text that the model wrote; may be no valid JSON.
    pub(crate) arguments: String,
}

/// A tool on offer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: String,
    /// What it does.
    #[serde(default)]
    pub(crate) description: String,
    /// JSON Schema of its arguments, byte for byte.
    pub(crate) input_schema: Box<RawValue>,
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// A sentence that names the place of the first fault.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, String> {
        let request: Self = serde_json::from_slice(json)
            .map_err(|fault| format!("`request` is not of the documented shape: {fault}"))?;
        for (at, message) in request.messages.iter().enumerate() {
            if let Some(fault) = message.fault() {
                return Err(format!("`request`: /messages/{at}: {fault}"));
            }
        }
        Ok(request)
    }

    /// How many answers of the model the conversation holds: the index of the step to come.
    pub(crate) fn step(&self) -> usize {
        self.messages.iter().filter(|message| message.role == Role::Assistant).count()
    }

    /// The tool results, oldest first.
    pub(crate) fn results(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.role == Role::Tool)
    }

    /// Whether a tool of this name is on offer.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }
}

impl Message {
    /// The text blocks, joined by a newline.
    pub(crate) fn text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|block| match block {
                Block::Text { text } => Some(text.as_str()),
                Block::Image { .. } => None,
            })
            .collect();
        texts.join("\n")
    }

    fn fault(&self) -> Option<&'static str> {
        let answers = self.tool_call_id.as_ref().is_some_and(|id| !id.is_empty());
        match self.role {
            Role::Tool if !answers => Some("a `tool` message needs `tool_call_id`"),
            Role::User | Role::Assistant if self.tool_call_id.is_some() => {
                Some("only a `tool` message has `tool_call_id`")
            }
            Role::User | Role::Assistant if self.is_error.is_some() => {
                Some("only a `tool` message has `is_error`")
            }
            Role::User | Role::Tool if !self.tool_calls.is_empty() => {
                Some("only an `assistant` message has `tool_calls`")
            }
            Role::User | Role::Tool if self.reasoning.is_some() => {
                Some("only an `assistant` message has `reasoning`")
            }
            Role::User | Role::Assistant | Role::Tool => None,
        }
    }
}
