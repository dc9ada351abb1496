//! What a hook is told: one JSON object, at most 32 KiB, never cut JSON.
//!
//! A field that is too large is replaced by `{"truncated": true, "bytes": N, "sha256": …}`, the
//! largest first, and within `tool_input` by itself where one member makes the size.
//!
//! Not here: running hooks.

use serde_json::{Map, Value, json};
use tollgate_core::{call::Classified, digest::Digest};
use tollgate_policy::hooks::HookEvent;

use super::limits::INPUT_BYTES_MAX;
use crate::{context::SessionContext, gate::CallEnd, servers::wire};

/// The key of a call's arguments.
const TOOL_INPUT: &str = "tool_input";

/// A JSON object that fits.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Payload {
    /// Its text.
    pub(super) bytes: Vec<u8>,
    /// The arguments of the call are all there.
    pub(super) is_whole: bool,
}

/// What other agents call an event.
pub(super) fn alias(event: HookEvent) -> &'static str {
    match event {
        HookEvent::SessionStart => "SessionStart",
        HookEvent::SessionEnd => "SessionEnd",
        HookEvent::MessageSubmit => "UserPromptSubmit",
        HookEvent::ToolCallBefore => "PreToolUse",
        HookEvent::ToolCallAfter => "PostToolUse",
        HookEvent::ApprovalRequested => "PermissionRequest",
        HookEvent::TurnEnd => "Stop",
        HookEvent::ModeChange => "ModeChange",
        HookEvent::Error => "Error",
    }
}

/// What every event has, and what this one adds.
pub(super) fn of_event(cx: &SessionContext, event: HookEvent, more: Value) -> Payload {
    let stance = cx.stance();
    let common = json!({
        "event": event.as_str(),
        "hook_event_name": alias(event),
        "session_id": cx.id.as_str(),
        "cwd": cx.cwd(),
        "mode": stance.mode,
        "posture": stance.posture,
    });
    let mut all = Map::new();
    for part in [common, more] {
        if let Value::Object(part) = part {
            all.extend(part);
        }
    }
    fit(all)
}

/// A call that is about to be judged. `rewritten`: arguments that a hook has put in place of its own;
/// what these would do is not known before the server has been asked again.
pub(super) fn before(call: &Classified, rewritten: Option<&Value>) -> Value {
    let (raw, entry) = (call.raw(), call.entry());
    let prepared = rewritten.is_none();
    json!({
        "tool_name": entry.canonical().as_str(),
        TOOL_INPUT: rewritten.unwrap_or_else(|| call.value()),
        "rewritten": !prepared,
        "call_id": raw.id,
        "parent": raw.parent,
        "caller": raw.caller,
        "agent": raw.position.agent,
        "turn": raw.position.turn,
        "step": raw.position.step,
        "server": entry.server,
        "subjects": prepared.then(|| call.subjects()),
        "safety": prepared.then(|| call.safety()),
    })
}

/// A call that has ended, with its receipt's word.
pub(super) fn after(end: &CallEnd) -> Value {
    let receipt = &end.receipt;
    let ended = receipt.end.as_ref();
    let ms = ended.map(|end| end.ended_unix_ms.saturating_sub(receipt.started_unix_ms));
    json!({
        "tool_name": receipt.tool,
        TOOL_INPUT: receipt.arguments,
        "call_id": receipt.id,
        "parent": receipt.parent,
        "caller": receipt.caller,
        "agent": receipt.position.agent,
        "turn": receipt.position.turn,
        "step": receipt.position.step,
        "server": receipt.server,
        "subjects": receipt.subjects,
        "safety": receipt.safety,
        "status": ended.map(|end| end.status),
        "decision": receipt.decision,
        "decider": receipt.decider,
        "error_class": ended.map(|end| end.error_class.as_str()),
        "may_have_run": ended.map(|end| end.may_have_run),
        "duration_ms": ms,
        "result": end.result,
    })
}

/// Makes an object fit.
fn fit(mut all: Map<String, Value>) -> Payload {
    let input = all.get(TOOL_INPUT).map(size);
    let mut bytes = text(&all);
    // Each round replaces one value that is none of the bounded ones: there are few of them.
    while bytes.len() > INPUT_BYTES_MAX {
        let Some(largest) = all.values_mut().max_by_key(|value| size(value)) else { break };
        shrink(largest);
        let shorter = text(&all);
        if shorter.len() >= bytes.len() {
            break;
        }
        bytes = shorter;
    }
    let is_whole = all.get(TOOL_INPUT).map(size) == input;
    Payload { bytes, is_whole }
}

/// Replaces a value, or the one member of an object that is most of its size.
fn shrink(value: &mut Value) {
    let whole = size(value);
    let member = value.as_object_mut().and_then(|object| {
        let largest = object.values_mut().max_by_key(|member| size(member))?;
        (size(largest) > whole / 2).then_some(largest)
    });
    if let Some(member) = member {
        return shrink(member);
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let sha256 = Digest::of(text.as_bytes());
    *value = json!({ "truncated": true, "bytes": text.len(), "sha256": sha256 });
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

fn text(all: &Map<String, Value>) -> Vec<u8> {
    // Strings, numbers and JSON values cannot fail to serialise.
    serde_json::to_vec(all).unwrap_or_default()
}

/// Text for the model from several hooks, bounded all together.
pub(super) fn add_context(contexts: &mut Vec<String>, context: String) {
    let used: usize = contexts.iter().map(String::len).sum();
    let room = super::limits::CONTEXT_BYTES_MAX.saturating_sub(used);
    if room > 0 && !context.is_empty() {
        contexts.push(wire::bounded(context, room));
    }
}

#[cfg(test)]
mod tests;
