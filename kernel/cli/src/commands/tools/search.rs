//! `tools search`: a call of `tool_search` by the person, through the gate, with a receipt; it activates
//! nothing.
//!
//! Matches go to standard output, all else that the search says to standard error.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollgate_core::catalog::contract::TOOL_SEARCH;

use crate::{
    args::SearchTools,
    commands::call,
    exit::{Exit, Failure},
    output::{Paint, json_pretty, line_err, line_out},
    start::Start,
    text, view,
    view::View,
    visible,
};

/// Before what is said of a tool below its call.
const INDENT: &str = "    ";

/// What `tool_search` answers, as far as it is shown.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    matches: Vec<Match>,
    matched_total: usize,
    next_skip: Option<usize>,
    nearest: Vec<String>,
    missing: Vec<String>,
    not_searched: Vec<NotSearched>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Match {
    name: String,
    description: String,
    server: String,
    score: f64,
    why: String,
    signature: String,
    exposure: String,
    input_schema: Option<Value>,
    types: Option<String>,
    omitted_bytes: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NotSearched {
    server: String,
    source: Option<String>,
    state: String,
    reason: String,
}

/// Runs the command.
///
/// # Errors
/// No kernel or session can be had, or records cannot be written.
pub(super) async fn run(start: &Start, asked: &SearchTools) -> Result<Exit, Failure> {
    let arguments = Value::Object(arguments(asked)).to_string();
    let end = call::gated(start, TOOL_SEARCH, arguments, false, &mut View::Quiet).await?;
    if end.result.is_error {
        line_err(&visible::lines(&view::plain(&end.result.content)));
    } else if start.common.json {
        json_pretty(&end.result.structured);
    } else {
        let answer = Answer::deserialize(&end.result.structured).unwrap_or_default();
        let columns =
            if start.output.stdout_is_terminal { start.output.columns } else { usize::MAX };
        let names_only = asked.format.as_deref() == Some("names");
        for found in &answer.matches {
            let lines = card(found, names_only, columns, start.output.stdout_paint);
            lines.iter().for_each(|line| line_out(line));
        }
        for note in notes(&answer) {
            line_err(&start.output.stderr_paint.yellow(&visible::line(&note)));
        }
    }
    Ok(call::exit_of(&end))
}

fn arguments(asked: &SearchTools) -> Map<String, Value> {
    let SearchTools { query, limit, skip, kind, server, format } = asked;
    let mut all = Map::new();
    let mut put = |key: &str, value: Value| all.insert(key.to_owned(), value);
    put("query", query.join(" ").into());
    if let Some(limit) = limit {
        put("limit", json!(limit));
    }
    if *skip > 0 {
        put("skip", json!(skip));
    }
    for (key, value) in [("kind", kind), ("server", server), ("format", format)] {
        if let Some(value) = value {
            put(key, value.as_str().into());
        }
    }
    all
}

/// One tool: its call, what it says of itself, where it is from and why it was found.
fn card(found: &Match, names_only: bool, columns: usize, paint: Paint) -> Vec<String> {
    let name = visible::name(&found.name);
    if names_only {
        return vec![name];
    }
    let mut lines = text::prose(&visible::line(&found.signature), columns);
    if let Some(first) = lines.first_mut()
        && let Some(rest) = first.strip_prefix(name.as_str())
    {
        *first = format!("{}{rest}", paint.bold(&name));
    }
    let mut below = |said: &str, paint: &dyn Fn(&str) -> String| {
        let columns = columns.saturating_sub(INDENT.len());
        let said = text::prose(said, columns).into_iter().filter(|line| !line.is_empty());
        lines.extend(said.map(|line| format!("{INDENT}{}", paint(&line))));
    };
    below(&visible::line(&found.description), &str::to_owned);
    let from = Some(&found.server).filter(|it| !it.is_empty());
    let from = from.map(|it| format!("server {it} · ")).unwrap_or_default();
    let shown = if found.exposure == "eager" { "at once" } else { "if found" };
    let facts = format!("{from}shown {shown} · found by {} ({})", found.why, found.score);
    below(&visible::line(&facts), &|line| paint.dim(line));
    if let Some(schema) = &found.input_schema {
        below(
            &visible::lines(&serde_json::to_string_pretty(schema).unwrap_or_default()),
            &str::to_owned,
        );
    }
    if let Some(types) = &found.types {
        below(&visible::lines(types), &str::to_owned);
    }
    if let Some(bytes) = found.omitted_bytes {
        let said = format!("its schema has {bytes} bytes: `tollgate tools show {name}` prints it");
        below(&said, &|line| paint.dim(line));
    }
    lines
}

/// What else is to be known.
fn notes(answer: &Answer) -> Vec<String> {
    let (total, shown) = (answer.matched_total, answer.matches.len());
    let mut notes = Vec::new();
    if total == 0 {
        notes.push("no tool matches; `tollgate tools list` shows those that are".to_owned());
    } else if shown == 0 {
        notes.push(format!("{total} match, and --skip leaves none"));
    } else if shown < total {
        let more = answer.next_skip.map(|next| format!("; --skip {next} shows more"));
        notes.push(format!("{shown} of {total}{}", more.unwrap_or_default()));
    }
    if !answer.missing.is_empty() {
        notes.push(format!("not found: {}", answer.missing.join(", ")));
    }
    if !answer.nearest.is_empty() {
        notes.push(format!("the nearest names: {}", answer.nearest.join(", ")));
    }
    notes.extend(answer.not_searched.iter().map(|it| {
        let source = it.source.as_ref().map(|source| format!("{source} of "));
        let source = source.unwrap_or_default();
        format!("not searched: {source}server {}, {}: {}", it.server, it.state, it.reason)
    }));
    notes
}

#[cfg(test)]
mod tests;
