//! Goal: a client gets all receipts, in messages that every stock client takes.

use serde_json::{Value, json};

use super::*;

/// A receipt with arguments of so many bytes.
fn ended(number: usize, arguments: usize) -> Record {
    let text = "x".repeat(arguments);
    let receipt = json!({
        "id": format!("call-{number}"), "session": "s", "turn": 0, "step": 0, "agent": "main",
        "caller": "client", "tool": "write", "arguments": { "content": text },
        "arguments_sha256": Digest::of(b""), "arguments_bytes": arguments, "layers": [],
        "decision": "auto", "decider": "gate", "mode": "work", "posture": "ask",
        "started_unix_ms": 1,
    });
    Record::Receipt(serde_json::from_value(receipt).unwrap())
}

/// All pages, each as ids.
fn pages(records: &[Record]) -> Vec<Vec<String>> {
    let (mut pages, mut from) = (Vec::new(), Some(0));
    while let Some(at) = from {
        let (page, next) = receipts(records, at);
        assert!(page.len() <= PAGE_RECEIPTS_MAX);
        assert!(page.len() == 1 || page.iter().map(Bytes::len).sum::<usize>() <= PAGE_BYTES_MAX);
        assert!(next.is_none_or(|next| next > at), "a page that goes nowhere");
        let id = |text: &Bytes| {
            let value: Value = serde_json::from_slice(text).unwrap();
            value["id"].as_str().unwrap().to_owned()
        };
        pages.push(page.iter().map(id).collect());
        from = next;
    }
    pages
}

#[track_caller]
fn check(sizes: &[usize], expected: &[usize]) {
    let records: Vec<Record> =
        sizes.iter().enumerate().map(|(number, size)| ended(number, *size)).collect();
    let pages = pages(&records);
    let lengths: Vec<usize> = pages.iter().map(Vec::len).collect();
    assert_eq!(lengths, expected);
    let all: Vec<String> = (0..sizes.len()).map(|number| format!("call-{number}")).collect();
    assert_eq!(pages.concat(), all, "each once, in order");
}

#[test]
fn pages_are_bounded_and_lose_nothing() {
    check(&[], &[0]);
    check(&[10; 3], &[3]);
    check(&[10; 250], &[100, 100, 50]);
    check(&[200 * 1024; 12], &[5, 5, 2]);
}

#[test]
fn a_page_behind_the_end_is_empty() {
    assert_eq!(receipts(&[ended(1, 1)], usize::MAX), (Vec::new(), None));
}

/// Arguments that are too large are left out, and that is told; their digest and size stay.
#[test]
fn large_arguments_are_left_out_and_told() {
    let size = usize::try_from(RECEIPT_ARGUMENTS_BYTES_MAX).unwrap() + 1;
    let (page, _) = receipts(&[ended(1, size), ended(2, size - 1)], 0);
    let values: Vec<Value> =
        page.iter().map(|text| serde_json::from_slice(text).unwrap()).collect();
    assert_eq!(values[0]["arguments"], Value::Null);
    assert_eq!(
        (&values[0]["arguments_omitted"], &values[0]["type"]),
        (&json!(true), &json!("receipt"))
    );
    assert_eq!(values[0]["arguments_bytes"], size);
    assert!(values[1]["arguments"].is_object() && values[1].get("arguments_omitted").is_none());
}

#[test]
fn a_snapshot_of_nothing_is_one() {
    let (snapshot, callers) = snapshot(&Catalog::default());
    let value: Value = serde_json::from_slice(&snapshot).unwrap();
    assert_eq!((&value["tools"], &value["omitted"]), (&json!([]), &json!(0)));
    assert_eq!(callers, [Caller::Model, Caller::User]);
}
