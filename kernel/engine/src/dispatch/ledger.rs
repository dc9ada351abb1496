//! What the calls that a call asked for became, in the order in which they were asked: from receipts, never
//! from what a program says (CM-14). A program's result ends with it (`[CODE-10]`, `[CODE-11]`).

use std::{collections::BTreeSet, sync::Mutex, time::Duration};

use serde_json::{Value, json};
use tollgate_core::{
    authority::Layer,
    call::{Block, Effects, Outcome, first_text},
    digest::Digest,
    receipt::{Decision, LayerVerdict, Receipt, Status},
};

use crate::{context::lock, gate::CallEnd, servers::wire};

/// Lines about calls that a model gets; the rest is in the receipts.
const GROUPS_TOLD_MAX: usize = 40;

/// The nested calls of one call, and what it printed.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    calls: Vec<Option<Line>>,
    /// Calls that a person has denied: tool and digest of the arguments.
    denied: BTreeSet<(String, Digest)>,
    effects: Vec<Effects>,
    logs: String,
    logs_dropped: u64,
}

/// One nested call that has ended.
#[derive(Debug)]
struct Line {
    name: String,
    decision: Decision,
    status: Status,
    /// What a reader must know beside the status, or empty.
    note: &'static str,
    took: Duration,
    bytes: u64,
    receipt: String,
}

impl Ledger {
    /// A place for one more call, in order; `None`: it has had `max`.
    pub(super) fn place(&self, max: u32) -> Option<usize> {
        let mut state = lock(&self.0);
        let place = state.calls.len();
        if place >= max as usize {
            return None;
        }
        state.calls.push(None);
        Some(place)
    }

    /// How many there were.
    pub(super) fn calls(&self) -> u32 {
        u32::try_from(lock(&self.0).calls.len()).unwrap_or(u32::MAX)
    }

    /// A person has denied this call.
    pub(super) fn deny(&self, call: (String, Digest)) {
        lock(&self.0).denied.insert(call);
    }

    /// Whether a person has denied any.
    pub(super) fn has_denied(&self) -> bool {
        !lock(&self.0).denied.is_empty()
    }

    /// Whether a person has denied this one.
    pub(super) fn was_denied(&self, call: &(String, Digest)) -> bool {
        lock(&self.0).denied.contains(call)
    }

    /// A call has ended.
    pub(super) fn ended(&self, place: usize, end: &CallEnd, took: Duration) {
        let receipt = &end.receipt;
        let mut state = lock(&self.0);
        let line = Line {
            name: receipt.tool.clone(),
            decision: receipt.decision,
            status: receipt.end.as_ref().map_or(Status::InFlight, |end| end.status),
            note: note(receipt),
            took,
            bytes: receipt.end.as_ref().map_or(0, |end| end.outcome_bytes),
            receipt: receipt.id.as_str().to_owned(),
        };
        state.effects.extend(receipt.end.as_ref().map(|end| end.effects));
        if let Some(free) = state.calls.get_mut(place) {
            *free = Some(line);
        }
    }

    /// A piece of what the program printed; `max` bytes are kept in all.
    pub(super) fn log(&self, text: &str, max: usize) {
        let mut state = lock(&self.0);
        let room = max.saturating_sub(state.logs.len());
        let kept = wire::bounded(text.to_owned(), room);
        state.logs_dropped += (text.len() - kept.len()) as u64;
        state.logs.push_str(&kept);
    }

    /// What all of it together may have changed.
    pub(super) fn effects(&self) -> Effects {
        let state = lock(&self.0);
        let has = |effects| state.effects.contains(&effects);
        if has(Effects::Unknown) || has(Effects::Partial) {
            Effects::Partial
        } else if has(Effects::Complete) {
            Effects::Complete
        } else {
            Effects::None
        }
    }

