//! The conversation as the model gets it: each message serialised once, so that a request is a join
//! and its prefix is the same bytes as before.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};
use tollgate_core::call::Block;

use crate::store::session::{Assistant, SessionRecord, ToolCall, ToolResult};
use tollgate_core::receipt::Status;

/// Messages in order.
#[derive(Clone, Debug, Default)]
pub struct History {
    messages: Vec<Bytes>,
    /// Calls of the last answer that have no result yet.
    open: Vec<ToolCall>,
}

impl History {
    /// A user's message.
    pub fn user(&mut self, text: &str) {
        self.close_open();
        self.push(&Message { content: vec![text_block(text)], ..Message::of("user") });
    }

    /// A model's answer; `carried`: its reasoning as the provider wants it back, JSON text or empty.
    pub fn assistant(&mut self, answer: &Assistant, carried: &str) {
        let said = !answer.text.is_empty();
        self.push(&Message {
            content: said.then(|| text_block(&answer.text)).into_iter().collect(),
            tool_calls: &answer.tool_calls,
            reasoning: serde_json::from_str(carried).ok(),
            ..Message::of("assistant")
        });
        self.open.clone_from(&answer.tool_calls);
    }

    /// A call's result.
    pub fn result(&mut self, tool_call_id: &str, content: &[Block], is_error: bool) {
        self.open.retain(|call| call.id != tool_call_id);
        self.push(&Message {
            content: content.iter().map(block).collect(),
            tool_call_id: Some(tool_call_id),
            is_error,
            ..Message::of("tool")
        });
    }

    /// Messages that a tool put behind its result.
    pub fn inject(&mut self, messages: &[Vec<Block>]) {
        for message in messages {
            let content = message.iter().map(block).collect();
            self.push(&Message { content, ..Message::of("user") });
        }
    }

    /// The request's exact bytes (proto `GenerateRequest.request`).
    #[must_use]
    pub fn request(&self, system: &str, tools: &[u8]) -> Bytes {
        let size = self.messages.iter().map(|message| message.len() + 1).sum::<usize>();
        let mut bytes = Vec::with_capacity(size + system.len() + tools.len() + 64);
        bytes.extend_from_slice(b"{\"system\":");
        bytes.extend_from_slice(Value::from(system).to_string().as_bytes());
        bytes.extend_from_slice(b",\"tools\":");
        bytes.extend_from_slice(tools);
        bytes.extend_from_slice(b",\"messages\":[");
        for (index, message) in self.messages.iter().enumerate() {
            if index > 0 {
                bytes.push(b',');
            }
            bytes.extend_from_slice(message);
        }
        bytes.extend_from_slice(b"]}");
        bytes.into()
    }

    /// Rebuilds a conversation from its log. Every call gets a result, also one that the log's end
    /// cut off, so that the next request is well-formed.
    #[must_use]
    pub fn from_records(records: &[SessionRecord]) -> Self {
        let mut history = Self::default();
        for record in records {
            match record {
                SessionRecord::User { text, .. } => history.user(text),
                SessionRecord::Assistant(answer) => {
                    history.close_open();
                    history.assistant(answer, &answer.carried);
                }
                SessionRecord::ToolResult(result) if !result.tool_call_id.is_empty() => {
                    history.logged_result(result);
                }
                SessionRecord::Inject { messages } => history.inject(messages),
                SessionRecord::ToolResult(_)
                | SessionRecord::Session(_)
                | SessionRecord::Request { .. }
                | SessionRecord::Cwd { .. }
                | SessionRecord::Observed { .. }
                | SessionRecord::Stance(_)
                | SessionRecord::Grants { .. }
                | SessionRecord::Tainted(_)
                | SessionRecord::TurnEnd { .. }
                | SessionRecord::Note { .. }
                | SessionRecord::End => {}
            }
        }
        history.close_open();
        history
    }

    fn logged_result(&mut self, result: &ToolResult) {
        self.result(&result.tool_call_id, &result.content, result.status != Status::Ok);
    }

    /// Gives every call without a result one that says so.
    fn close_open(&mut self) {
        for call in std::mem::take(&mut self.open) {
            let text = "the session ended while this call ran or before it started; it may have run \
                        in part, or not at all: look before you call it again";
            self.result(&call.id, &[Block::Text { text: text.to_owned() }], true);
        }
    }

    fn push(&mut self, message: &Message<'_>) {
        // Strings, numbers and JSON values cannot fail to serialise.
        self.messages.push(serde_json::to_vec(message).unwrap_or_default().into());
    }
}

/// One message of the neutral request (proto `GenerateRequest.request`).
#[derive(Default, Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tool_calls: &'a [ToolCall],
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

impl Message<'_> {
    fn of(role: &'static str) -> Self {
        Self { role, ..Self::default() }
    }
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn block(block: &Block) -> Value {
    match block {
        Block::Text { text } | Block::Resource { text, .. } => text_block(text),
        Block::Json { value } => text_block(&value.to_string()),
        Block::Image { media_type, data } => {
            json!({ "type": "image", "media_type": media_type, "data": data })
        }
        Block::Audio { media_type, .. } => text_block(&format!("[a sound of type {media_type}]")),
    }
}

#[cfg(test)]
mod tests;
