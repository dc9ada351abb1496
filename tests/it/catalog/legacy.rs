//! [CAT-07] Old names: each reaches the handler of its own schema, is judged as the tool that it means, and
//! is shown to nobody.

use serde_json::{Value, json};
use tollgate_tests::{Script, World, events::content_text};

/// Calls as they stand in saved transcripts: the name, the arguments, the tool that it means, and a part of
/// the answer.
fn saved() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    vec![
        ("read_file", json!({ "path": "notes/a.txt" }), "read", "needle"),
        ("File", json!({ "action": "read", "path": "notes/a.txt" }), "read", "needle"),
        ("list_dir", json!({ "path": "notes" }), "list", "a.txt"),
        ("File", json!({ "action": "list", "path": "notes" }), "list", "a.txt"),
        ("grep_files", json!({ "pattern": "need.e" }), "grep", "needle"),
        ("File", json!({ "action": "search_content", "pattern": "needle" }), "grep", "needle"),
        ("search_files", json!({ "pattern": "*.txt" }), "find", "a.txt"),
        ("File", json!({ "action": "search_name", "query": "a.txt" }), "find", "a.txt"),
        (
            "edit_file",
            json!({ "path": "notes/a.txt", "old_string": "needle", "new_string": "pin" }),
            "edit",
            "notes/a.txt",
        ),
        (
            "File",
            json!({ "action": "edit", "path": "notes/a.txt", "search": "pin", "replace": "nail" }),
            "edit",
            "notes/a.txt",
        ),
        ("write_file", json!({ "path": "b.txt", "content": "one\n" }), "write", "b.txt"),
        (
            "File",
            json!({ "action": "write", "path": "c.txt", "content": "two\n" }),
            "write",
            "c.txt",
        ),
        (
            "File",
            json!({ "action": "patch", "patch": "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-two\n+three\n" }),
            "apply_patch",
            "c.txt",
        ),
        ("exec_shell", json!({ "command": "echo out", "timeout_ms": 5000 }), "bash", "out"),
        ("Bash", json!({ "command": "echo again" }), "bash", "again"),
        ("Bash", json!({ "action": "run", "command": "echo once" }), "bash", "once"),
    ]
}

fn world() -> World {
    let world = World::new();
    world.write("notes/a.txt", "hay\nneedle\n");
    world
}

/// A transcript that was saved under old names is run again: every call reaches its handler.
#[test]
fn a_saved_transcript_is_run_again() {
    let world = world();
    let saved = saved();
    let script = saved
        .iter()
        .fold(Script::new(), |script, (name, arguments, ..)| script.call(name, arguments.clone()));
    let ran = world.exec(&script.text("Done."), "Again.").args(["--posture", "full-access"]).run();
    let events = ran.success().events().well_formed();
    let results = events.results();
    assert_eq!(results.len(), saved.len());
    for (result, (name, arguments, means, part)) in results.into_iter().zip(&saved) {
        assert_eq!(result["status"], "ok", "{name} {arguments}: {result}");
        assert!(
            content_text(result).contains(part),
            "{name} {arguments}: {}",
            content_text(result)
        );
        let receipt = &result["receipt"];
        assert_eq!((&receipt["tool"], &receipt["asked_as"]), (&json!(means), &json!(name)));
        assert_eq!(receipt["arguments"], *arguments, "nothing is rewritten");
    }
    assert_eq!(world.read("notes/a.txt"), "hay\nnail\n");
    assert_eq!((world.read("b.txt").as_str(), world.read("c.txt").as_str()), ("one\n", "three\n"));
    // Shown in no request.
    for request in events.of("request.prepared") {
        let names = request["tool_names"].to_string();
        assert!(!names.contains("File") && !names.contains("read_file"), "{names}");
    }
    world.receipts(Some(events.session())).sound(&world);
}

/// A rule for a tool holds for its old names, and for no other tool that an old name meant.
#[test]
fn an_old_name_escapes_no_rule() {
    let world = world();
    let call = |name: &str, arguments: Value, rule: &str| {
        let ran = world.call(name, &arguments).args(["--deny", rule]).run();
        ran.json()["receipt"]["end"]["status"].as_str().unwrap_or_default().to_owned()
    };
    let write = json!({ "action": "write", "path": "b.txt", "content": "x" });
    let read = json!({ "action": "read", "path": "notes/a.txt" });
    assert_eq!(call("File", write.clone(), "write"), "refused");
    assert_eq!(call("File", read.clone(), "write"), "ok");
    assert_eq!(call("write_file", json!({ "path": "b.txt", "content": "x" }), "write"), "refused");
    assert_eq!(call("File", read, "read(notes/**)"), "refused");
    assert_eq!(call("Bash", json!({ "command": "touch b.txt" }), "bash(touch *)"), "refused");
    assert_eq!(call("exec_shell", json!({ "command": "touch b.txt" }), "bash"), "refused");
    let start = json!({ "action": "start", "command": "touch b.txt" });
    assert_eq!(call("process", start.clone(), "bash(touch *)"), "refused");
    assert_eq!(call("process", start, "bash"), "refused");
    let ran = world.call("File", &write).args(["--mode", "plan"]).run();
    assert_eq!(ran.json()["receipt"]["end"]["status"], "refused");
    assert!(!world.has("b.txt"));
}

/// Old names are in no list, found by no search, and offered by no message; arguments that none of an old
/// name's forms takes are refused with what it takes.
#[test]
fn old_names_are_shown_to_nobody() {
    let world = world();
    let listed = world.tollgate(["tools", "list", "--json"]).run().success().json();
    let names: Vec<_> =
        listed["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    let old = ["File", "Bash", "read_file", "write_file", "list_dir", "grep_files", "exec_shell"];
    assert!(names.iter().all(|name| !old.contains(name)), "{names:?}");
    let script = Script::new()
        .call("tool_search", json!({ "query": "select:File,read_file,exec_shell" }))
        .call("tool_search", json!({ "query": "read_file exec_shell", "limit": 20 }))
        .call("read_fil", json!({}))
        .call("File", json!({ "action": "Write", "path": "b" }))
        .call("File", json!({ "path": "b" }))
        .text("Done.");
    let events = world.exec(&script, "Go.").run().events().well_formed();
    let results: Vec<_> = events.results().into_iter().map(content_text).collect();
    let found: Vec<_> = results[1].lines().filter(|line| line.starts_with("read_file(")).collect();
    assert!(found.is_empty(), "{}", results[1]);
    assert!(results[0].contains("File") && !results[0].contains("File("), "{}", results[0]);
    assert!(!results[2].contains("read_file"), "{}", results[2]);
    for result in &results[3..] {
        assert!(result.contains("'File' needs 'action', one of edit, list, patch"), "{result}");
    }
}
