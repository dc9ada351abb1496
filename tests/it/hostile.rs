//! Servers that break the contract: the kernel says what happened, other tools go on, nothing hangs
//! and nothing panics.

use serde_json::{Value, json};
use tollgate_tests::{Ran, Script, World, binary, events::content_text};

/// A server that is trusted, so that its faults and not the posture are what is met.
const TRUSTED: &str = "trust = \"trusted\"";
/// Clocks that are over soon.
const SHORT: &str = "trust = \"trusted\"\n\
    clocks = { hello_ms = 500, start_ms = 300, idle_ms = 10000, call_ms = 400, grace_ms = 100, heartbeat_ms = 100 }";

/// A kernel that was hurt says "panicked" or dies of a signal.
#[track_caller]
fn unhurt(ran: Ran) -> Ran {
    assert!(ran.code < 100, "{ran}");
    assert!(!ran.stderr.contains("panicked"), "{ran}");
    ran
}

/// One call of a hostile tool.
#[track_caller]
fn call(world: &World, tool: &str, how: &str) -> Ran {
    unhurt(world.call(tool, &json!({ "how": how })).args(["--posture", "full-access"]).run())
}

/// The status, the class and the text of a call that was printed.
#[track_caller]
fn ended(ran: &Ran) -> (String, String, String) {
    let printed = ran.json();
    let end = &printed["receipt"]["end"];
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (word(&end["status"]), word(&end["error_class"]), content_text(&printed["result"]))
}

/// A process that cannot be used: its tools are unavailable with the reason, everything else works.
#[track_caller]
fn check_process(behaviour: &str, reasons: &[&str]) {
    let world = World::new().hostile(behaviour, SHORT);
    world.write("a.txt", "x\n");
    let ran = unhurt(world.tollgate(["servers", "describe", "hostile"]).run()).code(4);
    for reason in reasons {
        assert!(ran.stderr.contains(reason), "{behaviour}: no {reason:?} in {ran}");
    }
    let ran = call(&world, "look", "ok");
    let (status, _, text) = ended(&ran);
    assert_eq!(status, "refused", "{ran}");
    assert!(text.contains("not available") && text.contains(reasons[0]), "{behaviour}: {text}");
    assert!(!text.contains('\u{1b}'), "control characters of a server reach the model: {text:?}");
    unhurt(world.call("read", &json!({ "path": "a.txt" })).run()).success();
    world.receipts(None).sound(&world);
    world.is_quiet();
}

#[test]
fn a_server_that_exits_at_once() {
    check_process("exit", &["ended with exit code 7", "I do not want to"]);
}

#[test]
fn a_server_that_never_answers_hello() {
    check_process("silent", &["did not answer Hello within 500 ms"]);
}

/// A server that greets and never opens its session is given up as one that never greets.
#[test]
fn a_server_that_never_opens_its_session() {
    check_process("sessionless", &["did not answer Session within 500 ms"]);
}

/// [PROTO-09]
#[test]
fn a_server_of_another_protocol_version() {
    check_process("protocol-2", &["speaks protocol 2, this kernel speaks 1"]);
}

#[test]
fn a_server_that_speaks_another_language() {
    check_process("http1", &["h"]);
}

/// tonic's client panics on such details (grpc-rust#2618).
#[test]
fn an_error_whose_details_cannot_be_read() {
    check_process("details", &["Internal"]);
}

/// [PROTO-02]
#[test]
fn a_manifest_that_is_not_the_one_that_was_told() {
    check_process("digest", &["its manifest is not the one that Hello told"]);
}

#[test]
fn a_process_without_an_instance() {
    check_process("nameless", &["instance id"]);
}

#[test]
fn a_manifest_that_never_ends() {
    check_process("endless", &["pages of tools"]);
}

/// A tool that breaks the contract takes the server's tools with it, and is told without harm.
#[test]
fn a_manifest_that_lies() {
    for (behaviour, reason) in [
        ("bad-name", "is no tool name"),
        ("bad-schema", "its schema is no JSON"),
        ("many", "more than 100000 tools"),
    ] {
        let world = World::new().hostile(behaviour, TRUSTED);
        world.write("a.txt", "x\n");
        let ran = call(&world, "look", "ok");
        let (status, _, text) = ended(&ran);
        assert_eq!(status, "refused", "{ran}");
        assert!(text.contains(reason), "{behaviour}: {text}");
        assert!(!ran.text().contains('\u{1b}'), "{ran}");
        unhurt(world.call("read", &json!({ "path": "a.txt" })).run()).success();
    }
}

