//! Goal: the switch of code mode moves one tool behind the search, and nothing else (`[CODE-16]`).

use super::plugin;
use crate::{
    authority::rules::NamePattern,
    catalog::{
        Activated, Catalog, Exposure, Toolbox, View,
        contract::{EXECUTE_TOOLS, TOOL_SEARCH},
    },
    testing::{READ, entry},
};

/// `[CODE-16]`: switched off, code mode is found by search as other tools are, and takes nothing else along.
#[test]
fn without_code_mode_programs_are_deferred() {
    let entries = || {
        let natives = ["read", TOOL_SEARCH, EXECUTE_TOOLS, "grep"].map(|name| entry(name, READ));
        natives.into_iter().chain([plugin("notes", "find")]).collect::<Vec<_>>()
    };
    let eager = |always: &[&str], code_mode| {
        let always: Vec<_> = always.iter().map(|it| NamePattern::new(it).unwrap()).collect();
        let catalog = Catalog::with_code_mode(entries(), &always, code_mode);
        let all = catalog.list().iter().filter(|it| it.exposure == Exposure::Eager);
        let names: Vec<_> = all.map(|it| it.name.as_str()).collect();
        assert_eq!(catalog.list().len(), 5, "it is there all the same");
        names.join(" ")
    };
    assert_eq!(eager(&[], true), "read tool_search execute_tools");
    assert_eq!(eager(&[], false), "read tool_search");
    assert_eq!(eager(&["grep"], false), "read tool_search grep");
    // The user says of this very tool that every request carries it.
    assert_eq!(eager(&[EXECUTE_TOOLS], false), "read tool_search execute_tools");
}

/// `[CODE-16]`: a tool that search finds goes into the requests behind what is in all of them, which stays
/// byte for byte the same.
#[test]
fn without_code_mode_programs_are_activated_as_other_tools_are() {
    let entries = ["read", TOOL_SEARCH, EXECUTE_TOOLS].map(|name| entry(name, READ));
    let view = View::whole(Catalog::with_code_mode(entries.into(), &[], false));
    let mut toolbox = Toolbox::default();
    let before = view.tools_field(&toolbox);
    let activated = toolbox.activate(view.get(EXECUTE_TOOLS).unwrap());
    assert!(matches!(activated, Activated::Added { .. }), "{activated:?}");
    let after = view.tools_field(&toolbox);
    assert!(after.has_same_eager_tools(&before));
    let names: Vec<_> = after.carried.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["read", TOOL_SEARCH, EXECUTE_TOOLS]);
}
