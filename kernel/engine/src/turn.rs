//! The turn loop: request, calls, results, until the model wants no more calls.
//!
//! Order that makes `kill -9` harmless: a record is in the log before its effect is shown or sent on.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures::future::join_all;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::Budget,
    call::{Block, Caller, Position, RawCall},
    digest::Digest,
};
use tollgate_policy::hooks::HookEvent;

use crate::{
    batch, clock,
    context::{SessionContext, lock},
    error::KernelError,
    event::{Body, Usage},
    gate::{self, CallEnd},
    hooks,
    model::{self, Answer},
    secrets,
    servers::chain,
    session::Session,
    snapshot,
    store::{
        StoreError,
        session::{Assistant, SessionRecord, ToolCall},
    },
    tools,
};

/// Bounds of one turn; absent: as configured, or none.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnLimits {
    /// Model requests.
    pub steps_max: Option<u32>,
    /// Wall clock, not counted while a person is asked.
    pub within: Option<Duration>,
}

/// How a turn ended.
#[derive(Clone, Debug, Default)]
pub struct TurnEnd {
    /// The answer.
    pub text: String,
    /// As in [`Body::TurnCompleted`].
    pub stop_reason: String,
    /// Model requests.
    pub steps: u32,
    /// Tokens.
    pub usage: Usage,
    /// Calls that the gate or a person refused.
    pub refused: u32,
}