/// As many tools as a server may have are a catalog like any other.
#[test]
fn a_manifest_of_a_hundred_thousand_tools() {
    let world = World::new().hostile("full", TRUSTED);
    let (status, _, text) = ended(&unhurt(world.call("t99000", &json!({})).run()));
    assert_eq!((status.as_str(), text.as_str()), ("ok", "ok"));
}

/// [CAT-03] Two servers that claim one name: the native one has it, whatever the order of their names; the
/// other keeps its tool under another name.
#[test]
fn a_server_cannot_take_the_name_of_another_servers_tool() {
    for name in ["aaa", "zzz"] {
        let program = binary("tollgate-hostile");
        let table = format!("[servers.{name}]\ncommand = [{program:?}, \"impostor\"]");
        let world = World::new().config(&table);
        world.write("a.txt", "the file\n");
        let ran = unhurt(world.call("read", &json!({ "path": "a.txt" })).run()).success();
        let printed = ran.json();
        assert_eq!(printed["receipt"]["server"], "file", "{ran}");
        let listed = unhurt(world.tollgate(["tools", "list"]).run());
        let all = listed.text() + &listed.stderr;
        let said =
            format!("'read' is the tool of 'file'; that of '{name}' is called '{name}_read'");
        assert!(all.contains(&said), "{listed}");
        let ran = unhurt(world.call(&format!("{name}_read"), &json!({})).run());
        assert_eq!(ran.json()["receipt"]["server"], *name, "{ran}");
    }
}

/// [GATE-01] [GATE-03] A tool that asks for itself without end meets a number, not the end of the
/// kernel's stack (which it once was).
#[test]
fn a_call_that_asks_for_itself_without_end() {
    let world = World::new().hostile("plain", TRUSTED);
    let ran = call(&world, "look", "recurse");
    assert_eq!(ended(&ran).0, "ok", "{ran}");
    let receipts = world.receipts(None).sound(&world);
    let errors = receipts.0.iter().filter_map(|it| it["end"]["error"].as_str());
    let errors: Vec<_> = errors.filter(|error| error.contains("16 deep")).collect();
    assert_eq!((receipts.0.len(), errors.len()), (18, 1), "{:?}", receipts.words());
}

/// [PROTO-10] Nothing is parsed from the logs, however much there is.
#[test]
fn a_server_that_makes_noise_works() {
    let world = World::new().hostile("noise", TRUSTED);
    let (status, _, text) = ended(&call(&world, "look", "ok"));
    assert_eq!((status.as_str(), text.as_str()), ("ok", "ok"));
    let logs = world.tollgate(["servers", "logs", "hostile", "-n", "3"]).run().success();
    assert!(logs.text().contains("the noise is over"), "the log is kept, in order");
    assert!(!logs.text().contains('\u{1b}'), "control sequences are neutralised");
}

/// Broken streams of all kinds, in the middle of a call that changes something: reported, may have
/// run, never sent twice; the next call gets a new process.
#[test]
fn a_call_whose_connection_breaks_is_reported() {
    for how in
        ["incomplete", "status", "details", "disconnect", "oversize", "die", "die-unaccepted"]
    {
        let world = World::new().hostile("plain", TRUSTED);
        let script = Script::new()
            .call("change", json!({ "how": how }))
            .call("change", json!({ "how": "ok" }))
            .text("{{last.content}}");
        let ran = unhurt(world.exec(&script, "go").args(["--posture", "full-access"]).run());
        let events = ran.events().well_formed();
        let results = events.results();
        let end = &results[0]["receipt"]["end"];
        assert_ne!(end["status"], "ok", "{how}: {ran}");
        assert_eq!(
            (&end["effects"], &end["may_have_run"]),
            (&json!("unknown"), &json!(true)),
            "{how}: {ran}"
        );
        assert!(content_text(results[0]).contains("may have run"), "{how}: {}", results[0]);
        assert_eq!(results[1]["status"], "ok", "{how}: the next call works: {ran}");
        let ran_first = world.journal().iter().filter(|line| line.ends_with(" 1")).count();
        assert_eq!((world.journal().len(), ran_first), (2, 2), "{how}: sent more than once");
        world.receipts(Some(events.session())).sound(&world);
        world.is_quiet();
    }
}

