//! Assembles an answer from the events of a Chat Completions stream.
//!
//! Tolerated: comments and empty events, `[DONE]` missing (then `finish_reason` ends the answer),
//! `finish_reason` missing (then `[DONE]` does), usage with any chunk or none, calls with the finish
//! reason `stop`, a whole answer instead of a stream, text as a list of parts.
//! Refused: data that is not of the format, an `error` event, a stream that stops before an end.
//!
//! Not here: bytes (`sse.rs`), which piece belongs to which call (`calls.rs`).

use serde_json::Value;

use crate::chat::calls::Calls;
use crate::chat::chunk::{CallDelta, Choice, Chunk, Delta as Piece};
use crate::chat::reasoning::Reasoning;
use crate::chat::sse::SseEvent;
use crate::event::{Class, Delta, Finished, Stop, ToolCall, Usage};
use crate::failure::{Failure, cut, of_error};
use crate::limits::ANSWER_BYTES_MAX;

#[cfg(test)]
mod tests;

/// Bytes of a provider's data that an error quotes.
const QUOTE_BYTES_MAX: usize = 200;

/// An answer so far.
#[derive(Debug)]
pub(crate) struct Assembler {
    provider: String,
    step: usize,
    calls: Calls,
    reasoning: Reasoning,
    finish_reason: Option<String>,
    is_done: bool,
    has_refusal: bool,
    usage: Usage,
    model: String,
    bytes: usize,
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The calls, in order.
    pub(crate) calls: Vec<ToolCall>,
    /// The last event.
    pub(crate) finished: Finished,
}

impl Assembler {
    /// An empty answer. `step` counts the model's earlier answers in the conversation.
    pub(crate) fn new(provider: &str, step: usize) -> Self {
        Self {
            provider: provider.to_owned(),
            step,
            calls: Calls::default(),
            reasoning: Reasoning::default(),
            finish_reason: None,
            is_done: false,
            has_refusal: false,
            usage: Usage::default(),
            model: String::new(),
            bytes: 0,
        }
    }

    /// Takes one event, and gives what of it is shown. What comes after `[DONE]` is ignored.
    ///
    /// # Errors
    ///
    /// The provider reports an error, breaks the format, or says more than fits.
    pub(crate) fn take(&mut self, event: &SseEvent) -> Result<Vec<Delta>, Failure> {
        let data = event.data.trim();
        self.is_done |= data == "[DONE]";
        if self.is_done || data.is_empty() {
            return Ok(Vec::new());
        }
        if event.name == "error" {
            let error = serde_json::from_str(data).unwrap_or_else(|_| Value::from(data));
            return Err(of_error(&self.provider, &error));
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(|fault| self.broken(data, &fault))?;
        if let Some(error) = chunk.error {
            return Err(of_error(&self.provider, &error));
        }
        if let Some(usage) = chunk.usage {
            self.usage = read_usage(&usage);
        }
        if let Some(model) = chunk.model.filter(|model| !model.is_empty()) {
            self.model = model;
        }
        let mut shown = Vec::new();
        for choice in chunk.choices.unwrap_or_default() {
            if choice.index.unwrap_or(0) == 0 {
                self.take_choice(choice, &mut shown)?;
            }
        }
        Ok(shown)
    }

    /// Whether `[DONE]` was read: nothing more will come.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether the answer is whole, though its usage may still come.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_done || self.finish_reason.is_some()
    }

    /// The whole answer, at the end of the stream.
    ///
    /// # Errors
    ///
    /// The stream ended before the answer did, or the provider gave it up.
    pub(crate) fn finish(self) -> Result<Answer, Failure> {
        let provider = &self.provider;
        if !self.is_whole() {
            let message = format!("the stream of {provider} ended before its answer did");
            return Err(Failure::passing(Class::Network, message));
        }
        let stop = self.stop()?;
        let calls = self.calls.finish(self.step)?;
        if calls.is_empty() && self.finish_reason.as_deref() == Some("tool_calls") {
            tracing::warn!(provider, "the answer ends for tools and names none");
        }
        let finished = Finished {
            stop: stop.into(),
            usage: Some(self.usage),
            reasoning: self.reasoning.carried(provider, !calls.is_empty()).into(),
            model: self.model,
        };
        Ok(Answer { calls, finished })
    }

