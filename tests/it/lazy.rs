//! [ARCH-04] No server before the first call that needs one, exactly those needed after it, none after
//! the kernel ends or is killed.

use serde_json::json;
use tollgate_tests::{
    Script, World,
    eventually::{eventually, eventually_true},
    processes::programs_below,
};

/// A command that the test ends by making a file, and that says by a file that it runs.
const WAIT: &str = "touch running; while [ ! -e go ]; do read -t 0.05 < <(:) || :; done; echo went";

/// Listing and looking start nothing once the manifests are known.
#[test]
fn looking_starts_nothing() {
    let world = World::new().hostile("plain", "");
    world.warm();
    world.tollgate(["tools", "list"]).run().success();
    world.tollgate(["tools", "show", "read"]).run().success();
    world.tollgate(["servers", "list"]).run().success();
    world.tollgate(["config", "show"]).run().success();
    let logs = world.state("logs/hostile.log");
    let before = std::fs::read(&logs).unwrap_or_default();
    world.tollgate(["tools", "list"]).run().success();
    assert_eq!(std::fs::read(&logs).unwrap_or_default(), before, "a server was started");
    let listed = world.tollgate(["servers", "list", "--json"]).run().success().json();
    let states: Vec<_> = listed.as_array().unwrap().iter().map(|it| it["state"].clone()).collect();
    assert!(states.iter().all(|state| state == "idle"), "{listed}");
    world.is_quiet();
}

/// The model is the only server before the first call; then exactly the one that the call needs.
#[test]
fn a_server_starts_with_the_first_call_that_needs_it() {
    let world = World::new().hostile("plain", "trust = \"trusted\"");
    world.warm();
    world.write("a.txt", "x\n");
    let script = Script::new()
        .step(json!({ "delay_ms": 300, "tool_calls": [{ "name": "read", "arguments": { "path": "a.txt" } }] }))
        .call("look", json!({ "how": "wait" }))
        .text("done");
    let mut kernel = world.exec(&script, "go").spawn();
    let pid = kernel.pid;
    kernel.event_type("request.prepared");
    let seen = eventually("the model's server runs", || {
        let programs = programs_below(pid);
        (!programs.is_empty()).then_some(programs)
    });
    assert_eq!(seen, ["tollgate-model"], "nothing else before the first call");
    kernel.event("the result of read", |event| {
        event["type"] == "tool.result" && event["name"] == "read"
    });
    eventually_true("the second call runs", || world.journal().len() == 1);
    assert_eq!(programs_below(pid), ["tollgate-file", "tollgate-hostile", "tollgate-model"]);
    kernel.signal(nix::sys::signal::Signal::SIGINT);
    let ran = kernel.finish();
    assert_eq!(ran.code, 130, "{ran}");
    world.is_quiet();
}

/// The shell is started for a shell call alone, with the warden that ends what it leaves.
#[test]
fn only_the_server_of_the_called_tool_runs() {
    let world = World::new();
    world.warm();
    let arguments = json!({ "command": WAIT }).to_string();
    let call = world.tollgate(["call", "bash", &arguments, "--posture", "full-access"]).spawn();
    eventually_true("the command runs", || world.has("running"));
    let programs = programs_below(call.pid);
    assert!(programs.contains(&"tollgate-shell".to_owned()), "{programs:?}");
    for other in ["tollgate-file", "tollgate-model", "tollgate-example"] {
        assert!(!programs.contains(&other.to_owned()), "{other} runs: {programs:?}");
    }
    world.write("go", "");
    let ran = call.finish().success();
    assert!(ran.text().contains("went"), "{ran}");
    world.is_quiet();
}

/// However the kernel ends: SIGTERM, SIGINT, SIGKILL.
#[test]
fn nothing_is_left_when_the_kernel_ends() {
    use nix::sys::signal::Signal;
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGKILL] {
        let world = World::new();
        let arguments = json!({ "command": WAIT }).to_string();
        let call = world.tollgate(["call", "bash", &arguments, "--posture", "full-access"]).spawn();
        eventually_true("the command runs", || world.has("running"));
        assert!(world.processes().len() >= 3, "kernel, server and command");
        call.signal(signal);
        let ran = call.finish();
        assert_ne!(ran.code, 0, "{signal}: {ran}");
        world.is_quiet();
    }
}
