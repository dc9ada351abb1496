//! The straight line of one call, the same for every caller (`[GATE-01]`, `[KERN-01]`).
//!
//! [`run_call`] is the only way from a [`RawCall`] to a server. Whatever happens, the call gets
//! exactly one receipt and one result (`[GATE-02]`); only a store that cannot be written is an error.
//!
//! Not here: what the layers decide (`core::authority`), hooks, the guardian, the wait for a person
//! (`approve`), clocks of a running call (`dispatch`).

mod approve;
mod copy;
mod draft;

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{HookSaid, Layer, Permit, Refusal, Verdict, admission, judge},
    call::{Block, Checked, Classified, Outcome, Permitted, Preparation, RawCall, Truncated},
    digest::Digest,
    receipt::{Receipt, Status},
    schema,
};
use tollgate_proto::tool::v1::Prepare;

use approve::Held;
pub(crate) use draft::Draft;

use crate::{
    context::{SessionContext, lock},
    dispatch,
    error::KernelError,
    event::Body,
    hooks,
    servers::chain,
    store::session::{SessionRecord, ToolResult},
};

/// How a call ended, for whoever asked.
#[derive(Clone, Debug)]
pub struct CallEnd {
    /// As the model gets it.
    pub result: CallResult,
    /// Its receipt.
    pub receipt: Receipt,
    /// Head of the receipt chain after it.
    pub receipt_head: Digest,
    /// The gate or a person said no (not: the arguments were wrong).
    pub refused: bool,
    /// A person said: stop the turn.
    pub stop_turn: bool,
}

impl CallEnd {
    /// The result as a session's log has it; `tool_call_id`: the model's own id, or empty.
    pub(crate) fn record(&self, turn: u32, step: u32, tool_call_id: &str) -> SessionRecord {
        let (result, receipt) = (&self.result, &self.receipt);
        SessionRecord::ToolResult(ToolResult {
            turn,
            step,
            call_id: receipt.id.clone(),
            tool_call_id: tool_call_id.to_owned(),
            name: receipt.tool.clone(),
            status: receipt.end.as_ref().map_or(Status::InFlight, |end| end.status),
            decision: receipt.decision,
            content: result.content.clone(),
            metadata: result.metadata.clone(),
            truncated: result.truncated.clone(),
            receipt_head: self.receipt_head,
        })
    }
}

/// What comes back from a call (`[CLI-04]`).
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CallResult {
    /// For the model.
    pub content: Vec<Block>,
    /// By the output schema, or null.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub structured: Value,
    /// Facts beside the content, an object or null.
    pub metadata: Value,
    /// What the content leaves out.
    pub truncated: Option<Truncated>,
    /// It is no success.
    pub is_error: bool,
    /// Messages for the conversation after the result.
    #[serde(skip)]
    pub messages: Vec<Vec<Block>>,
    /// A diff or text for people, or empty.
    #[serde(skip)]
    pub rendering: String,
}

/// Why a call stopped before it had an outcome.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The gate, a person or a missing server said no: it never ran.
    Refused(Box<Refusal>),
    /// A person said no and stops the turn.
    Turn(Box<Refusal>),
    /// The store cannot be written.
    Kernel(Box<KernelError>),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<KernelError> for Stop {
    fn from(error: KernelError) -> Self {
        Self::Kernel(Box::new(error))
    }
}

/// Runs one call to its receipt.
///
/// # Errors
/// The receipt cannot be written: nothing more may run in this session.
///
/// # Cancel safety
/// Not cancel safe: cancel by the token, so that the call gets its receipt.
pub async fn run_call(
    cx: &SessionContext,
    raw: RawCall,
    cancel: &CancellationToken,
) -> Result<CallEnd, KernelError> {
    let mut draft = begin(cx, &raw).await;
    let end = match attempt(cx, raw, cancel, &mut draft).await {
        Ok(ended) => draft.ended(cx, ended).await,
        Err(Stop::Refused(refusal)) => draft.refused(cx, *refusal, false).await,
        Err(Stop::Turn(refusal)) => draft.refused(cx, *refusal, true).await,
        Err(Stop::Kernel(error)) => Err(*error),
    }?;
    hooks::after_call(cx, &end, cancel).await;
    Ok(end)
}

