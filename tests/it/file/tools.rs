//! `move`, `delete`, `restore` and `notebook_edit` through the kernel: the gate sees all that moves, and what was
//! deleted is there for the next session.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};
use tollgate_tests::{Ran, World, events::content_text};

const FULL: [&str; 2] = ["--posture", "full-access"];

#[track_caller]
fn done(world: &World, tool: &str, arguments: &Value) -> Value {
    world.call(tool, arguments).args(FULL).run().success().json()["result"].clone()
}

/// A call that came to nothing; gives what was said.
#[track_caller]
fn undone(ran: Ran) -> String {
    assert_ne!(ran.code, 0, "{ran}");
    content_text(&ran.json()["result"])
}

/// [FILE-10] What one session deletes the next one restores, with its links and modes; nothing is replaced.
#[test]
fn a_deleted_file_is_restored_by_another_session() {
    let world = World::new();
    world.write("a.txt", "one\n");
    let deleted = done(&world, "delete", &json!({ "path": "a.txt" }));
    assert!(!world.has("a.txt"));
    let id = deleted["metadata"]["id"].as_str().unwrap().to_owned();
    let listed = done(&world, "restore", &json!({}));
    assert!(content_text(&listed).contains(&id), "{listed}");
    world.write("a.txt", "another\n");
    let ran = world.call("restore", &json!({ "id": id })).args(FULL).run();
    assert!(undone(ran).contains("nothing is replaced"));
    assert_eq!(world.read("a.txt"), "another\n");
    done(&world, "move", &json!({ "from": "a.txt", "to": "old/b.txt" }));
    done(&world, "restore", &json!({ "id": id }));
    assert_eq!(
        (world.read("a.txt"), world.read("old/b.txt")),
        ("one\n".into(), "another\n".to_owned())
    );
    world.receipts(None).sound(&world);
}

/// [GATE-30] A move and a deletion are effects: in plan mode there is none, and without anybody to ask a
/// deletion does not run.
#[test]
fn effects_wait_for_a_yes() {
    let world = World::new();
    world.write("a.txt", "one\n");
    let calls = [
        ("delete", json!({ "path": "a.txt" })),
        ("move", json!({ "from": "a.txt", "to": "b.txt" })),
    ];
    for (tool, arguments) in &calls {
        undone(world.call(tool, arguments).run());
        undone(world.call(tool, arguments).args(["--mode", "plan"]).args(FULL).run());
    }
    assert_eq!(world.read("a.txt"), "one\n");
    let listed = world.call("restore", &json!({})).run().success();
    assert!(content_text(&listed.json()["result"]).contains("nothing of this workspace"));
}

/// [GATE-20] B094 FS-05 FS-07 A file that may not be read is read under no other name: not after a move, by a
/// hard link, or as a patch moves it; nor with the folder that holds it.
#[test]
fn a_denied_file_gets_no_other_name() {
    let world = World::new();
    world.write("secrets/key.txt", "TOKEN-CANARY\n");
    fs::hard_link(world.workspace().join("secrets/key.txt"), world.workspace().join("h.txt"))
        .unwrap();
    symlink("secrets", world.workspace().join("way")).unwrap();
    let patch =
        "*** Begin Patch\n*** Update File: secrets/key.txt\n*** Move to: k.txt\n*** End Patch\n";
    let near =
        json!({ "path": "secrets/key.txt", "edits": [{ "old": "TOKEN-CANARI", "new": "x" }] });
    let linked = json!({ "path": "h.txt", "edits": [{ "old": "TOKEN-CANARI", "new": "x" }] });
    for (tool, arguments) in [
        ("move", json!({ "from": "secrets/key.txt", "to": "k.txt" })),
        ("move", json!({ "from": "way/key.txt", "to": "k.txt" })),
        ("move", json!({ "from": "h.txt", "to": "k.txt" })),
        ("move", json!({ "from": "secrets", "to": "open" })),
        ("apply_patch", json!({ "patch": patch })),
        ("read", json!({ "path": "h.txt" })),
        ("grep", json!({ "pattern": "TOKEN", "path": "h.txt" })),
        ("edit", near),
        ("edit", linked),
    ] {
        let ran = world.call(tool, &arguments).args(["--deny", "read(secrets/**)"]).run();
        let told = ran.to_string();
        assert_ne!(ran.code, 0, "{tool} {arguments}: {told}");
        assert!(!told.contains("TOKEN-CANARY"), "{tool} {arguments}: {told}");
    }
    assert!(world.has("secrets/key.txt") && world.has("h.txt"));
    assert!(!world.has("k.txt") && !world.has("open"));
    let found =
        world.call("grep", &json!({ "pattern": "TOKEN" })).args(["--deny", "read(secrets/**)"]);
    assert!(!found.run().success().to_string().contains("TOKEN-CANARY"));
}

