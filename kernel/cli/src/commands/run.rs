//! `run FILE`: a person's program, in a session of its own with the whole gate (`[CODE-17]`).

use std::{fs, io::IsTerminal as _, io::Read as _};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    call::{Block, first_text},
    receipt::Status,
};
use tollgate_engine::{gate::CallEnd, session::Session};

use super::{
    artifacts,
    call::{alone, exit_of},
    open::Desk,
};
use crate::{
    args::{Artifacts, Run},
    exit::{Exit, Failure},
    input,
    limits::STDIN_BYTES_MAX,
    output::{json_line, line_err, write_out},
    start::Start,
    view::{Shows, TextView, View},
    visible,
};

/// Runs the program to its exit code.
///
/// # Errors
/// It cannot be read, no kernel or session can be had, or records cannot be written.
pub(crate) async fn run(start: &Start, run: &Run) -> Result<Exit, Failure> {
    let code = if run.file == "-" { input::read("the program")? } else { read(&run.file)? };
    let mut arguments = json!({ "code": code });
    if let (Some(ms), Some(fields)) = (run.timeout_ms, arguments.as_object_mut()) {
        fields.insert("timeout_ms".to_owned(), ms.into());
    }
    let mut view = if start.common.json {
        View::Quiet
    } else {
        View::Text(Box::new(TextView::new(start.output, Shows::default())))
    };
    // A program that is piped in leaves the terminal free for answers.
    let can_answer = run.file == "-" || std::io::stdin().is_terminal();
    let desk = Desk::beside(run.approvals.is_some(), true, can_answer);
    let work = async |session: &Session, cancel: &CancellationToken| {
        session.run(arguments.to_string().into(), cancel).await
    };
    let end = alone(start, desk, &mut view, work).await?;
    if start.common.json {
        json_line(&json!({ "result": end.result, "receipt": end.receipt }));
    } else {
        print(start, &end)?;
    }
    let is_late = end.receipt.end.as_ref().is_some_and(|end| end.error_class == "timeout");
    Ok(if is_late { Exit::Timeout } else { exit_of(&end) })
}

fn read(file: &str) -> Result<String, Failure> {
    let cannot = |why: String| Failure::usage(format!("cannot read the program {file}: {why}"));
    let opened = fs::File::open(file).map_err(|error| cannot(error.to_string()))?;
    let mut bytes = Vec::new();
    let read = opened.take(STDIN_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| cannot(error.to_string()))?;
    if bytes.len() as u64 > STDIN_BYTES_MAX {
        return Err(cannot(format!("it is longer than {STDIN_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| cannot("it is no UTF-8 text".to_owned()))
}

/// The value on standard output; what else there is to know on standard error.
///
/// # Errors
/// A value that was kept whole cannot be read.
fn print(start: &Start, end: &CallEnd) -> Result<(), Failure> {
    let is_ok = end.receipt.end.as_ref().is_some_and(|end| end.status == Status::Ok);
    let (value, rest) = end.result.content.split_at(usize::from(is_ok));
    for text in rest.iter().filter_map(text) {
        let text = visible::lines(text);
        line_err(&if is_ok { start.output.stderr_paint.dim(&text) } else { text });
    }
    let spill = end.result.truncated.as_ref().and_then(|cut| cut.spill.as_ref());
    if let (true, Some(id)) = (is_ok, spill) {
        artifacts::run(start, &Artifacts::Show { id: id.clone() })?;
    } else if let Some(value) = value.iter().find_map(text) {
        // A terminal obeys what it is sent; a file gets the bytes.
        let is_terminal = start.output.stdout_is_terminal;
        let value = if is_terminal { visible::lines(value) } else { value.to_owned() };
        write_out(value.as_bytes());
        if !value.ends_with('\n') {
            write_out(b"\n");
        }
    }
    Ok(())
}

fn text(block: &Block) -> Option<&str> {
    first_text(std::slice::from_ref(block))
}
