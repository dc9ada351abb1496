//! The tool `terminal`: programs at a pseudo-terminal over the calls of a session. [GATE-22], [SHELL-03]

use serde_json::{Value, json};
use tollgate_tests::{Events, Script, World, events::content_text};

/// Runs the calls of `terminal` in one turn, where nobody is asked and all may run.
#[track_caller]
fn turn(world: &World, calls: &[Value], options: &[&str]) -> Events {
    let call = |script: Script, call: &Value| script.call("terminal", call.clone());
    let script = calls.iter().fold(Script::new(), call).text("Done.");
    let command = world.exec(&script, "Go.").args(["--posture", "full-access"]).args(options);
    command.run().success().events().well_formed()
}

/// The contents of the results, each ended as it says.
#[track_caller]
fn said(events: &Events, statuses: &[&str]) -> Vec<String> {
    let results = events.results();
    let found: Vec<&str> = results.iter().map(|it| it["status"].as_str().unwrap()).collect();
    let said: Vec<String> = results.iter().map(|result| content_text(result)).collect();
    assert_eq!(found, statuses, "{said:#?}");
    said
}

/// A shell keeps its state over the calls of a session; what it writes is shown as on a screen.
#[test]
fn a_shell_is_typed_into_and_read() {
    let world = World::new();
    let calls = [
        json!({ "action": "open", "rows": 30, "cols": 100 }),
        json!({ "action": "send", "id": "t1", "text": "x=40; stty size\n" }),
        json!({ "action": "send", "id": "t1", "text": "printf '\\033[31m%s\\033[0m\\n' sum:$((x+2))", "keys": ["enter"] }),
        json!({ "action": "send", "id": "t1", "text": "sleep 1000\n" }),
        json!({ "action": "send", "id": "t1", "keys": ["ctrl-c"] }),
        json!({ "action": "send", "id": "t1", "text": "echo code:$?\n" }),
        json!({ "action": "list" }),
        json!({ "action": "close", "id": "t1" }),
        json!({ "action": "read", "id": "t1" }),
    ];
    let events = turn(&world, &calls, &[]);
    let said = said(&events, &["ok"; 9]);
    assert!(said[0].contains("30 rows, 100 columns"), "{}", said[0]);
    assert!(said[1].contains("30 100"), "{}", said[1]);
    assert!(said[2].contains("\nsum:42\n"), "{}", said[2]);
    assert!(said[5].contains("code:130"), "{}", said[5]);
    assert!(said[6].contains("t1 runs since"), "{}", said[6]);
    assert!(said[7].contains("were stopped on request"), "{}", said[7]);
    assert!(said[8].contains("code:130"), "an ended one can still be read: {}", said[8]);
    let escapes = said.iter().any(|text| text.contains('\u{1b}'));
    assert!(!escapes, "{said:?}");
    world.receipts(Some(events.session())).sound(&world);
    world.is_quiet();
}

/// [SHELL-03] Nothing of a terminal outlives its session, whatever it ignores.
#[test]
fn a_terminal_ends_with_its_session() {
    let world = World::new();
    let unwilling = "trap '' HUP TERM; setsid sleep 1000 & sleep 1000";
    turn(&world, &[json!({ "action": "open", "command": unwilling })], &[]);
    world.is_quiet();
}

/// [GATE-22] Nothing of it runs without a yes; a rule on a command holds for what is opened and what is
/// typed, also in pieces, and the session goes on.
#[test]
fn what_is_typed_is_judged() {
    let world = World::new();
    let asked = world.call("terminal", &json!({ "action": "open" })).run().code(3);
    assert_eq!(asked.json()["receipt"]["end"]["status"], "refused");
    let deny = ["--deny", "bash(touch *)"];
    let opened = world.call("terminal", &json!({ "action": "open", "command": "touch opened" }));
    opened.args(["--posture", "full-access"]).args(deny).run().code(3);
    let calls = [
        json!({ "action": "open" }),
        json!({ "action": "send", "id": "t1", "text": "touch typed\n" }),
        json!({ "action": "send", "id": "t1", "text": "tou" }),
        json!({ "action": "send", "id": "t1", "text": "ch pieces\n" }),
        json!({ "action": "send", "id": "t1", "keys": ["ctrl-c"] }),
        json!({ "action": "send", "id": "t1", "text": "echo still here\n" }),
    ];
    let script =
        calls.iter().fold(Script::new(), |script, call| script.call("terminal", call.clone()));
    let command = world.exec(&script.text("Done."), "Go.").args(deny);
    let mut running = command.args(["--approvals", "stdio"]).stdin_open().spawn();
    let mut cards = 0;
    loop {
        let event = running.event("a card or the end", |event| {
            matches!(event["type"].as_str(), Some("approval.requested" | "turn.completed"))
        });
        if event["type"] == "turn.completed" {
            break;
        }
        cards += 1;
        let answer = json!({ "approval": event["id"], "answer": "once" });
        running.say(&answer.to_string());
    }
    running.close_stdin();
    let events = running.finish().events().well_formed();
    said(&events, &["ok", "refused", "ok", "refused", "ok", "ok"]);
    assert_eq!(cards, 4, "what a rule denies asks nobody");
    for name in ["opened", "typed", "pieces"] {
        assert!(!world.has(name), "{name}");
    }
    world.is_quiet();
}

/// [TOOL-02] An argument that is not the action's is an error that names the right one.
#[test]
fn a_wrong_call_says_what_helps() {
    let world = World::new();
    for (arguments, says) in [
        (json!({ "action": "read" }), "needs 'id'"),
        (json!({ "action": "read", "id": "t9" }), "start one with action 'open'"),
        (json!({ "action": "send", "id": "t1", "keys": ["hyper"] }), "page-up"),
        (json!({ "action": "open", "text": "x" }), "belongs to send"),
        (json!({ "action": "open", "row": 3 }), "rows"),
    ] {
        let ran = world.call("terminal", &arguments).args(["--posture", "full-access"]).run();
        assert!(ran.code != 0 && ran.to_string().contains(says), "{arguments}: {ran}");
    }
}