impl Session {
    /// Runs a turn: a user's message until the final answer.
    ///
    /// # Errors
    /// The store or the model fails. The session can go on afterwards; calls that ran are recorded.
    ///
    /// # Cancel safety
    /// Not cancel safe: cancel by the token, so that every call gets its result.
    pub async fn turn(
        &mut self,
        prompt: String,
        limits: TurnLimits,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, KernelError> {
        self.turn += 1;
        // A model is no place for a key that somebody pasted.
        let prompt = self.cx.secrets.text(prompt);
        // Policy files are read anew for each turn.
        self.cx.policies.refresh();
        *lock(&self.cx.budget) = Budget::new(self.cx.limits.turn_calls_max);
        let contexts = match hooks::submit(&self.cx, &prompt, cancel).await {
            Ok(contexts) => contexts,
            Err(reason) => return self.denied(prompt, reason).await,
        };
        self.record(&SessionRecord::User { turn: self.turn, text: prompt.clone() })?;
        self.history.user(&prompt);
        self.add(contexts.into_iter().map(gate::hook_message).collect())?;
        let at = self.position(0);
        self.cx.events.tell(Some(&at), None, Body::TurnStarted { prompt }).await;
        self.cx.renew_tools(Some(&at)).await;

        let token = cancel.child_token();
        let mut end = TurnEnd::default();
        let cx = Arc::clone(&self.cx);
        // The whole loop is one large future; it belongs on the heap.
        let steps = Box::pin(self.steps(limits, &token, &mut end));
        let ran = match limits.within {
            None => steps.await,
            Some(within) => within_or_cancel(steps, within, &cx, &token).await,
        };
        // The token of the turn fires by itself only when its time is over.
        if token.is_cancelled() && !cancel.is_cancelled() && end.stop_reason == "cancelled" {
            "timeout".clone_into(&mut end.stop_reason);
        }
        if let Err(error) = ran {
            "error".clone_into(&mut end.stop_reason);
            let what = json!({ "message": chain(&error) });
            hooks::tell(&self.cx, HookEvent::Error, what).await;
            self.end_turn(&end).await?;
            return Err(error);
        }
        self.end_turn(&end).await?;
        Ok(end)
    }

    /// A turn whose message a hook denied: nothing of it goes to the model, now or later.
    async fn denied(&mut self, prompt: String, reason: String) -> Result<TurnEnd, KernelError> {
        let at = self.position(0);
        self.cx.events.tell(Some(&at), None, Body::TurnStarted { prompt }).await;
        let text = format!("a message was not taken: {reason}");
        self.record(&SessionRecord::Note { text })?;
        let end = TurnEnd { text: reason, stop_reason: "hook".to_owned(), ..TurnEnd::default() };
        self.end_turn(&end).await?;
        Ok(end)
    }

    async fn steps(
        &mut self,
        limits: TurnLimits,
        cancel: &CancellationToken,
        end: &mut TurnEnd,
    ) -> Result<(), KernelError> {
        let steps_max = limits.steps_max.unwrap_or(self.cx.limits.turn_steps_max);
        let stop_reason = loop {
            if cancel.is_cancelled() {
                break "cancelled";
            }
            if end.steps >= steps_max {
                break "steps";
            }
            end.steps += 1;
            let answer = self.step(end.steps, cancel).await?;
            end.usage.input += answer.usage.input;
            end.usage.output += answer.usage.output;
            end.usage.cached_input += answer.usage.cached_input;
            if answer.stop == "cancelled" {
                break "cancelled";
            }
            end.text.clone_from(&answer.text);
            if answer.tool_calls.is_empty() {
                break answer.stop;
            }
            // A person's "stop the turn" cancels the calls of this step, and no more.
            let stop = cancel.child_token();
            let ends = self.calls(end.steps, answer.tool_calls, &stop).await?;
            end.refused += u32::try_from(ends.iter().filter(|it| it.refused).count()).unwrap_or(0);
            if stop.is_cancelled() && !cancel.is_cancelled() {
                break "stopped";
            }
        };
        stop_reason.clone_into(&mut end.stop_reason);
        Ok(())
    }

    /// One model request and its answer, recorded before anything of it is done.
    async fn step(&mut self, step: u32, cancel: &CancellationToken) -> Result<Answer, KernelError> {
        let at = self.position(step);
        let request = self.prepare_request(&at).await?;
        let model = self.model()?.to_owned();
        let answer = model::generate(&self.cx, &at, &model, request, cancel).await?;
        if answer.stop == "cancelled" {
            return Ok(answer);
        }
        let record = Assistant {
            turn: self.turn,
            step,
            text: answer.text.clone(),
            reasoning: answer.reasoning.clone(),
            carried: answer.carried.clone(),
            tool_calls: secrets::kept(
                &self.cx.secrets,
                &self.cx.tools.catalog(),
                &answer.tool_calls,
            ),
            stop: answer.stop.to_owned(),
            usage: answer.usage,
            model: answer.model.clone(),
        };
        self.history.assistant(&record, &answer.carried);
        self.record(&SessionRecord::Assistant(record))?;
        let body = Body::AssistantMessage {
            text: answer.text.clone(),
            tool_calls: answer.tool_calls.len(),
            stop: answer.stop.to_owned(),
        };
        self.cx.events.tell(Some(&at), None, body).await;
        Ok(answer)
    }

    async fn prepare_request(&mut self, at: &Position) -> Result<Bytes, KernelError> {
        let seen = self.cx.seen();
        let field = self.cx.tools_field(&seen);
        let request = self.history.request(&self.system, &field.bytes);
        if request.len() > model::REQUEST_BYTES_MAX {
            return Err(KernelError::Model {
                class: "context".to_owned(),
                message: format!(
                    "the conversation has {} bytes, more than a request takes",
                    request.len()
                ),
                retryable: false,
            });
        }
        let kept = snapshot::keep(&self.cx, self.kept.take(), self.model.as_deref(), &field, &seen);
        self.record(&SessionRecord::Request {
            turn: at.turn,
            step: at.step,
            bytes: request.len() as u64,
            sha256: Digest::of(&request),
            tools_sha256: field.sha256,
            kept: kept.record.clone(),
        })?;
        self.kept = Some(kept);
        self.keep_request(&request)?;
        let now = (field, seen);
        let reason = self.sent.as_ref().and_then(|before| tools::change_reason(before, &now));
        let (field, _) = &now;
        let names = field.carried.iter().map(|entry| entry.name.as_str().to_owned());
        let body = Body::RequestPrepared {
            request_bytes: request.len() as u64,
            tools_bytes: field.bytes.len() as u64,
            tool_names: names.collect(),
            active_tool_catalog_sha256: field.sha256.to_string(),
            prefix_change_reason: reason.map(str::to_owned),
        };
        self.sent = Some(now);
        self.cx.events.tell(Some(at), None, body).await;
        Ok(request)
    }

    /// The calls of one answer: in order, neighbours that are safe side by side.
    async fn calls(
        &mut self,
        step: u32,
        calls: Vec<ToolCall>,
        stop: &CancellationToken,
    ) -> Result<Vec<CallEnd>, KernelError> {
        let max = self.cx.limits.parallel_calls_max;
        let asked = calls.iter().map(|call| (call.name.as_str(), call.arguments.as_bytes()));
        let sizes = batch::plan(&self.cx.tools.catalog(), asked, max);
        let (mut ends, mut calls) = (Vec::new(), calls.into_iter());
        for size in sizes {
            let group: Vec<ToolCall> = calls.by_ref().take(size).collect();
            let running = group.iter().map(|call| {
                let raw = RawCall {
                    id: clock::call_id(),
                    parent: None,
                    depth: 0,
                    caller: Caller::Model,
                    position: self.position(step),
                    name: call.name.clone(),
                    arguments: Bytes::from(call.arguments.clone()),
                };
                async {
                    let ended = gate::run_call(&self.cx, raw, stop).await;
                    if ended.as_ref().is_ok_and(|ended| ended.stop_turn) {
                        // The calls beside it end; those that are left get results and never run.
                        stop.cancel();
                    }
                    ended
                }
            });
            let ended = join_all(running).await;
            for (call, ended) in group.iter().zip(ended) {
                let ended = ended?;
                self.take_result(step, &call.id, &ended)?;
                ends.push(ended);
            }
        }
        self.inject(&ends)?;
        Ok(ends)
    }

    /// A result goes into the log, then into the conversation.
    pub(crate) fn take_result(
        &mut self,
        step: u32,
        tool_call_id: &str,
        end: &CallEnd,
    ) -> Result<(), KernelError> {
        self.record(&end.record(self.turn, step, tool_call_id))?;
        self.history.result(tool_call_id, &end.result.content, end.result.is_error);
        Ok(())
    }

    /// What tools put behind their results: after all results of the step, because a provider takes
    /// nothing between an answer's calls and their results.
    fn inject(&mut self, ends: &[CallEnd]) -> Result<(), KernelError> {
        self.add(ends.iter().flat_map(|end| end.result.messages.clone()).collect())
    }

    /// Adds messages that nobody typed.
    fn add(&mut self, mut messages: Vec<Vec<Block>>) -> Result<(), KernelError> {
        if messages.is_empty() {
            return Ok(());
        }
        messages.iter_mut().for_each(|message| self.cx.secrets.blocks(message));
        self.history.inject(&messages);
        self.record(&SessionRecord::Inject { messages })
    }

    async fn end_turn(&mut self, end: &TurnEnd) -> Result<(), KernelError> {
        self.record(&SessionRecord::TurnEnd {
            turn: self.turn,
            stop_reason: end.stop_reason.clone(),
            text: end.text.clone(),
            steps: end.steps,
            usage: end.usage,
        })?;
        self.flush().await?;
        let at = self.position(0);
        let body = Body::TurnCompleted {
            text: end.text.clone(),
            stop_reason: end.stop_reason.clone(),
            steps: end.steps,
            usage: end.usage,
            refused: end.refused,
        };
        self.cx.events.tell(Some(&at), None, body).await;
        let what = json!({
            "turn": self.turn,
            "stop_reason": end.stop_reason,
            "text": end.text,
            "steps": end.steps,
            "refused": end.refused,
            "usage": end.usage,
        });
        hooks::tell(&self.cx, HookEvent::TurnEnd, what).await;
        Ok(())
    }

    pub(crate) fn record(&self, record: &SessionRecord) -> Result<(), KernelError> {
        Ok(lock(&self.cx.log).append(record).map_err(StoreError::from)?)
    }
}

/// Runs steps for a time, not counted while a person is asked; then cancels them and lets them end well.
async fn within_or_cancel(
    steps: impl Future<Output = Result<(), KernelError>>,
    within: Duration,
    cx: &SessionContext,
    cancel: &CancellationToken,
) -> Result<(), KernelError> {
    let mut steps = std::pin::pin!(steps);
    match cx.waits.timeout(within, &mut steps).await {
        Some(ran) => ran,
        None => {
            cancel.cancel();
            steps.await
        }
    }
}
