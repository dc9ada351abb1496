//! One gate for every path: who may do what, and what is said when not.

use serde_json::{Value, json};
use tollgate_tests::{Script, World, events::content_text};

/// Effectful calls of the built-in tools, and what each would leave behind.
fn effectful() -> [(&'static str, Value, &'static str); 3] {
    [
        ("write", json!({ "path": "made.txt", "content": "x" }), "made.txt"),
        ("edit", json!({ "path": "kept.txt", "edits": [{ "old": "old", "new": "new" }] }), ""),
        ("bash", json!({ "command": "touch ran.txt" }), "ran.txt"),
    ]
}

fn world() -> World {
    let world = World::new();
    world.write("kept.txt", "old\n");
    world
}

/// The class of a refused call, and its sentence.
#[track_caller]
fn refusal(printed: &Value) -> (String, String) {
    let (result, receipt) = (&printed["result"], &printed["receipt"]);
    assert_eq!(receipt["end"]["status"], "refused", "{printed}");
    assert_eq!(receipt["end"]["may_have_run"], false, "{printed}");
    assert_eq!(result["is_error"], true);
    let class = result["metadata"]["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(receipt["end"]["error_class"], class.as_str(), "{printed}");
    (class, content_text(result))
}

/// [GATE-10] Plan changes nothing, in any posture, whatever the caller; reading stays.
#[test]
fn plan_refuses_what_changes_things() {
    let world = world();
    for posture in ["ask", "full-access", "never"] {
        for (tool, arguments, leaves) in effectful() {
            let ran =
                world.call(tool, &arguments).args(["--mode", "plan", "--posture", posture]).run();
            let (class, why) = refusal(&ran.clone().code(3).json());
            assert_eq!(class, "plan_mode", "{tool}: {why}");
            assert!(why.contains("plan mode"), "{why}");
            assert!(leaves.is_empty() || !world.has(leaves));
        }
        assert_eq!(world.read("kept.txt"), "old\n");
    }
    world.call("read", &json!({ "path": "kept.txt" })).args(["--mode", "plan"]).run().success();
}

/// [GATE-10] A shell stays out of plan whatever its line says.
#[test]
fn plan_has_no_shell() {
    let world = world();
    let ran =
        world.call("bash", &json!({ "command": "cat kept.txt" })).args(["--mode", "plan"]).run();
    assert_eq!(refusal(&ran.code(3).json()).0, "plan_mode");
}

/// [GATE-03] [CLI-05] Where nobody can be asked, ask becomes refused, with the reason.
#[test]
fn headless_ask_refuses_with_the_reason() {
    let world = world();
    let (tool, arguments, leaves) = &effectful()[2];
    let ran = world.call(tool, arguments).run().code(3);
    let (class, why) = refusal(&ran.json());
    assert_eq!(class, "no_approver");
    assert!(
        why.contains("may destroy something") && why.contains("no terminal is attached"),
        "{why}"
    );
    assert!(!world.has(leaves));
    let script = Script::new().call(tool, arguments.clone()).text("I was refused.");
    let ran = world.exec(&script, "go").run().code(3);
    let events = ran.events().well_formed();
    assert_eq!(events.results()[0]["decision"], "refused");
    assert_eq!(events.one("turn.completed")["text"], "I was refused.", "the turn goes on");
    assert!(events.of("approval.requested").is_empty(), "nobody was asked");
    world.receipts(Some(events.session())).sound(&world);
}

/// [GATE-11] `never` runs only what is read-only.
#[test]
fn never_runs_only_what_reads() {
    let world = world();
    for (tool, arguments, _) in effectful() {
        let ran = world.call(tool, &arguments).args(["--posture", "never"]).run().code(3);
        assert_eq!(refusal(&ran.json()).0, "posture");
    }
    world.call("read", &json!({ "path": "kept.txt" })).args(["--posture", "never"]).run().success();
    let listed = world.call("bash", &json!({ "command": "ls" })).args(["--posture", "never"]).run();
    assert!(content_text(&listed.success().json()["result"]).contains("kept.txt"));
}

/// [GATE-11] `full-access` asks nothing.
#[test]
fn full_access_asks_nothing() {
    let world = world();
    for (tool, arguments, leaves) in effectful() {
        let ran = world.call(tool, &arguments).args(["--posture", "full-access"]).run().success();
        assert_eq!(ran.json()["receipt"]["decision"], "auto");
        assert!(leaves.is_empty() || world.has(leaves), "{tool}");
    }
    assert_eq!(world.read("kept.txt"), "new\n");
}

/// [GATE-10] Layer 1: spelling variants are the canonical tool for every later layer.
#[test]
fn spelling_variants_are_the_canonical_tool() {
    let world = world();
    for spelling in ["BASH", "Bash", "bash-tool", "BashTool", "bash_tool"] {
        let ran = world
            .call(spelling, &json!({ "command": "touch ran.txt" }))
            .args(["--mode", "plan"])
            .run();
        let printed = ran.code(3).json();
        assert_eq!(refusal(&printed).0, "plan_mode", "{spelling}");
        assert_eq!(printed["receipt"]["tool"], "bash", "{spelling}");
        assert_eq!(printed["receipt"]["asked_as"], spelling);
    }
    let ran = world.call("READ", &json!({ "path": "kept.txt" })).run().success();
    assert_eq!(ran.json()["receipt"]["tool"], "read");
}

/// Layer 1: an unknown tool is told with the nearest names.
#[test]
fn an_unknown_tool_is_told_with_the_nearest() {
    let world = world();
    let ran = world.call("raed", &json!({})).run().code(2);
    let (class, why) = refusal(&ran.json());
    assert_eq!(class, "unknown_tool");
    assert!(why.contains("'raed'") && why.contains("read"), "{why}");
    assert_eq!(world.receipts(None).sound(&world).words(), ["raed refused refused"]);
}

/// [TOOL-02] [KERN-04] What does not fit is refused with its place and the right name.
#[test]
fn arguments_that_do_not_fit_are_told_with_their_place() {
    let world = world();
    let rows = [
        ("read", r#"{"pth": "kept.txt", "path": "kept.txt"}"#, "/pth", "did you mean \"path\""),
        ("read", r#"{"path": 5}"#, "/path", "string"),
        ("read", r#"{"path": "kept.txt", "limit": "five"}"#, "/limit", "integer"),
        (
            "edit",
            r#"{"path": "kept.txt", "edits": [{"old": 1, "new": "x"}]}"#,
            "/edits/0/old",
            "string",
        ),
        ("read", r#"{"path": "kept.txt""#, "", "not valid JSON"),
        ("read", "path=kept.txt", "", "not valid JSON"),
        ("read", "[]", "", "object"),
        ("read", "{}", "/path", "required"),
    ];
    for (tool, arguments, pointer, part) in rows {
        let ran = world.tollgate(["call", tool, arguments, "--json"]).run().code(2);
        let printed = ran.json();
        let (class, why) = refusal(&printed);
        assert_eq!(class, "invalid_arguments", "{arguments}: {why}");
        assert!(why.contains(part), "{arguments}: {why}");
        let told = printed["result"]["metadata"]["pointer"].as_str().unwrap_or_default();
        assert_eq!(told, pointer, "{arguments}");
    }
    // The same from the model, whose turn goes on.
    let script = Script::new()
        .step(json!({ "tool_calls": [{ "name": "read", "arguments": "{\"path\": \"kept.txt\"" }] }))
        .text("{{last.content}}");
    let events = world.exec(&script, "go").run().success().events().well_formed();
    let text = events.one("turn.completed")["text"].as_str().unwrap();
    assert!(text.contains("not valid JSON"), "{text}");
    world.receipts(Some(events.session())).sound(&world);
}

/// [KERN-04] What is certainly meant is accepted, and recorded.
#[test]
fn coercions_are_recorded() {
    let world = world();
    let ran = world.call("read", &json!({ "path": "kept.txt", "limit": "1" })).run().success();
    let receipt = &ran.json()["receipt"];
    assert_eq!(
        receipt["coercions"],
        json!([{ "pointer": "/limit", "from": "string", "to": "integer" }])
    );
    let twice = json!(json!({ "path": "kept.txt" }).to_string());
    let ran = world.call("read", &twice).run().success();
    assert_eq!(ran.json()["receipt"]["coercions"][0]["to"], "object");
}

/// [GATE-01] [PROTO-05] One refusing mode stops every way in: `call`, the model, and a server that asks
/// for another tool while it serves a call.
#[test]
fn one_refusing_mode_stops_every_entry_point() {
    let world = world().hostile("plain", "trust = \"trusted\"");
    let (tool, arguments, leaves) = &effectful()[2];
    let plan = ["--mode", "plan", "--posture", "full-access"];
    assert_eq!(world.call(tool, arguments).args(plan).run().code, 3);
    let script = Script::new().call(tool, arguments.clone()).text("no");
    assert_eq!(world.exec(&script, "go").args(plan).run().code, 3);
    let nest = json!({ "how": "nest", "name": tool, "arguments": arguments });
    let ran = world.call("look", &nest).args(plan).run().success();
    let said = content_text(&ran.json()["result"]);
    assert!(said.starts_with("refused: ") && said.contains("plan mode"), "{said}");
    assert!(!world.has(leaves), "it ran all the same");
    let receipts = world.receipts(None).sound(&world);
    let nested = receipts.0.iter().find(|it| it["tool"] == *tool).unwrap();
    assert_eq!(
        (&nested["caller"], &nested["end"]["status"]),
        (&json!("server"), &json!("refused"))
    );
    let parent = receipts.0.iter().find(|it| it["tool"] == "look").unwrap();
    assert_eq!(nested["parent"], parent["id"]);
    // What the mode allows goes through, with its own receipt.
    let nest = json!({ "how": "nest", "name": "read", "arguments": { "path": "kept.txt" } });
    let ran = world.call("look", &nest).args(plan).run().success();
    assert!(content_text(&ran.json()["result"]).starts_with("value: "), "{ran}");
    assert_eq!(world.receipts(None).sound(&world).0.len(), 2);
}

/// [PROTO-05] A server gets only the host services that its manifest declares.
#[test]
fn an_undeclared_host_service_is_refused() {
    let world = world().hostile("plain", "trust = \"trusted\"");
    let nest = json!({ "how": "nest", "name": "read", "arguments": { "path": "kept.txt" } });
    let ran = world.call("change", &nest).args(["--posture", "full-access"]).run().success();
    let said = content_text(&ran.json()["result"]);
    assert!(said.starts_with("refused: ") && said.contains("manifest"), "{said}");
    assert_eq!(world.receipts(None).sound(&world).0.len(), 1, "no call was made");
}

/// Layer 6: hints of a server that is not trusted can only tighten.
#[test]
fn an_untrusted_claim_to_be_read_only_is_not_believed() {
    let world = world().hostile("plain", "");
    for tool in ["look", "odd"] {
        let ran = world.call(tool, &json!({})).run().code(3);
        assert_eq!(refusal(&ran.json()).0, "no_approver", "{tool}");
        let ran =
            world.call(tool, &json!({})).args(["--mode", "plan", "--posture", "full-access"]).run();
        assert_eq!(refusal(&ran.code(3).json()).0, "plan_mode", "{tool}");
    }
    assert!(world.journal().is_empty(), "a call began: {:?}", world.journal());
    world.call("look", &json!({})).args(["--posture", "full-access"]).run().success();
}

/// [GATE-02] Layer 0: a budget that is used up is told with its number.
#[test]
fn the_budget_of_a_turn_holds() {
    let world = world().config("[limits]\nturn_calls = 2");
    let read = json!({ "path": "kept.txt" });
    let script = Script::new()
        .calls([("read", read.clone()), ("read", read.clone()), ("read", read)])
        .text("enough");
    let events = world.exec(&script, "go").run().code(3).events().well_formed();
    let results = events.results();
    assert_eq!(results[2]["status"], "refused");
    assert!(content_text(results[2]).contains('2'), "{}", results[2]);
    world.receipts(Some(events.session())).sound(&world);
}
