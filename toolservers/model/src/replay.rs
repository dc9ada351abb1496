//! `replay:FILE`: the model's side of a recorded session, played again [MODEL-05].
//!
//! A session's log has one JSON object a line: `{"len": …, "sum": …, "record": {…}}`. The N-th
//! record of type `assistant` (from 0) answers the request with N assistant messages. Other records
//! are passed over; a last line that was torn by a crash is too.
//!
//! Not here: checking the log. The kernel, whose file it is, does that.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::event::{Class, Finished, Outlet, Stop, ToolCall, Usage};
use crate::failure::Failure;
use crate::limits::LINE_BYTES_MAX;
use crate::request::{Purpose, Request};
use crate::script::play::{Said, interrupted};

#[cfg(test)]
mod tests;

/// What of a line matters here.
#[derive(Deserialize)]
struct Line {
    record: Record,
}

/// What of a record matters here.
#[derive(Deserialize)]
struct Record {
    r#type: String,
    text: Option<String>,
    reasoning: Option<Value>,
    tool_calls: Option<Vec<RecordedCall>>,
    stop: Option<String>,
    usage: Option<RecordedUsage>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RecordedUsage {
    input: u64,
    output: u64,
    cached_input: u64,
}

#[derive(Deserialize)]
struct RecordedCall {
    id: String,
    name: String,
    arguments: Value,
}

/// Answers a request with the recorded answer of its step.
///
/// # Errors
///
/// The file is no session's log, or has no further answer.
pub(crate) async fn generate(
    path: PathBuf,
    request: &Request,
    outlet: &mut Outlet,
) -> Result<Finished, Failure> {
    let name = path.display().to_string();
    if request.purpose == Purpose::Guardian {
        let message = format!("session {name} is a recording, which judges no new call");
        return Err(Failure::lasting(Class::Invalid, message));
    }
    let step = request.step();
    let found = tokio::task::spawn_blocking(move || find(&path, step)).await;
    let said = found.map_err(|_| interrupted(&name))??;
    Ok(said.say(outlet).await)
}

/// The answer of a step. Blocks.
fn find(path: &Path, step: usize) -> Result<Said, Failure> {
    let name = path.display();
    let unusable =
        |why: String| Failure::lasting(Class::UnknownModel, format!("session {name}: {why}"));
    let cannot = |fault: std::io::Error| unusable(format!("cannot be read: {fault}"));
    if !path.is_absolute() {
        return Err(unusable("the path must be absolute".to_owned()));
    }
    if !std::fs::metadata(path).map_err(cannot)?.is_file() {
        return Err(unusable("is no regular file".to_owned()));
    }
    let mut log = BufReader::new(File::open(path).map_err(cannot)?);
    let mut line = Vec::new();
    let mut answers = 0;
    for number in 1.. {
        line.clear();
        log.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).map_err(cannot)?;
        if line.is_empty() {
            break;
        }
        let record = match serde_json::from_slice::<Line>(&line) {
            Ok(Line { record }) => record,
            Err(_) if !line.ends_with(b"\n") => break,
            Err(fault) => return Err(unusable(format!("line {number} is no record: {fault}"))),
        };
        if record.r#type == "assistant" {
            if answers == step {
                return Ok(record.said());
            }
            answers += 1;
        }
    }
    let message = format!(
        "session {name} has {answers} answers of the model, and the conversation asks for one more"
    );
    Err(Failure::lasting(Class::Exhausted, message))
}

impl Record {
    fn said(self) -> Said {
        let calls = self.tool_calls.unwrap_or_default().into_iter().map(RecordedCall::made);
        // A text is what was shown; another value is what goes back with the message.
        let (reasoning, carried) = match self.reasoning {
            Some(Value::String(text)) => (text, Vec::new()),
            None | Some(Value::Null) => Default::default(),
            Some(value) => (String::new(), value.to_string().into()),
        };
        let stop = match self.stop.as_deref() {
            Some("length") => Some(Stop::Length),
            Some("refusal") => Some(Stop::Refusal),
            Some(_) | None => None,
        };
        let RecordedUsage { input, output, cached_input } = self.usage.unwrap_or_default();
        Said {
            reasoning,
            text: self.text.unwrap_or_default(),
            calls: calls.collect(),
            carried,
            stop,
            usage: Usage { input, output, cached_input },
        }
    }
}

impl RecordedCall {
    fn made(self) -> ToolCall {
        let text = self.arguments.as_str().map(str::to_owned);
        let arguments = text.unwrap_or_else(|| self.arguments.to_string());
        ToolCall { id: self.id, name: self.name, arguments: arguments.into() }
    }
}
