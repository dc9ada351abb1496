//! Answers as events of Chat Completions.

use serde_json::{Value, json};

/// One call that the model wants.
#[derive(Clone, Debug)]
pub(crate) struct ToolCall {
    /// The tool.
    pub(crate) name: String,
    /// Its arguments.
    pub(crate) arguments: Value,
}

impl ToolCall {
    /// A call.
    pub(crate) fn new(name: &str, arguments: Value) -> Self {
        Self { name: name.to_owned(), arguments }
    }
}

/// An answer that ends the turn.
pub(crate) fn text(text: &str) -> String {
    events(json!({ "role": "assistant", "content": text }), "stop")
}

/// An answer that wants calls; `step` makes their ids unique.
pub(crate) fn calls(step: usize, calls: &[ToolCall]) -> String {
    let calls = calls.iter().enumerate().map(|(index, call)| {
        json!({
            "index": index,
            "id": format!("call_{step}_{index}"),
            "type": "function",
            "function": { "name": call.name, "arguments": call.arguments.to_string() },
        })
    });
    let calls: Vec<Value> = calls.collect();
    events(json!({ "role": "assistant", "content": null, "tool_calls": calls }), "tool_calls")
}

fn events(delta: Value, finish: &str) -> String {
    let chunk = |delta: Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        format!("data: {}\n\n", json!({ "model": "mock", "choices": [choice] }))
    };
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let usage = json!({ "model": "mock", "choices": [], "usage": usage });
    let end = chunk(json!({}), Some(finish));
    format!("{}{end}data: {usage}\n\ndata: [DONE]\n\n", chunk(delta, None))
}
