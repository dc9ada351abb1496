//! Goal: what could be read in two ways is refused, everything else is read as it stands.

use super::parse;

#[track_caller]
fn check(text: &str, expected: Result<&str, &str>) {
    match (parse(text.as_bytes()), expected) {
        (Ok(value), Ok(json)) => assert_eq!(value.to_string(), json),
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
        (got, _) => panic!("{text}: {got:?}"),
    }
}

#[test]
fn values_stay_as_they_are() {
    check("9007199254740993", Ok("9007199254740993"));
    check("1", Ok("1"));
    check(r#"{"a":[true,null,1.5,"\u00e9"]}"#, Ok(r#"{"a":[true,null,1.5,"é"]}"#));
}

#[test]
fn ambiguous_text_is_refused_with_its_place() {
    check(r#"{"a":1,"a":2}"#, Err("\"a\" stands twice"));
    check(r#"{"a":1} x"#, Err("trailing characters at line 1 column 9"));
    check("NaN", Err("line 1"));
    check("1e999", Err("out of range"));
    check("", Err("EOF"));
}

#[test]
fn depth_is_bounded() {
    check(
        &format!("{}1{}", "[".repeat(64), "]".repeat(64)),
        Ok(&format!("{}1{}", "[".repeat(64), "]".repeat(64))),
    );
    check(&"[".repeat(10_000), Err("deeper than 64"));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert!(parse(b"\"\xff\"").is_err());
}
