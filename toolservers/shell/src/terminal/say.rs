//! The words about terminals, for the model, and the facts for programs.
//!
//! Not here: how far one is in its life (`say` of `process`).

use std::sync::Arc;

use tollgate_sdk::{
    Reply, Truncated,
    serde_json::{Value, json},
};

use super::screen::{Picture, Screen};
use crate::process::{Background, say};

/// What scrolled off since the last look, the screen, and how all stands. `first` stands before all, if it
/// is not empty.
pub(super) fn picture(terminal: &Background<Screen>, picture: &Picture, first: &str) -> Reply {
    let scrolled = &picture.scrolled;
    let mut parts = Vec::new();
    if !first.is_empty() {
        parts.push(first.to_owned());
    }
    if scrolled.gone > 0 {
        parts.push(format!("[{} lines that scrolled off are kept no more]", scrolled.gone));
    }
    if !scrolled.text.is_empty() {
        let text = scrolled.text.strip_suffix('\n').unwrap_or(&scrolled.text);
        parts.push(format!("[scrolled off since the last look]\n{text}"));
    }
    if scrolled.newer > 0 {
        parts.push(format!(
            "[… {} more lines that scrolled off wait: action 'read' shows them …]",
            scrolled.newer
        ));
    }
    parts.push("[screen]".to_owned());
    parts.push(if picture.rows.is_empty() {
        "(empty)".to_owned()
    } else {
        picture.rows.join("\n")
    });
    let size = picture.size;
    let alternate = if picture.is_alternate { "; a program has the screen for itself" } else { "" };
    let faults = match picture.faults {
        0 => "",
        _ => "; the screen could not be drawn and began anew",
    };
    let (row, col) = picture.cursor;
    parts.push(format!(
        "[{}; {} rows, {} columns; cursor at row {row}, column {col}{alternate}{faults}]",
        say::life(terminal),
        size.rows,
        size.cols
    ));
    let mut reply = Reply::text(parts.join("\n")).metadata(facts(terminal, picture));
    if scrolled.gone + scrolled.newer > 0 {
        let state = terminal.state();
        let (bytes, lines) = (state.bytes, state.kept.scrolled());
        reply = reply.truncated(Truncated { bytes, lines, in_output: false });
    }
    reply
}

/// A line for each terminal.
pub(super) fn list(terminals: &[Arc<Background<Screen>>]) -> Reply {
    let size = |terminal: &Background<Screen>| {
        let size = terminal.state().kept.size();
        format!("; {} rows, {} columns", size.rows, size.cols)
    };
    let facts: Vec<Value> = terminals.iter().map(|terminal| say::common_facts(terminal)).collect();
    Reply::text(say::listed(terminals, size)).metadata(json!({ "terminals": facts }))
}

/// Those of every process (`common_facts`), and `{"rows": int, "cols": int, "cursor": [row, col],
/// "alternate_screen": bool, "waiting_lines": int}`.
fn facts(terminal: &Background<Screen>, picture: &Picture) -> Value {
    let mut facts = say::common_facts(terminal);
    if let Some(facts) = facts.as_object_mut() {
        facts.insert("rows".into(), picture.size.rows.get().into());
        facts.insert("cols".into(), picture.size.cols.get().into());
        facts.insert("cursor".into(), json!([picture.cursor.0, picture.cursor.1]));
        facts.insert("alternate_screen".into(), picture.is_alternate.into());
        facts.insert("waiting_lines".into(), picture.scrolled.newer.into());
    }
    facts
}
