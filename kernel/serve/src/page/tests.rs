//! Goal: a client gets all receipts, in messages that every stock client takes.

use serde_json::{Value, json};
use tollgate_core::catalog::snapshot::{Field, Prepared, project};

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

fn seen(view: &View, prepared: Option<&Inspected>) -> (Value, Vec<Caller>) {
    let secrets = Redactor::new(vec![("KEY".to_owned(), b"sk-verysecret".to_vec())]);
    let (snapshot, callers) = snapshot(view, prepared, &secrets);
    assert!(snapshot.len() <= SNAPSHOT_BYTES_MAX);
    (serde_json::from_slice(&snapshot).unwrap(), callers)
}

#[test]
fn a_snapshot_of_nothing_is_one() {
    let (value, callers) = seen(&View::default(), None);
    assert_eq!((&value["tools"], &value["omitted"]), (&json!([]), &json!(0)));
    assert_eq!((&value["prepared"], &value["snapshot"]), (&json!(false), &Value::Null));
    assert_eq!(value["tools_sha256"], json!(Digest::of(b"[]")));
    assert_eq!(callers, [Caller::Model, Caller::User]);
}

fn inspected(tools: Option<&[u8]>) -> Inspected {
    let sha256 = Digest::of(b"sent");
    let prepared = Prepared {
        turn: 1,
        step: 1,
        bytes: 2,
        sha256,
        tools_bytes: Some(2),
        tools_sha256: sha256,
        model: None,
    };
    let field = match tools {
        Some(bytes) => Field::Present { bytes, is_redacted: false },
        None => Field::Unavailable("gone".to_owned()),
    };
    let snapshot = project(&prepared, field, Err("not captured".to_owned()));
    Inspected { snapshot, tools: tools.map(<[u8]>::to_vec), tools_sha256: sha256 }
}

/// `[CAT-30, 31]`: the latest prepared request's tools in their order and bytes, as many as fit.
#[test]
fn a_snapshot_is_that_of_the_prepared_request() {
    let (value, _) = seen(&View::default(), Some(&inspected(Some(br#"[{"name":"a"}]"#))));
    assert_eq!(value["tools"], json!([{ "name": "a" }]));
    assert_eq!((&value["prepared"], &value["omitted"]), (&json!(true), &json!(0)));
    assert_eq!(value["tools_sha256"], value["snapshot"]["wire"]["active_tool_catalog_sha256"]);
    let many = Value::from(vec![json!({ "name": "n".repeat(1000) }); 2000]).to_string();
    let (value, _) = seen(&View::default(), Some(&inspected(Some(many.as_bytes()))));
    let (shown, omitted) = (value["tools"].as_array().unwrap().len(), value["omitted"].as_u64());
    assert!(shown > 500 && omitted == Some(2000 - shown as u64), "{shown} {omitted:?}");
    assert_eq!(value["snapshot"]["wire"]["tools"].as_array().unwrap().len(), 32);
    for damaged in [None, Some(&b"[{"[..])] {
        let (value, _) = seen(&View::default(), Some(&inspected(damaged)));
        assert_eq!((&value["tools"], &value["prepared"]), (&json!([]), &json!(true)));
        assert!(value["snapshot"]["wire"]["damage"].is_string());
    }
}
