//! What hooks say, and what it means for the call.

use tollgate_tests::Script;

use super::*;

/// HK-05: deny > ask > allow, in every order.
#[test]
fn the_strictest_word_holds_in_every_order() {
    let world = World::new();
    let words = ["allow", "ask", "deny"];
    for first in words {
        for second in words {
            for third in words {
                let hooks: Vec<String> = [first, second, third]
                    .iter()
                    .map(|word| {
                        answers(&json!({ "decision": word, "reason": format!("I {word}") }))
                    })
                    .collect();
                set(&world, &hooks.concat());
                let ran = world.call("bash", &touch()).run();
                let all = [first, second, third];
                if all.contains(&"deny") {
                    let (class, why) = refused(&ran);
                    assert_eq!(class, "hook_denied", "{all:?}: {why}");
                    assert!(why.contains("I deny"), "{why}");
                } else if all.contains(&"ask") {
                    let (class, why) = refused(&ran);
                    assert_eq!(class, "no_approver", "{all:?}: {why}");
                    assert!(why.contains("I ask") && why.contains("hooks.toml:"), "{why}");
                } else {
                    ran.success();
                    assert!(world.has(MARKER));
                    fs::remove_file(world.workspace().join(MARKER)).unwrap();
                }
                assert!(!world.has(MARKER));
            }
        }
    }
}

/// CX#28437 A question is honoured also where nothing else would ask.
#[test]
fn a_question_is_honoured_in_every_posture() {
    let world = world(answers(&json!({ "decision": "ask", "reason": "look at it" })));
    for posture in ["ask", "full-access", "never"] {
        let ran = world.call("bash", &touch()).args(["--posture", posture]).run();
        let (_, why) = refused(&ran);
        assert!(why.contains("look at it") && why.contains("hooks.toml:1"), "{posture}: {why}");
        assert!(!world.has(MARKER));
    }
}

/// An allowance clears ordinary approval, and nothing harder.
#[test]
fn an_allowance_is_no_more_than_that() {
    let allows = answers(&json!({ "decision": "approve" }));
    let world = world(&allows);
    world.call("bash", &touch()).run().success();
    assert!(world.has(MARKER));
    fs::remove_file(world.workspace().join(MARKER)).unwrap();
    let plan = world.call("bash", &touch()).args(["--mode", "plan"]).run();
    assert_eq!(refused(&plan).0, "plan_mode");
    let own = json!({ "path": ".git/hooks/pre-commit", "content": "x" });
    refused(&world.call("write", &own).run());
    let deny = "[[rule]]\naction = \"deny\"\ntool = \"bash\"\n";
    fs::write(world.home().join("config/permissions.toml"), deny).unwrap();
    assert_eq!(refused(&world.call("bash", &touch()).run()).0, "rule");
    assert!(!world.has(MARKER) && !world.has(".git/hooks/pre-commit"));
}

/// [GATE-40] The shape of other agents is taken.
#[test]
fn a_hook_of_another_agent_works() {
    let world = World::new();
    script(
        &world,
        "guard.py",
        r#"import json, sys
told = json.load(sys.stdin)
assert told["hook_event_name"] == "PreToolUse" and told["tool_name"] == "bash", told
bad = "ran" in told["tool_input"]["command"]
print(json.dumps({"hookSpecificOutput": {
    "hookEventName": "PreToolUse",
    "permissionDecision": "deny" if bad else "allow",
    "permissionDecisionReason": "no marks here"}}))
"#,
        0o644,
    );
    set(&world, &hook("tool_call_before", "[\"python3\", \"../guard.py\"]", ""));
    let (class, why) = refused(&guarded(&world));
    assert_eq!(class, "hook_denied");
    assert!(why.contains("no marks here"), "{why}");
    world.call("bash", &json!({ "command": "touch other.txt" })).run().success();
}

/// HK-06 AP-05: what a hook puts in goes through the whole gate, and is what the receipt says.
#[test]
fn rewritten_arguments_go_through_the_whole_gate() {
    let world = World::new();
    world.write("secret.txt", "token\n");
    world.write("a.txt", "plain\n");
    let deny = "[[rule]]\naction = \"deny\"\ntool = \"read\"\npath = \"secret.txt\"\n";
    fs::write(world.home().join("config/permissions.toml"), deny).unwrap();
    let rewrite = |input: Value| answers(&json!({ "decision": "allow", "updatedInput": input }));
    let read = || world.call("read", &json!({ "path": "a.txt" })).run();

    set(&world, &rewrite(json!({ "path": "secret.txt" })));
    let ran = read();
    let (class, _) = refused(&ran);
    assert_eq!(class, "rule");
    assert!(!ran.text().contains("token"), "{ran}");
    let receipt = &ran.json()["receipt"];
    assert_eq!(receipt["arguments"], json!({ "path": "secret.txt" }));

    set(&world, &rewrite(json!({ "path": "a.txt", "no_such": 1 })));
    let printed = read().code(2).json();
    assert_eq!(printed["result"]["metadata"]["error"], "invalid_arguments");

    for broken in [json!("a.txt"), json!(["a.txt"]), json!(1)] {
        set(&world, &rewrite(broken));
        assert_eq!(refused(&read()).0, "hook_failed");
    }
    set(
        &world,
        &answers(&json!({ "tool_name": "bash", "updatedInput": { "command": "cat secret.txt" } })),
    );
    assert_eq!(refused(&read()).0, "hook_failed");

    world.write("b.txt", "other\n");
    set(
        &world,
        &[rewrite(json!({ "path": "secret.txt" })), rewrite(json!({ "path": "b.txt" }))].concat(),
    );
    let printed = read().success().json();
    assert_eq!(content_text(&printed["result"]), "other\n", "the last one wins");
}

