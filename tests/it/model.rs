//! [MODEL-02] [MODEL-03] OpenAI Chat Completions against a local mock, with its faults.

use serde_json::{Value, json};
use tollgate_tests::{Script, World, events::content_text, mock::Mock, processes::below};

fn scenario() -> Value {
    json!({ "name": "main-job", "turns": [
        { "text": "Let me look.", "calls": [{ "name": "read", "arguments": { "path": "greet.sh" } }] },
        { "calls": [
            { "name": "edit", "arguments": { "path": "greet.sh", "edits": [{ "old": "helo", "new": "hello" }] } },
            { "name": "bash", "arguments": { "command": "sh greet.sh" } } ] },
        { "text": "It says hello now." }] })
}

fn exec(world: &World) -> tollgate_tests::Command {
    world.tollgate([
        "exec",
        "--model",
        "mock:any",
        "--output-format",
        "stream-json",
        "--posture",
        "full-access",
        "Fix it.",
    ])
}

fn world(options: &[&str]) -> (World, Mock) {
    let world = World::new();
    world.write("greet.sh", "echo helo\n");
    let mock = Mock::start(&world, &scenario(), options);
    let world = world.config(&mock.config());
    (world, mock)
}

/// The main job over HTTP: the same events, results and receipts as with a script.
#[test]
fn a_turn_over_http() {
    let (world, mock) = world(&[]);
    let events = exec(&world).run().success().events().well_formed();
    let names: Vec<_> =
        events.results().iter().map(|it| (it["name"].clone(), it["status"].clone())).collect();
    assert_eq!(json!(names), json!([["read", "ok"], ["edit", "ok"], ["bash", "ok"]]));
    assert!(content_text(events.results()[2]).starts_with("hello"));
    let end = events.one("turn.completed");
    assert_eq!(end["text"], "It says hello now.");
    assert_eq!(end["usage"]["input"], 300, "tokens of three requests: {end}");
    world.receipts(Some(events.session())).sound(&world);
    let requests = mock.requests(&world);
    assert_eq!(requests.len(), 3);
    let contract = ["read", "write", "edit", "bash", "tool_search", "execute_tools"];
    assert_eq!(requests[0]["offered"], json!(contract));
    let streamed = events.of("assistant.delta");
    assert!(streamed.iter().any(|it| it["text"].as_str().is_some_and(|text| !text.is_empty())));
}

/// [MODEL-03] A fault before any token is tried again, and told.
#[test]
fn a_passing_fault_is_tried_again() {
    for fault in ["429-once", "500-once", "cut-once"] {
        let (world, mock) = world(&["--fault", fault]);
        let events = exec(&world).run().success().events().well_formed();
        assert_eq!(events.one("turn.completed")["text"], "It says hello now.", "{fault}");
        assert_eq!(events.of("model.retrying").len(), 1, "{fault}");
        assert_eq!(mock.requests(&world).len(), 4, "{fault}");
    }
}

/// [MODEL-03] A stream that is cut after its first token is not begun again: that is told, and the session
/// can go on.
#[test]
fn a_cut_stream_is_told() {
    for fault in ["cut", "garbage"] {
        let (world, mock) = world(&["--fault", fault]);
        let ran = exec(&world).run();
        assert_ne!(ran.code, 0, "{fault}: {ran}");
        assert!(!ran.stderr.is_empty(), "{fault}: {ran}");
        let events = ran.events().well_formed();
        assert_eq!(events.one("turn.completed")["stop_reason"], "error", "{fault}");
        assert!(events.results().is_empty(), "nothing ran on half an answer");
        drop(mock);
        world.is_quiet();
    }
}

/// [CLI-05] Nobody listens: unavailable or retryable, with the address.
#[test]
fn a_provider_that_is_not_there() {
    let world = World::new()
        .config("[servers.model.settings.providers.mock]\nbase_url = \"http://127.0.0.1:9/v1\"");
    let ran = world.tollgate(["exec", "--model", "mock:any", "hi"]).run();
    assert!([4, 75].contains(&ran.code), "{ran}");
    assert!(ran.stderr.contains("127.0.0.1:9") || ran.stderr.contains("mock"), "{ran}");
    let ran = world.tollgate(["exec", "--model", "nobody:any", "hi"]).run().code(4);
    assert!(
        ran.stderr.contains("nobody") && ran.stderr.contains("mock"),
        "the known ones are told: {ran}"
    );
}

/// [MODEL-01] [GATE-81] A key reaches the provider and nothing else.
#[test]
fn a_key_appears_nowhere() {
    let world = World::new();
    world.write("greet.sh", "echo helo\n");
    let mut scenario = scenario();
    // The floor refuses the plain name; a computed one gets past it, and finds no key.
    scenario["turns"][1]["calls"][1]["arguments"]["command"] =
        json!("env; e=environ; cat /proc/self/$e; sh greet.sh");
    let mock = Mock::start(&world, &scenario, &[]);
    let settings = mock.config()
        + "api_key_env = \"CANARY_API_KEY\"\n[servers.model]\nenv = [\"CANARY_API_KEY\"]\n";
    let world = world.config(&settings);
    let canary = "sk-canary-71aa02";
    let ran = exec(&world).env("CANARY_API_KEY", canary).args(["-vvv"]).run().success();
    assert!(
        mock.requests(&world).iter().all(|request| request["has_key"] == true),
        "the key was sent"
    );
    assert!(!(ran.text() + &ran.stderr).contains(canary), "the key was printed");
    let mut folders = vec![world.home(), world.beside("requests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let bytes = std::fs::read(entry.path()).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                assert!(!text.contains(canary), "the key is in {}", entry.path().display());
            }
        }
    }
}

/// The model's server, killed in the middle of an answer: told as such, nothing of half an answer runs,
/// and the session goes on.
#[test]
fn a_killed_model_server_is_told() {
    let (world, mock) = world(&["--fault", "slow", "--slow-ms", "1000"]);
    let mut kernel = exec(&world).spawn();
    kernel.event_type("assistant.delta");
    let server = below(kernel.pid).into_iter().find(|it| it.program() == "tollgate-model");
    server.expect("the model's server runs").kill();
    let ran = kernel.finish();
    assert!([4, 75].contains(&ran.code), "{ran}");
    assert!(ran.stderr.contains("model"), "{ran}");
    let events = ran.events().well_formed();
    assert_eq!(events.one("turn.completed")["stop_reason"], "error");
    assert!(events.results().is_empty(), "nothing ran on half an answer");
    let answer = world.script(&Script::new().text("went on"));
    let ran = world.tollgate(["resume", "--last", "again", "--model", &answer]).run().success();
    assert_eq!(ran.text(), "went on\n");
    drop(mock);
    world.is_quiet();
}
