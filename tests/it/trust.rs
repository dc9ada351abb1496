//! [GATE-13] What a project brings counts only after its user has seen it.

use std::fs;

use serde_json::{Value, json};
use tollgate_tests::World;

fn write_call() -> Value {
    json!({ "path": "new.txt", "content": "x\n" })
}

/// The verdict of `permissions explain` for a write in the workspace.
fn verdict(world: &World) -> Value {
    let call = write_call().to_string();
    let ran = world.tollgate(["permissions", "explain", "write", &call, "--json"]).run();
    ran.success().json()["verdict"]["verdict"].clone()
}

/// CFG-05 Without a terminal nothing is trusted, unless its caller says that it has looked.
#[test]
fn headless_trusts_nothing_by_itself() {
    let world = World::new();
    world.write(".tollgate/hooks.toml", "[[hook]]\nevent = \"turn_end\"\ncommand = [\"true\"]\n");
    for variables in [vec![], vec![("CI", "1")]] {
        let ran = variables
            .into_iter()
            .fold(world.tollgate(["trust"]), |ran, (name, value)| ran.env(name, value));
        let ran = ran.run().code(3);
        assert!(ran.stderr.contains("--yes"), "{ran}");
        assert!(ran.text().contains("new      .tollgate/hooks.toml"), "{ran}");
    }
    assert_eq!(world.tollgate(["trust", "--list", "--json"]).run().success().json(), json!([]));
}

/// [GATE-13] [GATE-30] Trust lets ordinary writes run; taken back, they ask again.
#[test]
fn a_trusted_workspace_is_written_in_without_a_question() {
    let world = World::new();
    assert_eq!(verdict(&world), "ask");
    world.tollgate(["trust", "--yes"]).run().success();
    assert_eq!(verdict(&world), "allow");
    let listed = world.tollgate(["trust", "--list", "--json"]).run().success().json();
    assert_eq!(listed[0]["folder"], world.workspace().to_str().unwrap());
    assert_eq!(listed[0]["state"], "trusted");
    world.call("write", &write_call()).run().success();
    assert!(world.has("new.txt"));
    let protected = json!({ "path": ".git/hooks/pre-commit", "content": "x" });
    world.call("write", &protected).run().code(3);
    // The project can ask for less (`[GATE-13]`).
    world.write(".tollgate/config.toml", "workspace_writes = \"ask\"\n");
    assert_eq!(verdict(&world), "ask");
    fs::remove_file(world.workspace().join(".tollgate/config.toml")).unwrap();
    let ran = world.tollgate(["trust", "--revoke"]).run().success();
    assert!(ran.text().contains("is not trusted any more"), "{ran}");
    assert_eq!(verdict(&world), "ask");
    let again = world.tollgate(["trust", "--revoke"]).run().success();
    assert!(again.text().contains("was not trusted"), "{again}");
}

/// CFG-06 A file that changed after the yes is another file.
#[test]
fn a_changed_file_does_not_count_until_it_was_seen() {
    let world = World::new();
    let hook = |program: &str| {
        format!("[[hook]]\nevent = \"tool_call_before\"\ncommand = [\"{program}\"]\n")
    };
    let hooks = |world: &World| {
        let call = json!({ "path": "a" }).to_string();
        let ran = world.tollgate(["permissions", "explain", "read", &call, "--json"]).run();
        ran.success().json()["hooks"].as_array().map(Vec::len)
    };
    world.write("a", "x");
    world.write(".tollgate/hooks.toml", hook("/bin/true"));
    assert_eq!(hooks(&world), Some(0), "not trusted yet");
    let noted = world.call("read", &json!({ "path": "a" })).run().success();
    assert!(noted.stderr.contains("hooks.toml"), "it is told that they do not count: {noted}");
    world.tollgate(["trust", "--yes"]).run().success();
    assert_eq!(hooks(&world), Some(1));
    world.write(".tollgate/hooks.toml", hook("/bin/false"));
    assert_eq!(hooks(&world), Some(0), "it is another file now");
    let ran = world.tollgate(["trust"]).run().code(3);
    assert!(ran.text().contains("changed  .tollgate/hooks.toml"), "{ran}");
    assert!(ran.text().contains("another than the one that you trusted"), "{ran}");
    world.tollgate(["trust", "--yes"]).run().success();
    assert_eq!(hooks(&world), Some(1));
    let same = world.tollgate(["trust"]).run().success();
    assert!(same.stderr.contains("nothing changed"), "{same}");
}

/// A folder that is not there cannot be trusted, and can be forgotten.
#[test]
fn a_folder_that_is_gone() {
    let world = World::new();
    let folder = world.beside("other");
    let path = folder.to_str().unwrap().to_owned();
    let ran = world.tollgate(["trust", &path, "--yes"]).run().code(2);
    assert!(ran.stderr.contains("give the folder of a project"), "{ran}");
    fs::create_dir(&folder).unwrap();
    world.tollgate(["trust", &path, "--yes"]).run().success();
    fs::remove_dir(&folder).unwrap();
    let listed = world.tollgate(["trust", "--list"]).run().success();
    assert!(listed.text().contains("gone"), "{listed}");
    world.tollgate(["trust", &path, "--revoke"]).run().success();
    assert_eq!(world.tollgate(["trust", "--list", "--json"]).run().success().json(), json!([]));
}
