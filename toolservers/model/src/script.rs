//! `script:FILE`: a deterministic model for demos, tests and benches [MODEL-05].
//!
//! ```json
//! {"strict": false,
//!  "steps": [{"text": "Let me look.", "reasoning": "hm",
//!             "tool_calls": [{"id": "a", "name": "read", "arguments": {"path": "x"}}],
//!             "delay_ms": 5},
//!            {"text": "It says {{last.content}}"},
//!            {"raw": "data: {\"choices\": …}\n\ndata: [DONE]\n\n"},
//!            {"error": {"class": "rate", "message": "slow down"}}]}
//! ```
//!
//! One step a request. The step is the number of assistant messages in the request, so nothing is
//! kept here, and a repeated request has the same answer. Every key of a step may be absent. `raw`
//! is the text of a Chat Completions stream, and goes the way of a real one; `error` ends the step
//! after all else; `delay_ms` comes before it. `arguments` are an object, or a string that is sent
//! as it stands, however broken. For `{{…}}` see `script/reference.rs`.
//!
//! A request to judge a call is answered from `guardian` (`script/guardian.rs`), and counts as no step.
//!
//! `strict` refuses what a good run has not: a failed tool result, a call of a tool not on offer.
//!
//! Not here: playing a step (`script/play.rs`).

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::event::Class;
use crate::failure::Failure;
use crate::limits::{DELAY_MS_MAX, SCRIPT_BYTES_MAX};
use crate::nearest::nearest;

mod guardian;
pub(crate) mod play;
mod reference;
#[cfg(test)]
mod tests;

/// A script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    steps: Vec<Step>,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    guardian: Vec<guardian::Judgement>,
}

/// One answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    text: Option<String>,
    reasoning: Option<String>,
    #[serde(default)]
    tool_calls: Vec<ScriptedCall>,
    raw: Option<String>,
    #[serde(default)]
    delay_ms: u64,
    error: Option<ScriptedError>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    id: Option<String>,
    name: String,
    arguments: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedError {
    class: ErrorClass,
    message: Option<String>,
}

/// The contract's classes, in the words of a script.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ErrorClass {
    Auth,
    Quota,
    Rate,
    Context,
    Refusal,
    Network,
    Invalid,
    UnknownModel,
    Protocol,
    Exhausted,
}

impl Script {
    /// Reads a script file. Blocks.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no script: with the line and column, and what is expected.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        let name = path.display();
        let unusable =
            |why: String| Failure::lasting(Class::UnknownModel, format!("script {name}: {why}"));
        let json = read_file(path, SCRIPT_BYTES_MAX).map_err(unusable)?;
        let script: Self = serde_json::from_slice(&json).map_err(|fault| {
            let place = format!("line {}, column {}: ", fault.line(), fault.column());
            unusable(place + &explain(&fault))
        })?;
        for (at, step) in script.steps.iter().enumerate() {
            step.check().map_err(|why| unusable(format!("step {at}: {why}")))?;
        }
        for (at, judgement) in script.guardian.iter().enumerate() {
            judgement.check().map_err(|why| unusable(format!("guardian {at}: {why}")))?;
        }
        Ok(script)
    }
}

/// The bytes of a regular file of a bounded size, named by its absolute path. Blocks.
///
/// # Errors
///
/// A sentence without the path.
pub(crate) fn read_file(path: &Path, bytes_max: u64) -> Result<Vec<u8>, String> {
    if !path.is_absolute() {
        return Err("the path must be absolute".to_owned());
    }
    let facts = std::fs::metadata(path).map_err(|fault| format!("cannot be read: {fault}"))?;
    if !facts.is_file() {
        return Err("is no regular file".to_owned());
    }
    if facts.len() > bytes_max {
        return Err(format!("is longer than {bytes_max} bytes"));
    }
    std::fs::read(path).map_err(|fault| format!("cannot be read: {fault}"))
}

impl Step {
    fn check(&self) -> Result<(), String> {
        let has_own =
            self.text.is_some() || self.reasoning.is_some() || !self.tool_calls.is_empty();
        if self.raw.is_some() && has_own {
            return Err("`raw` stands alone, without text, reasoning and tool_calls".to_owned());
        }
        if self.delay_ms > DELAY_MS_MAX {
            return Err(format!("`delay_ms` is at most {DELAY_MS_MAX}"));
        }
        let mut ids = BTreeSet::new();
        for call in &self.tool_calls {
            if call.name.is_empty() {
                return Err("a call needs a name".to_owned());
            }
            if !matches!(call.arguments, Value::Object(_) | Value::String(_)) {
                let name = &call.name;
                return Err(format!("the arguments of {name} are neither an object nor a string"));
            }
            if call.id.as_ref().is_some_and(|id| id.is_empty() || !ids.insert(id)) {
                return Err("the ids of calls are neither empty nor the same".to_owned());
            }
        }
        Ok(())
    }
}

/// What is wrong with a script's JSON, without the place, with the nearest word for an unknown one.
fn explain(fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    // serde quotes first the unknown word, then the known ones.
    let mut words = text.split('`').skip(1).step_by(2);
    let hint = match words.next() {
        Some(unknown) if text.starts_with("unknown ") => nearest(unknown, words),
        _ => None,
    };
    hint.map_or_else(|| text.to_owned(), |hint| format!("{text}; did you mean `{hint}`?"))
}

impl From<ErrorClass> for Class {
    fn from(class: ErrorClass) -> Self {
        match class {
            ErrorClass::Auth => Self::Auth,
            ErrorClass::Quota => Self::Quota,
            ErrorClass::Rate => Self::Rate,
            ErrorClass::Context => Self::Context,
            ErrorClass::Refusal => Self::Refusal,
            ErrorClass::Network => Self::Network,
            ErrorClass::Invalid => Self::Invalid,
            ErrorClass::UnknownModel => Self::UnknownModel,
            ErrorClass::Protocol => Self::Protocol,
            ErrorClass::Exhausted => Self::Exhausted,
        }
    }
}
