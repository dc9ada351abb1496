//! A conversation: opened or resumed, its calls and turns, closed.

use std::{path::PathBuf, sync::Arc};

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{Budget, Decider},
    call::{Caller, Effects, Position, RawCall},
    catalog::{ToolsField, contract::EXECUTE_TOOLS},
    name::SessionId,
    receipt::{End, Receipt, Status},
    stance::Stance,
};
use tollgate_policy::hooks::HookEvent;

use crate::{
    clock,
    context::{SessionContext, lock},
    error::KernelError,
    event::Body,
    gate::{self, CallEnd},
    history::History,
    hooks,
    snapshot::Kept,
    store::{
        StoreError,
        session::{SessionKind, SessionRecord},
    },
    tools::Seen,
};

/// How a session is opened.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// What opens it.
    pub kind: SessionKind,
    /// Goes on with this one; absent: a new one.
    pub resume: Option<SessionId>,
    /// Absolute.
    pub workspace: PathBuf,
    /// Absolute; roots beside the workspace.
    pub add_dirs: Vec<PathBuf>,
    /// Mode and posture.
    pub stance: Stance,
    /// As `--model`; absent: calls only.
    pub model: Option<String>,
    /// A folder for the exact bytes of each prepared request, `NNNN.json`.
    pub record_requests: Option<PathBuf>,
}

/// What was found when a session was resumed.
#[derive(Clone, Debug, Default)]
pub struct Resumed {
    /// What was mended in its files, a sentence each.
    pub repairs: Vec<String>,
    /// Calls that were running when the session ended; each has its receipt now.
    pub in_flight: Vec<Receipt>,
    /// Turns that are in the log.
    pub turns: u32,
}

/// An open session.
#[derive(Debug)]
pub struct Session {
    pub(crate) cx: Arc<SessionContext>,
    pub(crate) history: History,
    pub(crate) system: String,
    pub(crate) turn: u32,
    /// The tools of the last request.
    pub(crate) sent: Option<(ToolsField, Arc<Seen>)>,
    /// What was kept of them for looks.
    pub(crate) kept: Option<Kept>,
    pub(crate) model: Option<String>,
    pub(crate) record_requests: Option<(PathBuf, u32)>,
    pub(crate) resumed: Resumed,
}

impl Session {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.cx.id
    }

    /// What its calls need; for whoever runs calls of its own through [`gate::run_call`].
    #[must_use]
    pub fn context(&self) -> &Arc<SessionContext> {
        &self.cx
    }

    /// What was found when it was resumed; empty for a new one.
    #[must_use]
    pub fn resumed(&self) -> &Resumed {
        &self.resumed
    }

    /// One gated call outside a turn, with a budget of its own.
    ///
    /// # Errors
    /// The store fails.
    ///
    /// # Cancel safety
    /// Not cancel safe: cancel by the token.
    pub async fn call(
        &self,
        name: &str,
        arguments: Bytes,
        caller: Caller,
        cancel: &CancellationToken,
    ) -> Result<CallEnd, KernelError> {
        self.alone(name, arguments, caller, self.position(0), cancel).await
    }

    /// A person's program: a call of `execute_tools` with the whole gate for its calls, as in a turn
    /// (`[CODE-17]`).
    ///
    /// # Errors
    /// The store fails.
    ///
    /// # Cancel safety
    /// Not cancel safe: cancel by the token.
    pub async fn run(
        &self,
        arguments: Bytes,
        cancel: &CancellationToken,
    ) -> Result<CallEnd, KernelError> {
        let at = Position { turn: self.turn + 1, ..self.position(1) };
        self.alone(EXECUTE_TOOLS, arguments, Caller::User, at, cancel).await
    }

    async fn alone(
        &self,
        name: &str,
        arguments: Bytes,
        caller: Caller,
        position: Position,
        cancel: &CancellationToken,
    ) -> Result<CallEnd, KernelError> {
        let raw = RawCall {
            id: clock::call_id(),
            parent: None,
            depth: 0,
            caller,
            position,
            name: name.to_owned(),
            arguments,
        };
        self.cx.policies.refresh();
        self.cx.renew_tools(None).await;
        *lock(&self.cx.budget) = Budget::new(self.cx.limits.turn_calls_max);
        // Of its own: a person's stop in a nested call ends this call, and not the caller's work.
        let end = gate::run_call(&self.cx, raw, &cancel.child_token()).await?;
        // Logged, and no part of the conversation: no model asked.
        self.record(&end.record(0, 0, ""))?;
        Ok(end)
    }

    /// Ends the session: everything is on the device when this returns.
    ///
    /// # Errors
    /// The store fails.
    pub async fn close(self) -> Result<(), KernelError> {
        hooks::tell(&self.cx, HookEvent::SessionEnd, serde_json::json!({})).await;
        self.cx.hooks.end().await;
        self.record(&SessionRecord::End)?;
        self.flush().await?;
        self.cx.events.tell(None, None, Body::SessionEnded {}).await;
        Ok(())
    }

    pub(crate) fn position(&self, step: u32) -> Position {
        Position { session: self.cx.id.clone(), turn: self.turn, step, agent: "main".to_owned() }
    }

    pub(crate) fn model(&self) -> Result<&str, KernelError> {
        self.model.as_deref().ok_or_else(|| {
            KernelError::NoModel("no model was chosen: give --model, or set `model`".to_owned())
        })
    }

    pub(crate) async fn flush(&self) -> Result<(), KernelError> {
        let (log, receipts) = (lock(&self.cx.log).flush(), lock(&self.cx.receipts).flush());
        receipts.await.map_err(StoreError::from)?;
        log.await.map_err(StoreError::from)?;
        Ok(())
    }

    /// Keeps a prepared request for `--record-requests`.
    pub(crate) fn keep_request(&mut self, request: &[u8]) -> Result<(), KernelError> {
        let Some((folder, number)) = &mut self.record_requests else { return Ok(()) };
        *number += 1;
        let file = folder.join(format!("{number:04}.json"));
        std::fs::write(&file, request).map_err(|source| KernelError::Io {
            what: format!("cannot write {}", file.display()),
            source,
        })
    }
}

/// Closes the receipts of calls that were running when a kernel ended.
pub(crate) fn close_in_flight(cx: &SessionContext) -> Result<Vec<Receipt>, KernelError> {
    let open: Vec<Receipt> = lock(&cx.receipts).in_flight().cloned().collect();
    let mut closed = Vec::new();
    for mut receipt in open {
        let read_only = receipt.safety.is_some_and(|safety| safety.read_only);
        receipt.decider = Decider::Gate;
        receipt.end = Some(End {
            ended_unix_ms: clock::unix_ms(),
            status: Status::InFlight,
            effects: if read_only { Effects::None } else { Effects::Unknown },
            may_have_run: true,
            error_class: "kernel_ended".to_owned(),
            error: "the kernel ended while the call ran".to_owned(),
            outcome_sha256: None,
            outcome_bytes: 0,
            spill: None,
        });
        lock(&cx.receipts).receipt(receipt.clone()).map_err(StoreError::from)?;
        closed.push(receipt);
    }
    Ok(closed)
}
