//! The text view: what happens, line by line, readable without colour and at 40 columns.
//!
//! ```text
//! ● read README.md
//!   ✓ 12 lines · 0.1 s
//! ● bash: Run the tests
//!   │ 3 passed
//!   ✓ 40 lines · 2.3 s
//! ✗ write /etc/passwd refused: …
//! ```
//!
//! The answer goes to standard output: as it comes when that is a terminal, else whole at the end,
//! because only then it is known to be the answer and not a word between calls.
//!
//! Not here: how the outcome of a call looks (`outcome.rs`), cards (`card.rs`).

use std::collections::BTreeMap;

use serde_json::Value;
use tollgate_core::{call::Caller, name::CallId, receipt::Status};
use tollgate_engine::event::{Body, Event, Usage};

use super::{Piece, Refusals, outcome, title};
use crate::{output::Output, text, visible};

#[cfg(test)]
mod tests;

/// The least time between two lines of one call's progress, ms.
const PROGRESS_EVERY_MS: u64 = 1000;

/// Progress for people.
#[derive(Debug)]
pub(crate) struct TextView {
    output: Output,
    shows: Shows,
    calls: BTreeMap<CallId, Running>,
    /// The call whose line was printed last.
    last: Option<CallId>,
    /// Standard output is within a line.
    is_line_open: bool,
    /// Text of this step has been shown as it came.
    was_streamed: bool,
    turn_began: u64,
    calls_ended: usize,
    /// What the gate and people said no to.
    pub(crate) refusals: Refusals,
}

/// What a text view shows beside the calls themselves.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Shows {
    /// Which session it is.
    pub(crate) session: bool,
    /// What the user says.
    pub(crate) prompts: bool,
    /// The ends of the calls' outputs.
    pub(crate) outputs: bool,
    /// What the model thinks.
    pub(crate) reasoning: bool,
}

/// A call that has not ended.
#[derive(Debug)]
struct Running {
    title: String,
    began: u64,
    progress_shown: u64,
    is_nested: bool,
}

impl TextView {
    /// A view that has shown nothing.
    pub(crate) fn new(output: Output, shows: Shows) -> Self {
        Self {
            output,
            shows,
            calls: BTreeMap::new(),
            last: None,
            is_line_open: false,
            was_streamed: false,
            turn_began: 0,
            calls_ended: 0,
            refusals: Refusals::default(),
        }
    }

    /// What an event looks like.
    pub(crate) fn event(&mut self, event: &Event) -> Vec<Piece> {
        let mut pieces = Vec::new();
        match &event.body {
            Body::SessionStarted { mode, posture, model, resumed, .. } if self.shows.session => {
                let session = text::short(event.session.as_str());
                let begun = if *resumed { "session resumed" } else { "session" };
                let model = if model.is_empty() { "no model" } else { model };
                let line =
                    format!("{begun} {session} · {mode}, {posture} · {}", visible::line(model));
                self.dim(&mut pieces, &line);
            }
            Body::TurnStarted { prompt } => self.prompt(&mut pieces, event.ts, prompt),
            // A program's call stands below its program: it needs no title that says so.
            Body::ApprovalRequested { card, .. } if card.caller != Caller::Program => {
                self.titled(event, &card.tool, &card.title);
            }
            Body::SessionStarted { .. }
            | Body::RequestPrepared { .. }
            | Body::ApprovalRequested { .. }
            | Body::ApprovalDecided { .. }
            | Body::StanceChanged { .. }
            | Body::SessionEnded {} => {}
            Body::CatalogChanged { server, added, removed, changed, more } => {
                let counted = [(added, "new"), (removed, "gone"), (changed, "changed")];
                let counts = counted.iter().filter(|(names, _)| !names.is_empty());
                let counts = counts.map(|(names, what)| format!("{} {what}", names.len()));
                let left_out = (*more > 0).then(|| format!("{more} more"));
                let counts: Vec<_> = counts.chain(left_out).collect();
                let line = format!("the tools of '{server}' changed: {}", counts.join(", "));
                self.dim(&mut pieces, &self.cut(&line));
            }
            Body::AssistantDelta { text, reasoning } => self.delta(&mut pieces, text, reasoning),
            Body::AssistantMessage { text, tool_calls, .. } => {
                self.message(&mut pieces, text, *tool_calls);
            }
            Body::GuardianJudged { allowed, reason } => {
                let word = if *allowed { "allows" } else { "does not allow" };
                let line = format!("the guardian {word} it: {}", visible::line(reason));
                self.dim(&mut pieces, &self.cut(&line));
            }
            Body::ModelRetrying { attempt, after_ms, reason } => {
                let after = text::duration((*after_ms).into());
                let reason = visible::line(reason);
                let line =
                    format!("the model is asked again in {after} (retry {attempt}): {reason}");
                let line = self.output.stderr_paint.yellow(&self.cut(&line));
                self.err(&mut pieces, &line);
            }
            Body::ToolCall { name, arguments, parent, .. } => {
                self.call(event, name, arguments, parent.is_some());
            }
            Body::ToolStarted { name, title } => self.started(&mut pieces, event, name, title),
            Body::ToolProgress { text, .. } => self.progress(&mut pieces, event, text),
            Body::ToolResult { .. } => self.result(&mut pieces, event),
            Body::TurnCompleted { text, stop_reason, steps, usage, .. } => {
                self.completed(&mut pieces, event.ts, text, stop_reason, *steps, *usage);
            }
            Body::Error { class, message, .. } => {
                let line = format!("✗ {}: {}", visible::line(class), visible::lines(message));
                let line = self.output.stderr_paint.red(&line);
                self.err(&mut pieces, &line);
            }
        }
        pieces
    }

