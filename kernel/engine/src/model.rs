//! Asking a model: one request through the model server, streamed.

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tollgate_core::digest::Digest;
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
    servers::{CallClaims, ServerError, wire},
    store::session::ToolCall,
};
use tollgate_core::call::Position;

/// Bytes of one request, as the wire allows.
pub(crate) const REQUEST_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of one answer's text, and of its reasoning.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Calls of one answer.
const ANSWER_CALLS_MAX: usize = 256;

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

/// Sends one prepared request and gathers the answer; deltas go to the watcher as they come.
pub(crate) async fn generate(
    cx: &SessionContext,
    at: &Position,
    model: &str,
    request: Bytes,
    cancel: &CancellationToken,
) -> Result<Answer, KernelError> {
    let asked = ask(cx, at, model, request);
    tokio::select! {
        biased;
        () = cancel.cancelled() => Ok(Answer { stop: "cancelled", ..Answer::default() }),
        answer = asked => answer,
    }
}

async fn ask(
    cx: &SessionContext,
    at: &Position,
    model: &str,
    request: Bytes,
) -> Result<Answer, KernelError> {
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
        message: format!("the model server failed: {}", wire::status(&status)),
        retryable: true,
    };
    let answered = async {
        let mut stream = connection.model().generate(request).await.map_err(lost)?.into_inner();
        let mut answer = Answer::default();
        while let Some(GenerateResponse { event }) = stream.message().await.map_err(lost)? {
            if take(cx, at, &mut answer, event).await? {
                return Ok(answer);
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

/// Takes one event; `true`: the answer is whole.
async fn take(
    cx: &SessionContext,
    at: &Position,
    answer: &mut Answer,
    event: Option<Wire>,
) -> Result<bool, KernelError> {
    match event {
        Some(Wire::TextDelta(text)) => {
            answer.text.push_str(&text);
            let body = Body::AssistantDelta { text, reasoning: String::new() };
            cx.events.tell(Some(at), None, body).await;
        }
        Some(Wire::ReasoningDelta(reasoning)) => {
            answer.reasoning.push_str(&reasoning);
            let body = Body::AssistantDelta { text: String::new(), reasoning };
            cx.events.tell(Some(at), None, body).await;
        }
        Some(Wire::ToolCall(call)) => answer.tool_calls.push(ToolCall {
            id: wire::bounded(call.id, 256),
            name: wire::bounded(call.name, 256),
            arguments: String::from_utf8_lossy(&call.arguments).into_owned(),
        }),
        Some(Wire::Retrying(it)) => {
            let body = Body::ModelRetrying {
                attempt: it.attempt,
                after_ms: it.after_ms,
                reason: wire::bounded(it.reason, 1024),
            };
            cx.events.tell(Some(at), None, body).await;
        }
        Some(Wire::Finished(finished)) => {
            finish(answer, finished);
            return Ok(true);
        }
        Some(Wire::Failed(failed)) => {
            return Err(KernelError::Model {
                class: class(failed.class()).to_owned(),
                message: wire::bounded(failed.message, 4096),
                retryable: failed.retryable,
            });
        }
        // A newer server's event.
        None => {}
    }
    let too_much = answer.text.len().max(answer.reasoning.len()) > ANSWER_BYTES_MAX
        || answer.tool_calls.len() > ANSWER_CALLS_MAX;
    if too_much {
        return Err(KernelError::Model {
            class: "protocol".to_owned(),
            message: "the answer is larger than an answer can be".to_owned(),
            retryable: false,
        });
    }
    Ok(false)
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
