//! `tools list|show`: what there is, from the manifests; a server whose manifest is not known yet is
//! started once.

use serde_json::{Value, json};
use tollgate_core::{
    catalog::{Catalog, Entry, Exposure},
    name::nearest,
};

use crate::{
    args::Tools,
    exit::{Exit, Failure},
    output::{json_pretty, line_err, line_out},
    start::Start,
    text, visible,
};

/// Runs the command.
///
/// # Errors
/// There is no such tool, or no kernel.
pub(crate) async fn run(start: &Start, command: &Tools) -> Result<Exit, Failure> {
    let config = start.config()?;
    let kernel = start.kernel(&config)?;
    let catalog = kernel.catalog().await;
    kernel.stop().await;
    match command {
        Tools::List => Ok(list(start, &catalog)),
        Tools::Show { name } => show(start, &catalog, name),
    }
}

fn list(start: &Start, catalog: &Catalog) -> Exit {
    let tools = catalog.list();
    if start.common.json {
        let missing =
            catalog.missing().map(|(server, why)| json!({ "server": server, "reason": why }));
        json_pretty(&json!({
            "tools": tools.iter().map(|entry| facts(entry)).collect::<Vec<_>>(),
            "unavailable": missing.collect::<Vec<_>>(),
        }));
        return Exit::Done;
    }
    let row = |entry: &&std::sync::Arc<Entry>| {
        vec![
            entry.name.to_string(),
            entry.server.to_string(),
            exposure(entry).to_owned(),
            safety(entry).to_owned(),
            first_sentence(&entry.description),
        ]
    };
    let rows: Vec<_> = tools.iter().map(row).collect();
    let columns = if start.output.stdout_is_terminal { start.output.columns } else { usize::MAX };
    for line in text::table(&["TOOL", "SERVER", "SHOWN", "MAY", "WHAT"], &rows, columns) {
        line_out(&line);
    }
    for (server, why) in catalog.missing() {
        let line =
            format!("the tools of server '{server}' are not available: {}", visible::line(why));
        line_err(&start.output.stderr_paint.yellow(&line));
    }
    Exit::Done
}

fn show(start: &Start, catalog: &Catalog, name: &str) -> Result<Exit, Failure> {
    let Some(entry) = catalog.get(name) else {
        return Err(unknown(catalog, name));
    };
    if start.common.json {
        json_pretty(&facts(entry));
        return Ok(Exit::Done);
    }
    let paint = start.output.stdout_paint;
    line_out(&format!(
        "{} · server {} {}",
        paint.bold(entry.name.as_str()),
        entry.server,
        visible::line(&entry.facts.version)
    ));
    line_out(&format!("shown: {} · may: {}", exposure(entry), safety(entry)));
    for one in &entry.requirements {
        let found = if one.met { "found" } else { "missing" };
        line_out(&visible::line(&format!("needs {}: {found} ({})", one.name, one.found)));
    }
    line_out(&format!("\n{}\n", visible::lines(entry.description.trim())));
    line_out(&serde_json::to_string_pretty(&schema(entry)).unwrap_or_default());
    Ok(Exit::Done)
}

/// The mistake of a name that is no tool's.
fn unknown(catalog: &Catalog, name: &str) -> Failure {
    let near = nearest(name, catalog.list().into_iter().map(|entry| entry.name.as_str()));
    let hint = match near.as_slice() {
        [] => "`tollgate tools list` shows those that are".to_owned(),
        near => format!("did you mean {}?", near.join(", ")),
    };
    Failure::usage(format!("there is no tool '{}'; {hint}", visible::line(name)))
}

fn facts(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "server": entry.server,
        "server_version": entry.facts.version,
        "title": entry.title,
        "description": entry.description,
        "exposure": entry.exposure,
        "safety": entry.safety.believed(entry.trust),
        "input_schema": schema(entry),
        "schema_sha256": entry.schema_sha256,
        "requirements": entry.requirements,
    })
}

fn schema(entry: &Entry) -> Value {
    serde_json::from_slice(&entry.input_schema).unwrap_or_default()
}

fn exposure(entry: &Entry) -> &'static str {
    match entry.exposure {
        Exposure::Eager => "at once",
        Exposure::Deferred => "if found",
        Exposure::Hidden => "never",
    }
}

/// The most that a call may do, one word.
fn safety(entry: &Entry) -> &'static str {
    let safety = entry.safety.believed(entry.trust);
    match (safety.read_only, safety.destructive) {
        (true, _) => "read",
        (false, false) => "change",
        (false, true) => "destroy",
    }
}

fn first_sentence(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let sentence = line.split_once(". ").map_or(line, |(first, _)| first);
    visible::line(sentence.trim_end_matches('.'))
}
