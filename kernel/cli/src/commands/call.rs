//! `call NAME JSON`: one gated call, with the person as its caller.

use bytes::Bytes;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    call::Caller,
    receipt::{Decision, Status},
};
use tollgate_engine::{
    error::KernelError,
    gate::CallEnd,
    session::{Session, SessionOptions},
    store::session::SessionKind,
};

use super::open::{Desk, in_session};
use crate::{
    args::Call,
    exit::{Exit, Failure},
    govern::govern,
    input,
    output::{json_line, line_err, write_out},
    start::Start,
    view::{self, Shows, TextView, View},
    visible,
};

#[cfg(test)]
mod tests;

/// Runs the call to its exit code.
///
/// # Errors
/// No kernel or session can be had, or records cannot be written.
pub(crate) async fn call(start: &Start, call: &Call) -> Result<Exit, Failure> {
    let arguments = match call.arguments.as_str() {
        "-" => input::read("the arguments")?,
        given => given.to_owned(),
    };
    let mut view = if start.common.json {
        View::Quiet
    } else {
        View::Text(Box::new(TextView::new(start.output, Shows::default())))
    };
    let end = gated(start, &call.name, arguments, call.approvals.is_some(), &mut view).await?;
    if start.common.json {
        // [CLI-04]
        json_line(&json!({ "result": end.result, "receipt": end.receipt }));
    } else {
        print(start, &end);
    }
    Ok(exit_of(&end))
}

/// One call of the person's, in a session of its own. `is_denied`: nobody answers questions.
///
/// # Errors
/// As [`call`].
pub(super) async fn gated(
    start: &Start,
    name: &str,
    arguments: String,
    is_denied: bool,
    view: &mut View,
) -> Result<CallEnd, Failure> {
    let desk = Desk::of_process(is_denied, true);
    let name = name.to_owned();
    let work = async |session: &Session, cancel: &CancellationToken| {
        session.call(&name, Bytes::from(arguments), Caller::User, cancel).await
    };
    alone(start, desk, view, work).await
}

/// A call in a session of its own.
///
/// # Errors
/// As [`call`].
pub(super) async fn alone(
    start: &Start,
    desk: Desk,
    view: &mut View,
    work: impl AsyncFnOnce(&Session, &CancellationToken) -> Result<CallEnd, KernelError>,
) -> Result<CallEnd, Failure> {
    let config = start.config()?;
    let governed = govern(start, &config, &[])?;
    let kernel = start.kernel(&config)?;
    let options = SessionOptions {
        kind: SessionKind::Call,
        resume: None,
        workspace: config.workspace.clone(),
        add_dirs: config.add_dirs.clone(),
        stance: governed.stance,
        model: None,
        record_requests: None,
    };
    let work = async |session: Session, cancel| {
        let called = work(&session, &cancel).await;
        let closed = session.close().await;
        let end = called?;
        closed?;
        Ok(end)
    };
    in_session(&kernel, options, desk, start.output, view, work).await
}

/// The result on standard output; a no is news and not a result.
fn print(start: &Start, end: &CallEnd) {
    let text = view::plain(&end.result.content);
    if status_of(end) == Status::Refused {
        if class_of(end) == "no_approver" {
            line_err(&start.output.stderr_paint.yellow(
                "run it at a terminal, or with --posture full-access if you trust what it does",
            ));
        }
        return;
    }
    // A terminal obeys what it is sent; a file gets the bytes.
    let text = if start.output.stdout_is_terminal { visible::lines(&text) } else { text };
    write_out(text.as_bytes());
    if !text.is_empty() && !text.ends_with('\n') {
        write_out(b"\n");
    }
}

fn status_of(end: &CallEnd) -> Status {
    end.receipt.end.as_ref().map_or(Status::InFlight, |end| end.status)
}

fn class_of(end: &CallEnd) -> &str {
    end.receipt.end.as_ref().map_or("", |end| end.error_class.as_str())
}

/// With what the process ends after a call (`[CLI-05]`).
pub(super) fn exit_of(end: &CallEnd) -> Exit {
    match (status_of(end), class_of(end)) {
        (Status::Ok, _) => Exit::Done,
        (_, "cancelled") => Exit::Interrupted,
        (_, "server_unavailable") => Exit::Unavailable,
        (Status::Refused, "unknown_tool" | "invalid_arguments") | (_, "invalid_query") => {
            Exit::Usage
        }
        (Status::Refused, _) if end.refused || end.receipt.decision == Decision::Denied => {
            Exit::Refused
        }
        (Status::Refused | Status::Failed | Status::InFlight, _) => Exit::Failed,
    }
}
