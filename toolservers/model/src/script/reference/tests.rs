//! Goal: references bring results' texts into the right place, and nothing else changes.

use super::*;

/// The single toucher: the text filled in, or a part of the fault.
#[track_caller]
fn check(text: &str, expected: Result<&str, &str>) {
    let results = Results { texts: vec!["one".into(), "two \"quoted\"\n".into()] };
    match (results.fill(text), expected) {
        (Ok(filled), Ok(expected)) => assert_eq!(filled, expected),
        (Err(fault), Err(words)) => assert!(fault.contains(words), "{fault}"),
        (got, expected) => panic!("{got:?}, not {expected:?}"),
    }
}

#[test]
fn results_are_named_by_place() {
    check("a {{results.0.content}} b {{last.content}}", Ok("a one b two \"quoted\"\n"));
    check("{{results.1.content}}{{results.0.content}}", Ok("two \"quoted\"\none"));
    check("", Ok(""));
}

#[test]
fn other_braces_stay() {
    for text in ["{{user.name}}", "{{ last.content }}", "{{", "{{last.content", "{{}}", "}}{{{"] {
        check(text, Ok(text));
    }
}

#[test]
fn a_reference_that_means_nothing_is_a_fault() {
    check("{{results.2.content}}", Err("{{results.2.content}}: the request has 2 tool results"));
    check("{{results.x.content}}", Err("`x` is no number"));
    check("{{last.metadata.exit_code}}", Err("means nothing"));
    check("{{last.contents}}", Err("means nothing"));
}

#[test]
fn arguments_are_filled_in_as_values() {
    let results = Results { texts: vec!["a\"b".into()] };
    let fill = |json: &str| results.fill_arguments(&serde_json::from_str(json).unwrap()).unwrap();
    assert_eq!(fill(r#"{"a": ["{{last.content}}", 1, null]}"#), r#"{"a":["a\"b",1,null]}"#);
    assert_eq!(fill(r#""{\"a\": {{last.content}}""#), r#"{"a": a"b"#, "a string as it stands");
}

#[test]
fn a_text_does_not_grow_without_bound() {
    let results = Results { texts: vec!["x".repeat(FILLED_BYTES_MAX / 2)] };
    assert!(results.fill(&"{{last.content}}".repeat(2)).is_ok());
    assert!(results.fill(&"{{last.content}}".repeat(3)).is_err());
}
