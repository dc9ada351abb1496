//! `tools list`: the tools of a session as this workspace stands, what is not among them and why, and
//! names that several servers claim.

use serde_json::{Value, json};
use tollgate_core::catalog::{Clash, Entry, View};

use super::facts;
use crate::{
    exit::Exit,
    output::{json_pretty, line_err, line_out},
    start::Start,
    text, visible,
};

/// Prints the list. `all`: old names too.
pub(super) fn run(start: &Start, view: &View, all: bool) -> Exit {
    if start.common.json {
        json_pretty(&json_of(view, all));
        return Exit::Done;
    }
    let columns = if start.output.stdout_is_terminal { start.output.columns } else { usize::MAX };
    let rows: Vec<_> = view.shown().iter().map(|entry| row(view, entry)).collect();
    let mut lines = text::table(&["TOOL", "SERVER", "SHOWN", "MAY", "WHAT"], &rows, columns);
    let withheld: Vec<_> = withheld(view)
        .map(|(entry, why)| {
            vec![entry.name.to_string(), entry.server.to_string(), visible::line(&why.sentence())]
        })
        .collect();
    if !withheld.is_empty() {
        lines.push(String::new());
        lines.extend(text::table(&["NOT HERE", "SERVER", "WHY"], &withheld, columns));
    }
    let hidden = view.catalog().hidden();
    if all && !hidden.is_empty() {
        let row = |form: &std::sync::Arc<Entry>| {
            let (name, means) = (form.name.to_string(), form.canonical().to_string());
            vec![name, means, facts::when(form), form.server.to_string()]
        };
        let rows: Vec<_> = hidden.iter().map(row).collect();
        lines.push(String::new());
        lines.extend(text::table(&["OLD NAME", "MEANS", "WHEN", "SERVER"], &rows, columns));
    }
    for line in lines {
        line_out(&line);
    }
    let yellow = |line: &str| line_err(&start.output.stderr_paint.yellow(&visible::line(line)));
    for clash in view.catalog().clashes() {
        yellow(&clash.sentence());
    }
    for (server, why) in view.catalog().missing() {
        yellow(&format!("the tools of server '{server}' are not available: {why}"));
    }
    Exit::Done
}

fn row(view: &View, entry: &Entry) -> Vec<String> {
    vec![
        entry.name.to_string(),
        entry.server.to_string(),
        facts::shown(view, entry).to_owned(),
        facts::safety(entry).to_owned(),
        first_sentence(&entry.description),
    ]
}

/// In the catalog's order.
fn withheld(view: &View) -> impl Iterator<Item = (&Entry, &tollgate_core::catalog::Withheld)> {
    let all = view.catalog().list().iter();
    all.filter_map(|entry| Some((&**entry, view.why_withheld(entry.name.as_str())?)))
}

fn json_of(view: &View, all: bool) -> Value {
    let catalog = view.catalog();
    let missing = catalog.missing().map(|(server, why)| json!({ "server": server, "reason": why }));
    let mut list = json!({
        "tools": view.shown().iter().map(|entry| facts::json_of(entry)).collect::<Vec<_>>(),
        "withheld": withheld(view)
            .map(|(entry, why)| facts::json_of_withheld(entry, why))
            .collect::<Vec<_>>(),
        "clashes": catalog.clashes().iter().map(json_of_clash).collect::<Vec<_>>(),
        "unavailable": missing.collect::<Vec<_>>(),
        "surface": view.surface(),
    });
    if all && let Some(list) = list.as_object_mut() {
        let hidden = catalog.hidden().iter().map(|form| facts::json_of_form(form));
        list.insert("hidden".to_owned(), hidden.collect());
    }
    list
}

fn json_of_clash(clash: &Clash) -> Value {
    let renamed =
        clash.renamed.iter().map(|(server, name)| json!({ "server": server, "name": name }));
    json!({
        "name": clash.name,
        "winner": clash.winner,
        "renamed": renamed.collect::<Vec<_>>(),
        "sentence": clash.sentence(),
    })
}

fn first_sentence(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let sentence = line.split_once(". ").map_or(line, |(first, _)| first);
    visible::line(sentence.trim_end_matches('.'))
}
