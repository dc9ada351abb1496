//! Asking a model: one request through the model server, streamed.

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{managed::Managed, rules::NamePattern},
    digest::Digest,
};
use tollgate_proto::{
    model::v1::{
        Finished, GenerateRequest, GenerateResponse, failed::Class, finished::Stop,
        generate_response::Event as Wire,
    },
    tool::v1::Scope,
};

use crate::{
    clock,
    context::SessionContext,
    error::KernelError,
    event::{Body, Usage},
    secrets::Pieces,
    servers::{CallClaims, ServerError, wire},
    store::session::ToolCall,
};
use tollgate_core::call::Position;

#[cfg(test)]
mod tests;

/// Bytes of one request, as the wire allows.
pub(crate) const REQUEST_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of one answer's text, and of its reasoning.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Calls of one answer.
const ANSWER_CALLS_MAX: usize = 256;

/// The class of a model that managed policy forbids.
pub const FORBIDDEN: &str = "forbidden_model";

/// A whole answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Reasoning as people see it.
    pub(crate) reasoning: String,
    /// Reasoning as the provider wants it back; JSON text or empty.
    pub(crate) carried: String,
    pub(crate) tool_calls: Vec<ToolCall>,
    /// "end", "tools", "length", "refusal", "cancelled".
    pub(crate) stop: &'static str,
    pub(crate) usage: Usage,
    pub(crate) model: String,
}

/// The pattern of managed policy that forbids a model (`[GATE-51]`). A pattern without a provider
/// forbids the name of every provider; a model without one may be of any.
#[must_use]
pub fn forbidden<'a>(managed: &'a Managed, model: &str) -> Option<&'a str> {
    let (provider, name) = match model.split_once(':') {
        Some((provider, name)) => (Some(provider), name),
        None => (None, model),
    };
    let of_any = || {
        managed.models_forbidden.iter().map(NamePattern::as_str).find(|pattern| {
            let part = pattern.split_once(':').filter(|_| provider.is_none());
            part.is_some_and(|(_, part)| {
                // What cannot be compared is forbidden.
                NamePattern::new(part).map_or(true, |part| part.matches(name))
            })
        })
    };
    managed.forbids_model(model).or_else(|| managed.forbids_model(name)).or_else(of_any)
}

/// Sends one prepared request and gathers the answer; deltas go to the watcher as they come.
pub(crate) async fn generate(
    cx: &SessionContext,
    at: &Position,
    model: &str,
    request: Bytes,
    cancel: &CancellationToken,
) -> Result<Answer, KernelError> {
    let asked = ask(cx, Some(at), model, request);
    tokio::select! {
        biased;
        () = cancel.cancelled() => Ok(Answer { stop: "cancelled", ..Answer::default() }),
        answer = asked => answer,
    }
}

/// Sends one prepared request and gathers the answer. `watched`: where its deltas are told; `None`:
/// nobody is told of it. Dropping the future aborts the request.
pub(crate) async fn ask(
    cx: &SessionContext,
    watched: Option<&Position>,
    model: &str,
    request: Bytes,
) -> Result<Answer, KernelError> {
    if let Some(pattern) = forbidden(&cx.policies.current().policy.managed, model) {
        let message =
            format!("the machine's owner forbids model '{model}' (managed policy, '{pattern}')");
        let class = FORBIDDEN.to_owned();
        return Err(KernelError::Model { class, message, retryable: false });
    }
    let server = cx.servers.model().ok_or_else(|| {
        KernelError::NoModel("no server with `model = true` is configured".to_owned())
    })?;
    let unavailable = |source: ServerError| KernelError::Server {
        server: server.name().as_str().to_owned(),
        source,
    };
    let connection = server.connection().await.map_err(unavailable)?;
    let call_id = clock::call_id();
    let granted = connection.grant(CallClaims {
        call_id: call_id.as_str(),
        attempt: 1,
        tool: "generate",
        schema_sha256: Digest::of(b""),
        arguments_sha256: Digest::of(&request),
        scope: Scope { network: true, ..Scope::default() },
    });
    let request = GenerateRequest {
        session: connection.session().to_owned(),
        call_id: call_id.as_str().to_owned(),
        model: model.to_owned(),
        request,
        grant: Some(granted.grant),
    };
    let lost = |status: tonic::Status| KernelError::Model {
        class: "server".to_owned(),
        message: cx.secrets.text(format!("the model server failed: {}", wire::status(&status))),
        retryable: true,
    };
    let answered = async {
        let mut stream = connection.model().generate(request).await.map_err(lost)?.into_inner();
        let mut hearing = Hearing::new(cx, watched);
        while let Some(GenerateResponse { event }) = stream.message().await.map_err(lost)? {
            if hearing.take(event).await? {
                return Ok(hearing.answer);
            }
        }
        Err(lost(tonic::Status::unknown("the stream ended before the answer did")))
    };
    // A model may think for long, but its server says all the while that it lives.
    let gone = connection.lost();
    tokio::select! {
        biased;
        answer = answered => answer,
        () = gone.cancelled() => Err(lost(tonic::Status::unavailable("it is silent or gone"))),
    }
}

