//! A receipt in words: name and value, line by line.

use tollgate_core::receipt::{End, Question, Receipt};

use super::{decision_word, status_word};
use crate::{text, view};

/// A line: its name, and its value as it is, not safe to show.
pub(super) type Fact = (&'static str, String);

/// What a receipt says, with what was asked on the way.
pub(super) fn facts(receipt: &Receipt, questions: &[Question]) -> Vec<Fact> {
    let mut facts = asked(receipt);
    facts.extend(questions.iter().map(question));
    facts.extend(decided(receipt));
    facts.push(("asked", format!("{} UTC", text::moment(receipt.started_unix_ms))));
    match &receipt.end {
        None => facts.push(("status", "running, or the kernel ended meanwhile".to_owned())),
        Some(end) => facts.extend(ended(receipt, end)),
    }
    facts
}

/// Who asked for what.
fn asked(receipt: &Receipt) -> Vec<Fact> {
    let position = &receipt.position;
    let session = format!("{}, turn {}, step {}", position.session, position.turn, position.step);
    let mut facts = vec![
        ("call", receipt.id.to_string()),
        ("session", session),
        ("caller", word(&receipt.caller)),
        ("tool", receipt.tool.clone()),
    ];
    facts.extend(receipt.parent.iter().map(|parent| ("parent", parent.to_string())));
    facts.extend(receipt.asked_as.iter().map(|asked| ("asked as", asked.clone())));
    if let Some(server) = &receipt.server {
        let version = receipt.server_facts.as_ref().map_or("", |facts| facts.version.as_str());
        let host = receipt.host.as_deref().unwrap_or("not reached");
        facts.push(("server", format!("{server} {version} ({host})")));
    }
    let arguments = serde_json::to_string_pretty(&receipt.arguments).unwrap_or_default();
    facts.push(("arguments", arguments));
    let sha256 = format!("{} ({} bytes)", receipt.arguments_sha256, receipt.arguments_bytes);
    facts.push(("sha256", sha256));
    for one in &receipt.coercions {
        facts.push(("coerced", format!("{} from {} to {}", one.pointer, one.from, one.to)));
    }
    for subject in &receipt.subjects {
        let commands = view::card::command(subject).map(|told| ("command", told));
        facts.extend(commands.or_else(|| view::card::touches(subject).map(|it| ("touches", it))));
    }
    facts
}

/// Who decided: "rule" where a rule did.
pub(super) fn decider(receipt: &Receipt) -> String {
    let decider = word(&receipt.decider);
    if decider == "gate" && receipt.rule.is_some() { "rule".to_owned() } else { decider }
}

/// A question, or its answer.
fn question(question: &Question) -> Fact {
    let when = text::moment(question.at_unix_ms);
    let Some(answer) = &question.answer else {
        let reasons: Vec<&str> = question.why.iter().map(|why| why.reason.as_str()).collect();
        return ("question", format!("{when} UTC: {}", reasons.join("; ")));
    };
    let decider = question.decider.as_ref().map(word).unwrap_or_default();
    let said = if question.said.is_empty() { "" } else { &format!(": {}", question.said) };
    let stored = if question.stored.is_empty() {
        String::new()
    } else {
        format!("; stored {}", question.stored.join(", "))
    };
    ("answer", format!("{when} UTC: {answer} by {decider}{said}{stored}"))
}

/// What the gate said.
fn decided(receipt: &Receipt) -> Vec<Fact> {
    let mut facts = Vec::new();
    for note in &receipt.layers {
        let (layer, verdict) = (view::layer_word(note.layer), word(&note.verdict));
        facts.push(("layer", format!("{layer}: {verdict} ({})", note.reason)));
    }
    let (decision, decider) = (decision_word(receipt.decision), word(&receipt.decider));
    let (mode, posture) = (receipt.stance.mode, receipt.stance.posture);
    facts.push(("decision", format!("{decision} by {decider}, in {mode}, {posture}")));
    facts.extend(receipt.rule.iter().map(|rule| ("rule", rule.clone())));
    facts.extend(receipt.policy_sha256.iter().map(|sha256| ("policy", sha256.to_string())));
    facts.extend(receipt.sandbox.map(|sandbox| ("sandbox", sandbox.to_string())));
    if !receipt.confinement.is_empty() {
        facts.push(("confined by", receipt.confinement.clone()));
    }
    facts
}

/// What became of it.
fn ended(receipt: &Receipt, end: &End) -> Vec<Fact> {
    let elapsed = text::duration(end.ended_unix_ms.saturating_sub(receipt.started_unix_ms));
    let (status, effects) = (status_word(end.status), word(&end.effects));
    let may_have_run = if end.may_have_run { "; it may have run" } else { "" };
    let mut facts =
        vec![("status", format!("{status} after {elapsed}, effects: {effects}{may_have_run}"))];
    if !end.error.is_empty() {
        facts.push(("error", format!("{}: {}", end.error_class, end.error)));
    }
    if let Some(spill) = &end.spill {
        facts.push(("whole result", format!("tollgate artifacts show {spill}")));
    }
    facts
}

/// A word as receipts have it, without the quotes of JSON.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(value) => value.to_string(),
        Err(error) => error.to_string(),
    }
}
