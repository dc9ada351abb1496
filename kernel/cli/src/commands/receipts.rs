//! `receipts list|show|export|verify` (`[GATE-81]`, `[STORE-03]`).

mod export;
mod facts;

use serde_json::json;
use tollgate_core::{
    name::SessionId,
    receipt::{Decision, Receipt, Record, Status},
};
use tollgate_engine::store::{
    StateDir,
    receipts::{self, VerifyReport},
    session,
};

use crate::{
    args::Receipts,
    exit::{Exit, Failure},
    output::{json_pretty, line_err, line_out},
    start::Start,
    text, view, visible,
};

/// Runs the command.
///
/// # Errors
/// There is no such session or call, or the store cannot be read.
pub(crate) fn run(start: &Start, command: &Receipts) -> Result<Exit, Failure> {
    let state = start.store()?;
    match command {
        Receipts::List { session, limit } => list(start, &state, session.as_deref(), *limit),
        Receipts::Show { call } => show(start, &state, call),
        Receipts::Export { session, all, output } => {
            export::run(start, &state, session.as_deref(), *all, output.as_deref())
        }
        Receipts::Verify { session } => verify(start, &state, session.as_deref()),
    }
}

fn list(
    start: &Start,
    state: &StateDir,
    asked: Option<&str>,
    limit: usize,
) -> Result<Exit, Failure> {
    let id = match asked {
        Some(asked) => Some(session::find(state, asked)?),
        None => session::latest(state)?.map(|session| session.id),
    };
    let Some(id) = id else {
        if start.common.json {
            json_pretty(&json!([]));
        } else {
            line_err("there are no sessions yet");
        }
        return Ok(Exit::Done);
    };
    let (records, repairs) = receipts::list(state, &id)?;
    for line in repairs.to_string().lines() {
        line_err(&start.output.stderr_paint.yellow(line));
    }
    let skip = if limit == 0 { 0 } else { records.len().saturating_sub(limit) };
    let shown = records.get(skip..).unwrap_or_default();
    if start.common.json {
        json_pretty(&shown);
        return Ok(Exit::Done);
    }
    let columns = if start.output.stdout_is_terminal { start.output.columns } else { usize::MAX };
    for line in table(shown, columns) {
        line_out(&line);
    }
    if skip > 0 {
        line_err(&format!("{skip} older ones are not shown; --limit 0 shows all"));
    }
    Ok(Exit::Done)
}

/// Receipts as a table.
pub(crate) fn table(records: &[Record], columns: usize) -> Vec<String> {
    let receipts: Vec<&Receipt> = records.iter().filter_map(receipt_of).collect();
    let ids: Vec<&str> = receipts.iter().map(|receipt| receipt.id.as_str()).collect();
    let rows: Vec<_> = receipts.iter().zip(text::beginnings(&ids)).map(row).collect();
    text::table(&["CALL", "TOOL", "DECISION", "BY", "STATUS", "TIME", "WHAT"], &rows, columns)
}

fn row((receipt, id): (&&Receipt, String)) -> Vec<String> {
    let end = receipt.end.as_ref();
    let status = end.map_or("running", |end| status_word(end.status));
    let elapsed = end.map(|end| end.ended_unix_ms.saturating_sub(receipt.started_unix_ms));
    let what = match end.filter(|end| !end.error.is_empty()) {
        Some(end) => end.error.lines().next().unwrap_or_default().to_owned(),
        None => view::gist(&receipt.arguments),
    };
    vec![
        id,
        visible::line(&receipt.tool),
        decision_word(receipt.decision).to_owned(),
        facts::decider(receipt),
        status.to_owned(),
        elapsed.map(text::duration).unwrap_or_default(),
        visible::line(what.trim()),
    ]
}

fn receipt_of(record: &Record) -> Option<&Receipt> {
    match record {
        Record::Decided(receipt) | Record::Receipt(receipt) => Some(receipt),
        Record::Asked(_) | Record::Answered(_) => None,
    }
}

/// As it is written in receipts.
pub(crate) fn decision_word(decision: Decision) -> &'static str {
    match decision {
        Decision::Auto => "auto",
        Decision::Approved => "approved",
        Decision::Denied => "denied",
        Decision::Refused => "refused",
    }
}

/// As it is written in receipts.
pub(crate) fn status_word(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Failed => "failed",
        Status::Refused => "refused",
        Status::InFlight => "in_flight",
    }
}

fn show(start: &Start, state: &StateDir, call: &str) -> Result<Exit, Failure> {
    let shown = receipts::show(state, call)?;
    if start.common.json {
        json_pretty(&json!({
            "session": shown.session,
            "decided": shown.decided,
            "receipt": shown.receipt,
            "questions": shown.questions,
        }));
        return Ok(Exit::Done);
    }
    let Some(receipt) = shown.receipt.as_ref().or(shown.decided.as_ref()) else {
        return Ok(Exit::Done);
    };
    for (name, value) in facts::facts(receipt, &shown.questions) {
        let value = visible::lines(&value).replace('\n', "\n             ");
        line_out(&format!("{:<12} {value}", format!("{name}:")));
    }
    Ok(Exit::Done)
}

fn verify(start: &Start, state: &StateDir, asked: Option<&str>) -> Result<Exit, Failure> {
    let sessions: Vec<SessionId> = match asked {
        Some(asked) => vec![session::find(state, asked)?],
        None => session::list(state, usize::MAX)?.into_iter().map(|session| session.id).collect(),
    };
    let mut reports = Vec::new();
    for id in &sessions {
        reports.push(receipts::verify(state, id)?);
    }
    let is_sound = reports.iter().all(VerifyReport::is_sound);
    if start.common.json {
        json_pretty(&reports.iter().map(report_json).collect::<Vec<_>>());
    } else {
        for line in
            reports.iter().flat_map(|report| verify_lines(report, start.output.stdout_paint))
        {
            line_out(&line);
        }
        if sessions.is_empty() {
            line_err("there are no sessions yet");
        }
    }
    Ok(if is_sound { Exit::Done } else { Exit::Failed })
}

/// A report for people.
pub(crate) fn verify_lines(report: &VerifyReport, paint: crate::output::Paint) -> Vec<String> {
    let calls = text::count(usize::try_from(report.calls).unwrap_or(usize::MAX), "call");
    let records = text::count(usize::try_from(report.records).unwrap_or(usize::MAX), "record");
    let id = &report.session;
    let head = report.head.to_string();
    let mut lines = if report.is_sound() {
        let head = head.get(..12).unwrap_or_default();
        vec![paint.green(&format!("✓ {id}: {calls}, {records}, the chain holds (head {head}…)"))]
    } else {
        vec![
            paint.red(&format!(
                "✗ {id}: {calls}, {records}, and what is there is not what was written"
            )),
        ]
    };
    lines.extend(
        report.faults.iter().map(|fault| format!("  {}", visible::line(&fault.to_string()))),
    );
    if report.unlisted > 0 {
        lines.push(format!("  and {} more faults", report.unlisted));
    }
    for call in &report.in_flight {
        lines.push(format!(
            "  call {call} has no receipt yet: it runs, or `tollgate resume {id}` closes it"
        ));
    }
    lines
}

fn report_json(report: &VerifyReport) -> serde_json::Value {
    json!({
        "session": report.session,
        "sound": report.is_sound(),
        "records": report.records,
        "calls": report.calls,
        "in_flight": report.in_flight,
        "head": report.head,
        "anchors": report.anchors,
        "faults": report.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "faults_unlisted": report.unlisted,
    })
}
