//! [SDK-02] A tool server in Python, called through the gate: the contract is language-neutral.

use std::{fs, path::Path};

use serde_json::json;
use tollgate_tests::{
    Command, Script, World, events::content_text, eventually::eventually_true, python,
    workspace_root,
};

fn world() -> World {
    let (python, server) = (python::python(), python::folder().join("echo_server.py"));
    // Trust is configuration; an interpreter may take long to start on a busy machine.
    World::new().config(&format!(
        "[servers.pyecho]\ncommand = [{python:?}, {server:?}]\nlisten = \"path\"\ntrust = \"trusted\"\n\
         clocks.hello_ms = 30000"
    ))
}

/// [ARCH-03] Result, receipt and grant as of a built-in server.
#[test]
fn a_python_tool_is_called() {
    let world = world();
    let ran = world.call("pyecho", &json!({ "text": "grüße" })).run().success();
    let printed = ran.json();
    assert_eq!(content_text(&printed["result"]), "grüße (from Python, for user)");
    let receipt = &printed["receipt"];
    assert_eq!(
        (&receipt["server"], &receipt["server_facts"]["name"]),
        (&json!("pyecho"), &json!("pyecho"))
    );
    assert!(receipt["grant_sha256"].is_string());
    world.receipts(None).sound(&world);
    world.is_quiet();
}

/// [KERN-04] Its schemas hold; an exception is a failed call and not the end of the server.
#[test]
fn its_faults_are_results() {
    let world = world();
    let ran = world.call("pyecho", &json!({ "txt": "hi" })).run().code(2);
    assert!(content_text(&ran.json()["result"]).contains("did you mean \"text\""), "{ran}");
    let script = Script::new()
        .call("pysleep", json!({ "seconds": -1e300 }))
        .call("pylines", json!({ "lines": -5 }))
        .call("pyecho", json!({ "text": "still here" }))
        .text("done");
    let events = world.exec(&script, "go").run().events().well_formed();
    assert!(content_text(events.results()[2]).starts_with("still here"), "{:?}", events.results());
}

/// [PROTO-04] Output beyond the first credit comes whole: the kernel grants more as it takes it.
#[test]
fn output_flows_under_credit() {
    let world = world();
    let ran = world.call("pylines", &json!({ "lines": 50_000 })).run().success();
    assert_eq!(content_text(&ran.json()["result"]), "50000 lines");
}

/// [PROTO-07] `Cancel` is heard and answered.
#[test]
fn a_python_tool_is_cancelled() {
    let world = world();
    let arguments = json!({ "seconds": 300 }).to_string();
    let script = Script::new().call("pysleep", json!({ "seconds": 300 })).text("done");
    let mut kernel = world.exec(&script, "go").spawn();
    kernel.event("the call runs", |event| {
        event["type"] == "tool.progress" && event["text"] == "asleep"
    });
    kernel.signal(nix::sys::signal::Signal::SIGINT);
    let ran = kernel.finish().code(130);
    let events = ran.events().well_formed();
    assert_eq!(content_text(events.results()[0]), "stopped", "{arguments}");
    assert_eq!(events.results()[0]["receipt"]["end"]["effects"], "none");
    world.is_quiet();
}

/// [PROTO-05] [GATE-01] It asks the kernel for other tools, through the gate.
#[test]
fn a_python_tool_asks_for_another_tool() {
    let world = world();
    let nest = |name: &str, arguments: serde_json::Value| {
        let ran =
            world.call("pynest", &json!({ "name": name, "arguments": arguments })).run().success();
        content_text(&ran.json()["result"])
    };
    let echoed = nest("pyecho", json!({ "text": "nested" }));
    assert!(echoed.starts_with("value: ") && echoed.contains("for server"), "{echoed}");
    let refused = nest("bash", json!({ "command": "touch made.txt" }));
    assert!(refused.starts_with("refused: "), "{refused}");
    assert!(!world.has("made.txt"));
    assert_eq!(
        world.receipts(None).sound(&world).words(),
        ["pynest ok auto", "bash refused refused"]
    );
}

/// [PROTO-10] It ends with the kernel, also with one that is killed.
#[test]
fn it_ends_with_its_kernel() {
    let world = world();
    let arguments = json!({ "seconds": 300 }).to_string();
    let call = world.tollgate(["call", "pysleep", &arguments]).spawn();
    eventually_true("the server runs", || {
        world.processes().iter().any(|process| process.command.contains("echo_server.py"))
    });
    call.kill();
    assert_eq!(call.finish().code, 128 + 9);
    world.is_quiet();
}

/// The committed stubs are what `proto/` gives now.
#[test]
fn the_python_stubs_are_fresh() {
    let world = World::new();
    let fresh = world.beside("gen");
    let script = python::folder().join("generate.sh");
    Command::new(&script).args([&fresh]).env("PYTHON", python::python()).run().success();
    let mut compared = 0;
    for file in files(&fresh) {
        let name = file.strip_prefix(&fresh).unwrap();
        let committed = python::folder().join("gen").join(name);
        let same = fs::read(&committed).ok() == fs::read(&file).ok();
        assert!(same, "{} is not fresh; run tests/python/generate.sh", name.display());
        compared += 1;
    }
    assert_eq!(compared, files(&python::folder().join("gen")).len(), "a stub too many");
    assert!(compared > 0, "{}", workspace_root().display());
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .collect()
}
