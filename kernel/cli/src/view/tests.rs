//! What the tests of several modules need: a card, a receipt.

use serde_json::json;
use tollgate_core::{
    authority::{Decider, Layer, Need, Why},
    call::{Caller, Effects, Position},
    digest::Digest,
    name::{CallId, SessionId},
    receipt::{Decision, End, Receipt, Status},
    safety::Safety,
    stance::Stance,
};
use tollgate_engine::approval::Card;

/// A question about `bash ls`.
pub(crate) fn card() -> Card {
    Card {
        call_id: CallId::try_from("c1").unwrap(),
        caller: Caller::Model,
        agent: "main".into(),
        tool: "bash".into(),
        title: "bash".into(),
        server: "shell".into(),
        host: "local".into(),
        arguments: json!({"command": "ls"}),
        preview: String::new(),
        subjects: Vec::new(),
        safety: Safety::WORST,
        why: vec![Why {
            layer: Layer::Baseline,
            need: Need::Ordinary,
            class: "changes".into(),
            reason: "the call changes something".into(),
            rule: None,
        }],
        commands: Vec::new(),
        escalation: None,
        reach: None,
        arguments_bytes: 16,
        arguments_sha256: Digest::of(br#"{"command":"ls"}"#),
        offer: Vec::new(),
    }
}

/// A receipt of `bash ls`.
pub(crate) fn receipt(decision: Decision, status: Status) -> Receipt {
    Receipt {
        id: CallId::try_from("c1").unwrap(),
        parent: None,
        position: Position {
            session: SessionId::try_from("s1").unwrap(),
            turn: 1,
            step: 1,
            agent: "main".into(),
        },
        caller: Caller::Model,
        tool: "bash".into(),
        asked_as: None,
        server: None,
        server_facts: None,
        instance: None,
        host: None,
        arguments: json!({"command": "ls"}),
        arguments_sha256: Digest::of(b""),
        arguments_bytes: 0,
        coercions: Vec::new(),
        subjects: Vec::new(),
        safety: Some(Safety::WORST),
        layers: Vec::new(),
        decision,
        decider: Decider::Gate,
        rule: None,
        policy_sha256: None,
        stance: Stance::default(),
        grant_sha256: None,
        confinement: String::new(),
        sandbox: None,
        started_unix_ms: 1000,
        end: Some(End {
            ended_unix_ms: 1300,
            status,
            effects: Effects::None,
            may_have_run: false,
            error_class: String::new(),
            error: String::new(),
            outcome_sha256: None,
            outcome_bytes: 0,
            spill: None,
        }),
    }
}
