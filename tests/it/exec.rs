//! The main job: a scripted turn that really reads, edits and runs, told as events.

use serde_json::json;
use tollgate_tests::{Script, World, events::content_text};

fn script() -> Script {
    Script::new()
        .strict()
        .step(json!({ "text": "Let me look.", "tool_calls": [
            { "name": "read", "arguments": { "path": "greet.sh" } }] }))
        .call("edit", json!({ "path": "greet.sh", "edits": [{ "old": "helo", "new": "hello" }] }))
        .call("bash", json!({ "command": "sh greet.sh" }))
        .text("It says hello now.")
}

/// [CLI-01] [CLI-02] [KERN-01] [TURN-01] read, edit and bash on real files.
#[test]
fn a_turn_reads_edits_and_runs() {
    let world = World::new();
    world.write("greet.sh", "echo helo\n");
    let model = world.script(&script());
    let ran = world
        .tollgate(["exec", "--model", &model, "--output-format", "stream-json"])
        .args(["--posture", "full-access", "Fix the greeting."])
        .run()
        .success();
    let events = ran.events().well_formed();
    let step = ["request.prepared", "assistant.message"];
    let call = ["tool.call", "tool.started", "tool.result"];
    let mut expected = vec!["session.started", "turn.started"];
    for _ in 0..3 {
        expected.extend(step);
        expected.extend(call);
    }
    expected.extend(step);
    expected.extend(["turn.completed", "session.ended"]);
    assert_eq!(events.types(), expected, "{ran}");
    let results = events.results();
    let statuses: Vec<_> = results
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["status"].as_str().unwrap()))
        .collect();
    assert_eq!(statuses, [("read", "ok"), ("edit", "ok"), ("bash", "ok")]);
    assert!(content_text(results[2]).starts_with("hello\n"), "{}", results[2]);
    assert_eq!(world.read("greet.sh"), "echo hello\n");
    let end = events.one("turn.completed");
    assert_eq!((&end["text"], &end["stop_reason"]), (&json!("It says hello now."), &json!("end")));
    assert_eq!(end["steps"], 4);
    assert!(!ran.text().contains('\u{1b}'), "control sequences on standard output");
    let receipts = world.receipts(Some(events.session())).sound(&world);
    assert_eq!(receipts.words(), ["read ok auto", "edit ok auto", "bash ok auto"]);
    world.is_quiet();
}

/// [CLI-02] Every line fits the published schema's list of types, and requests say what they offer.
#[test]
fn events_are_those_of_the_published_schema() {
    let world = World::new();
    world.write("greet.sh", "echo helo\n");
    let schema = world.tollgate(["config", "schema", "events"]).run().success().text();
    assert!(serde_json::from_str::<serde_json::Value>(&schema).is_ok(), "the schema is no JSON");
    let events = world.exec(&script(), "Fix it.").run().events().well_formed();
    for kind in events.types() {
        assert!(schema.contains(&format!("\"{kind}\"")), "the schema lacks {kind}");
    }
    let prepared = events.of("request.prepared");
    for request in &prepared {
        assert_eq!(request["tool_names"], prepared[0]["tool_names"], "the prefix is stable");
        assert_eq!(
            request["active_tool_catalog_sha256"], prepared[0]["active_tool_catalog_sha256"],
            "the prefix is stable"
        );
        assert!(request.get("prefix_change_reason").is_none(), "{request}");
    }
    let contract = ["read", "write", "edit", "bash", "tool_search", "execute_tools"];
    assert_eq!(prepared[0]["tool_names"], json!(contract));
}

