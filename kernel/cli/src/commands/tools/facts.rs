//! One tool in words and as JSON.

use serde_json::{Value, json};
use tollgate_core::catalog::{Entry, Exposure, View, Withheld};

use crate::visible;

/// What `--json` says of a tool.
pub(super) fn json_of(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "server": entry.server,
        "server_version": entry.facts.version,
        "provenance": entry.provenance,
        "mcp_server": entry.source,
        "title": entry.title,
        "description": entry.description,
        "exposure": entry.exposure,
        "safety": entry.safety.believed(entry.trust),
        "input_schema": serde_json::from_slice::<Value>(&entry.input_schema).unwrap_or_default(),
        "schema_sha256": entry.schema_sha256,
        "requirements": entry.requirements,
    })
}

/// What `--json` says of a form of an old name.
pub(super) fn json_of_form(form: &Entry) -> Value {
    let mut facts = json_of(form);
    if let Some(facts) = facts.as_object_mut() {
        facts.insert("means".to_owned(), json!(form.canonical()));
        facts.insert("when".to_owned(), json!(form.when));
    }
    facts
}

/// What `--json` says of a tool that is not there, and why.
pub(super) fn json_of_withheld(entry: &Entry, why: &Withheld) -> Value {
    let mut facts =
        json!({ "name": entry.name, "server": entry.server, "sentence": why.sentence() });
    if let (Some(facts), Ok(Value::Object(why))) =
        (facts.as_object_mut(), serde_json::to_value(why))
    {
        facts.extend(why);
    }
    facts
}

/// When a model of this view sees a tool.
pub(super) fn shown(view: &View, entry: &Entry) -> &'static str {
    let seen = view.surface().shows(entry.name.as_str());
    match entry.exposure {
        Exposure::Hidden => "never",
        Exposure::Eager | Exposure::Deferred if !seen => "in programs",
        Exposure::Eager => "at once",
        Exposure::Deferred => "if found",
    }
}

/// The most that a call may do, one word.
pub(super) fn safety(entry: &Entry) -> &'static str {
    let safety = entry.safety.believed(entry.trust);
    match (safety.read_only, safety.destructive) {
        (true, _) => "read",
        (false, false) => "change",
        (false, true) => "destroy",
    }
}

/// When an old name means a form's tool, in words.
pub(super) fn when(form: &Entry) -> String {
    match &form.when {
        Some(when) => visible::line(&format!("{} = {}", when.argument, when.value)),
        None => "always".to_owned(),
    }
}
