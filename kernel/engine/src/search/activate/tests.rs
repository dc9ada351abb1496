//! Goal: what is meant comes in, what is incidental does not, and the toolbox stays within its bounds.

use serde_json::{Value, json};
use tollgate_core::{catalog::Entry, name::ToolName};

use super::super::testing::{Scene, foreign, large, with_schema};

fn sized(name: &str, bytes: usize) -> Entry {
    with_schema(foreign("notes", name, "Works on notes."), &large(bytes))
}

fn texts(names: &[ToolName]) -> Vec<&str> {
    names.iter().map(ToolName::as_str).collect()
}

#[track_caller]
fn active(scene: &Scene) -> Vec<String> {
    scene.tools.active().iter().map(ToString::to_string).collect()
}

/// B128: a common word over a large catalog, fifty times.
#[test]
fn a_search_does_not_flood_the_conversation() {
    let all = (0..300).map(|at| {
        let name = if at % 7 == 0 { format!("file_{at}") } else { format!("tool_{at}") };
        let entry = foreign("many", &name, "Works on a file of a folder.");
        with_schema(entry, &large(200 + at * 31))
    });
    let scene = Scene::of(all);
    for at in 0..50 {
        let answer = scene.search(json!({ "query": "file", "skip": at * 3, "limit": 20 }));
        let held = scene.tools.active();
        let entries = held.iter().filter_map(|name| scene.catalog.get(name.as_str()));
        let bytes: usize = entries.map(|entry| entry.input_schema.len()).sum();
        assert!(held.len() <= 8 && bytes <= 16 * 1024, "{} tools, {bytes} bytes", held.len());
        let new = &answer.activation.activated;
        assert!(new.len() <= 8 && new.iter().all(|name| held.contains(name)), "{new:?}");
    }
}

/// The best comes in; what only shares a word with the query is described.
#[test]
fn incidental_matches_are_described_only() {
    let scene = Scene::of([
        foreign("notes", "note_search", "Searches notes by their words."),
        foreign(
            "mail",
            "mail_send",
            "Sends a mail, with words of yours, to somebody who reads it.",
        ),
    ]);
    let answer = scene.search(json!({ "query": "search notes words" }));
    assert_eq!(answer.hits.len(), 2);
    assert_eq!(active(&scene), ["note_search"]);
    // A list of what a server has asks for none of it.
    let scene =
        Scene::of([foreign("mail", "mail_send", "Sends."), foreign("mail", "mail_list", "Lists.")]);
    assert_eq!(scene.search(json!({ "query": "server:mail" })).hits.len(), 2);
    assert!(active(&scene).is_empty());
}

/// `[CAT-20]`
#[test]
fn a_search_evicts_nothing_of_its_own() {
    let scene = Scene::of((0..12).map(|at| sized(&format!("n{at:02}"), 300)));
    let select = |names: std::ops::Range<usize>| -> Value {
        let names: Vec<_> = names.map(|at| format!("n{at:02}")).collect();
        json!({ "query": format!("select:{}", names.join(",")) })
    };
    let first = scene.search(select(0..3)).activation;
    assert_eq!((texts(&first.activated), first.evicted.len()), (vec!["n00", "n01", "n02"], 0));
    // What is there stays in its place, though it is asked for last.
    let second =
        scene.search(json!({ "query": "select:n03,n04,n05,n06,n07,n08,n09,n00,n10" })).activation;
    assert_eq!(texts(&second.activated), ["n03", "n04", "n05", "n06", "n07", "n08", "n09"]);
    assert_eq!((texts(&second.evicted), texts(&second.no_room)), (vec!["n01", "n02"], vec!["n10"]));
    assert_eq!(active(&scene)[0], "n00");
    assert_eq!(active(&scene).len(), 8);
}

/// `[CAT-20]`: bytes count as well, and what is larger than the toolbox never enters it.
#[test]
fn schemas_that_are_too_large_are_described() {
    let scene =
        Scene::of([sized("a", 9_000), sized("b", 9_000), sized("c", 30_000), sized("d", 300)]);
    let answer = scene.search(json!({ "query": "select:a,b,c,d" }));
    let done = &answer.activation;
    assert_eq!((texts(&done.activated), texts(&done.no_room)), (vec!["a", "d"], vec!["b"]));
    assert_eq!(done.too_large[0].0.as_str(), "c");
    let text = super::super::show::text(&answer);
    assert!(text.contains("Too large to activate: c ("), "{text}");
    assert!(text.contains("callable by its name."), "{text}");
    assert!(text.contains("No room in the toolbox for: b; callable by its name."), "{text}");
    // With code mode it is called there.
    let entries =
        [sized("c", 30_000), super::super::testing::native("execute_tools", "Runs a program.")];
    let text = Scene::of(entries).text(json!({ "query": "select:c" }));
    assert!(text.contains("described here and callable through execute_tools."), "{text}");
}
