//! What hooks are told of, and of what.

use tollgate_tests::{Script, eventually::eventually_true};

use super::*;

/// A hook that appends what it is told to a file of the world, one line an event.
fn scribe(event: &str, more: &str) -> String {
    hook(event, "'cat >> ../told; echo >> ../told'", more)
}

fn told(world: &World) -> Vec<Value> {
    let lines = lines(world, "told");
    lines.iter().filter(|it| !it.is_empty()).map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// [GATE-40] The life of a session, in its order, with what each event has.
#[test]
fn a_session_is_told_from_its_start_to_its_end() {
    let all = [
        "session_start",
        "message_submit",
        "tool_call_before",
        "tool_call_after",
        "turn_end",
        "session_end",
    ];
    let world = world(all.map(|event| scribe(event, "")).concat());
    world.write("a.txt", "x\n");
    let script = Script::new().strict().call("read", json!({ "path": "a.txt" })).text("done");
    let ran = world.exec(&script, "look").run().success();
    let session = ran.events().well_formed().session().to_owned();
    let told = told(&world);
    let events: Vec<_> = told.iter().map(|it| it["event"].as_str().unwrap()).collect();
    assert_eq!(events, all);
    let aliases: Vec<_> = told.iter().map(|it| it["hook_event_name"].as_str().unwrap()).collect();
    assert_eq!(
        aliases,
        ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]
    );
    for event in &told {
        assert_eq!(event["session_id"], session.as_str());
        assert_eq!((&event["mode"], &event["posture"]), (&json!("work"), &json!("ask")));
        assert_eq!(event["cwd"], world.workspace().display().to_string());
    }
    assert_eq!(told[1]["prompt"], "look");
    let (before, after) = (&told[2], &told[3]);
    for call in [before, after] {
        assert_eq!((&call["tool_name"], &call["server"]), (&json!("read"), &json!("file")));
        assert_eq!(call["tool_input"], json!({ "path": "a.txt" }));
        assert_eq!((&call["caller"], &call["agent"]), (&json!("model"), &json!("main")));
        assert_eq!(call["safety"]["read_only"], true);
        assert_eq!(call["call_id"], before["call_id"]);
        assert!(call["subjects"].to_string().contains("a.txt"), "{call}");
    }
    assert_eq!((&after["status"], &after["decision"]), (&json!("ok"), &json!("auto")));
    assert!(after["result"].to_string().contains("x\\n"), "{after}");
    assert_eq!((&told[4]["text"], &told[4]["stop_reason"]), (&json!("done"), &json!("end")));
}

