//! Goal: the chain shows every record that was removed, changed or moved, and records keep every field
//! ([GATE-80], [STORE-03]).

use serde_json::{Value, json};

use super::*;
use crate::safety::{Access, Reach};

const SESSION: &str = "s-1";

/// A receipt with every field filled.
fn full() -> Receipt {
    let digest = Digest::of(b"x");
    Receipt {
        id: CallId::try_from("c-1").unwrap(),
        parent: Some(CallId::try_from("c-0").unwrap()),
        position: Position {
            session: SESSION.try_into().unwrap(),
            turn: 2,
            step: 3,
            agent: "main".to_owned(),
        },
        caller: Caller::Program,
        tool: "read".to_owned(),
        asked_as: Some("Read".to_owned()),
        server: Some(ServerName::try_from("file").unwrap()),
        server_facts: Some(ServerFacts {
            name: "tollgate-file".to_owned(),
            version: "0.1.0".to_owned(),
            build_sha256: Some(digest),
        }),
        instance: Some("i-1".to_owned()),
        host: Some("local".to_owned()),
        arguments: json!({ "big": 9_007_199_254_740_993_u64, "small": i64::MIN, "float": 1.0,
            "text": "a\n\u{2028}\u{0}", "seq": 7, "prev": "x", "type": "receipt" }),
        arguments_sha256: digest,
        arguments_bytes: 9,
        coercions: vec![Coercion {
            pointer: "/limit".to_owned(),
            from: "string".to_owned(),
            to: "integer".to_owned(),
        }],
        subjects: vec![Subject::Path {
            absolute: "/w/a".into(),
            relative: Some("a".into()),
            access: Access::Read,
            reach: Reach::Itself,
        }],
        safety: Some(Safety::WORST),
        layers: vec![LayerNote {
            layer: Layer::Baseline,
            verdict: LayerVerdict::Ask,
            reason: "it writes".into(),
        }],
        decision: Decision::Approved,
        decider: Decider::Person,
        rule: None,
        policy_sha256: None,
        stance: Stance::default(),
        grant_sha256: Some(digest),
        confinement: "landlock".to_owned(),
        sandbox: None,
        started_unix_ms: u64::MAX,
        end: Some(End {
            ended_unix_ms: 1,
            status: Status::InFlight,
            effects: Effects::Unknown,
            may_have_run: true,
            error_class: "killed".to_owned(),
            error: "the kernel ended".to_owned(),
            outcome_sha256: Some(digest),
            outcome_bytes: 4,
            spill: Some(format!("artifact:{digest}")),
        }),
    }
}

/// A receipt with every field that may be absent absent.
fn bare() -> Receipt {
    Receipt {
        parent: None,
        asked_as: None,
        server: None,
        server_facts: None,
        instance: None,
        host: None,
        arguments: Value::Null,
        coercions: Vec::new(),
        subjects: Vec::new(),
        safety: None,
        layers: Vec::new(),
        grant_sha256: None,
        confinement: String::new(),
        sandbox: None,
        end: None,
        ..full()
    }
}

/// A chain of so many records, encoded.
fn chain_of(count: usize) -> Vec<Vec<u8>> {
    let mut chain = Chain::new(SESSION);
    let mut encoded = Vec::new();
    for _ in 0..count {
        let link = chain.link(Record::Decided(bare()));
        let text = serde_json::to_vec(&link).unwrap();
        chain.follow(&link, &text).unwrap();
        encoded.push(text);
    }
    encoded
}

/// The first fault of a chain, with the number of the record that shows it.
fn fault_of(encoded: &[Vec<u8>]) -> Option<(usize, ChainFault)> {
    let mut chain = Chain::new(SESSION);
    encoded.iter().enumerate().find_map(|(at, text)| {
        let link: Link = serde_json::from_slice(text).unwrap();
        chain.follow(&link, text).err().map(|fault| (at, fault))
    })
}

#[track_caller]
fn check(change: impl FnOnce(&mut Vec<Vec<u8>>), expected: Option<(usize, ChainFault)>) {
    let mut encoded = chain_of(4);
    change(&mut encoded);
    assert_eq!(fault_of(&encoded), expected);
}

#[test]
fn a_chain_as_it_was_made_holds() {
    check(|_| {}, None);
    check(Vec::clear, None);
}

#[test]
fn a_removed_record_shows_unless_it_is_the_last() {
    check(|all| drop(all.remove(0)), Some((0, ChainFault::Gap { expected: 0, found: 1 })));
    check(|all| drop(all.remove(2)), Some((2, ChainFault::Gap { expected: 2, found: 3 })));
    // Which is why a session log quotes the head.
    check(|all| drop(all.remove(3)), None);
    assert_ne!(head_of(&chain_of(4)), head_of(&chain_of(3)));
}

#[test]
fn a_moved_or_repeated_record_shows() {
    check(|all| all.swap(1, 2), Some((1, ChainFault::Gap { expected: 1, found: 2 })));
    let twice = |all: &mut Vec<Vec<u8>>| all.insert(2, all[1].clone());
    check(twice, Some((2, ChainFault::Gap { expected: 2, found: 1 })));
}