/// The receipt and result of a call that whoever carries it refuses before the gate looks at it.
///
/// # Errors
/// As [`run_call`].
pub(crate) async fn refuse_call(
    cx: &SessionContext,
    raw: RawCall,
    refusal: Refusal,
    cancel: &CancellationToken,
) -> Result<CallEnd, KernelError> {
    let draft = begin(cx, &raw).await;
    let end = draft.refused(cx, refusal, false).await?;
    hooks::after_call(cx, &end, cancel).await;
    Ok(end)
}

/// A call is told, and its receipt begun.
async fn begin(cx: &SessionContext, raw: &RawCall) -> Draft {
    let draft = Draft::new(cx, raw);
    let asked = Body::ToolCall {
        name: raw.name.clone(),
        arguments: draft.arguments().clone(),
        caller: raw.caller,
        parent: raw.parent.clone(),
    };
    cx.events.tell(Some(&raw.position), Some(&raw.id), asked).await;
    draft
}

async fn attempt(
    cx: &SessionContext,
    raw: RawCall,
    cancel: &CancellationToken,
    draft: &mut Draft,
) -> Result<dispatch::Ended, Stop> {
    if cancel.is_cancelled() {
        return Err(never_started().into());
    }
    // 0 budget, 1 name, 2 admission, 3 arguments, 4 preparation
    lock(&cx.budget).take(raw.depth)?;
    let classified = prepare(cx, raw, cancel, draft).await?;
    // 5 hooks: a rewritten call goes back through 1 to 4, once; every hook was heard on its bytes.
    let heard = hooks::before_call(cx, &classified, cancel).await;
    if cancel.is_cancelled() {
        return Err(never_started().into());
    }
    let classified = match heard.updated {
        None => classified,
        Some(arguments) => {
            let mut raw = classified.raw().clone();
            raw.arguments = arguments.to_string().into();
            draft.rewritten(cx, &raw);
            prepare(cx, raw, cancel, draft).await?
        }
    };
    // 6 baseline to 11 approval; a yes is 12, recheck
    let permit = permit(cx, &classified, &heard.said, cancel, draft).await?;
    draft.permitted(&permit);
    // A refusal, so that the session's own log has this call's receipt whatever becomes of the copy.
    copy::ready(cx).map_err(|error| Refusal::new(Layer::Receipt, "receipt_copy", chain(&error)))?;
    // 12 recheck after the last wait, 13 grant, 14 execution
    let permitted = Cleared { permitted: permit.join(classified), hooks: heard.said };
    let mut ended = dispatch::dispatch(cx, permitted, cancel, draft).await?;
    ended.outcome.messages.extend(heard.contexts.into_iter().map(hook_message));
    Ok(ended)
}

/// A call that may run, with what hooks said of it: the recheck needs both.
#[derive(Debug)]
pub(crate) struct Cleared {
    pub(crate) permitted: Permitted,
    pub(crate) hooks: HookSaid,
}

/// Layers 1 to 4.
async fn prepare(
    cx: &SessionContext,
    raw: RawCall,
    cancel: &CancellationToken,
    draft: &mut Draft,
) -> Result<Classified, Stop> {
    let resolved = cx.seen().view.resolve(raw)?;
    draft.resolved(&resolved);
    let (raw, entry) = (resolved.raw().clone(), Arc::clone(resolved.entry()));
    let eligible = {
        let now = cx.now();
        admission::admit(resolved, cx.stance(), cx.tools.surface(), &now.standing().policy)?
    };
    let checked =
        schema::check(eligible).map_err(|refusal| cx.with_schema(&raw, &entry, refusal))?;
    draft.checked(cx, &checked);
    let classified = classify(cx, checked, cancel).await?;
    draft.classified(&classified);
    Ok(classified)
}

