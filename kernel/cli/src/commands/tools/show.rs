//! `tools show NAME`: one tool, or the forms of an old name.

use std::sync::Arc;

use serde_json::json;
use tollgate_core::{
    catalog::{Catalog, Entry, View},
    name::nearest,
};

use super::{facts, pretty};
use crate::{
    exit::{Exit, Failure},
    output::{json_pretty, line_out},
    start::Start,
    visible,
};

/// Prints what a name stands for.
///
/// # Errors
/// It is no tool's, or that of several servers.
pub(super) fn run(start: &Start, view: &View, name: &str) -> Result<Exit, Failure> {
    let catalog = view.catalog();
    let forms = forms(catalog, name);
    if !forms.is_empty() {
        return Ok(old_name(start, &forms));
    }
    let Some(entry) = catalog.find(name, b"{}") else {
        return Err(unknown(view, name));
    };
    if start.common.json {
        json_pretty(&facts::json_of(entry));
        return Ok(Exit::Done);
    }
    let shown = facts::shown(view, entry);
    head(start, entry, &format!("shown: {shown} · may: {}", facts::safety(entry)));
    if let Some(why) = view.why_withheld(entry.name.as_str()) {
        let line = visible::line(&format!("not available here: {}", why.sentence()));
        line_out(&start.output.stdout_paint.yellow(&line));
    }
    for one in &entry.requirements {
        let found = if one.met { "found" } else { "missing" };
        line_out(&visible::line(&format!("needs {}: {found} ({})", one.name, one.found)));
    }
    line_out(&format!("\n{}\n", visible::lines(entry.description.trim())));
    line_out(&schema(entry));
    Ok(Exit::Done)
}

/// Everything that an old name may mean; empty: it is none.
fn forms<'a>(catalog: &'a Catalog, name: &str) -> Vec<&'a Arc<Entry>> {
    if catalog.get(name).is_some() {
        return Vec::new();
    }
    // As it is spelled here, if that is only another spelling.
    let of = |name: &str| {
        catalog.hidden().iter().filter(|form| form.name.as_str() == name).collect::<Vec<_>>()
    };
    let exact = of(name);
    let found = catalog.find(name, b"{}");
    match found.filter(|form| exact.is_empty() && form.means.is_some()) {
        Some(form) => of(form.name.as_str()),
        None => exact,
    }
}

fn old_name(start: &Start, forms: &[&Arc<Entry>]) -> Exit {
    if start.common.json {
        let forms: Vec<_> = forms.iter().map(|form| facts::json_of_form(form)).collect();
        json_pretty(&json!({ "forms": forms }));
        return Exit::Done;
    }
    for (number, form) in forms.iter().enumerate() {
        if number > 0 {
            line_out("");
        }
        let means = format!(
            "means {} · when: {} · never shown to a model",
            form.canonical(),
            facts::when(form)
        );
        head(start, form, &means);
        line_out(&schema(form));
    }
    Exit::Done
}

fn head(start: &Start, entry: &Entry, second: &str) {
    let source = entry.source.as_deref().map(|source| format!(" · MCP server {source}"));
    line_out(&format!(
        "{} · server {} {}{}",
        start.output.stdout_paint.bold(entry.name.as_str()),
        entry.server,
        visible::line(&entry.facts.version),
        visible::line(&source.unwrap_or_default()),
    ));
    line_out(second);
}

/// In its own order.
fn schema(entry: &Entry) -> String {
    visible::lines(&pretty::json(&String::from_utf8_lossy(&entry.input_schema)))
}

/// The mistake of a name that is no tool's.
fn unknown(view: &View, name: &str) -> Failure {
    let clash = view.catalog().clashes().iter().find(|clash| clash.name.as_str() == name);
    if let Some(clash) = clash {
        return Failure::usage(clash.sentence());
    }
    let near = nearest(name, view.shown().iter().map(|entry| entry.name.as_str()));
    let hint = match near.as_slice() {
        [] => "`tollgate tools list` shows those that are".to_owned(),
        near => format!("did you mean {}?", near.join(", ")),
    };
    Failure::usage(format!("there is no tool '{}'; {hint}", visible::line(name)))
}