/// HK-06: no hook's word is on bytes that it did not see, and rewriting ends.
#[test]
fn every_hook_has_seen_the_bytes_that_run() {
    let world = World::new();
    let guard = "grep -q ran.txt && { echo no marks >&2; exit 2; }; exit 0";
    let rewrites = answers(&json!({ "updatedInput": touch() }));
    let harmless = || {
        let arguments = json!({ "command": "touch other.txt" });
        world.call("bash", &arguments).args(["--posture", "full-access"]).run()
    };
    // The guard first: it passed the harmless command.
    for hooks in [[before(guard, ""), rewrites.clone()], [rewrites.clone(), before(guard, "")]] {
        set(&world, &hooks.concat());
        let (class, why) = refused(&harmless());
        assert_eq!(class, "hook_denied");
        assert!(why.contains("no marks"), "{why}");
    }
    // An allowance of the harmless command is none for the other.
    let allows = "grep -q other.txt && echo '{\"decision\":\"allow\"}'; exit 0";
    set(&world, &[before(allows, ""), rewrites].concat());
    let arguments = json!({ "command": "touch other.txt" });
    assert_eq!(refused(&world.call("bash", &arguments).run()).0, "no_approver");
    // Two that rewrite each other's input, for ever if they were let.
    let python = r#"python3 -c 'import json,sys; t=json.load(sys.stdin); open("../rounds","a").write("round\n"); print(json.dumps({"updatedInput": {"command": t["tool_input"]["command"] + "; true"}}))'"#;
    let one = format!("[[hook]]\nevent = \"tool_call_before\"\ncommand = '''{python}'''\n");
    set(&world, &[one.clone(), one].concat());
    let printed = harmless().success().json();
    assert_eq!(printed["receipt"]["arguments"]["command"], "touch other.txt; true; true");
    assert_eq!(lines(&world, "rounds").len(), 3);
    assert!(!world.has(MARKER));
}

/// A guard that was not shown all of the arguments lets nothing through by itself.
#[test]
fn what_a_guard_cannot_see_is_asked_for() {
    // As a guard of one field would: it finds no command where the whole does not fit.
    let world = world(before("grep -q '\"command\":\"touch' && exit 2; exit 0", ""));
    assert_eq!(refused(&guarded(&world)).0, "hook_denied");
    let padded = json!({ "command": format!("touch {MARKER} # {}", "x".repeat(40_000)) });
    let ran = world.call("bash", &padded).args(["--posture", "full-access"]).run();
    let (_, why) = refused(&ran);
    assert!(why.contains("too large for it to see"), "{why}");
    assert!(!world.has(MARKER));
}

/// [GATE-40] Matching by tool and mode; canonical names whatever was asked for.
#[test]
fn a_hook_is_for_its_tools_and_modes() {
    let world = world(before("exit 2", "match = { tool = \"ba*\", mode = \"work\" }"));
    world.write("a.txt", "x\n");
    world.call("read", &json!({ "path": "a.txt" })).run().success();
    for name in ["bash", "BASH", "bash-tool"] {
        let ran = world.call(name, &touch()).args(["--posture", "full-access"]).run();
        assert_eq!(refused(&ran).0, "hook_denied");
    }
    let operate = ["--posture", "full-access", "--mode", "operate"];
    world.call("bash", &touch()).args(operate).run().success();
}

/// [GATE-40] What hooks add reaches the model, bounded, after the result and after the message.
#[test]
fn what_hooks_add_reaches_the_model() {
    let long = "y".repeat(20_000);
    let message = json!({ "additionalContext": "the branch is main" });
    let call = json!({ "additionalContext": format!("mind the gap {long}") });
    let print = |answer: &Value| json!(["printf", "%s", answer.to_string()]).to_string();
    let world = world(
        [hook("message_submit", &print(&message), ""), hook("tool_call_before", &print(&call), "")]
            .concat(),
    );
    world.write("a.txt", "x\n");
    let script = Script::new().strict().call("read", json!({ "path": "a.txt" })).text("done");
    let folder = world.beside("requests").display().to_string();
    world.exec(&script, "go").args(["--record-requests", &folder]).run().success();
    let sent = |number: u32| fs::read_to_string(format!("{folder}/{number:04}.json")).unwrap();
    assert!(sent(1).contains("the branch is main"));
    assert!(sent(2).contains("mind the gap") && sent(2).len() < sent(1).len() + 10_000);
    assert!(!sent(2).contains(&"y".repeat(8 * 1024 + 1)));
}

/// The example that is handed out says what it says.
#[test]
fn the_example_works() {
    let example = tollgate_tests::workspace_root().join("deploy/hooks.example.toml");
    let world = world(fs::read_to_string(example).unwrap());
    let push = json!({ "command": "git push --force origin main" });
    let (class, why) = refused(&world.call("bash", &push).args(["--posture", "full-access"]).run());
    assert_eq!(class, "hook_denied");
    assert!(why.contains("no force-push"), "{why}");
    guarded(&world).success();
    assert_eq!(lines(&world, "tollgate-calls.jsonl").len(), 2);
}
