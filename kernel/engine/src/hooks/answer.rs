//! What a hook said, from how it ended and what it printed: the one place that reads answers.
//!
//! | it ended with | and said | that is |
//! |---|---|---|
//! | 0 | nothing | no verdict of its own: the call goes on |
//! | 0 | one JSON object | what that says |
//! | 0 | anything else | a fault |
//! | 2 | JSON that denies, or a reason on standard error, or nothing | a denial |
//! | 2 | an interpreter's complaint on standard error | a fault: the hook never ran (B109) |
//! | else, a signal, a timeout, too much | | a fault |
//!
//! The JSON is ours (`decision`, `reason`, `updatedInput`, `additionalContext`), or as other agents
//! have it (`hookSpecificOutput`, `"approve"`, `"block"`, `continue`). Keys that are not known are
//! passed over; a known one with a value that means nothing is a fault. Two verdicts in one answer:
//! the stricter.
//!
//! Not here: what a fault means (a strict hook's is a no), and several hooks together.

use serde_json::{Map, Value};
use tollgate_core::json;

use super::{limits::REASON_BYTES_MAX, program::complains};
use crate::{
    process::{CaptureEnd, Captured, Exit},
    servers::wire,
};

/// Exit code by which a hook denies, as in other agents.
const EXIT_DENIES: i32 = 2;

/// One hook's answer.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Answer {
    /// Its verdict.
    pub(super) word: Word,
    /// Why, or empty.
    pub(super) reason: String,
    /// Arguments in place of the call's; an object.
    pub(super) updated: Option<Value>,
    /// For the model.
    pub(super) context: Option<String>,
}

/// A verdict; the greater is the stricter.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Word {
    /// None of its own.
    #[default]
    Pass,
    /// It may run.
    Allow,
    /// A person decides.
    Ask,
    /// It may not.
    Deny,
}

/// What a hook was asked about.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    /// The event, as in `hook_event_name`.
    pub(super) event: &'a str,
    /// The tool, when it is about a call.
    pub(super) tool: Option<&'a str>,
    /// The words of the hook's command, as far as they are known.
    pub(super) words: &'a [String],
}

/// Reads a hook's answer.
///
/// # Errors
/// Why it is none, as a clause after "it".
pub(super) fn read(captured: &Captured, about: About<'_>) -> Result<Answer, String> {
    let exit = match captured.end {
        CaptureEnd::Exited(exit) => exit,
        CaptureEnd::TimedOut => return Err("did not end in its time and was killed".to_owned()),
        CaptureEnd::TooMuch => return Err("printed more than it may and was killed".to_owned()),
        CaptureEnd::Cancelled => return Err("was given up".to_owned()),
    };
    let stderr = shown(&captured.stderr);
    match exit {
        Exit::Code(0) => parse(&captured.stdout, about),
        Exit::Code(EXIT_DENIES) => denied(parse(&captured.stdout, about), stderr, about),
        Exit::Code(_) | Exit::Signal(_) | Exit::Unknown => Err(with(exit.to_string(), &stderr)),
    }
}

/// Exit code 2: a denial, unless it is an interpreter's own.
fn denied(
    printed: Result<Answer, String>,
    stderr: String,
    about: About<'_>,
) -> Result<Answer, String> {
    let said = printed.unwrap_or_default();
    if said.word != Word::Deny && complains(&stderr, about.words) {
        return Err(with("failed to start, with exit code 2".to_owned(), &stderr));
    }
    let mut reason = if said.word == Word::Deny { said.reason } else { String::new() };
    if reason.is_empty() {
        reason = stderr;
    }
    if reason.is_empty() {
        "it ended with exit code 2 and gave no reason".clone_into(&mut reason);
    }
    Ok(Answer { word: Word::Deny, reason, ..Answer::default() })
}

/// Reads what a hook printed.
fn parse(stdout: &[u8], about: About<'_>) -> Result<Answer, String> {
    if stdout.trim_ascii().is_empty() {
        return Ok(Answer::default());
    }
    let value = json::parse(stdout).map_err(|error| format!("printed no JSON answer: {error}"))?;
    let Value::Object(all) = value else {
        return Err(format!("answered with a JSON {}, not an object", json::type_name(&value)));
    };
    let own = said_in(&all, "decision", "reason", about)?;
    let inner = match all.get("hookSpecificOutput") {
        None | Some(Value::Null) => Answer::default(),
        Some(Value::Object(inner)) => {
            if let Some(event) = text(inner, "hookEventName")?
                && event != about.event
            {
                return Err(format!("answered for event '{event}', not '{}'", about.event));
            }
            said_in(inner, "permissionDecision", "permissionDecisionReason", about)?
        }
        Some(other) => return Err(wrong("hookSpecificOutput", "an object", other)),
    };
    let stopped = match all.get("continue") {
        None | Some(Value::Null | Value::Bool(true)) => Answer::default(),
        Some(Value::Bool(false)) => {
            let reason = text(&all, "stopReason")?.unwrap_or_default();
            Answer { word: Word::Deny, reason, ..Answer::default() }
        }
        Some(other) => return Err(wrong("continue", "a boolean", other)),
    };
    Ok(stricter(stricter(own, inner), stopped))
}

/// The verdict, and what goes with it, of one object.
fn said_in(
    object: &Map<String, Value>,
    decision: &str,
    reason: &str,
    about: About<'_>,
) -> Result<Answer, String> {
    if let (Some(named), Some(tool)) = (text(object, "tool_name")?, about.tool)
        && named != tool
    {
        return Err(format!("answered for tool '{named}', not '{tool}'"));
    }
    let word = match text(object, decision)?.as_deref() {
        None => Word::Pass,
        Some("allow" | "approve") => Word::Allow,
        Some("ask") => Word::Ask,
        Some("deny" | "block") => Word::Deny,
        Some(other) => {
            let other = wire::bounded(other.to_owned(), 80);
            return Err(format!(
                "gave an unknown {decision} '{other}'; there are allow, ask, deny"
            ));
        }
    };
    let updated = match object.get("updatedInput") {
        None | Some(Value::Null) => None,
        Some(value @ Value::Object(_)) => Some(value.clone()),
        Some(other) => return Err(wrong("updatedInput", "an object", other)),
    };
    let reason = wire::bounded(text(object, reason)?.unwrap_or_default(), REASON_BYTES_MAX);
    Ok(Answer { word, reason, updated, context: text(object, "additionalContext")? })
}

/// Two parts of one answer.
fn stricter(first: Answer, second: Answer) -> Answer {
    let reason = if second.word > first.word || first.reason.is_empty() {
        second.reason
    } else {
        first.reason
    };
    Answer {
        word: first.word.max(second.word),
        reason,
        updated: second.updated.or(first.updated),
        context: second.context.or(first.context),
    }
}

fn text(object: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(key, "a string", other)),
    }
}

fn wrong(key: &str, wanted: &str, found: &Value) -> String {
    format!("answered with '{key}' that is {}, not {wanted}", json::type_name(found))
}

/// What a hook printed on standard error, for people and models.
fn shown(stderr: &[u8]) -> String {
    let visible = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    let text: String = String::from_utf8_lossy(stderr).trim().chars().map(visible).collect();
    wire::bounded(text, REASON_BYTES_MAX)
}

fn with(what: String, stderr: &str) -> String {
    if stderr.is_empty() { what } else { format!("{what}: {stderr}") }
}

#[cfg(test)]
mod tests;