#[test]
fn a_changed_record_shows_at_the_next_one() {
    let change = |all: &mut Vec<Vec<u8>>| {
        let text = String::from_utf8(all[1].clone()).unwrap();
        all[1] = text.replace("\"approved\"", "\"auto\"").into_bytes();
    };
    check(change, Some((2, ChainFault::Broken { seq: 2 })));
    // White space alone is a change: what is chained are bytes, not values.
    let space = |all: &mut Vec<Vec<u8>>| all[1].push(b' ');
    check(space, Some((2, ChainFault::Broken { seq: 2 })));
}

#[test]
fn a_record_of_another_session_does_not_begin_this_one() {
    let link = Chain::new("s-2").link(Record::Decided(bare()));
    let mut chain = Chain::new(SESSION);
    assert_eq!(chain.follow(&link, b""), Err(ChainFault::Broken { seq: 0 }));
    assert_eq!(chain, Chain::new(SESSION), "a fault leaves the chain as it stood");
}

fn head_of(encoded: &[Vec<u8>]) -> Digest {
    let mut chain = Chain::new(SESSION);
    for text in encoded {
        chain.follow(&serde_json::from_slice(text).unwrap(), text).unwrap();
    }
    chain.head()
}

#[test]
fn the_head_is_the_digest_of_the_last_record() {
    let encoded = chain_of(3);
    assert_eq!(head_of(&encoded), Digest::of(&encoded[2]));
    let empty = Chain::new(SESSION);
    assert_eq!((empty.head(), empty.len(), empty.is_empty()), (Digest::of(b"s-1"), 0, true));
}

#[test]
fn after_a_fault_a_chain_goes_on_where_it_rejoins() {
    let mut encoded = chain_of(4);
    encoded.remove(1);
    let mut chain = Chain::new(SESSION);
    let mut faults = Vec::new();
    for text in &encoded {
        let link = serde_json::from_slice(text).unwrap();
        if let Err(fault) = chain.follow(&link, text) {
            faults.push(fault);
            chain.rejoin(&link, text);
        }
    }
    assert_eq!(faults, [ChainFault::Gap { expected: 1, found: 2 }], "one fault is told once");
    assert_eq!((chain.len(), chain.head()), (4, Digest::of(&encoded[2])));
}

#[test]
fn a_number_at_its_end_is_no_panic() {
    let mut chain = Chain::new(SESSION);
    let last = Link { seq: u64::MAX, prev: chain.head(), record: Record::Decided(bare()) };
    chain.rejoin(&last, b"x");
    let next = chain.link(Record::Decided(bare()));
    assert!(chain.follow(&next, b"y").is_ok());
}

#[test]
fn every_field_comes_back_as_it_was() {
    for record in [
        Record::Decided(bare()),
        Record::Receipt(full()),
        Record::Receipt(Receipt { arguments: json!("no { JSON"), ..full() }),
    ] {
        let link = Chain::new(SESSION).link(record);
        let text = serde_json::to_vec(&link).unwrap();
        assert!(!text.contains(&b'\n'), "a record is one line");
        assert_eq!(serde_json::from_slice::<Link>(&text).unwrap(), link);
    }
}

#[test]
fn a_record_is_one_flat_object_and_absent_fields_are_left_out() {
    let link = Chain::new(SESSION).link(Record::Decided(bare()));
    let digest = Digest::of(b"x").to_string();
    let expected = json!({
        "seq": 0, "prev": Digest::of(b"s-1").to_string(), "type": "decided", "id": "c-1",
        "session": SESSION, "turn": 2, "step": 3, "agent": "main", "caller": "program",
        "tool": "read", "arguments": null, "arguments_sha256": digest, "arguments_bytes": 9,
        "layers": [], "decision": "approved", "decider": "person", "mode": "work",
        "posture": "ask", "confinement": "", "started_unix_ms": u64::MAX,
    });
    assert_eq!(serde_json::to_value(&link).unwrap(), expected);
    let value = serde_json::to_value(Record::Receipt(full())).unwrap();
    assert_eq!((&value["type"], &value["end"]["status"]), (&json!("receipt"), &json!("in_flight")));
    assert_eq!(value["end"]["may_have_run"], true);
    assert_eq!(value["server_facts"]["build_sha256"], json!(digest));
}

#[test]
fn the_words_of_decisions_and_statuses_are_fixed() {
    let words = |values: Value| values.as_array().unwrap().clone();
    let decisions = [Decision::Auto, Decision::Approved, Decision::Denied, Decision::Refused];
    assert_eq!(words(json!(decisions)), ["auto", "approved", "denied", "refused"]);
    let statuses = [Status::Ok, Status::Failed, Status::Refused, Status::InFlight];
    assert_eq!(words(json!(statuses)), ["ok", "failed", "refused", "in_flight"]);
}
