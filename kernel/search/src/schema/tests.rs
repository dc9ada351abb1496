//! Tests of `schema`.

use serde_json::json;

use super::*;

#[track_caller]
fn check(schema: &Value, expected: &[(&str, &str)]) {
    let found = arguments(schema);
    let found: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn arguments_are_found_on_every_level() {
    let inner = json!({"type": "object", "properties": {"rule": {"description": "RFC 5545"}}});
    check(
        &json!({"properties": {
            "list": {"type": "array", "items": inner},
            "one": {"anyOf": [{"type": "null"}, inner]},
            "sort": {"description": "order", "enum": ["up", "down"]},
        }}),
        &[
            ("list", ""),
            ("rule", "RFC 5545"),
            ("one", ""),
            ("rule", "RFC 5545"),
            ("sort", "order up down"),
        ],
    );
}

#[test]
fn what_is_no_schema_has_no_arguments() {
    for schema in [json!(null), json!(true), json!([1]), json!({"properties": []}), json!({})] {
        check(&schema, &[]);
    }
}

#[test]
fn depth_and_number_are_bounded() {
    let mut deep = json!({});
    for _ in 0..500 {
        deep = json!({"properties": {"a": deep}});
    }
    assert!(arguments(&deep).len() <= SCHEMA_DEPTH_MAX);
    let wide: Map<String, Value> = (0..10_000).map(|it| (format!("a{it}"), json!({}))).collect();
    assert_eq!(arguments(&json!({"properties": wide})).len(), ARGUMENTS_MAX);
}
