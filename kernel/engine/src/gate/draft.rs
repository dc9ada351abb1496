//! A receipt while its call goes through the layers; written at the end, whatever the end is.

use bytes::Bytes;
use serde_json::Value;
use tollgate_core::{
    authority::{Decider, Layer, Permit, Refusal},
    call::{Checked, Classified, Effects, RawCall, Resolved, first_text},
    digest::Digest,
    receipt::{Decision, End, LayerNote, LayerVerdict, Receipt, Status},
    safety::Sandbox,
    schema::Veiled,
    stance::Stance,
};

use super::{CallEnd, CallResult, copy, outcome_result, refusal_result};
use crate::{
    clock,
    context::{SessionContext, lock},
    dispatch::{self, Ended},
    error::KernelError,
    event::Body,
    secrets::Redactor,
    servers::{Connection, Granted, wire},
    store::StoreError,
};

/// Bytes of arguments that are no JSON, kept in a receipt.
const BROKEN_ARGUMENTS_MAX: usize = 4096;
/// The class of a refusal by the guardian.
pub(super) const GUARDIAN: &str = "guardian";
/// Bytes of an error sentence in a receipt.
const ERROR_BYTES_MAX: usize = 1024;

/// A receipt in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    receipt: Receipt,
    /// What this call may show and keep nowhere: its own secret arguments beside the kernel's.
    secrets: Redactor,
}

impl Draft {
    pub(super) fn new(cx: &SessionContext, raw: &RawCall) -> Self {
        let mut draft =
            Self { receipt: Self::blank(raw, cx.stance()), secrets: cx.secrets.clone() };
        draft.take_arguments(cx, &raw.name, &raw.arguments);
        draft
    }

    fn blank(raw: &RawCall, stance: Stance) -> Receipt {
        Receipt {
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
            arguments: Value::Null,
            arguments_sha256: Digest::of(b""),
            arguments_bytes: 0,
            coercions: Vec::new(),
            subjects: Vec::new(),
            safety: None,
            layers: Vec::new(),
            decision: Decision::Refused,
            decider: Decider::Gate,
            rule: None,
            policy_sha256: None,
            stance,
            grant_sha256: None,
            confinement: String::new(),
            sandbox: None,
            started_unix_ms: clock::unix_ms(),
            end: None,
        }
    }

    /// These are the call's arguments from here on; of secret ones only the size is kept.
    fn take_arguments(&mut self, cx: &SessionContext, tool: &str, arguments: &Bytes) {
        let veiled = match cx.tools.catalog().find(tool, arguments) {
            Some(entry) => entry.veil(arguments),
            None => Veiled::plain(arguments),
        };
        cx.log_secrets.learn(&veiled.secrets);
        self.secrets = self.secrets.with_arguments(veiled.secrets);
        self.receipt.arguments = veiled.shown;
        self.secrets.value(&mut self.receipt.arguments);
        if let Value::String(text) = &mut self.receipt.arguments {
            *text = wire::bounded(std::mem::take(text), BROKEN_ARGUMENTS_MAX);
        }
        self.receipt.arguments_sha256 = Digest::of(arguments);
        self.receipt.arguments_bytes = arguments.len() as u64;
    }

    /// What this call may show and keep nowhere.
    pub(crate) fn secrets(&self) -> &Redactor {
        &self.secrets
    }

    pub(crate) fn arguments(&self) -> &Value {
        &self.receipt.arguments
    }

    pub(super) fn resolved(&mut self, resolved: &Resolved) {
        let entry = resolved.entry();
        let name = entry.canonical().as_str();
        if name != self.receipt.tool {
            self.receipt.asked_as =
                Some(std::mem::replace(&mut self.receipt.tool, name.to_owned()));
        }
        self.receipt.server = Some(entry.server.clone());
        self.receipt.server_facts = Some((*entry.facts).clone());
    }

    pub(super) fn checked(&mut self, cx: &SessionContext, checked: &Checked) {
        let (arguments, raw) = (checked.arguments(), checked.resolved().raw());
        if *arguments != raw.arguments {
            self.take_arguments(cx, &raw.name, arguments);
        }
    }

    pub(super) fn classified(&mut self, call: &Classified) {
        self.receipt.coercions = call.coercions().to_vec();
        self.receipt.subjects = call.subjects().to_vec();
        self.receipt.safety = Some(call.safety());
    }

