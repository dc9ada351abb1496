//! Goal: `[KERN-04]`: what fits passes as it came, what is certainly meant is recorded, all else is
//! refused with its place.

use super::Schema;

const SCHEMA: &str = r##"{
  "type": "object", "additionalProperties": false, "required": ["path"],
  "properties": {
    "path": {"type": "string"},
    "limit": {"type": "integer", "minimum": 1},
    "all": {"type": "boolean"},
    "edits": {"type": "array", "items": {"$ref": "#/$defs/edit"}}
  },
  "$defs": {"edit": {"type": "object", "additionalProperties": false,
    "properties": {"old": {"type": "string"}, "count": {"type": "integer"}}}}
}"##;

/// `expected`: the coercions as "pointer:type", or the fault's pointer and a part of its text.
#[track_caller]
fn check(arguments: &str, expected: Result<&[&str], (&str, &str)>) {
    let schema = Schema::compile(SCHEMA.as_bytes()).unwrap();
    let aliases =
        [("oldText".to_owned(), "old".to_owned()), ("file".to_owned(), "path".to_owned())];
    match (schema.check(arguments.as_bytes(), &aliases), expected) {
        (Ok((_, coercions)), Ok(expected)) => {
            let got: Vec<_> = coercions.iter().map(|c| format!("{}:{}", c.pointer, c.to)).collect();
            assert_eq!(got, expected, "{arguments}");
        }
        (Err(fault), Err((pointer, part))) => {
            assert_eq!(fault.pointer, pointer, "{}", fault.message);
            assert!(fault.message.contains(part), "{}", fault.message);
        }
        (got, _) => panic!("{arguments}: {got:?}"),
    }
}

#[test]
fn what_fits_passes_without_a_change() {
    check(r#"{"path": "a", "limit": 5}"#, Ok(&[]));
    check(r#"{"path": "5"}"#, Ok(&[]));
}

#[test]
fn what_is_certainly_meant_is_accepted_and_recorded() {
    check(r#"{"path": "a", "limit": "5"}"#, Ok(&["/limit:integer"]));
    check(r#"{"path": "a", "all": "true"}"#, Ok(&["/all:boolean"]));
    check(r#""{\"path\": \"a\"}""#, Ok(&[":object"]));
    check(r#"{"path": "a", "edits": "[{\"old\": \"x\"}]"}"#, Ok(&["/edits:array"]));
    check(r#"{"path": "a", "edits": [{"count": "2"}]}"#, Ok(&["/edits/0/count:integer"]));
}

/// Null for what may be absent is nothing; for what must be there it is a fault.
#[test]
fn null_for_what_may_be_absent_is_left_out_and_recorded() {
    check(r#"{"path": "a", "limit": null, "all": null}"#, Ok(&["/all:nothing", "/limit:nothing"]));
    check(r#"{"path": "a", "edits": [{"count": null}]}"#, Ok(&["/edits/0/count:nothing"]));
    check(r#"{"path": null}"#, Err(("/path", "null")));
    check(r#"{"path": "a", "other": null}"#, Err(("/other", "unknown property")));
}

/// An argument under another name of the manifest is taken where the canonical one is absent.
#[test]
fn another_name_of_an_argument_is_accepted_and_recorded() {
    check(r#"{"path": "a", "edits": [{"oldText": "x"}]}"#, Ok(&["/edits/0/oldText:old"]));
    check(r#"{"file": "a"}"#, Ok(&["/file:path"]));
    check(r#"{"file": "a", "path": "b"}"#, Err(("/file", "unknown property")));
    check(r#"{"path": "a", "oldText": "x"}"#, Err(("/oldText", "unknown property")));
}

#[test]
fn what_is_doubtful_is_refused_with_its_place() {
    check(r#"{"path": "a", "limit": "five"}"#, Err(("/limit", "integer")));
    check(r#"{"path": "a", "limit": "5.0"}"#, Err(("/limit", "integer")));
    check(r#"{"path": "a", "limit": " 5"}"#, Err(("/limit", "integer")));
    check(r#"{"path": 5}"#, Err(("/path", "string")));
    check(r#"{"path": "a", "limit": 0}"#, Err(("/limit", "minimum")));
    check("{}", Err(("/path", "required")));
    check("", Err(("/path", "required")));
    check(r#"{"path": "a""#, Err(("", "not valid JSON")));
    check(r#"{"path": "a"} {"path": "b"}"#, Err(("", "not valid JSON")));
    check("[]", Err(("", "object")));
}

#[test]
fn a_misspelt_parameter_names_the_right_one() {
    check(r#"{"pth": "a", "path": "b"}"#, Err(("/pth", "did you mean \"path\"")));
    check(r#"{"path": "b", "edits": [{"odl": "x"}]}"#, Err(("/edits/0/odl", "\"old\"")));
    check(r#"{"path": "b", "zzzzzzzz": 1}"#, Err(("/zzzzzzzz", "it takes all, edits")));
}

#[test]
fn a_schema_reaches_nothing_outside_itself() {
    for reference in ["http://example.org/s.json", "file:///etc/passwd"] {
        let text =
            format!(r#"{{"type": "object", "properties": {{"a": {{"$ref": "{reference}"}}}}}}"#);
        assert!(Schema::compile(text.as_bytes()).is_err(), "{reference}");
    }
    assert!(Schema::compile(b"true").is_err());
    assert!(Schema::compile(b"{").is_err());
}

/// [GATE-81] The validator's sentences quote values; of a tool with secrets they do not.
#[test]
fn a_fault_of_a_secret_argument_does_not_quote_it() {
    let schema =
        br#"{"type":"object","properties":{"password":{"type":"string","format":"password",
        "maxLength":4,"enum":["a"]},"count":{"type":"integer"}}}"#;
    let schema = Schema::compile(schema).unwrap();
    for arguments in [&br#"{"password":"hunter2"}"#[..], br#"{"count":"hunter2"}"#] {
        let fault = schema.check(arguments, &[]).unwrap_err();
        assert!(!fault.message.contains("hunter2") && !fault.message.is_empty(), "{fault:?}");
    }
}