/// A refused call is told too, with why; so is one whose arguments are wrong.
#[test]
fn a_refused_call_is_told_after() {
    let world = world([scribe("tool_call_after", ""), before("exit 2", "")].concat());
    refused(&guarded(&world));
    world.call("read", &json!({ "path": 5 })).run().code(2);
    let told = told(&world);
    let classes: Vec<_> = told.iter().map(|it| it["error_class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["hook_denied", "invalid_arguments"]);
    assert!(told.iter().all(|it| it["status"] == "refused" && it["may_have_run"] == false));
}

/// [GATE-40] A scrubbed environment, its own variables, the workspace; no key, no inherited input.
#[test]
fn a_hook_gets_a_scrubbed_environment() {
    let world = world(hook("session_start", "'env > ../env; pwd >> ../env; exit 0'", ""));
    let ran = world
        .call("read", &json!({ "path": "none" }))
        .env("OPENAI_API_KEY", "canary")
        .env("SECRET_CANARY", "canary")
        .run();
    let env = lines(&world, "env");
    let session = ran.json()["receipt"]["session"].clone();
    let has = |line: String| assert!(env.contains(&line), "{line} is not in {env:?}");
    has("TOLLGATE_EVENT=session_start".to_owned());
    has(format!("TOLLGATE_WORKSPACE={}", world.workspace().display()));
    has(world.workspace().display().to_string());
    if let Some(session) = session.as_str() {
        has(format!("TOLLGATE_SESSION={session}"));
    }
    assert!(env.iter().all(|line| !line.contains("canary")), "{env:?}");
}

/// CFG-07: the repository cannot put a program in place of the user's.
#[test]
fn a_program_of_the_workspace_is_never_found_by_its_name() {
    let world = world(hook("tool_call_before", "[\"guard\"]", ""));
    for place in ["guard", "bin/guard"] {
        let path = world.write(place, "#!/bin/sh\ntouch ../canary\n");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let inside = world.workspace().join("bin").display().to_string();
    let path = format!(".::{inside}:/usr/bin:/bin");
    let ran =
        world.call("bash", &touch()).env("PATH", path).args(["--posture", "full-access"]).run();
    let (class, why) = refused(&ran);
    assert_eq!(class, "hook_failed");
    assert!(why.contains("no program 'guard' in PATH"), "{why}");
    assert!(!world.beside("canary").exists());
}

/// [GATE-40] A denied message never reaches the model, now or later.
#[test]
fn a_denied_message_is_not_sent() {
    let line = "grep -q password && { echo no passwords >&2; exit 2; }; exit 0";
    let world = world(hook("message_submit", &format!("{line:?}"), ""));
    let script = Script::new().text("first").text("second");
    let model = world.script(&script);
    let run = |arguments: &[&str]| {
        world.tollgate(arguments.iter().copied()).args(["--output-format", "stream-json"]).run()
    };
    let ran = run(&["exec", "--model", &model, "the password is 1234"]).code(3);
    let events = ran.events().well_formed();
    assert!(events.of("request.prepared").is_empty(), "{ran}");
    let end = events.one("turn.completed");
    assert_eq!(end["stop_reason"], "hook");
    assert!(end["text"].as_str().unwrap().contains("no passwords"), "{end}");
    let folder = world.beside("requests").display().to_string();
    let ran = run(&["resume", events.session(), "hello", "--record-requests", &folder]).success();
    assert_eq!(ran.events().one("turn.completed")["turn"], 2);
    let sent = fs::read_to_string(format!("{folder}/0001.json")).unwrap();
    assert!(sent.contains("hello") && !sent.contains("password"), "{sent}");
    set(&world, &hook("message_submit", "\"exit 1\"", ""));
    run(&["exec", "--model", &model, "anything"]).code(3);
}

/// An observer that fails, or takes too long, stops nothing and is told.
#[test]
fn an_observer_stops_nothing() {
    for (line, part) in [("exit 1", "exit code 1"), ("exit 2", ""), ("sleep 1000", "its time")] {
        let events = ["session_start", "tool_call_after", "turn_end"];
        let line = format!("{line:?}");
        let world = world(events.map(|event| hook(event, &line, "timeout_s = 1")).concat());
        let script = Script::new().strict().call("bash", touch()).text("done");
        let ran = world.exec(&script, "go").args(["--posture", "full-access"]).run().success();
        let events = ran.events().well_formed();
        let errors = events.of("error");
        assert_eq!(errors.len(), if part.is_empty() { 0 } else { 3 }, "{ran}");
        for error in errors {
            assert!(error["message"].as_str().unwrap().contains(part), "{error}");
        }
        assert!(world.has(MARKER));
        world.is_quiet();
    }
}

/// Nobody waits for a hook in the background, and none outlives its session.
#[test]
fn a_background_hook_ends_with_its_session() {
    let world = world(
        [
            hook("tool_call_after", "\"sleep 1000\"", "background = true\ntimeout_s = 600"),
            hook("tool_call_after", "'touch ../noted'", "background = true"),
        ]
        .concat(),
    );
    world.write("a.txt", "x\n");
    world.call("read", &json!({ "path": "a.txt" })).run().success();
    world.is_quiet();
    eventually_true("the short one ran", || world.beside("noted").exists());
}

/// [CC#84302] A card is told to hooks without making the person wait, and its wait is no hook's.
#[test]
fn a_question_does_not_wait_for_its_hooks() {
    let slow = hook("approval_requested", "'cat > ../card; sleep 1000'", "timeout_s = 600");
    let world = world(slow);
    let model = world.script(&Script::new().call("bash", touch()).text("done"));
    let mut running = world
        .tollgate(["exec", "--model", &model, "--output-format", "stream-json"])
        .args(["--approvals", "stdio", "go"])
        .stdin_open()
        .spawn();
    let asked = running.event_type("approval.requested");
    assert_eq!(asked["card"]["tool"], "bash");
    eventually_true("the hook was told", || !lines(&world, "card").is_empty());
    let card: Value = serde_json::from_str(&lines(&world, "card")[0]).unwrap();
    assert_eq!(
        (&card["event"], &card["card"]["tool"]),
        (&json!("approval_requested"), &json!("bash"))
    );
    // End-of-file is nobody's yes.
    running.close_stdin();
    let ran = running.finish();
    assert!(!world.has(MARKER), "{ran}");
    world.is_quiet();
}

/// A turn that fails is told.
#[test]
fn a_failed_turn_is_told() {
    let world = world(scribe("error", ""));
    world.exec(&Script::new(), "go").run().code(1);
    let told = told(&world);
    assert_eq!(told.len(), 1);
    assert!(told[0]["message"].as_str().unwrap().contains("step"), "{}", told[0]);
}
