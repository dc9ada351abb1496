//! Goal: a manifest is a claim: what it says of others is not believed, what is shown to nobody is not kept.

use super::*;
use tollgate_proto::tool::v1::{HiddenName, Manifest, Source, SourceState, ToolSpec};

fn spec(name: &str, source: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        title: "A title".into(),
        description: "Does much.".into(),
        search_hint: "hint".into(),
        input_schema: Bytes::from_static(b"{}"),
        source: source.into(),
        hidden_names: vec![HiddenName {
            name: format!("old_{name}"),
            input_schema: Bytes::from_static(b"{}"),
            when: None,
        }],
        ..ToolSpec::default()
    }
}

fn entries(tools: Vec<ToolSpec>) -> Result<Vec<Entry>, ServerError> {
    let source = |name: &str, state: SourceState| Source {
        name: name.into(),
        state: state.into(),
        ..Source::default()
    };
    let sources = vec![source("here", SourceState::Ready), source("away", SourceState::Idle)];
    let described = Described { manifest: Manifest { sources, ..Manifest::default() }, tools };
    let server = ServerName::try_from("bridge").unwrap();
    described.entries(&server, Trust::Trusted, Provenance::Plugin)
}

/// `[CAT-32]`: a tool belongs to a source that its server lists and has connected, or to the server.
#[test]
fn a_tool_is_attributed_to_what_its_server_stands_before() {
    let tools = ["here", "away", "github", "no source/", ""];
    let tools = tools.iter().enumerate().map(|(at, source)| spec(&format!("t{at}"), source));
    let entries = entries(tools.collect()).unwrap();
    let shown = entries.iter().filter(|it| it.means.is_none());
    let told: Vec<_> =
        shown.map(|it| (it.name.as_str(), it.provenance, it.source.as_deref())).collect();
    let plugin = Provenance::Plugin;
    assert_eq!(
        told,
        [
            ("t0", Provenance::Mcp, Some("here")),
            ("t2", plugin, None),
            ("t3", plugin, None),
            ("t4", plugin, None)
        ]
    );
}

#[test]
fn an_old_name_keeps_no_text_that_is_shown_to_nobody() {
    let entries = entries(vec![spec("t", "")]).unwrap();
    let old = entries.iter().find(|it| it.means.is_some()).unwrap();
    assert_eq!((old.name.as_str(), old.exposure), ("old_t", Exposure::Hidden));
    assert!(old.title.is_empty() && old.description.is_empty() && old.search_hint.is_empty());
}

#[test]
fn a_tool_that_is_there_twice_spoils_the_manifest() {
    let error = entries(vec![spec("t", ""), spec("t", "")]).unwrap_err();
    assert!(error.to_string().contains("it is there twice"), "{error}");
}
