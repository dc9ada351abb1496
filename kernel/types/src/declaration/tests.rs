//! Tests of `declaration`; of its text, the zoo has more.

use super::*;

fn declared(name: &str, description: &str) -> Declaration {
    declaration(name, description, br#"{"type": "object", "properties": {}}"#, None).unwrap()
}

/// [CODE-09] [CODE-14]
#[test]
fn declarations_together_are_one_text() {
    let tree = br##"{"properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}"##;
    let all = [declaration("tree", "", tree, None).unwrap(), declared("a-b", "Both.")];
    let expected = format!(
        "{RESULT}type tree_Args = {{ children?: tree_Args[] }};\ndeclare const tools: {{\n  \
         tree(args?: tree_Args): Promise<Result>;\n  /** Both. */\n  [\"a-b\"](): Promise<Result>;\n}};\n"
    );
    assert_eq!(module(&all), expected);
    assert_eq!(module(&[]), format!("{RESULT}declare const tools: {{\n}};\n"));
}

#[test]
fn a_long_description_is_cut_at_a_word() {
    let member = declared("tool", &"word ".repeat(1_000)).member;
    assert!(member.starts_with("/** word word"), "{member}");
    assert!(member.contains("word… */\n"), "{member}");
    assert!(member.len() < DESCRIPTION_BYTES_MAX + 50);
}

/// What stands before `tools` and after it is the same whatever the name.
#[test]
fn a_name_is_called_as_it_is_declared() {
    for (name, expected) in
        [("read", "read("), ("mcp_x_y", "mcp_x_y("), ("a.b", "[\"a.b\"]("), ("", "[\"\"](")]
    {
        assert!(declared(name, "").member.starts_with(expected), "{name}");
    }
}