/// An answer as it comes, without known secrets.
struct Hearing<'a> {
    cx: &'a SessionContext,
    watched: Option<&'a Position>,
    answer: Answer,
    text: Pieces,
    reasoning: Pieces,
}

impl<'a> Hearing<'a> {
    fn new(cx: &'a SessionContext, watched: Option<&'a Position>) -> Self {
        let (text, reasoning) = (cx.secrets.pieces(), cx.secrets.pieces());
        Self { cx, watched, answer: Answer::default(), text, reasoning }
    }

    /// Takes one event; `true`: the answer is whole.
    async fn take(&mut self, event: Option<Wire>) -> Result<bool, KernelError> {
        match event {
            Some(Wire::TextDelta(text)) => {
                let text = self.text.push_text(text);
                self.said(text, String::new()).await;
            }
            Some(Wire::ReasoningDelta(reasoning)) => {
                let reasoning = self.reasoning.push_text(reasoning);
                self.said(String::new(), reasoning).await;
            }
            Some(Wire::ToolCall(call)) => self.answer.tool_calls.push(ToolCall {
                id: wire::bounded(call.id, 256),
                name: wire::bounded(call.name, 256),
                arguments: String::from_utf8_lossy(&call.arguments).into_owned(),
            }),
            Some(Wire::Retrying(it)) => {
                let reason = wire::bounded(it.reason, 1024);
                let (attempt, after_ms) = (it.attempt, it.after_ms);
                self.tell(Body::ModelRetrying { attempt, after_ms, reason }).await;
            }
            Some(Wire::Finished(finished)) => {
                let (text, reasoning) = (self.text.finish_text(), self.reasoning.finish_text());
                self.said(text, reasoning).await;
                finish(&mut self.answer, finished);
                self.cx.secrets.hide(&mut self.answer.carried);
                return Ok(true);
            }
            Some(Wire::Failed(failed)) => {
                return Err(KernelError::Model {
                    class: class(failed.class()).to_owned(),
                    message: self.cx.secrets.text(wire::bounded(failed.message, 4096)),
                    retryable: failed.retryable,
                });
            }
            // A newer server's event.
            None => {}
        }
        let (text, reasoning) = (self.answer.text.len(), self.answer.reasoning.len());
        if text.max(reasoning) > ANSWER_BYTES_MAX || self.answer.tool_calls.len() > ANSWER_CALLS_MAX
        {
            return Err(KernelError::Model {
                class: "protocol".to_owned(),
                message: "the answer is larger than an answer can be".to_owned(),
                retryable: false,
            });
        }
        Ok(false)
    }

    /// Adds a piece, and tells it.
    async fn said(&mut self, text: String, reasoning: String) {
        if text.is_empty() && reasoning.is_empty() {
            return;
        }
        self.answer.text.push_str(&text);
        self.answer.reasoning.push_str(&reasoning);
        self.tell(Body::AssistantDelta { text, reasoning }).await;
    }

    async fn tell(&self, body: Body) {
        if self.watched.is_some() {
            self.cx.events.tell(self.watched, None, body).await;
        }
    }
}

fn finish(answer: &mut Answer, finished: Finished) {
    answer.stop = match finished.stop() {
        // Calls that are there are a tool turn, whatever the provider calls its stop.
        _ if !answer.tool_calls.is_empty() => "tools",
        Stop::End | Stop::Tools | Stop::Unspecified => "end",
        Stop::Length => "length",
        Stop::Refusal => "refusal",
    };
    let usage = finished.usage.unwrap_or_default();
    answer.usage =
        Usage { input: usage.input, output: usage.output, cached_input: usage.cached_input };
    answer.carried = String::from_utf8_lossy(&finished.reasoning).into_owned();
    answer.model = wire::bounded(finished.model, 256);
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Auth => "auth",
        Class::Quota => "quota",
        Class::Rate => "rate",
        Class::Context => "context",
        Class::Refusal => "refusal",
        Class::Network => "network",
        Class::Invalid => "invalid",
        Class::UnknownModel => "unknown_model",
        Class::Protocol | Class::Unspecified => "protocol",
        Class::Exhausted => "exhausted",
    }
}