/// [CLI-01] The answer on standard output, all else on standard error; JSON as one object.
#[test]
fn text_and_json_give_the_answer() {
    let world = World::new();
    let model = world.script(&Script::new().text("Nothing to do."));
    let ran = world.tollgate(["exec", "--model", &model, "hi"]).run().success();
    assert_eq!(ran.text(), "Nothing to do.\n");
    let ran = world
        .tollgate(["exec", "--model", &model, "--output-format", "json", "hi"])
        .run()
        .success();
    let printed = ran.json();
    assert_eq!((&printed["text"], &printed["exit_code"]), (&json!("Nothing to do."), &json!(0)));
    let ran = world.tollgate(["exec", "--model", &model]).stdin("from a pipe").run().success();
    assert_eq!(ran.text(), "Nothing to do.\n");
}

/// [CLI-01] [MODEL-04] What was sent can be kept, byte for byte.
#[test]
fn requests_are_recorded() {
    let world = World::new();
    world.write("greet.sh", "echo helo\n");
    let folder = world.beside("requests");
    let folder_text = folder.to_string_lossy().into_owned();
    let events =
        world.exec(&script(), "Fix it.").args(["--record-requests", &folder_text]).run().events();
    let prepared = events.of("request.prepared");
    for (index, request) in prepared.iter().enumerate() {
        let bytes = std::fs::read(folder.join(format!("{:04}.json", index + 1))).unwrap();
        assert_eq!(request["request_bytes"], bytes.len(), "request {index}");
        let sent: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let tools: Vec<_> =
            sent["tools"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
        assert_eq!(json!(tools), request["tool_names"]);
    }
    assert!(!prepared.is_empty());
}

/// [CLI-05] [MODEL-05] A script that is at its end, and a turn that may take no more steps.
#[test]
fn a_turn_that_cannot_go_on_says_why() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let read = json!({ "path": "a.txt" });
    let script = Script::new().call("read", read.clone());
    let ran = world.exec(&script, "go").run().code(1).says(["1 steps", "add a step"]);
    assert_eq!(ran.events().well_formed().one("turn.completed")["stop_reason"], "error");
    let script = Script::new().call("read", read.clone()).call("read", read).text("never said");
    let ran = world.exec(&script, "go").args(["--max-steps", "2"]).run().code(1);
    assert_eq!(ran.events().well_formed().one("turn.completed")["stop_reason"], "steps");
    world.receipts(None).sound(&world);
}

/// [KERN-03] Calls of one step: results in the order of the calls; one that changes things runs alone.
#[test]
fn calls_of_one_step_keep_their_order() {
    let world = World::new();
    world.write("a.txt", "a\n");
    world.write("b.txt", "b\n");
    let script = Script::new()
        .calls([
            ("read", json!({ "path": "a.txt" })),
            ("read", json!({ "path": "b.txt" })),
            ("write", json!({ "path": "c.txt", "content": "c\n" })),
            ("read", json!({ "path": "c.txt" })),
        ])
        .text("{{last.content}}");
    let ran = world.exec(&script, "go").args(["--posture", "full-access"]).run().success();
    let events = ran.events().well_formed();
    let texts: Vec<_> = events.results().iter().map(|it| content_text(it)).collect();
    assert_eq!((texts[0].as_str(), texts[1].as_str(), texts[3].as_str()), ("a\n", "b\n", "c\n"));
    assert_eq!(events.one("turn.completed")["text"], "c\n");
}

/// [TURN-01] A session goes on with what was said before.
#[test]
fn a_session_is_resumed() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let script =
        Script::new().call("read", json!({ "path": "a.txt" })).text("first").text("second");
    let model = world.script(&script);
    let first = world
        .tollgate(["exec", "--model", &model, "--output-format", "stream-json", "one"])
        .run()
        .success();
    let session = first.events().session().to_owned();
    let ran = world
        .tollgate(["resume", &session, "two", "--output-format", "stream-json"])
        .run()
        .success();
    let events = ran.events().well_formed();
    assert_eq!(events.session(), session);
    assert_eq!(events.one("session.started")["resumed"], true);
    assert_eq!(events.one("turn.completed")["text"], "second", "the model's third answer");
    let shown = world.tollgate(["sessions", "show", &session]).run().success().text();
    assert!(shown.contains("> one") && shown.contains("> two"), "{shown}");
}
