//! What an answer is made of, and the way of an answer to the kernel.
//!
//! The contract's own types are this server's product, so they are used as they are; this is the
//! only file but `service.rs` that names the crate they come from.
//!
//! A backend returns the last event, and `service.rs` sends it with [`Outlet::end`], which consumes
//! the outlet: there is exactly one.

use tokio::sync::mpsc;

pub(crate) use tollgate_proto::model::v1::{
    Failed, Finished, Retrying, ToolCall, Usage, failed::Class, finished::Stop,
    generate_response::Event,
};

use crate::failure::tell;
use crate::limits::DELTA_BYTES_MAX;

/// Text that a person may see while the answer is made.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Delta {
    /// Of the answer.
    Text(String),
    /// Of the reasoning.
    Reasoning(String),
}

/// Where a backend puts the events of one answer.
#[derive(Debug)]
pub(crate) struct Outlet {
    events: mpsc::Sender<Event>,
    secrets: Vec<String>,
    shown: bool,
}

impl Outlet {
    /// An outlet whose errors hold none of the secrets.
    pub(crate) fn new(events: mpsc::Sender<Event>, secrets: Vec<String>) -> Self {
        Self { events, secrets, shown: false }
    }

    /// Whether anything of the answer was sent, so that another try would show it twice.
    pub(crate) fn has_shown(&self) -> bool {
        self.shown
    }

    /// Sends text, in pieces that fit an event. Empty text is no event.
    pub(crate) async fn delta(&mut self, delta: Delta) {
        let (text, event): (String, fn(String) -> Event) = match delta {
            Delta::Text(text) => (text, Event::TextDelta),
            Delta::Reasoning(text) => (text, Event::ReasoningDelta),
        };
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(DELTA_BYTES_MAX));
            self.send(event(piece.to_owned())).await;
            rest = after;
        }
    }

    /// Sends one whole call.
    pub(crate) async fn call(&mut self, call: ToolCall) {
        self.send(Event::ToolCall(call)).await;
    }

    /// Says that the request is sent again.
    pub(crate) async fn retrying(&self, attempt: u32, after_ms: u32, reason: &str) {
        let reason = tell(reason, &self.secrets);
        tracing::info!(attempt, after_ms, reason, "the request is sent again");
        self.put(Event::Retrying(Retrying { attempt, after_ms, reason })).await;
    }

    /// Sends the last event.
    pub(crate) async fn end(self, answer: Result<Finished, crate::failure::Failure>) {
        let event = match answer {
            Ok(finished) => Event::Finished(finished),
            Err(failure) => Event::Failed(failure.into_event(&self.secrets)),
        };
        self.put(event).await;
    }

    async fn send(&mut self, event: Event) {
        self.shown = true;
        self.put(event).await;
    }

    async fn put(&self, event: Event) {
        // Fails when nobody reads on; then this task is about to be aborted.
        drop(self.events.send(event).await);
    }
}
