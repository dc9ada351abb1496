//! `sessions list|show`.

use serde_json::json;
use tollgate_engine::store::{
    StateDir,
    session::{self, Head, SessionRecord, Summary, ToolResult},
};

use super::receipts::{decision_word, status_word};
use crate::{
    args::Sessions,
    exit::{Exit, Failure},
    limits::OUTPUT_LINES_SHOWN,
    output::{Paint, json_pretty, line_err, line_out},
    start::Start,
    text, view, visible,
};

/// Runs the command.
///
/// # Errors
/// There is no such session, or the store cannot be read.
pub(crate) fn run(start: &Start, command: &Sessions) -> Result<Exit, Failure> {
    let state = start.store()?;
    match command {
        Sessions::List { limit } => list(start, &state, *limit),
        Sessions::Show { id } => show(start, &state, id),
    }
}

fn list(start: &Start, state: &StateDir, limit: usize) -> Result<Exit, Failure> {
    let limit = if limit == 0 { usize::MAX } else { limit };
    let sessions = session::list(state, limit)?;
    if start.common.json {
        json_pretty(&sessions.iter().map(summary_json).collect::<Vec<_>>());
        return Ok(Exit::Done);
    }
    if sessions.is_empty() {
        line_err("there are no sessions yet");
        return Ok(Exit::Done);
    }
    let rows: Vec<_> = sessions.iter().map(row).collect();
    let columns = if start.output.stdout_is_terminal { start.output.columns } else { usize::MAX };
    for line in text::table(
        &["SESSION", "KIND", "USED (UTC)", "TURNS", "FOLDER", "LAST MESSAGE"],
        &rows,
        columns,
    ) {
        line_out(&line);
    }
    Ok(Exit::Done)
}

fn kind_word(head: &Head) -> String {
    match serde_json::to_value(head.kind) {
        Ok(serde_json::Value::String(word)) => word,
        _ => "other".to_owned(),
    }
}

fn row(session: &Summary) -> Vec<String> {
    let head = session.head.as_ref();
    let folder = head.and_then(|head| head.workspace.file_name());
    vec![
        session.id.to_string(),
        head.map_or_else(|| "damaged".to_owned(), kind_word),
        text::moment(session.used_unix_ms),
        session.turns.map_or_else(|| "?".to_owned(), |turns| turns.to_string()),
        visible::line(&folder.unwrap_or_default().to_string_lossy()),
        visible::line(session.last_prompt.as_deref().unwrap_or_default()),
    ]
}

fn summary_json(session: &Summary) -> serde_json::Value {
    json!({
        "id": session.id,
        "head": session.head,
        "used_unix_ms": session.used_unix_ms,
        "bytes": session.bytes,
        "turns": session.turns,
        "last_prompt": session.last_prompt,
    })
}

fn show(start: &Start, state: &StateDir, asked: &str) -> Result<Exit, Failure> {
    let id = session::find(state, asked)?;
    let mut records = Vec::new();
    let repairs = session::read(state, &id, |_, record| records.push(record))?;
    for line in repairs.to_string().lines() {
        line_err(&start.output.stderr_paint.yellow(line));
    }
    if start.common.json {
        json_pretty(&records);
        return Ok(Exit::Done);
    }
    for line in records.iter().flat_map(|record| lines(record, start)) {
        line_out(&line);
    }
    Ok(Exit::Done)
}

/// A record for people; empty for what only the kernel needs.
fn lines(record: &SessionRecord, start: &Start) -> Vec<String> {
    let paint = start.output.stdout_paint;
    match record {
        SessionRecord::Session(head) => {
            let when = text::moment(head.created_unix_ms);
            let model = if head.model.is_empty() { "no model" } else { &head.model };
            let (mode, posture) = (head.stance.mode, head.stance.posture);
            let folder = head.workspace.display();
            let line = format!(
                "session {} · {} · {when} UTC · {folder} · {mode}, {posture} · {model}",
                head.id,
                kind_word(head)
            );
            vec![paint.dim(&visible::line(&line))]
        }
        SessionRecord::User { text, .. } => {
            let text = visible::lines(text);
            let mut lines = vec![String::new()];
            lines.extend(text.lines().map(|line| paint.bold(&format!("> {line}"))));
            lines
        }
        SessionRecord::Assistant(answer) => {
            let mut lines: Vec<_> =
                visible::lines(&answer.text).lines().map(str::to_owned).collect();
            for call in &answer.tool_calls {
                let arguments =
                    serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
                lines.push(format!("● {}", view::title(&call.name, "", &arguments)));
            }
            lines
        }
        SessionRecord::ToolResult(result) => result_lines(result, paint),
        SessionRecord::TurnEnd { stop_reason, steps, .. } => {
            let steps = text::count(usize::try_from(*steps).unwrap_or(usize::MAX), "step");
            vec![paint.dim(&format!("turn ended: {} after {steps}", visible::line(stop_reason)))]
        }
        SessionRecord::Stance(stance) => {
            vec![paint.dim(&format!("from here on: {}, {}", stance.mode, stance.posture))]
        }
        SessionRecord::Grants { rules } => {
            let rules = rules.iter().map(|rule| visible::line(rule)).collect::<Vec<_>>().join(", ");
            vec![paint.dim(&format!("allowed for this session: {rules}"))]
        }
        SessionRecord::Tainted(taint) => {
            let (source, tool) = (visible::line(&taint.source), visible::line(&taint.tool));
            vec![paint.dim(&format!("untrusted text from here on: {source} ({tool})"))]
        }
        SessionRecord::Cwd { path } => {
            vec![paint.dim(&visible::line(&format!("in {}", path.display())))]
        }
        SessionRecord::Note { text } => {
            vec![paint.yellow(&format!("note: {}", visible::line(text)))]
        }
        SessionRecord::Request { .. }
        | SessionRecord::Inject { .. }
        | SessionRecord::Observed { .. }
        | SessionRecord::End => Vec::new(),
    }
}

/// A call's result: its first lines, and what became of it.
fn result_lines(result: &ToolResult, paint: Paint) -> Vec<String> {
    let plain = visible::lines(&view::plain(&result.content));
    let all: Vec<&str> = plain.lines().collect();
    let mut lines: Vec<_> =
        all.iter().take(OUTPUT_LINES_SHOWN).map(|line| paint.dim(&format!("  │ {line}"))).collect();
    if all.len() > OUTPUT_LINES_SHOWN {
        let left = text::count(all.len() - OUTPUT_LINES_SHOWN, "more line");
        lines.push(paint.dim(&format!("  │ … {left}")));
    }
    let (status, decision) = (status_word(result.status), decision_word(result.decision));
    lines.push(format!("  {}: {status}, {decision}", visible::line(&result.name)));
    lines
}
