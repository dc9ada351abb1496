//! Schemas that would take forever, or all memory, if references were unfolded or everything was read.
//! That they end is seen in that the test ends: each takes milliseconds.

use super::check_bounds;
use crate::{declaration, limits::SCHEMA_BYTES_MAX, signature};

fn list(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(",")
}

fn reference(number: usize) -> String {
    format!(r##"{{"$ref":"#/$defs/A{number}"}}"##)
}

/// Definitions that each speak of the next, often twice.
fn chain(length: usize, one: impl Fn(usize) -> String) -> String {
    let links = list(length, |number| format!(r#""A{number}":{}"#, one(number + 1)));
    let first = reference(0);
    format!(
        r#"{{"properties":{{"x":{first}}},"$defs":{{{links},"A{length}":{{"type":"string"}}}}}}"#
    )
}

/// The whole is one of many schemas that all include the same large one.
fn repeated(large: &str) -> String {
    let each = list(1_500, |_| r##"{"$ref":"#/$defs/X","type":"object"}"##.to_owned());
    format!(r#"{{"anyOf":[{each}],"$defs":{{"X":{large}}}}}"#)
}

fn properties(count: usize) -> String {
    format!(r#"{{"properties":{{{}}}}}"#, list(count, |at| format!(r#""p{at}":{{}}"#)))
}

/// References unfold to more than there are atoms; they are read once each.
#[test]
#[expect(clippy::too_many_lines, reason = "rows of data")]
fn anything_ends_within_bounds() {
    let both = |text: &str| text.to_owned();
    let rows: [(&str, String); 20] = [
        ("properties", chain(190, |it| properties(2).replace("{}", &reference(it)))),
        ("more than is read", chain(1_000, |it| properties(2).replace("{}", &reference(it)))),
        ("allOf", chain(1_000, |it| format!(r#"{{"allOf":[{0},{0}]}}"#, reference(it)))),
        ("tuples", chain(190, |it| format!(r#"{{"prefixItems":[{0},{0}]}}"#, reference(it)))),
        (
            "anyOf",
            chain(190, |it| {
                format!(r#"{{"anyOf":[{},{}]}}"#, reference(it), reference((it + 1).min(190)))
            }),
        ),
        (
            "anyOf and oneOf",
            chain(190, |it| {
                format!(
                    r#"{{"anyOf":[{0},{1}],"oneOf":[{1},{0}]}}"#,
                    reference(it),
                    reference((it + 1).min(190))
                )
            }),
        ),
        (
            "arrays or not",
            chain(190, |it| format!(r#"{{"anyOf":[{{"items":{0}}},{0}]}}"#, reference(it))),
        ),
        ("repeated properties", repeated(&properties(3_000))),
        (
            "repeated requirements",
            repeated(&format!(r#"{{"required":[{}]}}"#, list(10_000, |it| format!("\"{it}\"")))),
        ),
        (
            "repeated prose",
            repeated(&format!(
                r#"{{"properties":{{"a":{{"description":"{}"}}}}}}"#,
                " ".repeat(60_000)
            )),
        ),
        (
            "repeated values",
            repeated(&format!(
                r#"{{"properties":{{"a":{{"enum":[{}]}}}}}}"#,
                list(9_000, |it| it.to_string())
            )),
        ),
        (
            "repeated conditions",
            repeated(&format!(
                r#"{{"anyOf":[{}]}}"#,
                list(3_000, |_| r#"{"required":["a"]}"#.to_owned())
            )),
        ),
        (
            "repeated long name",
            repeated(&format!(r#"{{"properties":{{"{}":{{}}}}}}"#, "n".repeat(60_000))),
        ),
        (
            "values",
            format!(
                r#"{{"properties":{{"a":{{"enum":[{}]}}}}}}"#,
                list(20_000, |it| it.to_string())
            ),
        ),
        (
            "values of values",
            format!(
                r#"{{"properties":{{"a":{{"allOf":[{}]}}}}}}"#,
                list(100, |one| {
                    format!(r#"{{"enum":[{}]}}"#, list(200, |two| (one + two).to_string()))
                })
            ),
        ),
        (
            "shapes",
            format!(
                r#"{{"oneOf":[{}]}}"#,
                list(900, |it| format!(r#"{{"properties":{{"k":{{"const":{it}}}}}}}"#))
            ),
        ),
        ("levels", format!("{}1{}", r#"{"properties":{"a":"#.repeat(60), "}}".repeat(60))),
        ("most levels", format!("{}1{}", r#"{"items":"#.repeat(126), "}".repeat(126))),
        ("too many levels", both("[").repeat(50_000)),
        ("long reference", format!(r##"{{"$ref":"#/{}"}}"##, "a/".repeat(50_000))),
    ];
    for (row, schema) in rows {
        assert!(schema.len() <= SCHEMA_BYTES_MAX, "{row}: {}", schema.len());
        check_bounds("tool", row, schema.as_bytes());
    }
}

/// The count of what is left out is exact, however many there are.
#[test]
fn arguments_that_do_not_fit_are_counted() {
    let shown = signature("tool", properties(9_000).as_bytes());
    let arguments = shown.matches("p").count();
    assert!(shown.ends_with(&format!(", … {} more)", 9_000 - arguments)), "{shown}");
    assert!(arguments > 10, "{shown}");
}

/// [CAT-11] Nothing is cut in the middle: a declaration is whole, or is not there.
#[test]
fn a_declaration_is_whole_or_not_there() {
    let declared = |schema: &str| declaration("tool", "", schema.as_bytes(), None).is_some();
    assert!(declared(&properties(700)));
    assert!(!declared(&properties(1_000)), "too many bytes");
    assert!(!declared(&chain(300, reference)), "too many references");
    let deep = format!("{}{{}}{}", r#"{"items":"#.repeat(50), "}".repeat(50));
    assert!(!declared(&format!(r#"{{"properties":{{"a":{deep}}}}}"#)), "too many levels");
    let long = format!("{}{}", properties(1), " ".repeat(SCHEMA_BYTES_MAX));
    assert!(declared(&long), "what is not read is unknown");
    assert_eq!(signature("tool", long.as_bytes()), "tool(args?: unknown)");
}

/// "Takes no arguments" is never said of a schema that was not read to its end.
#[test]
fn what_was_not_read_is_unknown() {
    let shape = |it| format!(r#"{{"properties":{{"a":{{}},"b":{{}},"k":{{"const":{it}}}}}}}"#);
    let schema = format!(r#"{{"type":"object","oneOf":[{}]}}"#, list(2_000, shape));
    assert_eq!(signature("tool", schema.as_bytes()), "tool(args?: unknown)");
}
