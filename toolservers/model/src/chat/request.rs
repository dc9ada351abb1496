//! Writes the body of a Chat Completions request.
//!
//! The same conversation gives the same bytes, and a longer one keeps the shorter one's bytes as
//! far as they go, so that a provider's prompt cache holds (test `the_prefix_is_stable`).
//!
//! Where the formats differ:
//! - An image in a tool's result goes into a user message after the results, since `tool` messages
//!   take text only.
//! - Arguments that are no JSON object become `{"invalid_json": text}`: servers parse the history,
//!   and would refuse the conversation for ever. Empty ones become `{}`.
//! - Reasoning of this provider becomes its own fields in the assistant message.
//!
//! Not here: what may be sent at all (the kernel), the answer (`stream.rs`).

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::chat::reasoning;
use crate::request::{Block, Call, Message, Request, Role, Tool};
use crate::settings::Provider;

#[cfg(test)]
mod tests;

/// The body, in the order in which it is sent.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    stream_options: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<OfferedTool<'a>>,
    messages: Vec<Value>,
}

#[derive(Serialize)]
struct OfferedTool<'a> {
    r#type: &'static str,
    function: OfferedFunction<'a>,
}

#[derive(Serialize)]
struct OfferedFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

/// The body of one request to `model` at `provider`, as JSON text.
///
/// # Errors
///
/// A sentence; a number has no JSON form.
pub(crate) fn body(provider: &Provider, model: &str, request: &Request) -> Result<Vec<u8>, String> {
    let is_openai = provider.is_openai();
    let body = Body {
        model,
        stream: true,
        stream_options: json!({"include_usage": true}),
        // OpenAI's newer models refuse `max_tokens`; compatible servers know nothing else.
        max_completion_tokens: request.tokens_max.filter(|_| is_openai),
        max_tokens: request.tokens_max.filter(|_| !is_openai),
        temperature: request.temperature,
        tools: request.tools.iter().map(offer).collect(),
        messages: messages(&provider.name, request),
    };
    serde_json::to_vec(&body).map_err(|fault| format!("the request has no JSON form: {fault}"))
}

fn offer(tool: &Tool) -> OfferedTool<'_> {
    let Tool { name, description, input_schema } = tool;
    OfferedTool {
        r#type: "function",
        function: OfferedFunction { name, description, parameters: input_schema },
    }
}

fn messages(provider: &str, request: &Request) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    // Images of results wait until the run of results is over: results must follow their calls.
    let mut images = Vec::new();
    for message in &request.messages {
        if message.role != Role::Tool {
            messages.extend(shown(&mut images));
        }
        messages.push(match message.role {
            Role::User => json!({"role": "user", "content": user_content(&message.content)}),
            Role::Assistant => assistant(provider, message),
            Role::Tool => {
                let id = message.tool_call_id.as_deref().unwrap_or_default();
                images.extend(result_images(id, &message.content));
                json!({"role": "tool", "tool_call_id": id, "content": message.text()})
            }
        });
    }
    messages.extend(shown(&mut images));
    messages
}

/// The user message that shows the images of the results before it.
fn shown(images: &mut Vec<Value>) -> Option<Value> {
    let parts = std::mem::take(images);
    (!parts.is_empty()).then(|| json!({"role": "user", "content": parts}))
}

fn result_images(id: &str, content: &[Block]) -> Vec<Value> {
    let mut parts: Vec<Value> =
        content.iter().filter(|block| matches!(block, Block::Image { .. })).map(part).collect();
    if !parts.is_empty() {
        let text = format!("Images of the result of call {id}:");
        parts.insert(0, json!({"type": "text", "text": text}));
    }
    parts
}

/// Plain text where it is only text, since many servers take nothing else.
fn user_content(content: &[Block]) -> Value {
    match content {
        [] => Value::from(""),
        [Block::Text { text }] => Value::from(text.as_str()),
        blocks => blocks.iter().map(part).collect(),
    }
}

fn part(block: &Block) -> Value {
    match block {
        Block::Text { text } => json!({"type": "text", "text": text}),
        Block::Image { media_type, data } => {
            let url = format!("data:{media_type};base64,{data}");
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    }
}

fn assistant(provider: &str, message: &Message) -> Value {
    let text = message.text();
    let calls: Vec<Value> = message.tool_calls.iter().map(call).collect();
    let mut fields = Map::new();
    fields.insert("role".into(), "assistant".into());
    let is_silent = text.is_empty() && !calls.is_empty();
    fields.insert("content".into(), if is_silent { Value::Null } else { text.into() });
    if let Some(carried) = &message.reasoning {
        fields.extend(reasoning::restore(carried, provider));
    }
    if !calls.is_empty() {
        fields.insert("tool_calls".into(), calls.into());
    }
    fields.into()
}

fn call(call: &Call) -> Value {
    let arguments = match serde_json::from_str::<Map<String, Value>>(&call.arguments) {
        Ok(_) => call.arguments.clone(),
        Err(_) if call.arguments.trim().is_empty() => "{}".to_owned(),
        Err(_) => json!({"invalid_json": call.arguments}).to_string(),
    };
    let function = json!({"name": call.name, "arguments": arguments});
    json!({"id": call.id, "type": "function", "function": function})
}
