//! Goal: what a program's calls became is told from their receipts, in order, whatever else happens.

use tollgate_core::{
    authority::Decider,
    call::{Caller, Position},
    name::CallId,
    receipt::{End, LayerNote},
    stance::Stance,
};

use super::*;
use crate::gate::CallResult;

fn end(tool: &str, decision: Decision, status: Status, effects: Effects, class: &str) -> CallEnd {
    let layers = if class == "cancelled while asked" {
        let (layer, verdict) = (Layer::Approval, LayerVerdict::Ask);
        vec![LayerNote { layer, verdict, reason: "a person decides".into() }]
    } else {
        Vec::new()
    };
    let class = class.split(' ').next().unwrap_or_default();
    let receipt = Receipt {
        id: CallId::try_from(format!("id-{tool}")).unwrap(),
        parent: None,
        position: Position {
            session: "s".to_owned().try_into().unwrap(),
            turn: 1,
            step: 1,
            agent: "main".to_owned(),
        },
        caller: Caller::Program,
        tool: tool.to_owned(),
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
        layers,
        decision,
        decider: Decider::Gate,
        rule: None,
        policy_sha256: None,
        stance: Stance::default(),
        grant_sha256: None,
        confinement: String::new(),
        sandbox: None,
        started_unix_ms: 0,
        end: Some(End {
            ended_unix_ms: 0,
            status,
            effects,
            may_have_run: false,
            error_class: class.to_owned(),
            error: String::new(),
            outcome_sha256: None,
            outcome_bytes: 7,
            spill: None,
        }),
    };
    let result = CallResult {
        content: Vec::new(),
        structured: Value::Null,
        metadata: Value::Null,
        truncated: None,
        is_error: false,
        messages: Vec::new(),
        rendering: String::new(),
    };
    let receipt_head = Digest::of(b"");
    CallEnd { result, receipt, receipt_head, refused: false, stop_turn: false }
}

fn add(ledger: &Ledger, ended: &CallEnd) {
    let place = ledger.place(100).unwrap();
    ledger.ended(place, ended, Duration::from_millis(2));
}

fn told(ledger: &Ledger) -> (Outcome, String) {
    let mut outcome = Outcome::failure("threw", Effects::None, "boom".to_owned());
    ledger.append(&mut outcome);
    let texts = outcome.content.iter().filter_map(|block| first_text(std::slice::from_ref(block)));
    let text = texts.collect::<Vec<_>>().join("\n--\n");
    (outcome, text)
}

/// [CODE-10]: in the order in which they were asked, not in which they ended; calls of one kind in one line.
#[test]
fn calls_are_told_in_order_and_grouped() {
    let ledger = Ledger::default();
    let (first, second) = (ledger.place(9).unwrap(), ledger.place(9).unwrap());
    let ok = |tool| end(tool, Decision::Auto, Status::Ok, Effects::None, "");
    ledger.ended(second, &ok("b"), Duration::ZERO);
    ledger.ended(first, &ok("a"), Duration::ZERO);
    add(&ledger, &ok("b"));
    add(&ledger, &end("c", Decision::Denied, Status::Refused, Effects::None, "denied"));
    let (outcome, text) = told(&ledger);
    let names: Vec<_> = outcome.structured["receipts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["name"].clone())
        .collect();
    assert_eq!(names, ["a", "b", "b", "c"]);
    assert_eq!(outcome.structured["receipts"][3]["decision"], "denied");
    assert_eq!(outcome.structured["error"]["message"], "boom");
    assert_eq!(
        text,
        "boom\n--\ncalls:\na ok, 0 ms, 7 bytes\nb x2 ok, 2 ms, 14 bytes\n\
         c refused (denied), 2 ms, 7 bytes, receipt id-c"
    );
}

/// [CODE-08]: "waiting for approval, not started" is told from "running" and from "not started".
#[test]
fn what_was_not_started_is_told_from_what_ran() {
    let ledger = Ledger::default();
    let refused = |class| end("x", Decision::Refused, Status::Refused, Effects::None, class);
    add(&ledger, &refused("cancelled while asked"));
    add(&ledger, &refused("cancelled"));
    add(&ledger, &end("x", Decision::Auto, Status::InFlight, Effects::Unknown, "cancelled"));
    let notes: Vec<_> = told(&ledger).0.structured["receipts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["note"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        notes,
        [
            "was waiting for approval, not started",
            "not started",
            "was running, may have partly run"
        ]
    );
    assert_eq!(ledger.effects(), Effects::Partial);
}

/// [CODE-15]
#[test]
fn logs_and_calls_are_bounded() {
    let ledger = Ledger::default();
    assert!(ledger.place(1).is_some());
    assert!(ledger.place(1).is_none());
    ledger.log("12345\n", 8);
    ledger.log("67\u{e9}89\n", 8);
    let text = told(&ledger).1;
    assert_eq!(text, "boom\n--\nlogs:\n12345\n67\n[5 more bytes of logs were dropped]");
    let many = Ledger::default();
    for number in 0..50 {
        let tool = format!("t{number}");
        add(&many, &end(&tool, Decision::Auto, Status::Ok, Effects::None, ""));
    }
    assert!(told(&many).1.ends_with("… 10 more lines; all are in the receipts"));
}
