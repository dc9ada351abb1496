//! One request to a provider that speaks OpenAI Chat Completions.
//!
//! Order: body, then (send, read the stream) until it succeeds or must not be tried again. Text is
//! shown as it comes; calls are sent when the answer is whole, since only then it is known that no
//! more pieces of them come.

use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio::time::timeout;

use crate::chat::sse::{Decoder, SseEvent, TooLong};
use crate::chat::stream::{Answer, Assembler};
use crate::event::{Class, Finished, Outlet};
use crate::failure::Failure;
use crate::http::{Http, silent, unreachable};
use crate::limits::{DRAIN_WAIT, IDLE_WAIT, SSE_EVENT_BYTES_MAX, TRAILER_WAIT};
use crate::request::Request;
use crate::retry;
use crate::settings::Provider;

mod calls;
mod chunk;
mod reasoning;
mod request;
pub(crate) mod sse;
pub(crate) mod stream;
#[cfg(test)]
mod tests;

/// Asks a provider's model, and sends what it answers but for the last event.
///
/// # Errors
///
/// There is no whole answer.
///
/// # Cancel safety
///
/// Dropping the future aborts the HTTP request.
pub(crate) async fn generate(
    http: &Http,
    provider: &Provider,
    model: &str,
    request: &Request,
    outlet: &mut Outlet,
) -> Result<Finished, Failure> {
    let body = request::body(provider, model, request)
        .map_err(|fault| Failure::lasting(Class::Invalid, fault))?;
    let body = Bytes::from(body);
    let mut tries = 0;
    let answer = loop {
        tries += 1;
        let failure = match ask(http, provider, body.clone(), request.step(), outlet).await {
            Ok(answer) => break answer,
            Err(failure) => failure,
        };
        let reason = failure.message.clone();
        let wait = retry::wait(failure, tries, outlet.has_shown(), retry::random())?;
        let wait_ms = u32::try_from(wait.as_millis()).unwrap_or(u32::MAX);
        outlet.retrying(tries, wait_ms, &reason).await;
        tokio::time::sleep(wait).await;
    };
    for call in answer.calls {
        outlet.call(call).await;
    }
    Ok(answer.finished)
}

/// One try.
async fn ask(
    http: &Http,
    provider: &Provider,
    body: Bytes,
    step: usize,
    outlet: &mut Outlet,
) -> Result<Answer, Failure> {
    let response = http.post(provider, body).await?;
    let assembler = Assembler::new(&provider.name, step);
    let is_stream = is_stream(provider, &response)?;
    let source = response.bytes_stream();
    let source = source.map(|piece| piece.map_err(|fault| unreachable(provider, fault)));
    if is_stream {
        read(source, provider, assembler, outlet).await
    } else {
        read_whole(source, provider, assembler, outlet).await
    }
}

/// Whether the answer is a stream of events, not one JSON object of a server that does not stream.
fn is_stream(provider: &Provider, response: &Response) -> Result<bool, Failure> {
    let media = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media = media.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    match media.to_ascii_lowercase().as_str() {
        "text/event-stream" | "" | "application/octet-stream" | "text/plain" => Ok(true),
        "application/json" => Ok(false),
        _ => {
            let name = &provider.name;
            let message = format!(
                "{name} answered with {media} instead of an event stream; check `base_url` (it \
                 usually ends with /v1)"
            );
            Err(Failure::lasting(Class::Protocol, message))
        }
    }
}

/// Reads a stream to its end. A connection that breaks after the answer was whole does no harm.
async fn read<S>(
    source: S,
    provider: &Provider,
    mut assembler: Assembler,
    outlet: &mut Outlet,
) -> Result<Answer, Failure>
where
    S: Stream<Item = Result<Bytes, Failure>>,
{
    let mut source = std::pin::pin!(source);
    let mut decoder = Decoder::default();
    while !assembler.is_done() {
        let wait = if assembler.is_whole() { TRAILER_WAIT } else { IDLE_WAIT };
        let piece = match timeout(wait, source.next()).await {
            Ok(Some(Ok(piece))) => piece,
            Ok(None) => {
                let last = decoder.finish().filter(is_complete);
                show(last, &mut assembler, outlet).await?;
                break;
            }
            _ if assembler.is_whole() => break,
            Ok(Some(Err(failure))) => return Err(failure),
            Err(_) => return Err(silent(provider, wait)),
        };
        let events = decoder.push(&piece).map_err(|TooLong| too_long(provider))?;
        show(events, &mut assembler, outlet).await?;
    }
    if assembler.is_done() {
        drain(source.as_mut(), DRAIN_WAIT).await;
    }
    if decoder.has_replaced() {
        tracing::warn!(provider = provider.name, "bytes that are no UTF-8 were replaced");
    }
    assembler.finish()
}

/// Reads an answer that came whole, as if it were the only event of a stream.
async fn read_whole<S>(
    source: S,
    provider: &Provider,
    mut assembler: Assembler,
    outlet: &mut Outlet,
) -> Result<Answer, Failure>
where
    S: Stream<Item = Result<Bytes, Failure>>,
{
    let mut source = std::pin::pin!(source);
    let mut body = Vec::new();
    loop {
        match timeout(IDLE_WAIT, source.next()).await {
            Ok(Some(piece)) => body.extend_from_slice(&piece?),
            Ok(None) => break,
            Err(_) => return Err(silent(provider, IDLE_WAIT)),
        }
        if body.len() > SSE_EVENT_BYTES_MAX {
            return Err(too_long(provider));
        }
    }
    let data = String::from_utf8_lossy(&body).into_owned();
    show([SseEvent { data, ..SseEvent::default() }], &mut assembler, outlet).await?;
    assembler.finish()
}

/// Feeds events to the assembler, and shows what is new.
async fn show(
    events: impl IntoIterator<Item = SseEvent>,
    assembler: &mut Assembler,
    outlet: &mut Outlet,
) -> Result<(), Failure> {
    for event in events {
        for delta in assembler.take(&event)? {
            outlet.delta(delta).await;
        }
    }
    Ok(())
}

/// Whether a last event without its blank line is whole; if not, the connection was cut in it.
fn is_complete(event: &SseEvent) -> bool {
    let data = event.data.trim();
    data == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}

/// Reads what follows `[DONE]`, which is nothing but the end, so that the connection can be kept.
async fn drain<S: Stream + Unpin>(mut source: S, wait: Duration) {
    let end = async { while source.next().await.is_some() {} };
    if timeout(wait, end).await.is_err() {
        tracing::debug!("the connection is not used again: its answer did not end");
    }
}

fn too_long(provider: &Provider) -> Failure {
    let name = &provider.name;
    let message = format!("{name} sent an event longer than {SSE_EVENT_BYTES_MAX} bytes");
    Failure::lasting(Class::Protocol, message)
}
