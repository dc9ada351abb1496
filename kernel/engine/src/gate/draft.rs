//! A receipt while its call goes through the layers; written at the end, whatever the end is.

use serde_json::Value;
use tollgate_core::{
    authority::{Decider, Layer, Permit, Refusal},
    call::{Checked, Classified, Effects, RawCall, Resolved, first_text},
    digest::Digest,
    json,
    receipt::{Decision, End, LayerNote, LayerVerdict, Receipt, Status},
    stance::Stance,
};

use super::{CallEnd, CallResult, outcome_result, refusal_result};
use crate::{
    clock,
    context::{SessionContext, lock},
    dispatch::Ended,
    error::KernelError,
    event::Body,
    servers::{Connection, Granted, wire},
    store::StoreError,
};

/// Bytes of arguments that are no JSON, kept in a receipt.
const BROKEN_ARGUMENTS_MAX: usize = 4096;
/// Bytes of an error sentence in a receipt.
const ERROR_BYTES_MAX: usize = 1024;

/// A receipt in the making.
#[derive(Debug)]
pub(crate) struct Draft(Receipt);

impl Draft {
    pub(super) fn new(raw: &RawCall, stance: Stance) -> Self {
        let arguments = json::parse(&raw.arguments).unwrap_or_else(|_| {
            let text = String::from_utf8_lossy(&raw.arguments).into_owned();
            Value::String(wire::bounded(text, BROKEN_ARGUMENTS_MAX))
        });
        Self(Receipt {
            id: raw.id.clone(),
            parent: raw.parent.clone(),
            position: raw.position.clone(),
            caller: raw.caller,
            tool: wire::bounded(raw.name.clone(), 256),
            asked_as: None,
            server: None,
            server_facts: None,
            instance: None,
            host: None,
            arguments,
            arguments_sha256: Digest::of(&raw.arguments),
            arguments_bytes: raw.arguments.len() as u64,
            coercions: Vec::new(),
            subjects: Vec::new(),
            safety: None,
            layers: Vec::new(),
            decision: Decision::Refused,
            decider: Decider::Gate,
            stance,
            grant_sha256: None,
            confinement: String::new(),
            started_unix_ms: clock::unix_ms(),
            end: None,
        })
    }

    pub(super) fn arguments(&self) -> &Value {
        &self.0.arguments
    }

    pub(super) fn resolved(&mut self, resolved: &Resolved) {
        let entry = resolved.entry();
        let name = entry.name.as_str();
        if name != self.0.tool {
            self.0.asked_as = Some(std::mem::replace(&mut self.0.tool, name.to_owned()));
        }
        self.0.server = Some(entry.server.clone());
        self.0.server_facts = Some((*entry.facts).clone());
    }

    pub(super) fn checked(&mut self, checked: &Checked) {
        let arguments = checked.arguments();
        if *arguments != checked.resolved().raw().arguments {
            self.0.arguments_sha256 = Digest::of(arguments);
            self.0.arguments_bytes = arguments.len() as u64;
        }
    }

    pub(super) fn classified(&mut self, call: &Classified) {
        self.0.coercions = call.coercions().to_vec();
        if !self.0.coercions.is_empty() {
            self.0.arguments = call.value().clone();
        }
        self.0.subjects = call.subjects().to_vec();
        self.0.safety = Some(call.safety());
    }

    pub(super) fn permitted(&mut self, permit: &Permit) {
        self.0.decision = permit.decision();
        self.0.decider = permit.decider();
        self.0.stance = permit.stance();
        let layer = match permit.decider() {
            Decider::Gate => Layer::Baseline,
            Decider::Person => Layer::Approval,
        };
        self.note(layer, LayerVerdict::Allow, permit.reason());
    }

    pub(crate) fn note(&mut self, layer: Layer, verdict: LayerVerdict, reason: &str) {
        self.0.layers.push(LayerNote { layer, verdict, reason: reason.to_owned() });
    }

