//! The lines of `tests/data/shell_gold.jsonl`, and the repository that they are about.
//!
//! Not here: what they show (`classify`, `sandbox`).

use std::{fs, path::Path};

use serde_json::{Value, json};
use tollgate_tests::{Command, Script, World, workspace_root};

/// What `cat secret.txt` prints.
pub(super) const SECRET: &str = "TOKEN-7f3a-CANARY-READ";

/// One line.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) class: String,
    pub(super) line: String,
}

/// The rows with this label.
pub(super) fn rows(label: &str) -> Vec<Row> {
    let text = fs::read_to_string(workspace_root().join("tests/data/shell_gold.jsonl")).unwrap();
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let field = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let labelled = all.filter(|row| row["label"] == label);
    labelled
        .map(|row| Row {
            id: field(&row, "id"),
            class: field(&row, "cls"),
            line: field(&row, "cmd"),
        })
        .collect()
}

/// A world whose workspace is the repository that the lines are about.
pub(super) fn world() -> World {
    let world = World::new();
    let setup = workspace_root().join("tests/data/shell_gold_setup.sh");
    let made = Command::new(Path::new("bash")).args([&setup]).in_folder(&world.workspace());
    made.env("HOME", world.folder()).run().success();
    world
}

/// The results of the lines as calls of one turn, where nobody can be asked.
#[track_caller]
pub(super) fn results(world: &World, rows: &[Row], options: &[&str]) -> Vec<Value> {
    let call = |script: Script, row: &Row| script.call("bash", json!({ "command": row.line }));
    let script = rows.iter().fold(Script::new(), call);
    let steps = (rows.len() + 2).to_string();
    let command = world.exec(&script.text("done"), "go").args(["--max-steps", &steps]);
    let events = command.args(options).run().events().well_formed();
    let results: Vec<Value> = events.results().into_iter().cloned().collect();
    assert_eq!(results.len(), rows.len(), "every line has a result");
    results
}

/// Why a call has no result of its own: "rule", "mode" …
pub(super) fn class_of(result: &Value) -> &str {
    result["receipt"]["end"]["error_class"].as_str().unwrap_or_default()
}
