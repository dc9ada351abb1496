//! Goal: a tool's code gets only arguments that its schema and its type allow, and whoever sent others
//! learns which one is wrong ([KERN-04]).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tollgate_proto::grant::sha256;

use super::{Registered, Typed};
use crate::{Call, Failure, Reply, Tool};

/// An edit.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    old: String,
    #[serde(default)]
    #[schemars(range(max = 9))]
    times: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Which file.
    path: String,
    #[serde(default)]
    edits: Vec<Edit>,
}

struct Strict;

impl Tool for Strict {
    type Input = Input;
    const NAME: &'static str = "strict";
    const DESCRIPTION: &'static str = "For tests.";
    async fn call(&self, input: Input, _: Call) -> Result<Reply, Failure> {
        Ok(Reply::text(format!("{} {}", input.path, input.edits.len())))
    }
}

/// A type that forgets `deny_unknown_fields`.
#[derive(Deserialize, JsonSchema)]
struct Lax {
    #[serde(default)]
    path: String,
}

struct Forgetful;

impl Tool for Forgetful {
    type Input = Lax;
    const NAME: &'static str = "forgetful";
    const DESCRIPTION: &'static str = "For tests.";
    async fn call(&self, input: Lax, _: Call) -> Result<Reply, Failure> {
        Ok(Reply::text(input.path))
    }
}

fn typed<T: Tool>(tool: T) -> Typed<T> {
    let schema = super::schema_of::<T>();
    Typed { tool, schema, validator: std::sync::OnceLock::new() }
}

/// `expected` is the pointer and a part of the message.
#[track_caller]
fn refused(arguments: &str, expected: (&str, &str)) {
    let invalid = typed(Strict).parse(arguments.as_bytes()).err().expect("the arguments are taken");
    assert_eq!(invalid.pointer, expected.0, "{invalid:?}");
    assert!(invalid.message.contains(expected.1), "{invalid:?}");
}

#[test]
fn what_fits_is_taken() {
    let input = typed(Strict).parse(br#"{"path":"a","edits":[{"old":"x","times":9}]}"#).unwrap();
    let [edit] = &input.edits[..] else { panic!() };
    assert_eq!((input.path.as_str(), edit.old.as_str(), edit.times), ("a", "x", 9));
}

#[test]
fn a_misspelt_argument_is_told_with_the_right_ones() {
    refused(r#"{"path":"a","edit":[]}"#, ("/edit", "expected `path` or `edits`"));
    refused(
        r#"{"path":"a","edits":[{"old":"x","tims":1}]}"#,
        ("/edits/0/tims", "`old` or `times`"),
    );
}

#[test]
fn a_value_of_another_type_is_pointed_at() {
    refused(r#"{"path":1}"#, ("/path", "expected a string"));
    refused(r#"{"path":"a","edits":[{"old":"x"},{"old":null}]}"#, ("/edits/1/old", "string"));
    refused(r#"{"path":"a","edits":{}}"#, ("/edits", "sequence"));
}

#[test]
fn a_value_out_of_its_range_is_pointed_at() {
    refused(r#"{"path":"a","edits":[{"old":"x","times":10}]}"#, ("/edits/0/times", "10"));
    refused(r#"{"path":"a","edits":[{"old":"x","times":-1}]}"#, ("/edits/0/times", "-1"));
}

#[test]
fn what_is_missing_is_named() {
    refused("{}", ("", "missing field `path`"));
    refused(r#"{"path":"a","edits":[{}]}"#, ("/edits/0", "missing field `old`"));
}

#[test]
fn what_is_no_json_is_told() {
    refused("", ("", "not JSON"));
    // serde would take a list of values for a struct.
    refused(r#"["a",[]]"#, ("", "not a JSON object"));
    refused("{\"path\":\"a\"", ("", "not JSON"));
    refused("\u{feff}{}", ("", "not JSON"));
    assert!(typed(Strict).parse(b"{\"path\":\"\xff\"}").is_err());
}

/// What was sent is quoted, and may be long.
#[test]
fn the_message_is_bounded() {
    let long = format!(r#"{{"path":"a","edits":"{}"}}"#, "y".repeat(100_000));
    let invalid = typed(Strict).parse(long.as_bytes()).err().unwrap();
    assert!(invalid.message.len() <= 4096);
}

#[test]
fn the_schema_is_closed_and_says_nothing_twice() {
    let schema = super::schema_of::<Strict>();
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["properties"]["path"]["description"], json!("Which file."));
    assert_eq!(schema["required"], json!(["path"]));
    for absent in ["$schema", "title", "description"] {
        assert_eq!(schema.get(absent), None, "{absent}");
    }
}

#[test]
fn a_type_that_takes_anything_is_closed_by_its_schema() {
    assert_eq!(super::schema_of::<Forgetful>()["additionalProperties"], json!(false));
    let invalid =
        typed(Forgetful).parse(br#"{"pth":"a"}"#).err().expect("a misspelt argument is taken");
    assert!(invalid.message.contains("pth"), "{invalid:?}");
}

/// Fail closed: a check that cannot be made is not passed.
#[test]
fn a_schema_that_cannot_be_used_admits_nothing() {
    let schema = json!({ "type": "object", "properties": { "path": { "pattern": "(" } } });
    let broken = Typed { tool: Strict, schema, validator: std::sync::OnceLock::new() };
    assert!(broken.parse(br#"{"path":"a"}"#).is_err());
}

/// Grants name the digest of the very text that `Describe` sends.
#[test]
fn the_digest_is_of_the_schemas_text() {
    let tool = Registered::new(Strict);
    assert_eq!(tool.schema_sha256, sha256(&tool.schema));
    let text: Value = serde_json::from_slice(&tool.schema).unwrap();
    assert_eq!(text, super::schema_of::<Strict>());
    assert_eq!(crate::wire::tool_spec(&tool, std::iter::empty()).input_schema, tool.schema);
}

/// [TOOL-02] Every byte of a schema is in every request.
#[test]
fn a_schema_says_nothing_that_helps_no_model() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Wordy {
        /// How many.
        count: Option<u32>,
        deep: Option<Vec<Option<u64>>>,
        #[serde(default)]
        all: bool,
        kind: Option<Kind>,
        must: Value,
    }
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[schemars(inline)]
    enum Kind {
        #[serde(rename = "a")]
        A,
        #[serde(rename = "b")]
        B,
    }
    let mut schema = schemars::schema_for!(Wordy).to_value();
    super::tidy::schema(&mut schema);
    let properties = &schema["properties"];
    assert_eq!(
        properties["count"],
        json!({ "description": "How many.", "type": "integer", "minimum": 0 })
    );
    assert_eq!(properties["all"], json!({ "type": "boolean" }));
    assert_eq!(properties["kind"], json!({ "type": "string", "enum": ["a", "b"] }));
    // Null inside an array is a value.
    assert_eq!(properties["deep"]["items"]["type"], json!(["integer", "null"]));
    assert_eq!(properties["must"], json!(true));
}
