//! Goal: the published schema fits the events that are really told ([CLI-02]), and nothing secret is shown.

use serde_json::{Value, json};
use tollgate_core::{
    call::{Block, Caller, Truncated},
    name::{CallId, ServerName, SessionId},
    receipt::{Decision, Status},
};
use tollgate_engine::event::{Body, Event, Usage};

use super::*;
use crate::view::tests::{card, receipt};

fn event(body: Body) -> Value {
    let event = Event {
        seq: 1,
        ts: 2,
        session: SessionId::try_from("s").unwrap(),
        turn: Some(1),
        step: None,
        call_id: Some(CallId::try_from("c").unwrap()),
        body,
    };
    serde_json::to_value(event).unwrap()
}

/// One event of each type, with everything that it can hold.
fn events() -> Vec<Value> {
    let text = String::new;
    let bodies = vec![
        Body::SessionStarted {
            workspace: text(),
            mode: "work".into(),
            posture: "auto-review".into(),
            model: text(),
            resumed: true,
        },
        Body::TurnStarted { prompt: text() },
        Body::RequestPrepared {
            request_bytes: 1,
            tools_bytes: 1,
            tool_names: vec![text()],
            active_tool_catalog_sha256: text(),
            prefix_change_reason: Some(text()),
        },
        Body::AssistantDelta { text: "a".into(), reasoning: "b".into() },
        Body::AssistantMessage { text: text(), tool_calls: 1, stop: text() },
        Body::ModelRetrying { attempt: 1, after_ms: 1, reason: text() },
        Body::ToolCall { name: text(), arguments: json!({}), caller: Caller::Model, parent: None },
        Body::ToolStarted { name: text(), title: text() },
        Body::ToolProgress { text: text(), fraction: Some(0.5) },
        Body::StanceChanged { mode: "plan".into(), posture: "never".into() },
        Body::CatalogChanged {
            server: ServerName::try_from("s").unwrap(),
            added: vec![text()],
            removed: Vec::new(),
            changed: Vec::new(),
            more: 1,
        },
        Body::ApprovalRequested { id: text(), card: Box::new(card()) },
        Body::ApprovalDecided { id: text(), decision: Decision::Denied, decider: text() },
        Body::GuardianJudged { allowed: false, reason: text() },
        Body::ToolResult {
            name: text(),
            status: Status::InFlight,
            decision: Decision::Auto,
            content: vec![Block::Text { text: text() }, Block::Json { value: json!(1) }],
            metadata: Value::Null,
            truncated: Some(Truncated {
                bytes: 1,
                lines: None,
                spill: Some(format!("artifact:{}", "0".repeat(64))),
            }),
            rendering: "x".into(),
            receipt: Box::new(receipt(Decision::Auto, Status::Ok)),
        },
        Body::TurnCompleted {
            text: text(),
            stop_reason: text(),
            steps: 1,
            usage: Usage::default(),
            refused: 0,
        },
        Body::SessionEnded {},
        Body::Error { class: text(), message: text(), retryable: false },
    ];
    bodies.into_iter().map(event).collect()
}

#[test]
fn every_event_fits_the_published_schema() {
    let schema: Value = serde_json::from_str(EVENTS_SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for event in events() {
        let faults: Vec<_> = validator.iter_errors(&event).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{event}: {faults:?}");
    }
}

#[test]
fn the_published_schema_has_every_type_and_every_key() {
    let schema: Value = serde_json::from_str(EVENTS_SCHEMA).unwrap();
    let types = schema["oneOf"].as_array().unwrap();
    assert_eq!(types.len(), events().len());
    for event in events() {
        let of_type =
            types.iter().find(|one| one["properties"]["type"]["const"] == event["type"]).unwrap();
        for key in event.as_object().unwrap().keys() {
            let known = [&schema["properties"], &of_type["properties"]];
            assert!(
                known.iter().any(|properties| !properties[key].is_null()),
                "{key} of {}",
                event["type"]
            );
        }
    }
}

#[test]
fn headers_of_providers_are_not_shown() {
    let settings: toml::Table =
        "[providers.x]\nbase_url = \"u\"\n[providers.x.headers]\nauthorization = \"secret\""
            .parse()
            .unwrap();
    let shown = hidden("servers.model.settings", &toml::Value::Table(settings));
    assert!(
        shown.to_string().contains("(hidden)") && !shown.to_string().contains("secret"),
        "{shown}"
    );
}
