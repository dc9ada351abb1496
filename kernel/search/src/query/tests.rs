//! Tests of `query`.

use super::*;

fn parse(text: &str) -> Result<Query, QueryError> {
    Query::parse(text, None, Kind::Auto, None)
}

#[test]
fn parts_of_a_query_are_told_apart() {
    let query = parse("server:Git-Hub +bug find issues").unwrap();
    assert_eq!(query.server.as_deref(), Some("github"));
    assert_eq!(query.required, ["bug"]);
    assert_eq!(query.text, "bug find issues");
    let query = parse("select:read, write,git_log").unwrap();
    assert_eq!(query.select, ["read", "write", "git_log"]);
    let query = Query::parse("x", None, Kind::Auto, Some("github")).unwrap();
    assert_eq!(query.server.as_deref(), Some("github"));
}

/// B125: blank and over-long queries, limits that make no sense.
#[test]
fn what_is_no_query_is_an_error_and_limits_are_brought_in() {
    for text in ["", "   ", "\n", "select:", "select: , "] {
        assert_eq!(parse(text).map(|_| ()), Err(QueryError::Empty), "{text:?}");
    }
    let long = "x ".repeat(QUERY_BYTES_MAX);
    assert!(matches!(parse(&long), Err(QueryError::TooLong { .. })));
    for (asked, limit) in [(None, 5), (Some(0), 1), (Some(7), 7), (Some(1_000_000_000), 20)] {
        let query = Query::parse("x", asked, Kind::Auto, None).unwrap();
        assert_eq!(query.limit, limit);
    }
}

/// Patterns that would take exponential time elsewhere, or memory here.
#[test]
fn regex_bombs_are_refused_or_run_in_linear_time() {
    let parse = |text: &str| Query::parse(text, None, Kind::Regex, None);
    for text in ["(a+)+$", "(x|x|x)*y", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        let regex = parse(text).unwrap().regex.unwrap();
        assert!(!regex.is_match(&"a".repeat(1_000).replace("aaaa", "aaa ")) || text == "(a+)+$");
    }
    for text in ["x{1000}{1000}", r"(\w{200}){200}", "(", "[", &"(".repeat(200)] {
        let error = parse(text).unwrap_err();
        assert!(error.to_string().contains("words"), "{error}");
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
    let long = "a".repeat(REGEX_BYTES_MAX + 1);
    assert!(matches!(parse(&long), Err(QueryError::RegexTooLong { .. })));
}

#[test]
fn a_regex_takes_a_server() {
    let query = Query::parse("server:github ^create_ .*", None, Kind::Regex, None).unwrap();
    assert_eq!(query.server.as_deref(), Some("github"));
    assert_eq!(query.regex.unwrap().as_str(), "^create_ .*");
}
