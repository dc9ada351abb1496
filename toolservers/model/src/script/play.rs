//! Plays one step of a script, or of a recorded session, as a model would.

use std::path::PathBuf;
use std::time::Duration;

use crate::chat::sse::Decoder;
use crate::chat::stream::{Answer, Assembler};
use crate::event::{Class, Delta, Finished, Outlet, Stop, ToolCall, Usage};
use crate::failure::{Failure, cut};
use crate::limits::SCRIPT_PIECES;
use crate::request::{Message, Purpose, Request};
use crate::script::reference::Results;
use crate::script::{Script, ScriptedError, Step, guardian};

/// Bytes of a tool result that an error quotes.
const QUOTE_BYTES_MAX: usize = 200;

/// Answers a request with its step of a script.
///
/// # Errors
///
/// The script is unusable or has no further step, a strict script meets what it refuses, or the
/// step says so.
pub(crate) async fn generate(
    path: PathBuf,
    request: &Request,
    outlet: &mut Outlet,
) -> Result<Finished, Failure> {
    let name = path.display().to_string();
    let file = path.clone();
    let loaded = tokio::task::spawn_blocking(move || Script::load(&file)).await;
    let script = loaded.map_err(|_| interrupted(&name))??;
    if request.purpose == Purpose::Guardian {
        return guardian::judge(&script, &path, request, outlet).await;
    }
    let at = request.step();
    let faulty =
        |why: String| Failure::lasting(Class::Invalid, format!("script {name}, step {at}: {why}"));
    let Some(step) = script.steps.get(at) else {
        let count = script.steps.len();
        let message = format!(
            "script {name} has {count} steps, and the conversation asks for one more; add a step"
        );
        return Err(Failure::lasting(Class::Exhausted, message));
    };
    if script.strict {
        refuse(step, request).map_err(faulty)?;
    }
    tokio::time::sleep(Duration::from_millis(step.delay_ms)).await;
    let finished = match &step.raw {
        Some(raw) => stream(raw, at, outlet).await,
        None => {
            let said = Said::of(step, at, &Results::of(request)).map_err(faulty)?;
            Ok(said.say(outlet).await)
        }
    };
    match &step.error {
        Some(error) => Err(error.failure()),
        None => finished,
    }
}

/// The file's reader was stopped: this server is on its way out.
pub(crate) fn interrupted(name: &str) -> Failure {
    Failure::passing(Class::Network, format!("reading {name} was interrupted"))
}

/// What a model says in one answer.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// Shown first.
    pub(crate) reasoning: String,
    /// The text.
    pub(crate) text: String,
    /// The calls, in order.
    pub(crate) calls: Vec<ToolCall>,
    /// What goes back with the message, as JSON text.
    pub(crate) carried: Vec<u8>,
    /// Why it stopped; absent: for its calls, or at its end.
    pub(crate) stop: Option<Stop>,
    /// What it took.
    pub(crate) usage: Usage,
}

impl Said {
    fn of(step: &Step, at: usize, results: &Results) -> Result<Self, String> {
        let mut calls = Vec::new();
        for (number, call) in step.tool_calls.iter().enumerate() {
            let id = call.id.clone().unwrap_or_else(|| format!("call_{at}_{number}"));
            let arguments = results.fill_arguments(&call.arguments)?.into();
            calls.push(ToolCall { id, name: call.name.clone(), arguments });
        }
        let text = results.fill(step.text.as_deref().unwrap_or_default())?;
        let reasoning = step.reasoning.clone().unwrap_or_default();
        Ok(Self { reasoning, text, calls, ..Self::default() })
    }

    /// Sends it, text in a few pieces, and gives the last event.
    pub(crate) async fn say(self, outlet: &mut Outlet) -> Finished {
        outlet.delta(Delta::Reasoning(self.reasoning)).await;
        for piece in pieces(&self.text) {
            outlet.delta(Delta::Text(piece)).await;
        }
        let stop = match self.stop {
            Some(stop) => stop,
            None if self.calls.is_empty() => Stop::End,
            None => Stop::Tools,
        };
        for call in self.calls {
            outlet.call(call).await;
        }
        Finished {
            stop: stop.into(),
            usage: Some(self.usage),
            reasoning: self.carried.into(),
            model: String::new(),
        }
    }
}

/// A text in at most [`SCRIPT_PIECES`] pieces of about the same length.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let length = chars.len().div_ceil(SCRIPT_PIECES).max(1);
    chars.chunks(length).map(String::from_iter).collect()
}

/// Gives raw text the way of a real stream.
async fn stream(raw: &str, at: usize, outlet: &mut Outlet) -> Result<Finished, Failure> {
    let mut decoder = Decoder::default();
    let mut assembler = Assembler::new("script", at);
    let mut events = decoder.push(raw.as_bytes()).map_err(|_| {
        Failure::lasting(Class::Protocol, "an event of the script's `raw` is too long")
    })?;
    events.extend(decoder.finish());
    for event in events {
        for delta in assembler.take(&event)? {
            outlet.delta(delta).await;
        }
    }
    let Answer { calls, finished } = assembler.finish()?;
    for call in calls {
        outlet.call(call).await;
    }
    Ok(finished)
}

/// What a strict script does not go on with.
fn refuse(step: &Step, request: &Request) -> Result<(), String> {
    let is_failed = |message: &&Message| message.is_error == Some(true);
    if let Some(failed) = request.results().find(is_failed) {
        let id = failed.tool_call_id.as_deref().unwrap_or_default();
        let quote = cut(failed.text(), QUOTE_BYTES_MAX);
        return Err(format!("the script is strict, and call {id} failed: {quote}"));
    }
    match step.tool_calls.iter().find(|call| !request.offers(&call.name)) {
        Some(call) => {
            let offered: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
            let offered =
                if offered.is_empty() { "nothing".to_owned() } else { offered.join(", ") };
            let name = &call.name;
            Err(format!("the script is strict, and `{name}` is not on offer; offered: {offered}"))
        }
        None => Ok(()),
    }
}

impl ScriptedError {
    pub(super) fn failure(&self) -> Failure {
        let message = self.message.clone().unwrap_or_else(|| "the script says so".to_owned());
        let class = self.class.into();
        match class {
            Class::Rate | Class::Network => Failure::passing(class, message),
            Class::Unspecified
            | Class::Auth
            | Class::Quota
            | Class::Context
            | Class::Refusal
            | Class::Invalid
            | Class::UnknownModel
            | Class::Protocol
            | Class::Exhausted => Failure::lasting(class, message),
        }
    }
}