/// FS-05 A hard link to a file outside: what rules say of its other name nobody knows, so somebody is asked.
#[test]
fn a_hard_link_to_the_outside_is_asked_about() {
    let world = World::new();
    fs::write(world.beside("outside.txt"), "TOKEN-CANARY\n").unwrap();
    fs::hard_link(world.beside("outside.txt"), world.workspace().join("h.txt")).unwrap();
    let read = json!({ "path": "h.txt" });
    let ran = world.call("read", &read).run();
    assert!(!ran.to_string().contains("TOKEN-CANARY"), "{ran}");
    undone(ran);
    let allowed = world.call("read", &read).args(["--allow", "read(h.txt)"]).run().success();
    assert!(content_text(&allowed.json()["result"]).contains("TOKEN-CANARY"));
}

/// [THR-05] CFG-08 What is protected is neither moved nor deleted without a card, itself or with its folder.
#[test]
fn protected_places_stay() {
    let world = World::new();
    world.write(".git/hooks/pre-commit", "x");
    world.write("sub/AGENTS.md", "x");
    for (tool, arguments) in [
        ("delete", json!({ "path": ".git" })),
        ("delete", json!({ "path": ".git/hooks/pre-commit" })),
        ("move", json!({ "from": "sub", "to": "other" })),
        ("move", json!({ "from": "sub/AGENTS.md", "to": "x.md" })),
        ("move", json!({ "from": ".git/hooks/pre-commit", "to": "x" })),
    ] {
        undone(world.call(tool, &arguments).args(FULL).run());
    }
    world.write("plain.txt", "x");
    let into = json!({ "from": "plain.txt", "to": ".git/hooks/post-commit" });
    undone(world.call("move", &into).args(FULL).run());
    assert!(
        world.has(".git/hooks/pre-commit") && world.has("sub/AGENTS.md") && world.has("plain.txt")
    );
}

/// A notebook is read by its cells and changed by their numbers; the rest of its JSON stays.
#[test]
fn a_notebook_is_changed_by_cell() {
    let world = World::new();
    let notebook = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 2,\n   \
        \"metadata\": {\"k\": 1.0},\n   \"outputs\": [{}],\n   \"source\": \"a\"\n  }\n ],\n \"nbformat\": 4,\n \
        \"nbformat_minor\": 4,\n \"x\": 1e3\n}\n";
    world.write("n.ipynb", notebook);
    let replace = json!({ "path": "n.ipynb", "cell": 1, "source": "b" });
    let result = done(&world, "notebook_edit", &replace);
    assert!(content_text(&result).starts_with("Replaced cell 1 (code)"), "{result}");
    let expected = notebook
        .replace("\"execution_count\": 2", "\"execution_count\": null")
        .replace("[{}]", "[]")
        .replace("\"a\"", "\"b\"");
    assert_eq!(world.read("n.ipynb"), expected);
    done(&world, "notebook_edit", &json!({ "path": "n.ipynb", "cell": 1, "action": "delete" }));
    assert!(world.read("n.ipynb").contains("\"cells\": [],"));
    let none = json!({ "path": "n.ipynb", "cell": 9, "action": "delete" });
    let ran = world.call("notebook_edit", &none).args(FULL).run();
    assert!(undone(ran).contains("there is no cell 9"));
}
