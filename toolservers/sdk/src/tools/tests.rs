//! Goal: a call reaches the handler that the kernel judged, by an old name too, and names that could
//! mean two things keep the server from starting ([CAT-07]).

use schemars::JsonSchema;
use serde::Deserialize;

use super::Tools;
use crate::{Call, Failure, Reply, Tool};

const NAMES: [&str; 4] = ["read", "write", "File", "read_file"];

/// Called `NAMES[NAME]`, with a schema that tells `TAG`.
struct Named<const NAME: usize, const TAG: usize>;

#[derive(Deserialize)]
struct Input<const TAG: usize>;

impl<const TAG: usize> JsonSchema for Input<TAG> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Input{TAG}").into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", "maxProperties": TAG })
    }
}

impl<const NAME: usize, const TAG: usize> Tool for Named<NAME, TAG> {
    type Input = Input<TAG>;
    const NAME: &'static str = NAMES[NAME];
    const DESCRIPTION: &'static str = "For tests.";
    async fn call(&self, _: Input<TAG>, _: Call) -> Result<Reply, Failure> {
        Ok(Reply::text(""))
    }
}

/// `read` (tag 1) and `write` (tag 2).
fn two() -> Tools {
    let mut tools = Tools::default();
    tools.add(Named::<0, 1>);
    tools.add(Named::<1, 2>);
    tools
}

/// `File` reads (tag 3) or writes (tag 4), `read_file` always reads (tag 5).
fn old() -> Tools {
    let mut tools = two();
    tools.add_legacy("read", Some(("action", "read")), Named::<2, 3>);
    tools.add_legacy("write", Some(("action", "write")), Named::<2, 4>);
    tools.add_legacy("read", None, Named::<3, 5>);
    tools
}

/// The tag of what takes the call.
#[track_caller]
fn picks(tools: &Tools, name: &str, arguments: &str, expected: Result<usize, &str>) {
    match (tools.pick(name, arguments.as_bytes()), expected) {
        (Ok(tool), Ok(tag)) => {
            let schema: serde_json::Value = serde_json::from_slice(&tool.schema).unwrap();
            assert_eq!(schema["maxProperties"], tag, "{name} {arguments}");
        }
        (Err(invalid), Err(word)) => {
            let told = format!("{} {} {}", invalid.class, invalid.pointer, invalid.message);
            assert!(told.contains(word), "{name} {arguments}: {told}");
        }
        (picked, _) => panic!("{name} {arguments}: {picked:?}, not {expected:?}"),
    }
}

/// [CAT-07]
#[test]
fn an_old_name_reaches_the_handler_of_its_own_schema() {
    let tools = old();
    assert_eq!(tools.check(), Ok(()));
    picks(&tools, "read", "{}", Ok(1));
    picks(&tools, "write", r#"{"action":"read"}"#, Ok(2));
    picks(&tools, "File", r#"{"action":"read"}"#, Ok(3));
    picks(&tools, "File", r#"{"path":{"action":"read"},"\u0061ction":"wr\u0069te"}"#, Ok(4));
    // A name of one handler: its own parse looks at the arguments.
    picks(&tools, "read_file", "no JSON", Ok(5));
}

/// Names are exact: nothing near is taken for it.
#[test]
fn a_name_that_is_no_tools_is_unknown() {
    for name in ["file", "FILE", "File ", "Read", ""] {
        picks(&old(), name, r#"{"action":"read"}"#, Err("unknown_tool"));
    }
}

#[test]
fn a_call_that_no_variant_takes_is_told_the_values() {
    for arguments in [
        "{}",
        r#"{"action":"Read"}"#,
        r#"{"action":"read "}"#,
        r#"{"action":["read"]}"#,
        r#"{"action":null}"#,
        r#"{"Action":"read"}"#,
    ] {
        picks(&old(), "File", arguments, Err("/action action must be one of: read, write"));
    }
}

/// What two parsers may read in two ways is read in none.
#[test]
fn arguments_that_are_no_one_object_reach_no_variant() {
    let mut tools = old();
    tools.add_legacy("read", None, Named::<2, 6>);
    assert_eq!(tools.check(), Ok(()));
    for arguments in [
        r#"{"action":"read","action":"write"}"#,
        r#"{"action":"read","\u0061ction":"read"}"#,
        r#"{"action":"read"} {}"#,
        r#"["read"]"#,
        r#""read""#,
        r#"{"action":"read""#,
        "",
    ] {
        picks(&tools, "File", arguments, Err("the arguments cannot be read"));
    }
}

#[test]
fn one_variant_may_take_what_no_other_takes() {
    let mut tools = old();
    tools.add_legacy("read", None, Named::<2, 6>);
    assert_eq!(tools.check(), Ok(()));
    picks(&tools, "File", r#"{"action":"write"}"#, Ok(4));
    for arguments in ["{}", r#"{"action":"list"}"#, r#"{"action":1}"#] {
        picks(&tools, "File", arguments, Ok(6));
    }
}

#[track_caller]
fn refused(tools: &Tools, expected: &str) {
    let why = tools.check().expect_err("the names are taken");
    assert!(why.contains(expected), "{why}");
}

#[test]
fn names_that_contradict_each_other_are_refused() {
    let with = |add: fn(&mut Tools)| {
        let mut tools = old();
        add(&mut tools);
        tools
    };
    refused(&with(|it| it.add_legacy("edit", None, Named::<2, 6>)), "'File' means 'edit'");
    // An old name means a tool, never another old name.
    refused(&with(|it| it.add_legacy("read_file", None, Named::<2, 6>)), "no such tool");
    refused(&with(|it| it.add_legacy("read", None, Named::<1, 6>)), "'write' is a tool");
    refused(&with(|it| it.add_legacy("read", None, Named::<0, 6>)), "'read' is a tool");
    refused(&with(|it| it.add_legacy("write", None, Named::<3, 6>)), "two handlers for every call");
    refused(
        &with(|it| it.add_legacy("read", Some(("action", "write")), Named::<2, 6>)),
        "'File' has two handlers for action 'write'",
    );
    refused(
        &with(|it| it.add_legacy("read", Some(("op", "list")), Named::<2, 6>)),
        "'File' look at different arguments",
    );
}

#[test]
fn a_tool_has_at_most_sixteen_old_names() {
    let values = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"];
    let mut tools = two();
    for value in values {
        tools.add_legacy("read", Some(("action", value)), Named::<2, 3>);
    }
    tools.add_legacy("read", None, Named::<3, 4>);
    assert_eq!(tools.check(), Ok(()));
    tools.add_legacy("read", None, Named::<2, 5>);
    refused(&tools, "'read' has 17 old names and variants; at most 16 fit");
}

/// The manifest tells each name beside the tool that it means, and none as a tool.
#[test]
fn the_manifest_holds_old_names_beside_what_they_mean() {
    let specs = old().specs();
    let names = |index: usize| {
        let spec = &specs[index];
        let old = spec.hidden_names.iter().map(|old| {
            let when = old.when.as_ref().map(|when| (when.argument.as_str(), when.value.as_str()));
            (old.name.as_str(), when)
        });
        (spec.name.as_str(), old.collect::<Vec<_>>())
    };
    assert_eq!(specs.len(), 2);
    assert_eq!(names(0), ("read", vec![("File", Some(("action", "read"))), ("read_file", None)]));
    assert_eq!(names(1), ("write", vec![("File", Some(("action", "write")))]));
    let picked = old();
    let picked = picked.pick("File", br#"{"action":"read"}"#).unwrap();
    assert_eq!(specs[0].hidden_names[0].input_schema, picked.schema);
}