    fn take_choice(&mut self, choice: Choice, shown: &mut Vec<Delta>) -> Result<(), Failure> {
        if let Some(error) = choice.error {
            return Err(of_error(&self.provider, &error));
        }
        if let Some(mut piece) = choice.delta.or(choice.message) {
            let details = piece.reasoning_details.as_ref();
            self.bytes += details.map_or(0, |details| details.to_string().len());
            let before = shown.len();
            shown.extend(self.reasoning.take(&piece));
            read_content(piece.content.as_ref(), shown);
            if let Some(refusal) = piece.refusal.take().filter(|text| !text.is_empty()) {
                self.has_refusal = true;
                shown.push(Delta::Text(refusal));
            }
            for delta in shown.iter().skip(before) {
                let (Delta::Text(text) | Delta::Reasoning(text)) = delta;
                self.bytes += text.len();
            }
            self.bytes += self.calls.take(&call_pieces(piece))?;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason);
        }
        if self.bytes > ANSWER_BYTES_MAX {
            let message = format!("the answer is longer than {ANSWER_BYTES_MAX} bytes");
            return Err(Failure::lasting(Class::Protocol, message));
        }
        Ok(())
    }

    /// Why the answer stopped. Calls make it a stop for tools whatever the word, except where the
    /// word says that the answer is not what the model meant.
    fn stop(&self) -> Result<Stop, Failure> {
        let provider = &self.provider;
        let gave_up =
            |class, why: &str| Err(Failure::passing(class, format!("{provider} gave up: {why}")));
        match self.finish_reason.as_deref() {
            Some("length" | "max_tokens" | "model_length") => return Ok(Stop::Length),
            Some("content_filter") => return Ok(Stop::Refusal),
            Some("error") => return gave_up(Class::Network, "finish reason `error`"),
            Some("insufficient_system_resource") => {
                return gave_up(Class::Rate, "it has not enough resources now");
            }
            Some("stop" | "tool_calls" | "function_call") | None => {}
            Some(other) => {
                tracing::warn!(provider, other, "an unknown finish reason counts as the end");
            }
        }
        Ok(match (self.calls.is_empty(), self.has_refusal) {
            (false, _) => Stop::Tools,
            (true, true) => Stop::Refusal,
            (true, false) => Stop::End,
        })
    }

    fn broken(&self, data: &str, fault: &serde_json::Error) -> Failure {
        let quote = cut(data.to_owned(), QUOTE_BYTES_MAX);
        let provider = &self.provider;
        let message = format!(
            "{provider} sent what is not of the Chat Completions format ({fault}): {quote}"
        );
        Failure::lasting(Class::Protocol, message)
    }
}

/// The pieces of calls in one delta, in either form.
fn call_pieces(piece: Piece) -> Vec<CallDelta> {
    let mut pieces = piece.tool_calls.unwrap_or_default();
    if let Some(function) = piece.function_call {
        pieces.push(CallDelta { function: Some(function), ..CallDelta::default() });
    }
    pieces
}

/// Text, or (Mistral) a list of parts with text and reasoning.
fn read_content(content: Option<&Value>, shown: &mut Vec<Delta>) {
    let text = |value: &Value| value.as_str().map(str::to_owned).filter(|text| !text.is_empty());
    match content {
        Some(Value::Array(parts)) => {
            for part in parts {
                shown.extend(part.get("text").and_then(text).map(Delta::Text));
                let thoughts = part.get("thinking").and_then(Value::as_array);
                for thought in thoughts.into_iter().flatten() {
                    shown.extend(thought.get("text").and_then(text).map(Delta::Reasoning));
                }
            }
        }
        Some(value) => shown.extend(text(value).map(Delta::Text)),
        None => {}
    }
}

/// Counts by OpenAI's names; cached input by OpenAI's or DeepSeek's.
fn read_usage(usage: &Value) -> Usage {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    Usage {
        input: count("/prompt_tokens").unwrap_or(0),
        output: count("/completion_tokens").unwrap_or(0),
        cached_input: count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .unwrap_or(0),
    }
}
