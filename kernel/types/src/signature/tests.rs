//! Tests of `signature`; of its text, the zoo has more.

use super::*;

fn schema(count: usize, name: &str, ty: &str) -> String {
    let properties: Vec<String> =
        (0..count).map(|at| format!(r#""{name}{at}": {{"type": "{ty}"}}"#)).collect();
    format!(r#"{{"properties": {{{}}}}}"#, properties.join(","))
}

/// [CAT-11] As many arguments as fit, to the byte.
#[test]
fn a_line_is_used_to_its_end() {
    for count in 1..60 {
        for name in ["a", "argument", "an_argument_with_a_very_long_name"] {
            let text = signature("tool", schema(count, name, "string").as_bytes());
            let shown = text.matches("string").count();
            let left = count - shown;
            let expected = if left == 0 { ")".to_owned() } else { format!(", … {left} more)") };
            assert!(text.ends_with(&expected), "{text}");
            assert!(text.len() <= SIGNATURE_BYTES_MAX);
            let next = format!("{name}{shown}?: string").len();
            assert!(left == 0 || text.len() + 2 + next + 1 > SIGNATURE_BYTES_MAX - 12, "{text}");
        }
    }
}

#[test]
fn an_argument_longer_than_the_line_is_counted() {
    let text = signature("tool", schema(1, &"n".repeat(300), "string").as_bytes());
    assert_eq!(text, "tool(… 1 more)");
}

#[test]
fn a_name_is_shown_as_it_is_unless_it_would_mislead() {
    let shown = |name: &str| signature(name, b"{\"type\": \"object\"}");
    for name in ["read", "server:a-b.c/d$"] {
        assert_eq!(shown(name), format!("{name}()"));
    }
    assert_eq!(shown("a b"), "\"a b\"()");
    assert_eq!(shown("a\u{202E}\n"), "\"a\\u202e\\n\"()");
    assert_eq!(shown(""), "\"\"()");
    let long = shown(&"n".repeat(1_000));
    assert!(long.ends_with("n…()") && long.len() == NAME_BYTES_MAX + 2, "{long}");
}
