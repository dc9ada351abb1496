//! Goal: what a schema marks is never shown, whatever way it is marked and however the call is
//! misspelt; and nothing else is hidden [GATE-81] [RX-03].

use serde_json::{Value, json};

use super::{has_marks, veil};

/// The single toucher: a schema, arguments, and what may be shown of them.
#[track_caller]
fn check(schema: Value, arguments: Value, shown: Value) {
    let aliases = [("pwd".to_owned(), "password".to_owned())];
    assert!(has_marks(&schema), "{schema}");
    let veiled = veil(&schema, &aliases, &arguments);
    assert_eq!(veiled.shown, shown, "{schema} {arguments}");
}

fn hidden(bytes: usize) -> Value {
    json!({ "secret": true, "bytes": bytes })
}

fn login(password: Value) -> Value {
    json!({ "type": "object", "additionalProperties": false,
            "properties": { "user": { "type": "string" }, "password": password } })
}

/// The three marks, each alone.
#[test]
fn each_mark_hides_its_value_and_nothing_else() {
    for mark in [
        json!({ "writeOnly": true }),
        json!({ "type": "string", "format": "password" }),
        json!({ "x-secret": true }),
    ] {
        let arguments = json!({ "user": "ann", "password": "hunter2" });
        check(login(mark), arguments, json!({ "user": "ann", "password": hidden(7) }));
    }
}

#[test]
fn a_value_of_any_type_is_hidden_whole() {
    let schema = || login(json!({ "x-secret": true }));
    for value in [json!(12_345_678), json!(null), json!(["a", { "b": "c" }]), json!({ "k": 1 })] {
        let bytes = value.to_string().len();
        check(schema(), json!({ "password": value }), json!({ "password": hidden(bytes) }));
    }
}

#[test]
fn marks_are_found_at_any_depth() {
    let secret = || json!({ "x-secret": true });
    check(
        json!({ "properties": { "hosts": { "items": { "properties": { "key": secret() } } } } }),
        json!({ "hosts": [{ "name": "a", "key": "k1" }, { "key": "k22" }] }),
        json!({ "hosts": [{ "name": "a", "key": hidden(2) }, { "key": hidden(3) }] }),
    );
    check(
        json!({ "properties": { "auth": { "$ref": "#/$defs/auth" } },
                "$defs": { "auth": { "anyOf": [{ "type": "null" }, { "allOf": [
                    { "properties": { "token": secret() } }] }] } } }),
        json!({ "auth": { "token": "t", "kind": "bearer" } }),
        json!({ "auth": { "token": hidden(1), "kind": "bearer" } }),
    );
    check(
        json!({ "properties": { "env": { "additionalProperties": secret() } } }),
        json!({ "env": { "A": "x" }, "other": "y" }),
        json!({ "env": { "A": hidden(1) }, "other": "y" }),
    );
    check(
        json!({ "properties": { "pair": { "prefixItems": [{}, secret()] } } }),
        json!({ "pair": ["user", "pass"] }),
        json!({ "pair": ["user", hidden(4)] }),
    );
    check(
        json!({ "patternProperties": { "^S_": secret() } }),
        json!({ "S_KEY": "x" }),
        json!({ "S_KEY": hidden(1) }),
    );
    check(
        json!({ "if": {}, "then": { "properties": { "p": secret() } },
                "dependentSchemas": { "a": { "properties": { "q": secret() } } } }),
        json!({ "p": "1", "q": "2" }),
        json!({ "p": hidden(1), "q": hidden(1) }),
    );
}

/// What is refused later must not be kept either.
#[test]
fn a_slip_of_the_model_hides_too() {
    let schema = || login(json!({ "x-secret": true }));
    check(schema(), json!({ "pwd": "hunter2" }), json!({ "pwd": hidden(7) }));
    check(schema(), json!({ "passwrd": "hunter2" }), json!({ "passwrd": hidden(7) }));
    check(schema(), json!("{\"password\":\"hunter2\"}"), hidden(22));
    check(schema(), json!(["hunter2"]), hidden(11));
}

/// A person sees what they approve: a free object beside a secret stays.
#[test]
fn what_no_mark_speaks_of_stays() {
    check(
        json!({ "properties": { "key": { "x-secret": true }, "body": { "type": "object" } } }),
        json!({ "body": { "a": [1, "b"] }, "extra": "e" }),
        json!({ "body": { "a": [1, "b"] }, "extra": "e" }),
    );
}

#[test]
fn references_without_end_or_goal_hide() {
    let schema = json!({ "properties": { "a": { "$ref": "#/$defs/gone" }, "b": { "$ref": "#b" } },
                         "$defs": { "s": { "x-secret": true } } });
    check(schema, json!({ "a": "x", "b": "y" }), json!({ "a": hidden(1), "b": hidden(1) }));
    let node = json!({ "$defs": { "n": { "properties": {
        "next": { "$ref": "#/$defs/n" }, "key": { "x-secret": true } } } }, "$ref": "#/$defs/n" });
    check(
        node,
        json!({ "next": { "next": { "key": "k" } } }),
        json!({ "next": { "next": { "key": hidden(1) } } }),
    );
}

#[test]
fn the_texts_that_were_taken_out_are_told() {
    let arguments = json!({ "password": { "a": ["one", 2], "b": true } });
    let veiled = veil(&login(json!({ "writeOnly": true })), &[], &arguments);
    assert_eq!(veiled.secrets, ["one", "2"]);
}

#[test]
fn an_ordinary_schema_has_no_marks() {
    for schema in [
        json!({ "properties": { "path": { "type": "string", "format": "uri" } } }),
        json!({ "writeOnly": false, "x-secret": "true" }),
    ] {
        assert!(!has_marks(&schema), "{schema}");
    }
}
