//! [PROTO-07] [PROTO-08] What the kernel does when a server dies: reported, restarted with the next
//! call, given up after five deaths.

use serde_json::json;
use tollgate_tests::{
    Script, World,
    events::content_text,
    eventually::{eventually, eventually_true},
    processes::{Process, below},
};

const TRUSTED: &str = "trust = \"trusted\"";

/// The server's process below a kernel.
fn server_of(kernel: i32, program: &str) -> Process {
    eventually(&format!("{program} runs"), || {
        below(kernel).into_iter().find(|process| process.program() == program)
    })
}

/// A call that may be run twice is sent again once, to the new process, as a second attempt.
#[test]
fn an_idempotent_call_is_sent_again_once() {
    let world = World::new().hostile("plain", TRUSTED);
    let full = ["--posture", "full-access"];
    let ran = world.call("again", &json!({ "how": "die-once" })).args(full).run().success();
    assert_eq!(content_text(&ran.json()["result"]), "ok");
    let journal = world.journal();
    let attempts: Vec<_> = journal.iter().map(|line| line.split(' ').nth(2).unwrap()).collect();
    assert_eq!(attempts, ["1", "2"], "{journal:?}");
    world.call("again", &json!({ "how": "die" })).args(full).run().code(1);
    assert_eq!(world.journal().len(), 4, "at most twice: {:?}", world.journal());
    world.receipts(None).sound(&world);
}

/// A call that may not is never sent again, whatever it was doing.
#[test]
fn a_call_that_changes_things_is_never_sent_again() {
    let world = World::new().hostile("plain", TRUSTED);
    let ran = world
        .call("change", &json!({ "how": "die-once" }))
        .args(["--posture", "full-access"])
        .run();
    let printed = ran.code(1).json();
    let end = &printed["receipt"]["end"];
    assert_eq!((&end["effects"], &end["may_have_run"]), (&json!("unknown"), &json!(true)), "{end}");
    assert_eq!(end["error_class"], "server_lost");
    assert!(content_text(&printed["result"]).contains("may have run"), "{printed}");
    assert_eq!(world.journal().len(), 1);
}

/// A call that only reads says that it can be called again.
#[test]
fn a_lost_call_that_only_reads_changed_nothing() {
    let world = World::new().hostile("plain", TRUSTED);
    let printed = world.call("look", &json!({ "how": "die" })).run().code(1).json();
    let end = &printed["receipt"]["end"];
    assert_eq!((&end["status"], &end["effects"]), (&json!("failed"), &json!("none")), "{end}");
    assert_eq!(end["may_have_run"], false);
    assert!(content_text(&printed["result"]).contains("changes nothing"), "{printed}");
}

/// `kill -9` of a real server in the middle of a command: the call is told, what it ran is gone (also
/// what left its session), and the next call has a new server.
#[test]
fn a_killed_server_is_told_and_replaced() {
    let world = World::new();
    let mark = world.folder().join("mark").to_string_lossy().into_owned();
    let command = format!("setsid bash -c 'sleep 300; : {mark}' & touch running; sleep 300");
    let script = Script::new()
        .call("bash", json!({ "command": command }))
        .call("bash", json!({ "command": "echo again" }))
        .text("done");
    let kernel = world.exec(&script, "go").args(["--posture", "full-access"]).spawn();
    eventually_true("the command runs", || world.has("running"));
    server_of(kernel.pid, "tollgate-shell").kill();
    let ran = kernel.finish().success();
    let events = ran.events().well_formed();
    let results = events.results();
    assert_eq!(results[0]["receipt"]["end"]["may_have_run"], true, "{}", results[0]);
    assert!(content_text(results[0]).contains("may have run"), "{}", results[0]);
    assert!(content_text(results[1]).starts_with("again"), "{}", results[1]);
    assert_ne!(results[0]["receipt"]["instance"], results[1]["receipt"]["instance"]);
    world.receipts(Some(events.session())).sound(&world);
    world.is_quiet();
}

/// A server that dies between two calls is started again without a word to the model.
#[test]
fn a_server_that_dies_between_calls_is_replaced() {
    let world = World::new().hostile("plain", TRUSTED);
    world.write("a.txt", "a\n");
    let script = Script::new()
        .call("read", json!({ "path": "a.txt" }))
        .call("look", json!({ "how": "wait" }))
        .call("read", json!({ "path": "a.txt" }))
        .text("done");
    // `look` waits until it is told to stop by its clock; meanwhile the file server is killed.
    let world = world.config("[servers.hostile.clocks]\ncall_ms = 1500");
    let kernel = world.exec(&script, "go").spawn();
    eventually_true("the second call runs", || world.journal().len() == 1);
    server_of(kernel.pid, "tollgate-file").kill();
    let ran = kernel.finish();
    let events = ran.events().well_formed();
    let results = events.results();
    assert_eq!((content_text(results[0]), content_text(results[2])), ("a\n".into(), "a\n".into()));
    assert_ne!(results[0]["receipt"]["instance"], results[2]["receipt"]["instance"]);
    world.receipts(Some(events.session())).sound(&world);
}

/// Five deaths within three minutes: given up, with the reason and what helps; other servers go on.
#[test]
fn a_server_that_dies_five_times_is_quarantined() {
    let world = World::new().hostile("plain", TRUSTED);
    world.write("a.txt", "a\n");
    let mut script = Script::new();
    for _ in 0..6 {
        script = script.call("change", json!({ "how": "die" }));
    }
    let script = script.call("read", json!({ "path": "a.txt" })).text("done");
    let ran = world.exec(&script, "go").args(["--posture", "full-access"]).run();
    let events = ran.events().well_formed();
    let results = events.results();
    assert_eq!(world.journal().len(), 5, "the sixth call was not sent: {ran}");
    let last = content_text(results[5]);
    assert!(!last.contains("before it answered"), "it had answered: {last}");
    for part in ["quarantined", "died 5 times", "ended with exit code 9", "servers restart"] {
        assert!(last.contains(part), "no {part:?} in {last}");
    }
    assert_eq!(results[5]["status"], "refused");
    assert_eq!(content_text(results[6]), "a\n", "other servers go on");
    world.receipts(Some(events.session())).sound(&world);
}

/// [ARCH-04] Many calls that wait for one server start it once.
#[test]
fn many_waiting_calls_start_a_server_once() {
    let world = World::new().hostile("plain", TRUSTED);
    world.warm();
    let calls = (0..8).map(|_| ("look", json!({ "how": "ok" })));
    let script = Script::new().calls(calls).text("done");
    let events = world.exec(&script, "go").run().success().events().well_formed();
    let results = events.results();
    assert!(
        results.iter().all(|it| it["receipt"]["instance"] == results[0]["receipt"]["instance"])
    );
}

/// `servers stop` ends a server in whichever kernel it runs; the call is told, the next one works.
#[test]
fn a_server_is_stopped_from_outside() {
    let world = World::new().hostile("plain", TRUSTED);
    let script = Script::new()
        .call("look", json!({ "how": "wait" }))
        .call("look", json!({ "how": "ok" }))
        .text("done");
    let kernel = world.exec(&script, "go").spawn();
    eventually_true("the call runs", || world.journal().len() == 1);
    world.tollgate(["servers", "stop", "hostile"]).run().success();
    let ran = kernel.finish().success();
    let events = ran.events().well_formed();
    let results = events.results();
    assert_ne!(results[0]["status"], "ok");
    assert_eq!(content_text(results[1]), "ok");
    world.is_quiet();
}