    /// A hook put other arguments in: the receipt is of those.
    pub(super) fn rewritten(&mut self, cx: &SessionContext, raw: &RawCall) {
        self.note(Layer::Hooks, LayerVerdict::Allow, "a hook rewrote the arguments");
        self.take_arguments(cx, &raw.name, &raw.arguments);
    }

    pub(super) fn policy(&mut self, sha256: Option<Digest>) {
        self.receipt.policy_sha256 = sha256;
    }

    /// What the layers said, without those that had nothing to say.
    pub(super) fn judged(&mut self, notes: &[LayerNote]) {
        let mattered = notes.iter().filter(|note| note.verdict != LayerVerdict::Pass);
        self.receipt.layers.extend(mattered.cloned());
    }

    pub(super) fn permitted(&mut self, permit: &Permit) {
        self.receipt.decision = permit.decision();
        self.receipt.decider = permit.decider();
        self.receipt.stance = permit.stance();
        self.receipt.rule = permit.rule().map(str::to_owned);
        if permit.decider() != Decider::Gate {
            self.note(Layer::Approval, LayerVerdict::Allow, permit.reason());
        }
    }

    pub(crate) fn note(&mut self, layer: Layer, verdict: LayerVerdict, reason: &str) {
        self.receipt.layers.push(LayerNote { layer, verdict, reason: reason.to_owned().into() });
    }

    /// `sandbox`: of a call that starts programs.
    pub(crate) fn granted(
        &mut self,
        connection: &Connection,
        granted: &Granted,
        sandbox: Option<Sandbox>,
    ) {
        self.receipt.sandbox = sandbox;
        self.receipt.server_facts = Some(connection.facts().clone());
        self.receipt.instance = Some(connection.instance().to_owned());
        self.receipt.host = Some(connection.host().to_owned());
        connection.confinement().clone_into(&mut self.receipt.confinement);
        self.receipt.grant_sha256 = Some(granted.sha256);
    }

    /// The record that is written before the call is sent.
    pub(crate) fn intent(&self) -> Receipt {
        let mut receipt = self.receipt.clone();
        self.secrets.receipt(&mut receipt);
        receipt
    }

    /// The call ran, or may have.
    pub(super) async fn ended(
        mut self,
        cx: &SessionContext,
        ended: Ended,
    ) -> Result<CallEnd, KernelError> {
        if !ended.confinement.is_empty() {
            self.receipt.confinement = ended.confinement;
        }
        let mut outcome = ended.outcome;
        self.secrets.outcome(&mut outcome);
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
        mut refusal: Refusal,
        stop_turn: bool,
    ) -> Result<CallEnd, KernelError> {
        self.secrets.hide(&mut refusal.message);
        self.secrets.hide(&mut refusal.pointer);
        self.receipt.decision =
            if refusal.by_person { Decision::Denied } else { Decision::Refused };
        self.receipt.decider = if refusal.by_person {
            Decider::Person
        } else if refusal.layer == Layer::AutoReview && refusal.class == GUARDIAN {
            Decider::Guardian
        } else {
            Decider::Gate
        };
        self.receipt.rule.clone_from(&refusal.rule);
        let told =
            |note: &LayerNote| note.layer == refusal.layer && note.verdict == LayerVerdict::Refuse;
        if !self.receipt.layers.iter().any(told) {
            self.note(refusal.layer, LayerVerdict::Refuse, &refusal.class);
        }
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
        self.close(cx, end, refusal_result(&refusal), by_gate, stop_turn).await
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
        self.receipt.end = Some(end);
        self.secrets.receipt(&mut self.receipt);
        let receipt = self.receipt;
        let receipt_head = lock(&cx.receipts).receipt(receipt.clone()).map_err(StoreError::from)?;
        copy::keep(cx, &receipt)?;
        let told = Body::ToolResult {
            name: receipt.tool.clone(),
            status,
            decision: receipt.decision,
            content: dispatch::shown(&result.content),
            metadata: result.metadata.clone(),
            truncated: result.truncated.clone(),
            rendering: result.rendering.clone(),
            receipt: Box::new(receipt.clone()),
        };
        cx.events.tell(Some(&receipt.position), Some(&receipt.id), told).await;
        Ok(CallEnd { result, receipt, receipt_head, refused, stop_turn })
    }
}