/// Layers 5 to 12: judged, and settled by a person or the guardian where a need remains.
async fn permit(
    cx: &SessionContext,
    call: &Classified,
    hooks: &HookSaid,
    cancel: &CancellationToken,
    draft: &mut Draft,
) -> Result<Permit, Stop> {
    let ruling = {
        let now = cx.now();
        draft.policy(now.standing().policy.sha256);
        judge(call, &now.circumstances(hooks))
    };
    draft.judged(&ruling.notes);
    let held = Held { cx, call, hooks, draft, cancel };
    match ruling.verdict {
        Verdict::Allow(permit) => Ok(permit),
        // Both are rare and large: they belong on the heap.
        Verdict::Ask(prompt) => Box::pin(held.ask(prompt)).await,
        Verdict::Review(prompt) => Box::pin(held.review(prompt)).await,
        Verdict::Refuse(refusal) => Err(refusal.into()),
    }
}

/// What a hook adds for the model, after the result.
pub(crate) fn hook_message(context: String) -> Vec<Block> {
    vec![Block::Text { text: format!("A hook of the user's adds: {context}") }]
}

/// Layer 4: asks the server what this call would do, unless its manifest says it for all calls.
pub(crate) async fn classify(
    cx: &SessionContext,
    checked: Checked,
    cancel: &CancellationToken,
) -> Result<Classified, Stop> {
    let entry = checked.resolved().entry();
    if !entry.prepares {
        let preparation = Preparation { safety: entry.safety, ..Preparation::default() };
        return Ok(checked.classify(preparation));
    }
    let server = dispatch::server_of(cx, entry)?;
    let said = async {
        let connection = server.connection().await.map_err(|error| {
            let why = format!("server '{}' is not available: {}", server.name(), chain(&error));
            Refusal::new(Layer::Preparation, "server_unavailable", why)
        })?;
        server.check_offered(entry)?;
        let raw = checked.resolved().raw();
        let (arguments, arguments_blob) =
            dispatch::arguments_of(&connection, checked.arguments()).await?;
        let prepare = Prepare {
            call_id: raw.id.as_str().to_owned(),
            tool: entry.served_as.as_str().to_owned(),
            arguments,
            arguments_blob,
            context: Some(dispatch::context_of(cx, raw, &connection, &[])),
        };
        match connection.prepare(prepare).await {
            Ok(Ok(said)) => Ok(said),
            Ok(Err(no)) => {
                Err(Refusal::new(Layer::Preparation, &no.class, no.message).at(no.pointer))
            }
            Err(gone) => {
                let why = format!("server '{}': {gone}", server.name());
                Err(Refusal::new(Layer::Preparation, "server_unavailable", why))
            }
        }
    };
    let said = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(never_started().into()),
        said = said => said?,
    };
    Ok(checked.classify(said))
}

fn never_started() -> Refusal {
    Refusal::new(Layer::Execution, "cancelled", "the turn was cancelled before this call started")
}

/// The result of a call that never ran, as the model gets it.
pub(crate) fn refusal_result(refusal: &Refusal) -> CallResult {
    let pointer = (!refusal.pointer.is_empty()).then_some(&refusal.pointer);
    let metadata = serde_json::json!({
        "error": refusal.class,
        "layer": refusal.layer,
        "pointer": pointer,
    });
    CallResult {
        content: vec![Block::Text { text: refusal.message.clone() }],
        structured: Value::Null,
        metadata,
        truncated: None,
        is_error: true,
        messages: Vec::new(),
        rendering: String::new(),
    }
}

/// The result of a call that ran, as the model gets it.
pub(crate) fn outcome_result(outcome: Outcome, status: Status) -> CallResult {
    CallResult {
        is_error: status != Status::Ok,
        content: outcome.content,
        structured: outcome.structured,
        metadata: outcome.metadata,
        truncated: outcome.truncated,
        messages: outcome.messages,
        rendering: outcome.rendering,
    }
}
