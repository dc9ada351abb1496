//! `kill -9` of the kernel at every stage of a turn: nothing is orphaned, the session resumes, the call
//! that ran is reported, every call has exactly one receipt.

use serde_json::{Value, json};
use tollgate_tests::{
    Running, Script, World,
    events::content_text,
    eventually::{eventually, eventually_true},
    processes::below,
};

/// The turn that is killed: a read, a command that leaves the session and the shell's group, an edit.
fn script(world: &World) -> Script {
    let mark = world.folder().join("mark").to_string_lossy().into_owned();
    let command = format!(
        "setsid bash -c 'exec -a detached sleep 300; : {mark}' & (nohup bash -c 'sleep 300; : {mark}' &) ; \
         touch running; while [ ! -e go ]; do read -t 0.05 < <(:) || :; done; kill -9 0; echo never"
    );
    Script::new()
        .call("read", json!({ "path": "a.txt" }))
        .call("bash", json!({ "command": command }))
        .call("edit", json!({ "path": "a.txt", "edits": [{ "old": "one", "new": "two" }] }))
        .text("done")
        .text("went on")
}

fn start(world: &World) -> Running {
    world.write("a.txt", "one\n");
    world.warm();
    world.exec(&script(world), "go").args(["--posture", "full-access"]).spawn()
}

/// Waits until the command runs, and what it detached.
fn detached_children_run(world: &World) {
    eventually_true("the command and its detached children run", || {
        let sleeping = world.processes().into_iter().filter(|it| it.name == "sleep");
        world.has("running") && sleeping.count() == 2
    });
}

/// The one session of a world.
fn session(world: &World) -> String {
    let listed = world.tollgate(["sessions", "list", "--json"]).run().success().json();
    let exec = listed.as_array().unwrap().iter().find(|it| it["head"]["kind"] == "exec");
    exec.unwrap_or_else(|| panic!("{listed}"))["id"].as_str().unwrap().to_owned()
}

/// After a kill: quiet, resumable, sound. Gives what `resume` found.
#[track_caller]
fn check_after_the_kill(world: &World, kernel: Running) -> Value {
    kernel.kill();
    let ran = kernel.finish();
    assert_eq!(ran.code, 128 + 9, "{ran}");
    world.is_quiet();
    let session = session(world);
    let found = world.tollgate(["resume", &session, "--json"]).run().success().json();
    world.receipts(Some(&session)).sound(world);
    // What was left of the turn is over; the next one works on the same log.
    let answer = world.script(&Script::new().text("a").text("b").text("c").text("d").text("e"));
    let arguments = ["resume", &session, "go on", "--model", &answer, "--json"];
    let ran = world.tollgate(arguments).run().success();
    assert_eq!(ran.json()["stop_reason"], "end", "{ran}");
    world.receipts(Some(&session)).sound(world);
    let again = world.tollgate(["resume", &session, "--json"]).run().success().json();
    assert_eq!(again["in_flight"], json!([]), "reported once, and closed");
    found
}

/// [STORE-01] Before any call: the turn alone is known.
#[test]
fn a_kernel_killed_before_its_first_call() {
    for stage in ["session.started", "turn.started", "request.prepared"] {
        let world = World::new();
        let mut kernel = start(&world);
        kernel.event_type(stage);
        let found = check_after_the_kill(&world, kernel);
        assert_eq!(world.read("a.txt"), "one\n");
        assert!(found["in_flight"].as_array().unwrap().len() <= 1, "{stage}: {found}");
    }
}

/// While a call is judged or sent, and right after its result.
#[test]
fn a_kernel_killed_around_a_call() {
    for stage in ["assistant.message", "tool.call", "tool.started", "tool.result"] {
        let world = World::new();
        let mut kernel = start(&world);
        kernel.event_type(stage);
        check_after_the_kill(&world, kernel);
    }
}