    pub(crate) fn granted(&mut self, connection: &Connection, granted: &Granted) {
        self.0.server_facts = Some(connection.facts().clone());
        self.0.instance = Some(connection.instance().to_owned());
        self.0.host = Some(connection.host().to_owned());
        connection.confinement().clone_into(&mut self.0.confinement);
        self.0.grant_sha256 = Some(granted.sha256);
    }

    /// The record that is written before the call is sent.
    pub(crate) fn intent(&self) -> Receipt {
        self.0.clone()
    }

    /// The call ran, or may have.
    pub(super) async fn ended(
        self,
        cx: &SessionContext,
        ended: Ended,
    ) -> Result<CallEnd, KernelError> {
        let outcome = ended.outcome;
        let content = serde_json::to_vec(&outcome.content).unwrap_or_default();
        let effects = outcome.effects;
        let error = match ended.status {
            Status::Ok => String::new(),
            Status::Failed | Status::Refused | Status::InFlight => wire::bounded(
                first_text(&outcome.content).unwrap_or_default().to_owned(),
                ERROR_BYTES_MAX,
            ),
        };
        let end = End {
            ended_unix_ms: clock::unix_ms(),
            status: ended.status,
            effects,
            may_have_run: ended.status != Status::Ok && effects != Effects::None,
            error_class: outcome.error_class.clone(),
            error,
            outcome_sha256: Some(Digest::of(&content)),
            outcome_bytes: content.len() as u64,
            spill: outcome.truncated.as_ref().and_then(|cut| cut.spill.clone()),
        };
        let result = outcome_result(outcome, ended.status);
        self.close(cx, end, result, false, false).await
    }

    /// The call never ran.
    pub(super) async fn refused(
        mut self,
        cx: &SessionContext,
        refusal: &Refusal,
        stop_turn: bool,
    ) -> Result<CallEnd, KernelError> {
        self.0.decision = if refusal.by_person { Decision::Denied } else { Decision::Refused };
        self.0.decider = if refusal.by_person { Decider::Person } else { Decider::Gate };
        self.note(refusal.layer, LayerVerdict::Refuse, &refusal.class);
        let by_gate = match refusal.layer {
            // The model's slip, or a server that is not there: nobody forbade anything.
            Layer::Name | Layer::Arguments | Layer::Preparation | Layer::Execution => false,
            Layer::Budget
            | Layer::Admission
            | Layer::Hooks
            | Layer::Baseline
            | Layer::Rules
            | Layer::AutoReview
            | Layer::Law
            | Layer::Managed
            | Layer::Approval
            | Layer::Recheck
            | Layer::Grant
            | Layer::Receipt => true,
        };
        let end = End {
            ended_unix_ms: clock::unix_ms(),
            status: Status::Refused,
            effects: Effects::None,
            may_have_run: false,
            error_class: refusal.class.clone(),
            error: wire::bounded(refusal.message.clone(), ERROR_BYTES_MAX),
            outcome_sha256: None,
            outcome_bytes: 0,
            spill: None,
        };
        self.close(cx, end, refusal_result(refusal), by_gate, stop_turn).await
    }

    async fn close(
        mut self,
        cx: &SessionContext,
        end: End,
        result: CallResult,
        refused: bool,
        stop_turn: bool,
    ) -> Result<CallEnd, KernelError> {
        let status = end.status;
        self.0.end = Some(end);
        let receipt = self.0;
        let receipt_head = lock(&cx.receipts).receipt(receipt.clone()).map_err(StoreError::from)?;
        let told = Body::ToolResult {
            name: receipt.tool.clone(),
            status,
            decision: receipt.decision,
            content: result.content.clone(),
            metadata: result.metadata.clone(),
            truncated: result.truncated.clone(),
            rendering: result.rendering.clone(),
            receipt: Box::new(receipt.clone()),
        };
        cx.events.tell(Some(&receipt.position), Some(&receipt.id), told).await;
        Ok(CallEnd { result, receipt, receipt_head, refused, stop_turn })
    }
}
