//! Goal: what was not searched is told, as much of it as helps.

use serde_json::json;
use tollgate_core::{catalog::SourceState, name::ServerName};

use super::super::testing::{Scene, foreign, source};

fn scene() -> Scene {
    let mut scene = Scene::of([foreign("notes", "note_search", "Searches notes.")]);
    let mut failed = source("linear", "tickets", SourceState::Failed);
    failed.detail = "no token\u{1b}[2J\nrun `tollgate mcp login linear`".to_owned();
    scene.catalog.with_sources(vec![
        failed,
        source("github", "issues", SourceState::Idle),
        source("there", "", SourceState::Ready),
    ]);
    let broken = ServerName::try_from("broken").unwrap();
    scene.catalog.unavailable(broken, "its program was not found".to_owned());
    scene
}

/// `[CAT-11]`, `[CAT-13]`: with a match the names are enough; without one, or where servers are meant, the
/// reasons count.
#[test]
fn what_was_not_searched_is_told() {
    let text = scene().text(json!({ "query": "search notes" }));
    let names = "Not searched: broken (unavailable), github (idle), linear (failed).";
    assert!(text.ends_with(names), "{text}");
    let reasons = "Not searched: broken, unavailable: its program was not found\n\
                   Not searched: github of server bridge, idle: it is connected when a search is about it\n\
                   Not searched: linear of server bridge, failed: no token[2J run `tollgate mcp login linear`";
    let text = scene().text(json!({ "query": "zzqx vvkj" }));
    assert!(text.ends_with(reasons), "{text}");
    // Nothing connects here: what is asked for is still on its way.
    let text = scene().text(json!({ "query": "github" }));
    assert!(text.contains("github of server bridge, pending: it was still connecting"), "{text}");
    let text = scene().text(json!({ "query": "note_search of broken" }));
    assert!(text.contains("broken, unavailable: its program"), "{text}");
}

#[test]
fn an_unknown_server_is_said_to_be_unknown() {
    let text = scene().text(json!({ "query": "search", "server": "nothere" }));
    let expected =
        "No tool of server 'nothere' matches 'search': no tool of that server is known here.";
    assert!(text.starts_with(expected), "{text}");
}

/// `[CAT-13]`: structured, the same for a program.
#[test]
fn what_was_not_searched_is_structured() {
    let shown = scene().search(json!({ "query": "github" })).structured();
    let states: Vec<_> =
        shown["not_searched"].as_array().unwrap().iter().map(|it| &it["state"]).collect();
    assert_eq!(states, ["unavailable", "pending", "failed"]);
    assert_eq!(shown["not_searched"][1]["source"], "github");
}