/// [STORE-01] [SHELL-03] [PROTO-10] [GATE-80] In the middle of a command that detached children: they are
/// gone, and the command is reported as in flight.
#[test]
fn a_kernel_killed_while_a_command_runs() {
    let world = World::new();
    let kernel = start(&world);
    detached_children_run(&world);
    let found = check_after_the_kill(&world, kernel);
    let in_flight = found["in_flight"].as_array().unwrap();
    assert_eq!(in_flight.len(), 1, "{found}");
    assert_eq!(in_flight[0]["tool"], "bash");
    assert_eq!(in_flight[0]["end"]["status"], "in_flight");
    assert_eq!(in_flight[0]["end"]["may_have_run"], true);
    assert_eq!(in_flight[0]["end"]["effects"], "unknown");
    let receipts = world.receipts(Some(&session(&world)));
    let words = receipts.words();
    assert_eq!(words, ["read ok auto", "bash in_flight auto"]);
    assert_eq!(world.read("a.txt"), "one\n", "the edit never ran");
}

/// [STORE-01] The call that was running is reported in words, and the model is told of it.
#[test]
fn the_call_in_flight_is_told_to_people_and_to_the_model() {
    let world = World::new();
    let kernel = start(&world);
    eventually_true("the command runs", || world.has("running"));
    kernel.kill();
    assert_eq!(kernel.finish().code, 128 + 9);
    world.is_quiet();
    let ran = world.tollgate(["resume", "--last"]).run().success();
    let text = ran.text();
    assert!(text.contains("in flight") && text.contains("may have run"), "{ran}");
    let answer = world.script(&Script::new().text("a").text("b").text("{{last.content}}"));
    let ran = world.tollgate(["resume", "--last", "and?", "--model", &answer]).run().success();
    assert!(ran.text().contains("may have run"), "{ran}");
}

/// The shell's server, its warden and the command itself, killed one at a time.
#[test]
fn each_process_of_the_shell_can_be_killed() {
    for victim in ["tollgate-shell", "tollgate-warden", "bash"] {
        let world = World::new();
        let kernel = start(&world);
        eventually_true("the command runs", || world.has("running"));
        let process = eventually(&format!("{victim} runs"), || {
            below(kernel.pid).into_iter().find(|it| it.name == victim || it.program() == victim)
        });
        process.kill();
        world.write("go", "");
        let ran = kernel.finish().success();
        let events = ran.events().well_formed();
        let results = events.results();
        assert_ne!(results[1]["status"], "ok", "{victim}: {}", results[1]);
        assert!(!content_text(results[1]).contains("never"), "{victim}: {}", results[1]);
        assert_eq!(results[2]["status"], "ok", "{victim}: the turn goes on: {ran}");
        world.receipts(Some(events.session())).sound(&world);
        world.is_quiet();
    }
}

/// Every process of the tree at once, as a memory killer may. (What is forked in that very moment has
/// nobody left to end it; so the test waits until all is there.)
#[test]
fn a_whole_tree_can_be_killed() {
    let world = World::new();
    let kernel = start(&world);
    detached_children_run(&world);
    for process in below(kernel.pid) {
        process.kill();
    }
    let found = check_after_the_kill(&world, kernel);
    assert!(found["in_flight"].as_array().unwrap().len() <= 1, "{found}");
}

/// [CLI-05] SIGINT cancels the turn: every call has its result, the session is closed well.
#[test]
fn an_interrupted_turn_ends_well() {
    let world = World::new();
    let mut kernel = start(&world);
    kernel.event("bash runs", |event| event["type"] == "tool.started" && event["name"] == "bash");
    eventually_true("the command runs", || world.has("running"));
    kernel.signal(nix::sys::signal::Signal::SIGINT);
    let ran = kernel.finish().code(130);
    let events = ran.events().well_formed();
    assert_eq!(events.one("turn.completed")["stop_reason"], "cancelled");
    let results = events.results();
    assert_ne!(results[1]["status"], "ok", "{}", results[1]);
    assert_eq!(world.read("a.txt"), "one\n");
    world.receipts(Some(events.session())).sound(&world);
    world.is_quiet();
}

/// [CLI-01] [CLI-05] `--timeout` ends a turn with 124, and what runs with it.
#[test]
fn a_turn_that_takes_too_long_is_ended() {
    let world = World::new();
    world.write("a.txt", "one\n");
    let ran = world
        .exec(&script(&world), "go")
        .args(["--posture", "full-access", "--timeout", "2"])
        .run();
    let events = ran.clone().code(124).events().well_formed();
    assert_eq!(events.one("turn.completed")["stop_reason"], "timeout", "{ran}");
    world.receipts(Some(events.session())).sound(&world);
    world.is_quiet();
}
