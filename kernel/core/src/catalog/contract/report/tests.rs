//! Goal: one receipt whatever else is registered, with the very bytes of a first request.

use super::*;
use crate::{
    authority::policy::Policy,
    catalog::{Surface, contract::DEFAULT_ACTIVE_NATIVE_TOOLS},
    stance::Mode,
    testing::{READ, entry},
};

fn catalog(others: usize) -> Catalog {
    let natives = DEFAULT_ACTIVE_NATIVE_TOOLS.into_iter().chain([TOOL_SEARCH, EXECUTE_TOOLS]);
    let natives = natives.filter(|name| *name != "workflow").map(|name| entry(name, READ));
    let others = (0..others).map(|number| Entry {
        provenance: Provenance::Mcp,
        ..entry(&format!("mcp_{number}"), READ)
    });
    let foreign = Entry { provenance: Provenance::Plugin, ..entry("workflow", READ) };
    let hidden = Entry { exposure: Exposure::Hidden, ..entry("File", READ) };
    Catalog::new(natives.chain(others).chain([foreign, hidden]).collect(), &[])
}

/// `[CAT-36]`, B130
#[test]
fn other_tools_change_nothing_of_the_contract() {
    let text = |others| {
        let report = Report::of(&View::whole(catalog(others)));
        serde_json::to_string(&report.contract).unwrap()
    };
    assert_eq!(text(0), text(0));
    assert_eq!(text(0), text(50));
    assert_eq!(text(0), text(5000));
}

/// `[CAT-30, 36]`: its digest is that of a first request.
#[test]
fn the_contract_is_what_a_first_request_carries() {
    let view = View::whole(catalog(3));
    let field = view.tools_field(&Toolbox::default());
    let Contract { tools, schema_bytes, bytes, sha256, without_server } =
        Report::of(&view).contract;
    assert_eq!((sha256, bytes), (field.sha256, field.bytes.len() as u64));
    assert_eq!(without_server, ["workflow"], "a plugin's tool of the name is not the contract's");
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[11]), (12, "read", EXECUTE_TOOLS));
    assert_eq!(schema_bytes, tools.iter().map(|tool| tool.schema_bytes).sum::<u64>());
    let inside: u64 = tools.iter().map(|tool| tool.bytes + 1).sum();
    assert_eq!(bytes, inside + 1, "brackets, and a comma between two");
}

/// `[CODE-16]`, `[CAT-36]`: the receipt is of what a first request carries, with code mode or without.
#[test]
fn code_mode_that_is_switched_off_is_counted_apart() {
    let entries = || ["read", EXECUTE_TOOLS].map(|name| entry(name, READ)).into();
    let of =
        |code_mode| Report::of(&View::whole(Catalog::with_code_mode(entries(), &[], code_mode)));
    let names = |report: &Report| {
        report.contract.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>()
    };
    let (with, without) = (of(true), of(false));
    assert_eq!(names(&with), ["read", EXECUTE_TOOLS]);
    assert_eq!(names(&without), ["read"]);
    assert_eq!((with.apart.deferred, without.apart.deferred), (0, 1));
    assert_eq!((with.apart.registered, without.apart.registered), (2, 2));
    for report in [&with, &without] {
        assert!(!report.contract.without_server.contains(&EXECUTE_TOOLS), "a server has it");
    }
    let field = View::whole(Catalog::with_code_mode(entries(), &[], false));
    assert_eq!(without.contract.sha256, field.tools_field(&Toolbox::default()).sha256);
}

/// `[CAT-36]`: what policy, mode and surface take away is counted apart.
#[test]
fn everything_else_is_counted_apart() {
    let mut policy = Policy::default();
    policy.lists.deny.push(crate::authority::rules::NamePattern::new("mcp_1").unwrap());
    let view = View::of(catalog(3).into(), &policy, Mode::Plan, Surface::Full, 0);
    let report = Report::of(&view);
    let expected = Apart {
        registered: 16,
        deferred: 4,
        dynamic: 3,
        always_loaded: 0,
        feature_gated: 1,
        denied: 1,
        hidden: 1,
    };
    assert_eq!(report.apart, expected);
    assert_eq!(report.contract, Report::of(&View::whole(catalog(0))).contract);
}
