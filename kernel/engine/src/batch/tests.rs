//! Goal: `[KERN-03]`: neighbours that are safe run together, at most so many; all else alone.

use tollgate_core::{
    catalog::{Catalog, Provenance},
    name::ServerName,
    safety::Trust,
};
use tollgate_proto::tool::v1::{Manifest, Safety, ToolSpec};

use super::plan;
use crate::servers::Described;

/// "read" and "find" are concurrency-safe, "edit" is not.
fn catalog() -> Catalog {
    let tool = |name: &str, concurrency_safe| ToolSpec {
        name: name.into(),
        input_schema: bytes::Bytes::from_static(b"{}"),
        safety: Some(Safety { concurrency_safe, ..Safety::default() }),
        ..ToolSpec::default()
    };
    let tools = vec![tool("read", true), tool("find", true), tool("edit", false)];
    let described = Described { manifest: Manifest::default(), tools };
    let server = ServerName::try_from("file").unwrap();
    let entries = described.entries(&server, Trust::Trusted, Provenance::Builtin).unwrap();
    entries.into_iter().collect()
}

#[track_caller]
fn check(names: &[&str], max: usize, expected: &[usize]) {
    let calls = names.iter().map(|name| (*name, &b"{}"[..]));
    assert_eq!(plan(&catalog(), calls, max), expected, "{names:?}");
}

#[test]
fn safe_neighbours_run_together() {
    check(&[], 10, &[]);
    check(&["read", "find", "read"], 10, &[3]);
    check(&["read", "edit", "read", "read"], 10, &[1, 1, 2]);
    check(&["edit", "edit"], 10, &[1, 1]);
}

#[test]
fn a_group_has_its_bound() {
    check(&["read"; 5], 2, &[2, 2, 1]);
    check(&["read"; 2], 0, &[1, 1]);
}

#[test]
fn what_is_no_tool_runs_alone() {
    check(&["read", "nothing", "read"], 10, &[1, 1, 1]);
}