/// [PROTO-04] After GOAWAY the open session goes on; calls are not lost.
#[test]
fn goaway_loses_no_call() {
    let world = World::new().hostile("plain", TRUSTED);
    let script = Script::new()
        .call("look", json!({ "how": "goaway" }))
        .call("look", json!({ "how": "ok" }))
        .text("done");
    let ran = unhurt(world.exec(&script, "go").run()).success();
    let texts: Vec<_> =
        ran.events().well_formed().results().iter().map(|it| content_text(it)).collect();
    assert_eq!(texts, ["done after GOAWAY", "ok"]);
}

/// [PROTO-07] A server that ignores `Cancel` is ended when the grace is over; one that stops is not.
#[test]
fn a_call_that_hangs_ends_at_its_clock() {
    for (how, part) in
        [("hang", "to finish"), ("unaccepted", "to start"), ("flood-host", "to finish")]
    {
        let world = World::new().hostile("plain", SHORT);
        let (status, class, text) = ended(&call(&world, "change", how));
        if how == "flood-host" {
            assert_eq!(class, "contract", "{text}");
        } else {
            assert_eq!((status.as_str(), class.as_str()), ("failed", "timeout"), "{how}: {text}");
            assert!(text.contains(part), "{how}: {text}");
        }
        world.is_quiet();
    }
    let world = World::new().hostile("plain", SHORT);
    let ran = call(&world, "look", "wait");
    let (_, class, text) = ended(&ran);
    assert_eq!(class, "timeout", "{text}");
    assert_eq!(ran.json()["receipt"]["end"]["effects"], "none", "it said so itself: {ran}");
}

/// [PROTO-07] Heartbeats that stay away end the connection, and the call is told.
#[test]
fn a_server_that_falls_silent_is_lost() {
    let clocks = "trust = \"trusted\"\nclocks = { heartbeat_ms = 100 }";
    let world = World::new().hostile("mute", clocks);
    let (status, class, text) = ended(&call(&world, "change", "hang"));
    assert_ne!(status, "ok");
    assert_eq!(class, "server_lost", "{text}");
    assert!(text.contains("silent"), "{text}");
    world.is_quiet();
}

/// [SDK-01] A call that floods stops only itself: its neighbour on the same connection succeeds.
#[test]
fn a_call_that_floods_stops_only_itself() {
    for (how, floods_well) in
        [("flood-output", false), ("flood-progress", true), ("flood-log", true)]
    {
        let world = World::new().hostile("plain", TRUSTED);
        let script = Script::new()
            .calls([("look", json!({ "how": how })), ("look", json!({ "how": "ok" }))])
            .call("look", json!({ "how": "ok" }))
            .text("done");
        let ran = unhurt(world.exec(&script, "go").run());
        let events = ran.events().well_formed();
        let results = events.results();
        if floods_well {
            assert_eq!(content_text(results[0]), "flooded", "{how}");
        } else {
            assert_eq!(
                results[0]["receipt"]["end"]["error_class"], "contract",
                "{how}: {}",
                results[0]
            );
        }
        assert_eq!(
            (content_text(results[1]), content_text(results[2])),
            ("ok".into(), "ok".into()),
            "{how}"
        );
        let instances: Vec<_> = results.iter().map(|it| &it["receipt"]["instance"]).collect();
        assert!(
            instances.iter().all(|it| *it == instances[0]),
            "{how}: another process: {instances:?}"
        );
    }
}

/// [PROTO-04] `Completed` counts once, and only for its own call.
#[test]
fn the_first_end_of_a_call_counts() {
    let world = World::new().hostile("plain", TRUSTED);
    for (how, expected) in [("twice", "first"), ("stranger", "for this call"), ("late", "the end")]
    {
        let script = Script::new()
            .call("look", json!({ "how": how }))
            .call("look", json!({ "how": "ok" }))
            .text("done");
        let ran = unhurt(world.exec(&script, "go").run()).success();
        let events = ran.events().well_formed();
        let texts: Vec<_> = events.results().iter().map(|it| content_text(it)).collect();
        assert_eq!(texts, [expected, "ok"], "{how}");
        world.receipts(Some(events.session())).sound(&world);
    }
}

/// An end that says nothing is taken as the careful value.
#[test]
fn an_empty_end_is_a_failure_with_unknown_effects() {
    let world = World::new().hostile("plain", TRUSTED);
    let ran = call(&world, "change", "nothing");
    let end = &ran.json()["receipt"]["end"];
    assert_eq!((&end["status"], &end["effects"]), (&json!("failed"), &json!("unknown")), "{ran}");
    assert_eq!(end["may_have_run"], true);
}