    /// A line for standard error; a line of the answer that is open is ended first.
    pub(crate) fn err(&mut self, pieces: &mut Vec<Piece>, line: &str) {
        if std::mem::take(&mut self.is_line_open) {
            pieces.push(Piece::Out("\n".to_owned()));
        }
        self.last = None;
        pieces.push(Piece::Err(format!("{line}\n")));
    }

    fn dim(&mut self, pieces: &mut Vec<Piece>, line: &str) {
        let line = self.output.stderr_paint.dim(&self.cut(line));
        self.err(pieces, &line);
    }

    fn cut(&self, line: &str) -> String {
        text::cut(line, self.output.columns)
    }

    fn delta(&mut self, pieces: &mut Vec<Piece>, text: &str, reasoning: &str) {
        if self.shows.reasoning && !reasoning.is_empty() {
            let shown = visible::lines(reasoning);
            pieces.push(Piece::Err(self.output.stderr_paint.dim(&shown)));
        }
        if self.output.stdout_is_terminal && !text.is_empty() {
            self.was_streamed = true;
            self.last = None;
            self.is_line_open = !text.ends_with('\n');
            pieces.push(Piece::Out(visible::lines(text)));
        }
    }

    fn message(&mut self, pieces: &mut Vec<Piece>, text: &str, tool_calls: usize) {
        let was_streamed = std::mem::take(&mut self.was_streamed);
        if self.output.stdout_is_terminal {
            if !was_streamed && !text.is_empty() {
                pieces.push(Piece::Out(visible::lines(text)));
                self.is_line_open = !text.ends_with('\n');
            }
            if std::mem::take(&mut self.is_line_open) {
                pieces.push(Piece::Out("\n".to_owned()));
            }
        } else if tool_calls > 0 && !text.trim().is_empty() {
            let text = visible::lines(text.trim());
            self.err(pieces, &text);
        }
    }

    fn call(&mut self, event: &Event, name: &str, arguments: &Value, is_nested: bool) {
        let Some(id) = &event.call_id else { return };
        let title = title(name, "", arguments);
        let running = Running { title, began: event.ts, progress_shown: event.ts, is_nested };
        self.calls.insert(id.clone(), running);
    }

    fn prompt(&mut self, pieces: &mut Vec<Piece>, began: u64, prompt: &str) {
        self.turn_began = began;
        self.calls_ended = 0;
        if self.shows.prompts {
            let prompt = self.output.stderr_paint.bold(&format!("> {}", visible::lines(prompt)));
            self.err(pieces, "");
            self.err(pieces, &prompt);
        }
    }

    /// Takes over what its server calls a call.
    fn titled(&mut self, event: &Event, name: &str, told: &str) {
        let running = event.call_id.as_ref().and_then(|id| self.calls.get_mut(id));
        if let Some(running) = running.filter(|_| !told.is_empty() && told != name) {
            running.title = title(name, told, &Value::Null);
        }
    }

    fn started(&mut self, pieces: &mut Vec<Piece>, event: &Event, name: &str, told: &str) {
        let Some(id) = &event.call_id else { return };
        self.titled(event, name, told);
        let Some(running) = self.calls.get(id) else { return };
        let indent = if running.is_nested { "  " } else { "" };
        let line = format!("{indent}● {}", running.title);
        let line = self.cut(&line);
        self.err(pieces, &line);
        self.last = Some(id.clone());
    }

    fn progress(&mut self, pieces: &mut Vec<Piece>, event: &Event, text: &str) {
        let Some(id) = &event.call_id else { return };
        let Some(running) = self.calls.get_mut(id) else { return };
        if text.is_empty() || event.ts < running.progress_shown + PROGRESS_EVERY_MS {
            return;
        }
        running.progress_shown = event.ts;
        let elapsed = text::duration(event.ts.saturating_sub(running.began));
        self.dim(pieces, &format!("  … {elapsed} · {}", visible::line(text)));
        self.last = Some(id.clone());
    }

    fn result(&mut self, pieces: &mut Vec<Piece>, event: &Event) {
        let Body::ToolResult { name, status, receipt, .. } = &event.body else { return };
        let running = event.call_id.as_ref().and_then(|id| self.calls.remove(id));
        let title = running.as_ref().map_or_else(|| visible::line(name), |call| call.title.clone());
        let elapsed = running.as_ref().map(|call| event.ts.saturating_sub(call.began));
        let is_titled = self.last.is_some() && self.last == event.call_id;
        self.calls_ended += 1;
        if *status == Status::Refused {
            self.refusals.add(receipt);
        }
        let look = outcome::Look {
            output: self.output,
            title: (!is_titled).then_some(title),
            elapsed_ms: elapsed,
            has_output: self.shows.outputs,
            indent: if running.is_some_and(|call| call.is_nested) { "    " } else { "  " },
        };
        for line in outcome::lines(&event.body, &look) {
            self.err(pieces, &line);
        }
    }

    fn completed(
        &mut self,
        pieces: &mut Vec<Piece>,
        ended: u64,
        text: &str,
        stop_reason: &str,
        steps: u32,
        usage: Usage,
    ) {
        if !self.output.stdout_is_terminal && !text.is_empty() {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            pieces.push(Piece::Out(format!("{text}{end}")));
        }
        let steps = text::count(steps.try_into().unwrap_or(usize::MAX), "step");
        let calls = text::count(self.calls_ended, "call");
        let elapsed = text::duration(ended.saturating_sub(self.turn_began));
        let mut parts = vec![steps, calls, elapsed];
        if usage.input > 0 || usage.output > 0 {
            parts.push(format!("{} tokens in, {} out", usage.input, usage.output));
        }
        if stop_reason != "end" {
            parts.insert(0, format!("stopped: {}", visible::line(stop_reason)));
        }
        self.dim(pieces, &parts.join(" · "));
    }
}
