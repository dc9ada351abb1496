//! Goal: a cell is changed by its number in the notebook that the session read, and in no other.

use std::time::SystemTime;

use super::*;
use crate::testing::{World, check_schema, text_of};

const NOTEBOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 1,\n   \"metadata\": {},\n   \"outputs\": [1, 2],\n   \"source\": [\n    \"a\"\n   ]\n  }\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 4\n}\n";

fn input(json: &str) -> NotebookInput {
    serde_json::from_str(json).unwrap()
}

fn replace_first(source: &str) -> NotebookInput {
    input(&format!(r#"{{"path":"n.ipynb","cell":1,"source":"{source}"}}"#))
}

fn seen(world: &World) -> Observation {
    let bytes = world.bytes("n.ipynb");
    let now = SystemTime::now();
    let sha256 = Sha256::digest(&bytes).into();
    Observation { path: world.path("n.ipynb"), sha256, seen: now, modified: now }
}

#[tokio::test]
async fn a_cell_is_replaced_and_the_rest_stays() {
    let mark = "\u{FEFF}";
    let world = World::new().with("n.ipynb", format!("{mark}{NOTEBOOK}"));
    let context = world.context(vec![seen(&world)]);
    let prepared = NotebookEdit.prepare(&replace_first("b"), &context).await.unwrap();
    assert!(!prepared.safety.destructive && prepared.title == "Replace cell 1 of n.ipynb");
    assert!(prepared.preview.contains("Its 2 outputs go.") && prepared.preview.contains("-a\n"));
    let reply = run(&replace_first("b"), &context, &world.scope()).unwrap();
    assert!(
        text_of(&reply).starts_with("Replaced cell 1 (code) of n.ipynb, which has 1 cell now.")
    );
    assert!(format!("{reply:?}").contains("Observation"));
    let expected = NOTEBOOK
        .replace("\"a\"", "\"b\"")
        .replace("[1, 2]", "[]")
        .replace("\"execution_count\": 1", "\"execution_count\": null");
    assert_eq!(world.bytes("n.ipynb"), format!("{mark}{expected}").as_bytes());
}

/// Stale: refused. Never read: told in the preview, and only what the preview showed is changed.
#[tokio::test]
async fn the_notebook_must_be_the_one_that_was_seen() {
    let world = World::new().with("n.ipynb", NOTEBOOK);
    let stale = world.context(vec![seen(&world)]);
    world.put("n.ipynb", NOTEBOOK.replace("\"a\"", "\"z\""));
    let invalid = NotebookEdit.prepare(&replace_first("b"), &stale).await.unwrap_err();
    assert_eq!((invalid.class.as_str(), invalid.pointer.as_str()), ("stale", "/path"));
    assert_eq!(run(&replace_first("b"), &stale, &world.scope()).unwrap_err().class, Class::Stale);

    let unread = world.context(Vec::new());
    let prepared = NotebookEdit.prepare(&replace_first("b"), &unread).await.unwrap();
    assert!(
        prepared.safety.destructive && prepared.preview.contains("was not read in this session")
    );
    world.put("n.ipynb", NOTEBOOK);
    assert_eq!(run(&replace_first("b"), &unread, &world.scope()).unwrap_err().class, Class::Stale);
    assert_eq!(world.bytes("n.ipynb"), NOTEBOOK.as_bytes());
    NotebookEdit.prepare(&replace_first("b"), &unread).await.unwrap();
    let reply = run(&replace_first("b"), &unread, &world.scope()).unwrap();
    assert!(!format!("{reply:?}").contains("Observation"), "it knows one cell, not the file");
}

#[tokio::test]
async fn faults_are_told_before_anybody_is_asked() {
    let world =
        World::new().with("n.ipynb", NOTEBOOK).with("t.ipynb", "text").with("l.ipynb", b"\"\xE9\"");
    let context = world.context(Vec::new());
    for (json, class, pointer) in [
        (r#"{"path":"n.ipynb","cell":1}"#, "invalid_arguments", "/source"),
        (r#"{"path":"n.ipynb","cell":1,"action":"insert"}"#, "invalid_arguments", "/source"),
        (
            r#"{"path":"n.ipynb","cell":1,"action":"delete","source":"x"}"#,
            "invalid_arguments",
            "/action",
        ),
        (r#"{"path":"n.ipynb","cell":2,"source":"x"}"#, "past_end", "/cell"),
        (r#"{"path":"n.ipynb","cell":1,"source":"a"}"#, "invalid_edit", "/source"),
        (r#"{"path":"t.ipynb","cell":1,"source":"a"}"#, "unreadable", "/path"),
        (r#"{"path":"l.ipynb","cell":1,"source":"a"}"#, "encoding", "/path"),
        (r#"{"path":"none.ipynb","cell":1,"source":"a"}"#, "not_found", "/path"),
        (r#"{"path":"../n.ipynb","cell":1,"source":"a"}"#, "outside_roots", "/path"),
    ] {
        let invalid = NotebookEdit.prepare(&input(json), &context).await.unwrap_err();
        assert_eq!((invalid.class.as_str(), invalid.pointer.as_str()), (class, pointer), "{json}");
    }
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&NotebookEdit, &["action", "cell", "path", "source", "type"]);
}

use tollgate_sdk::Observation;
