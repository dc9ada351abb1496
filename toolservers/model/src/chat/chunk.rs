//! A piece of a Chat Completions stream, read as loosely as servers write it.
//!
//! What is read for show or for numbers only (`usage`, reasoning, `content`) is a [`Value`], so
//! that an odd shape there does not lose the answer. What names a call is typed: an odd shape there
//! breaks the contract.
//!
//! Not here: what the pieces add up to (`stream.rs`, `calls.rs`).

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The data of one event, or a whole answer of a server that does not stream.
#[derive(Debug, Deserialize)]
pub(crate) struct Chunk {
    /// Missing or empty in the last chunk, which has the usage.
    pub(crate) choices: Option<Vec<Choice>>,
    /// Token counts, so far or in all.
    pub(crate) usage: Option<Value>,
    /// The model's full name.
    pub(crate) model: Option<String>,
    /// The stream broke.
    pub(crate) error: Option<Value>,
}

/// One of the answers; we ask for one.
#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    /// Absent: 0.
    pub(crate) index: Option<u64>,
    /// What is new.
    pub(crate) delta: Option<Delta>,
    /// All of it, from a server that does not stream.
    pub(crate) message: Option<Delta>,
    /// Set in the last chunk with a choice.
    pub(crate) finish_reason: Option<String>,
    /// The answer broke (OpenRouter).
    pub(crate) error: Option<Value>,
}

/// What is new in an answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Delta {
    /// Text, or a list of parts.
    pub(crate) content: Option<Value>,
    /// Text with which the model declines.
    pub(crate) refusal: Option<String>,
    /// Reasoning (DeepSeek, vLLM); an outer `Some` says that the key is there.
    #[serde(default, deserialize_with = "present")]
    pub(crate) reasoning_content: Option<Value>,
    /// Reasoning (OpenRouter, vLLM, Groq).
    pub(crate) reasoning: Option<Value>,
    /// Reasoning, in parts that must be sent back untouched (OpenRouter).
    pub(crate) reasoning_details: Option<Value>,
    /// Reasoning (some gateways).
    pub(crate) thinking: Option<Value>,
    /// Pieces of calls.
    pub(crate) tool_calls: Option<Vec<CallDelta>>,
    /// A piece of the only call, in the form before `tool_calls`.
    pub(crate) function_call: Option<FunctionDelta>,
}

/// A piece of a call.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct CallDelta {
    /// Which of the answer's calls.
    pub(crate) index: Option<u64>,
    /// The provider's id.
    pub(crate) id: Option<String>,
    /// Name and arguments.
    pub(crate) function: Option<FunctionDelta>,
}

/// Name and arguments, or a part of them.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct FunctionDelta {
    /// The tool.
    pub(crate) name: Option<String>,
    /// A string with a part of the JSON text, or (llama.cpp, Ollama) the JSON value itself.
    pub(crate) arguments: Option<Box<RawValue>>,
}

/// Tells a key with `null` from no key.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl FunctionDelta {
    /// The part of the arguments' text: of a string its content, of another value its own text.
    pub(crate) fn fragment(&self) -> String {
        let Some(raw) = &self.arguments else { return String::new() };
        serde_json::from_str::<String>(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
    }
}
