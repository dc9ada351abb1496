//! One turn in a session, new or resumed, from its options to its exit code: what `exec` and `resume`
//! have in common.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tollgate_core::{name::SessionId, receipt::Receipt};
use tollgate_engine::{
    session::{Resumed, Session, SessionOptions},
    store::session::SessionKind,
    turn::{TurnEnd, TurnLimits},
};

use super::{
    no_model,
    open::{Desk, in_session},
};
use crate::{
    args::{Approvals, OutputFormat, TurnOptions},
    config::Config,
    exit::{Exit, Failure},
    govern::govern,
    output::{json_line, line_err},
    start::Start,
    stdio::Lines,
    text, view,
    view::{Refusals, Shows, TextView, View},
};

#[cfg(test)]
mod tests;

/// What a turn is run with.
#[derive(Debug)]
pub(super) struct Task<'a> {
    /// Goes on with this session.
    pub(super) resume: Option<SessionId>,
    /// The message.
    pub(super) prompt: String,
    /// As typed.
    pub(super) options: &'a TurnOptions,
}

/// Runs the turn to its exit code; everything is printed.
///
/// # Errors
/// The session cannot be opened, the model fails, or records cannot be written.
pub(super) async fn run(start: &Start, config: &Config, task: Task<'_>) -> Result<Exit, Failure> {
    let format = format_of(start, task.options);
    let ran = open_and_run(start, config, task, format).await;
    if format == OutputFormat::Json {
        match &ran {
            Ok((session, end)) => json_line(&answer(session, end)),
            Err(failure) => json_line(&json!({ "error": error_json(failure) })),
        }
    }
    ran.map(|(_, end)| exit_of(&end))
}

fn format_of(start: &Start, options: &TurnOptions) -> OutputFormat {
    let usual = if start.common.json { OutputFormat::Json } else { OutputFormat::Text };
    options.output_format.unwrap_or(usual)
}

async fn open_and_run(
    start: &Start,
    config: &Config,
    task: Task<'_>,
    format: OutputFormat,
) -> Result<(SessionId, TurnEnd), Failure> {
    let Some(model) = config.values.text("model") else { return Err(no_model::failure(config)) };
    let guardian = config.values.text("auto_review.model");
    let governed = govern(start, config, &[Some(model), guardian])?;
    let options = SessionOptions {
        kind: SessionKind::Exec,
        resume: task.resume,
        workspace: config.workspace.clone(),
        add_dirs: config.add_dirs.clone(),
        stance: governed.stance,
        model: Some(model.to_owned()),
        record_requests: task.options.record_requests.clone(),
    };
    let mut view = match format {
        OutputFormat::Text => {
            let reasoning = start.common.verbose > 0;
            let shows = Shows { session: true, prompts: false, outputs: true, reasoning };
            View::Text(Box::new(TextView::new(start.output, shows)))
        }
        OutputFormat::Json => View::Quiet,
        OutputFormat::StreamJson => View::Lines,
    };
    let lines = match task.options.approvals {
        Some(Approvals::Stdio) => Some(Lines::of_stdin()?),
        Some(Approvals::Deny) | None => None,
    };
    let desk = match &lines {
        Some(lines) => Desk::of_lines(lines),
        None => Desk::of_process(task.options.approvals.is_some(), format == OutputFormat::Text),
    };
    let limits = TurnLimits {
        steps_max: task.options.max_steps,
        within: task.options.timeout.map(Duration::from_secs),
    };
    let kernel = start.kernel(config)?;
    let work = async |mut session: Session, cancel: CancellationToken| {
        let id = session.id().clone();
        let resumed = session.resumed().clone();
        for line in resumed.repairs.iter().chain(&in_flight(&resumed)) {
            line_err(&start.output.stderr_paint.yellow(line));
        }
        let cx = Arc::clone(session.context());
        let turn = session.turn(task.prompt, limits, &cancel);
        let ran = match lines {
            Some(lines) => lines.beside(&cx, &cancel, turn).await,
            None => turn.await,
        };
        let closed = session.close().await;
        let end = ran?;
        closed?;
        Ok((id, end))
    };
    let ran = in_session(&kernel, options, desk, start.output, &mut view, work).await;
    let (id, end) = ran?;
    if let View::Text(shown) = &view {
        let lines = no_lines(shown.refusals, &end);
        for line in lines.iter().flat_map(|line| text::prose(line, start.output.columns)) {
            line_err(&start.output.stderr_paint.yellow(&line));
        }
    }
    Ok((id, end))
}

/// A sentence for each call that was running when the session was left.
pub(super) fn in_flight(resumed: &Resumed) -> Vec<String> {
    let sentence = |receipt: &Receipt| {
        let title = view::title(&receipt.tool, "", &receipt.arguments);
        let ran = match receipt.safety {
            Some(safety) if safety.read_only => "it changed nothing",
            _ => "it may have run; look before you run it again",
        };
        format!("in flight when the session was left: {title} (call {}): {ran}", receipt.id)
    };
    resumed.in_flight.iter().map(sentence).collect()
}

/// What was said no to, and what helps (`[GATE-03]`).
fn no_lines(refusals: Refusals, end: &TurnEnd) -> Vec<String> {
    let mut lines = Vec::new();
    let count = |number| text::count(number, "call");
    if refusals.unasked > 0 {
        lines.push(format!(
            "{} needed an approval and nobody could be asked; run it at a terminal, or with \
             --posture full-access if you trust what it does, or with --mode plan to change nothing",
            count(refusals.unasked)
        ));
    }
    let others = refusals.refused.saturating_sub(refusals.unasked);
    if others > 0 {
        lines.push(format!("{} refused by the gate", count(others)));
    }
    if refusals.denied > 0 {
        lines.push(format!("{} denied by you", count(refusals.denied)));
    }
    if lines.is_empty() && end.refused > 0 {
        lines.push(format!("{} refused", count(usize::try_from(end.refused).unwrap_or(0))));
    }
    if !lines.is_empty() {
        lines.push("`tollgate receipts list` shows each".to_owned());
    }
    lines
}

/// With what the process ends after a turn (`[CLI-05]`): a turn over refused calls is not done, so
/// that no green job hides what did not happen.
fn exit_of(end: &TurnEnd) -> Exit {
    match end.stop_reason.as_str() {
        "cancelled" => Exit::Interrupted,
        "timeout" => Exit::Timeout,
        "stopped" | "hook" => Exit::Refused,
        _ if end.refused > 0 => Exit::Refused,
        "end" => Exit::Done,
        _ => Exit::Failed,
    }
}

fn answer(session: &SessionId, end: &TurnEnd) -> serde_json::Value {
    json!({
        "session": session,
        "text": end.text,
        "stop_reason": end.stop_reason,
        "steps": end.steps,
        "usage": end.usage,
        "refused": end.refused,
        "exit_code": exit_of(end).code(),
    })
}

fn error_json(failure: &Failure) -> serde_json::Value {
    json!({
        "class": failure.class(),
        "message": failure.chain(),
        "retryable": failure.exit == Exit::Retryable,
        "exit_code": failure.exit.code(),
    })
}
