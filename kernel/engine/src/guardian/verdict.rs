//! The guardian's answer: one strict JSON object, or a no that says what was wrong with it.

use serde_json::{Map, Value};
use tollgate_core::json;

use super::Judged;
use crate::{model::Answer, servers::wire};

/// Bytes of a reason, as people and the main model see it.
const REASON_BYTES_MAX: usize = 400;
/// Bytes of an answer that is looked at; [`super::request::TOKENS_MAX`] tokens have less.
const ANSWER_BYTES_MAX: usize = 8 * 1024;
/// Keys of a verdict, all of them.
const KEYS: [&str; 3] = ["risk", "decision", "reason"];

/// What an answer says.
///
/// # Errors
/// Why it is no verdict.
pub(super) fn of(answer: &Answer) -> Result<Judged, String> {
    if !answer.tool_calls.is_empty() {
        return Err("it asked for tools instead of answering".to_owned());
    }
    match answer.stop {
        "end" => {}
        "length" => return Err("its answer is longer than a verdict".to_owned()),
        "refusal" => return Err("the model declined to judge it".to_owned()),
        other => return Err(format!("it stopped without a verdict ({other})")),
    }
    if answer.text.trim().is_empty() {
        return Err("its answer is empty".to_owned());
    }
    if answer.text.len() > ANSWER_BYTES_MAX {
        return Err("its answer is longer than a verdict".to_owned());
    }
    read(&answer.text)
}

fn read(text: &str) -> Result<Judged, String> {
    let value = json::parse(text.as_bytes())
        .map_err(|error| format!("its answer is not one JSON object and nothing else ({error})"))?;
    let Value::Object(said) = value else {
        return Err("its answer is no JSON object".to_owned());
    };
    if let Some(key) = said.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("its answer has a key that a verdict has not: {key:?}"));
    }
    let risk = word(&said, "risk")?;
    let decision = word(&said, "decision")?;
    let reason = match word(&said, "reason")? {
        reason if reason.trim().is_empty() => "it gave no reason",
        reason => reason,
    };
    let is_high = match risk {
        "low" | "medium" => false,
        "high" | "critical" => true,
        other => return Err(format!("its answer names a risk that there is not: {other:?}")),
    };
    let allowed = match decision {
        // Whatever it decided: its own estimate is against it.
        "allow" => !is_high,
        "deny" => false,
        other => return Err(format!("its answer names a decision that there is not: {other:?}")),
    };
    Ok(Judged { allowed, reason: line(&format!("{risk} risk: {reason}")) })
}

fn word<'a>(said: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    match said.get(key) {
        Some(Value::String(word)) => Ok(word),
        Some(_) => Err(format!("its answer has a {key:?} that is no text")),
        None => Err(format!("its answer has no {key:?}")),
    }
}

/// A model's words in one line of a bounded length: others will read them.
pub(super) fn line(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let mut line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() > REASON_BYTES_MAX {
        line = wire::bounded(line, REASON_BYTES_MAX) + " …";
    }
    line
}
