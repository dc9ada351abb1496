//! Goal: one order whatever the registration; names found by the ladder and never by guessing.

use super::{Catalog, CatalogError, Entry, Exposure};
use crate::{
    safety::Safety,
    testing::{READ, entry, raw},
};

fn catalog(names: &[&str]) -> Catalog {
    let mut catalog = Catalog::default();
    for name in names {
        catalog.add(entry(name, READ)).unwrap();
    }
    catalog
}

#[test]
fn the_order_is_that_of_the_contract_then_by_name() {
    let names = ["zeta", "bash", "Git", "edit", "read", "alpha", "write"];
    let mut reversed = names;
    reversed.reverse();
    for names in [names, reversed] {
        let catalog = catalog(&names);
        let listed: Vec<_> = catalog.list().iter().map(|entry| entry.name.to_string()).collect();
        assert_eq!(listed, ["read", "write", "edit", "bash", "Git", "alpha", "zeta"]);
    }
}

#[test]
fn the_request_has_the_eager_tools_as_exact_bytes() {
    let mut catalog = catalog(&["read"]);
    catalog.add(Entry { exposure: Exposure::Deferred, ..entry("Git", READ) }).unwrap();
    let tools = String::from_utf8(catalog.request_tools().to_vec()).unwrap();
    let expected = r#"[{"name":"read","description":"The tool read.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}]"#;
    assert_eq!(tools, expected);
    assert_eq!(&Catalog::default().request_tools()[..], b"[]");
}

#[test]
fn two_tools_of_one_name_are_told() {
    let mut catalog = catalog(&["read"]);
    let hidden = Entry { exposure: Exposure::Hidden, ..entry("read", READ) };
    let error = catalog.add(hidden).unwrap_err();
    assert!(matches!(error, CatalogError::Duplicate { .. }), "{error}");
}

/// `expected`: the canonical name, or a part of the refusal.
#[track_caller]
fn resolves(catalog: &Catalog, asked: &str, expected: Result<&str, &str>) {
    match (catalog.resolve(raw(asked)), expected) {
        (Ok(resolved), Ok(name)) => assert_eq!(resolved.entry().name.as_str(), name),
        (Err(refusal), Err(part)) => {
            assert!(refusal.message.contains(part), "{}", refusal.message);
        }
        (got, _) => panic!("{asked}: {got:?}"),
    }
}

#[test]
fn spelling_variants_climb_the_ladder() {
    let catalog = catalog(&["bash", "read", "tool_search", "todo_write"]);
    for asked in ["bash", "BASH", "Bash", "bash-tool", "BashTool", "bash_tool"] {
        resolves(&catalog, asked, Ok("bash"));
    }
    for asked in ["tool_search", "tool-search", "ToolSearch", "TOOL SEARCH", "toolSearch"] {
        resolves(&catalog, asked, Ok("tool_search"));
    }
    resolves(&catalog, "todoWrite", Ok("todo_write"));
}

#[test]
fn what_is_no_variant_is_unknown_with_the_nearest_names() {
    let catalog = catalog(&["bash", "read", "write"]);
    resolves(&catalog, "raed", Err("the nearest are read"));
    resolves(&catalog, "bsh", Err("bash"));
    resolves(&catalog, "", Err("there is no tool ''"));
    resolves(&catalog, "read\u{1b}[2J", Err("\\u{1b}"));
    resolves(&catalog, "réad", Err("there is no tool"));
    // G-11: only `_`, `-` and blanks separate.
    for asked in ["../read", "read;", "file.read", "./bash", "re.ad", "$read", "mcp__read"] {
        resolves(&catalog, asked, Err("there is no tool"));
    }
}

#[test]
fn a_variant_of_two_names_is_none() {
    let catalog = catalog(&["foo_bar", "fooBar"]);
    resolves(&catalog, "FOO-BAR", Err("there is no tool"));
    resolves(&catalog, "foo_bar", Ok("foo_bar"));
}

#[test]
fn a_missing_server_is_told_with_its_reason() {
    let mut catalog = catalog(&["read"]);
    let git = crate::name::ServerName::try_from("git").unwrap();
    catalog.unavailable(git, "the program is missing".into());
    resolves(&catalog, "Git", Err("server 'git' are not available: the program is missing"));
    let class = |asked: &str| catalog.resolve(raw(asked)).unwrap_err().class;
    assert_eq!(class("Git"), "server_unavailable");
    assert_eq!(class("raed"), "unknown_tool");
    assert_eq!(Catalog::default().resolve(raw("Git")).unwrap_err().class, "unknown_tool");
}

#[test]
fn a_hidden_name_resolves_and_is_not_listed() {
    let mut catalog = Catalog::default();
    let hidden = Entry { exposure: Exposure::Hidden, ..entry("read_file", Safety::WORST) };
    catalog.add(hidden).unwrap();
    resolves(&catalog, "read_file", Ok("read_file"));
    assert!(catalog.list().is_empty());
}
