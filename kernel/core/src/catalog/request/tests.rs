//! Goal: the same session gives the same bytes, and only appending changes them (`[CAT-02]`, B127, B130).

use std::sync::Arc;

use crate::{
    catalog::{Catalog, Entry, Exposure, Provenance, Surface, Toolbox, View},
    digest::Digest,
    testing::{READ, entry},
};

fn of(names: &[&str], others: usize) -> View {
    let natives = names.iter().map(|name| entry(name, READ));
    let others = (0..others).map(|number| Entry {
        provenance: Provenance::Mcp,
        ..entry(&format!("mcp_many_{number}"), READ)
    });
    View::whole(Catalog::new(natives.chain(others).collect(), &[]))
}

fn names(view: &View, toolbox: &Toolbox) -> String {
    let field = view.tools_field(toolbox);
    let names: Vec<_> = field.carried.iter().map(|entry| entry.name.as_str()).collect();
    names.join(" ")
}

#[test]
fn the_request_has_the_eager_tools_as_exact_bytes() {
    let view = of(&["read", "Git"], 0);
    let field = view.tools_field(&Toolbox::default());
    let expected = r#"[{"name":"read","description":"The tool read.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}]"#;
    assert_eq!(field.bytes, expected.as_bytes());
    assert_eq!(field.sha256, Digest::of(expected.as_bytes()));
    let none = View::default().tools_field(&Toolbox::default());
    assert_eq!(&none.bytes[..], b"[]");
}

/// A model reads what nobody sees, so it is not there.
#[test]
fn a_description_hides_nothing() {
    let entry = Entry {
        description: "Finds\0 \u{202e}\u{e0041}it.\n\u{1b}[2JTwice.".into(),
        ..entry("x", READ)
    };
    let json: serde_json::Value =
        serde_json::from_slice(&super::tool_json(&entry).unwrap()).unwrap();
    assert_eq!(json["description"], "Finds it.\n[2JTwice.");
}

/// B130: exactly the contract's tools at any number of others.
#[test]
fn other_tools_change_no_byte() {
    let native = ["bash", "read", "tool_search", "write", "edit", "grep"];
    let alone = of(&native, 0).tools_field(&Toolbox::default());
    assert_eq!(names(&of(&native, 0), &Toolbox::default()), "read write edit bash tool_search");
    for others in [1, 50, 5000] {
        let field = of(&native, others).tools_field(&Toolbox::default());
        assert_eq!(field.bytes, alone.bytes, "{others}");
    }
}

/// B127: an activation is appended, and the rest keeps its bytes.
#[test]
fn activated_tools_follow_in_their_order() {
    let view = of(&["read", "bash"], 20);
    let mut toolbox = Toolbox::default();
    let mut before = view.tools_field(&toolbox);
    for name in ["mcp_many_7", "mcp_many_3", "mcp_many_5"] {
        toolbox.activate(view.get(name).unwrap());
        let now = view.tools_field(&toolbox);
        let kept = before.bytes.len() - 1;
        assert_eq!(now.bytes[..kept], before.bytes[..kept]);
        assert!(now.has_same_eager_tools(&before) && now.sha256 != before.sha256);
        before = now;
    }
    assert_eq!(names(&view, &toolbox), "read bash mcp_many_7 mcp_many_3 mcp_many_5");
    assert!(!before.has_same_eager_tools(&of(&["read"], 20).tools_field(&toolbox)));
}

/// `[CAT-04]`: `--surface code` shows a model two tools, whatever is activated.
#[test]
fn a_narrow_surface_shows_little() {
    let all = ["read", "edit", "write", "bash", "tool_search", "execute_tools", "grep"];
    let catalog: Arc<Catalog> = Arc::new(all.iter().map(|name| entry(name, READ)).collect());
    let mut toolbox = Toolbox::default();
    toolbox.activate(&Entry { exposure: Exposure::Deferred, ..entry("grep", READ) });
    let shown = |surface| {
        let policy = crate::authority::policy::Policy::default();
        let work = crate::stance::Mode::Work;
        names(&View::of(Arc::clone(&catalog), &policy, work, surface, 0), &toolbox)
    };
    assert_eq!(shown(Surface::Full), "read write edit bash tool_search execute_tools grep");
    assert_eq!(shown(Surface::Simple), "read edit bash");
    assert_eq!(shown(Surface::Code), "tool_search execute_tools");
}
