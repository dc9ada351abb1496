//! The model's reasoning: shown as it comes, and kept for the provider that wants it back.
//!
//! `Finished.reasoning` of this format, at most [`ARGUMENTS_BYTES_MAX`] bytes:
//!
//! ```json
//! {"format": "chat", "provider": "deepseek", "fields": {"reasoning_content": "…"}}
//! ```
//!
//! `fields` are put into the assistant message when it is sent to the same provider again, and to
//! no other. DeepSeek refuses a conversation in which a message with calls lacks
//! `reasoning_content`, even an empty one, so it is kept when the provider had the key at all.

use serde_json::{Map, Value, json};

use crate::chat::chunk::Delta as Piece;
use crate::event::Delta;
use crate::limits::ARGUMENTS_BYTES_MAX;

#[cfg(test)]
mod tests;

/// The fields that a provider may want back.
const FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

/// The reasoning of one answer so far.
#[derive(Debug, Default)]
pub(crate) struct Reasoning {
    reasoning_content: Option<String>,
    reasoning: String,
    reasoning_details: Vec<Value>,
}

impl Reasoning {
    /// Takes what a piece has of it, and gives what is shown: one field, if several say the same.
    pub(crate) fn take(&mut self, piece: &Piece) -> Option<Delta> {
        if let Some(content) = &piece.reasoning_content {
            let text = content.as_str().unwrap_or_default();
            self.reasoning_content.get_or_insert_default().push_str(text);
        }
        if let Some(Value::String(text)) = &piece.reasoning {
            self.reasoning.push_str(text);
        }
        if let Some(Value::Array(details)) = &piece.reasoning_details {
            self.reasoning_details.extend(details.iter().cloned());
        }
        [&piece.reasoning_content, &piece.reasoning, &piece.thinking]
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .find(|text| !text.is_empty())
            .map(|text| Delta::Reasoning(text.to_owned()))
    }

    /// What must be sent back, as JSON text; empty for nothing.
    pub(crate) fn carried(self, provider: &str, has_calls: bool) -> Vec<u8> {
        let mut fields = Map::new();
        if let Some(text) = self.reasoning_content.filter(|text| has_calls || !text.is_empty()) {
            fields.insert("reasoning_content".into(), text.into());
        }
        if !self.reasoning.is_empty() {
            fields.insert("reasoning".into(), self.reasoning.into());
        }
        if !self.reasoning_details.is_empty() {
            fields.insert("reasoning_details".into(), self.reasoning_details.into());
        }
        if fields.is_empty() {
            return Vec::new();
        }
        let json = json!({"format": "chat", "provider": provider, "fields": fields}).to_string();
        if json.len() > ARGUMENTS_BYTES_MAX {
            tracing::warn!(
                provider,
                bytes = json.len(),
                "reasoning is too long to be carried back"
            );
            return Vec::new();
        }
        json.into_bytes()
    }
}

/// The fields to put into a message for this provider; none of another provider or format.
pub(crate) fn restore(carried: &Value, provider: &str) -> Map<String, Value> {
    let is = |key: &str, word: &str| carried.get(key).and_then(Value::as_str) == Some(word);
    if !is("format", "chat") || !is("provider", provider) {
        return Map::new();
    }
    let fields = carried.get("fields").and_then(Value::as_object);
    let known = |(key, _): &(&String, &Value)| FIELDS.contains(&key.as_str());
    fields.into_iter().flatten().filter(known).map(|(k, v)| (k.clone(), v.clone())).collect()
}