    /// Ends a program's result with its logs and receipts.
    pub(super) fn append(&self, outcome: &mut Outcome) {
        let state = lock(&self.0);
        let logs = state.logs_told();
        let text = |text: String| Block::Text { text };
        if !logs.is_empty() {
            outcome.content.push(text(format!("logs:\n{logs}")));
        }
        if state.calls.iter().any(Option::is_some) {
            outcome.content.push(text(state.calls_told()));
        }
        if !outcome.structured.is_object() {
            let message = first_text(&outcome.content).unwrap_or_default();
            outcome.structured =
                json!({ "error": { "class": outcome.error_class, "message": message } });
        }
        let Value::Object(fields) = &mut outcome.structured else { return };
        fields.insert("logs".to_owned(), logs.into());
        fields
            .insert("receipts".to_owned(), state.calls.iter().flatten().map(Line::json).collect());
    }
}

/// What the status alone does not say.
fn note(receipt: &Receipt) -> &'static str {
    let asked = |note: &tollgate_core::receipt::LayerNote| {
        note.layer == Layer::Approval && note.verdict == LayerVerdict::Ask
    };
    match &receipt.end {
        Some(end) if end.status == Status::Refused && end.error_class == "cancelled" => {
            if receipt.layers.iter().any(asked) {
                "was waiting for approval, not started"
            } else {
                "not started"
            }
        }
        Some(end) if end.status == Status::InFlight => "was running, may have partly run",
        Some(end) if end.error_class == "server_lost" && end.may_have_run => {
            "its server was lost, may have partly run"
        }
        Some(_) | None => "",
    }
}

impl Line {
    fn json(&self) -> Value {
        let mut line = json!({
            "name": self.name,
            "decision": self.decision,
            "status": self.status,
            "ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            "bytes": self.bytes,
            "receipt": self.receipt,
        });
        if let (Some(fields), false) = (line.as_object_mut(), self.note.is_empty()) {
            fields.insert("note".to_owned(), self.note.into());
        }
        line
    }

    fn word(&self) -> String {
        let status = match self.status {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::Refused => "refused",
            Status::InFlight => "in_flight",
        };
        let decision = match self.decision {
            Decision::Auto => "",
            Decision::Approved => " (approved)",
            Decision::Denied => " (denied)",
            Decision::Refused => "",
        };
        let note = if self.note.is_empty() { String::new() } else { format!(": {}", self.note) };
        format!("{status}{decision}{note}")
    }
}

impl State {
    fn logs_told(&self) -> String {
        let mut logs = self.logs.trim_end_matches('\n').to_owned();
        if self.logs_dropped > 0 {
            let note = format!("\n[{} more bytes of logs were dropped]", self.logs_dropped);
            logs.push_str(&note);
        }
        logs
    }

    /// For a model: calls of one kind that follow each other are one line.
    fn calls_told(&self) -> String {
        let mut groups: Vec<(&str, String, usize, Duration, u64, &str)> = Vec::new();
        for line in self.calls.iter().flatten() {
            let word = line.word();
            match groups.last_mut() {
                Some((name, before, count, took, bytes, _))
                    if *name == line.name && *before == word =>
                {
                    *count += 1;
                    *took += line.took;
                    *bytes += line.bytes;
                }
                Some(_) | None => {
                    groups.push((&line.name, word, 1, line.took, line.bytes, &line.receipt));
                }
            }
        }
        let told =
            groups.iter().take(GROUPS_TOLD_MAX).map(|(name, word, count, took, bytes, id)| {
                let times = if *count > 1 { format!(" x{count}") } else { String::new() };
                let receipt = if word == "ok" { String::new() } else { format!(", receipt {id}") };
                format!("{name}{times} {word}, {} ms, {bytes} bytes{receipt}", took.as_millis())
            });
        let mut told: Vec<String> = told.collect();
        if groups.len() > GROUPS_TOLD_MAX {
            told.push(format!(
                "… {} more lines; all are in the receipts",
                groups.len() - GROUPS_TOLD_MAX
            ));
        }
        format!("calls:\n{}", told.join("\n"))
    }
}

#[cfg(test)]
mod tests;