/// [TOOL-03] 20 MB of result: whole as an artifact, a preview in the conversation.
#[test]
fn a_large_result_is_spilled() {
    let world = World::new().hostile("plain", TRUSTED);
    let ran = call(&world, "look", "large").success();
    let printed = ran.json();
    let text = content_text(&printed["result"]);
    assert!(text.len() < 8 * 1024, "{} bytes are in the conversation", text.len());
    assert!(text.contains("20971520"), "the notice has the exact size: {text}");
    let truncated = &printed["result"]["truncated"];
    let id = truncated["spill"].as_str().unwrap_or_else(|| panic!("no artifact: {truncated}"));
    let whole = world.tollgate(["artifacts", "show", id]).run().success();
    assert_eq!(whole.stdout.len(), 20 * 1024 * 1024);
    assert!(whole.stdout.chunks(16).all(|line| line == b"0123456789abcde\n"));
    assert_eq!(printed["receipt"]["end"]["spill"], id);
    // Over the bound of a frame, and small enough for the decoder.
    let inline = call(&world, "look", "large-inline");
    assert!(inline.stdout.len() < 64 * 1024, "{} bytes", inline.stdout.len());
}

/// Content that is not what its digest says is no result.
#[test]
fn a_blob_that_is_not_what_its_digest_says() {
    let world = World::new().hostile("plain", TRUSTED);
    let (status, class, text) = ended(&call(&world, "look", "blob-lie"));
    assert_eq!((status.as_str(), class.as_str()), ("failed", "result_lost"), "{text}");
    assert!(text.contains("digest"), "{text}");
}

/// [PROTO-03] What a server says of a call before it runs is bounded and checked.
#[test]
fn what_a_server_says_of_a_call_is_checked() {
    let world = World::new().hostile("plain", TRUSTED);
    let rows = [
        ("subjects", "contract", "more subjects"),
        ("no-result", "contract", "did not say"),
        ("no-answer", "prepare_timeout", "within"),
        ("other-call", "prepare_timeout", "within"),
        ("invalid", "invalid_arguments", "this way it cannot work"),
    ];
    for (how, expected, part) in rows {
        let (status, class, text) = ended(&call(&world, "odd", how));
        assert_eq!((status.as_str(), class.as_str()), ("refused", expected), "{how}: {text}");
        assert!(text.contains(part), "{how}: {text}");
    }
    assert!(world.journal().is_empty(), "a call began: {:?}", world.journal());
    let ran = call(&world, "odd", "preview").success();
    assert!(ran.stdout.len() < 64 * 1024, "the title or preview was not bounded");
    let ran = call(&world, "odd", "unknown-subject").success();
    assert_eq!(ran.json()["receipt"]["subjects"], json!([{ "kind": "unknown" }]));
}

/// [TOOL-04] Text of a server is data: where a person sees it, its control sequences are visible.
#[test]
fn control_sequences_are_neutralised_for_people() {
    let world = World::new().hostile("plain", TRUSTED);
    let script = Script::new().call("look", json!({ "how": "escape" })).text("done");
    let model = world.script(&script);
    let ran = unhurt(world.tollgate(["exec", "--model", &model, "go"]).run()).success();
    for bad in ['\u{1b}', '\u{7}', '\u{202e}', '\0'] {
        assert!(!ran.stderr.contains(bad), "{bad:?} reached standard error: {:?}", ran.stderr);
    }
    let progress = Script::new().call("look", json!({ "how": "flood-progress" })).text("done");
    let model = world.script(&progress);
    let ran = unhurt(world.tollgate(["exec", "--model", &model, "go"]).run()).success();
    assert!(!ran.stderr.contains('\u{1b}'), "progress reached standard error as it was");
}

/// Facts that are no JSON are no reason to lose a result; a working directory outside the roots is
/// not taken.
#[test]
fn odd_facts_beside_a_result_do_no_harm() {
    let world = World::new().hostile("plain", TRUSTED);
    let (status, _, text) = ended(&call(&world, "look", "bad-metadata"));
    assert_eq!((status.as_str(), text.as_str()), ("ok", "odd metadata"));
    let script = Script::new()
        .call("change", json!({ "how": "cwd" }))
        .call("bash", json!({ "command": "pwd" }))
        .text("done");
    let ran = unhurt(world.exec(&script, "go").args(["--posture", "full-access"]).run()).success();
    let events = ran.events();
    let here = world.workspace().to_string_lossy().into_owned();
    assert!(content_text(events.results()[1]).starts_with(&here), "{}", events.results()[1]);
}
