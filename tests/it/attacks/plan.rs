//! Plan mode has no effects, and what a server claims of itself only tightens.

use tollgate_tests::{
    eventually::eventually_true,
    kernel::{Called, Kernel},
};

use super::*;

/// What every tool of the catalog would do, so that a new one without a row fails the test.
fn mutating(world: &World) -> Vec<(&'static str, Value)> {
    let canary = world.workspace().join(CANARY);
    let probe = |read_only: bool| json!({ "read_only": read_only, "leaves": canary });
    let sed = "sed -i s/old/new/ kept.txt";
    vec![
        ("write", write(CANARY)),
        ("write", write("kept.txt")),
        ("edit", json!({ "path": "kept.txt", "edits": [{ "old": "old", "new": "new" }] })),
        ("bash", bash("touch CANARY")),
        ("bash", bash("echo x > CANARY")),
        ("bash", bash(sed)),
        ("bash", bash("git commit --allow-empty -m x")),
        ("bash", bash("echo x | tee CANARY")),
        ("bash", bash("git status")),
        ("bash", json!({ "command": "ls", "sandbox": "off", "justification": "please" })),
        ("process", json!({ "action": "start", "command": "touch CANARY" })),
        ("terminal", json!({ "action": "open", "command": "touch CANARY" })),
        ("Run", json!({ "action": "tests" })),
        ("move", json!({ "from": "kept.txt", "to": CANARY })),
        ("delete", json!({ "path": "kept.txt" })),
        ("restore", json!({ "id": "mmmmmmmm" })),
        ("notebook_edit", json!({ "path": "n.ipynb", "cell": 1, "source": "x" })),
        ("execute_tools", program("return await tools.write({ path: 'CANARY', content: 'evil' })")),
        ("execute_tools", program("return await tools.bash({ command: 'touch CANARY' })")),
        ("execute_tools", program("return await tools.read({ path: 'kept.txt' })")),
        ("apply_patch", json!({ "patch": add_canary() })),
        ("probe", probe(false)),
        ("relay", relayed("write", &write(CANARY))),
        ("relay", relayed("relay", &relayed("bash", &bash("touch CANARY")))),
        ("change", json!({})),
        ("again", json!({})),
    ]
}

fn program(code: &str) -> Value {
    json!({ "code": code })
}

fn add_canary() -> String {
    format!("*** Begin Patch\n*** Add File: {CANARY}\n+x\n*** End Patch\n")
}

/// Tools that only read whatever their arguments say.
const READING: [&str; 7] = ["read", "look", "odd", "tool_search", "list", "find", "grep"];

fn world() -> World {
    let world = standin("trusted").hostile("plain", "trust = \"trusted\"");
    world.write("kept.txt", "old\n");
    world
}

/// [GATE-10] [CODE-05] MD-01 B095 Every tool that changes something, and every program, directly, over gRPC, by
/// the model and from inside another call, under the posture that asks for nothing: refused by plan, and
/// neither the workspace nor its repository has changed, nor has a server begun a call.
#[tokio::test]
async fn plan_has_no_effect_by_any_tool_on_any_way() {
    let world = world();
    let listed = world.tollgate(["tools", "list", "--json"]).run().success().json();
    let calls = mutating(&world);
    for tool in listed["tools"].as_array().or(listed.as_array()).expect("a list") {
        let name = tool["name"].as_str().unwrap();
        let known = READING.contains(&name) || calls.iter().any(|(tool, _)| *tool == name);
        assert!(known, "no row for {name}");
    }
    let before = tree(&world.workspace());
    let plan = ["--mode", "plan", "--posture", "full-access"];

    let by_model = turn(&world, &calls, "once", &plan);
    assert!(by_model.cards.is_empty(), "nobody is asked");
    for ((tool, arguments), (result, _)) in calls.iter().zip(by_model.results()) {
        check(tool, arguments, result);
    }
    let nested: Vec<_> =
        calls.iter().map(|(tool, arguments)| ("relay", relayed(tool, arguments))).collect();
    for ((_, arguments), (result, _)) in
        nested.iter().zip(turn(&world, &nested, "once", &plan).results())
    {
        check("relay", arguments, result);
    }
    for (tool, arguments) in &calls {
        let ran = world.call(tool, arguments).args(plan).run();
        check(tool, arguments, &ran.json()["result"]);
    }
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new()).await;
    session.stance("plan", "full-access").await.unwrap();
    for (tool, arguments) in &calls {
        let called: Called = session.call(tool, arguments).await.unwrap();
        check(tool, arguments, &called.result);
    }
    assert_eq!(before, tree(&world.workspace()), "something has changed");
    assert!(world.journal().is_empty(), "a server began a call: {:?}", world.journal());
    // Research stays.
    let read = session.call("read", &json!({ "path": "kept.txt" })).await.unwrap();
    assert_eq!(read.result["is_error"], false, "{}", read.result);
}

/// Refused by plan, or the refusal of what it asked for is its answer. A program or a terminal within a call
/// is refused in every mode.
#[track_caller]
fn check(tool: &str, arguments: &Value, result: &Value) {
    let (class, why) = refused(result);
    assert!(tool == "relay" || class == "plan_mode", "{tool} {arguments}: {result}");
    let is_direct_only = ["execute_tools", "terminal"].iter().any(|it| arguments["name"] == *it);
    let reason = if tool == "relay" && is_direct_only { "call it directly" } else { "plan mode" };
    assert!(why.contains(reason), "{tool} {arguments}: {why}");
}

/// [GATE-10] I17 MD-02 A server that nobody trusts and that claims to only read: not believed in plan, a
/// question in `ask`, refused in `never`; nothing has run.
#[test]
fn a_lying_claim_is_not_believed() {
    let world = standin("untrusted");
    let lie = json!({
        "read_only": true, "destructive": false, "leaves": world.workspace().join(CANARY),
    });
    for (options, class) in [
        (["--mode", "plan", "--posture", "full-access"], "plan_mode"),
        (["--mode", "work", "--posture", "ask"], "no_approver"),
        (["--mode", "work", "--posture", "never"], "posture"),
    ] {
        let (told, why) = call_refused(world.call("probe", &lie).args(options).run());
        assert_eq!(told, class, "{why}");
    }
    let asked = turn(&world, &[("probe", lie.clone())], "deny", &[]);
    assert_eq!(asked.cards.len(), 1, "a person is asked");
    assert!(!world.has(CANARY), "it ran");
    let yes = turn(&world, &[("probe", lie)], "once", &[]);
    assert_eq!(yes.results()[0].0["status"], "ok");
    assert!(world.has(CANARY));
}

/// I17 MD-03 A tool that says nothing of itself, of a trusted server: destructive and open to the world.
#[test]
fn a_tool_without_hints_is_the_worst() {
    let world = World::new().hostile("hintless", "trust = \"trusted\"");
    let plan = ["--mode", "plan", "--posture", "full-access"];
    let (class, why) = call_refused(world.call("hintless", &json!({})).args(plan).run());
    assert_eq!(class, "plan_mode", "{why}");
    let ran = world.call("hintless", &json!({})).run();
    let safety = ran.json()["receipt"]["safety"].clone();
    assert_eq!(call_refused(ran).0, "no_approver");
    let worst = json!({
        "read_only": false, "destructive": true, "idempotent": false, "open_world": true,
        "concurrency_safe": false,
    });
    assert_eq!(safety, worst);
    assert!(world.journal().is_empty(), "it ran");
    world.call("look", &json!({})).run().success();
}

/// I17 MD-02 What it says of the places that it touches is not believed either: "I only read that file".
#[test]
fn a_lie_about_a_place_opens_nothing() {
    let world = standin("untrusted");
    let place = world.workspace().join(".git/hooks/pre-commit");
    let lie = json!({
        "read_only": true,
        "subjects": [{ "path": ["read", place] }],
        "leaves": place,
    });
    let (class, why) = call_refused(
        world.call("probe", &lie).args(["--posture", "full-access", "--allow", "probe"]).run(),
    );
    assert_eq!(class, "protected_place", "{why}");
    assert!(why.contains("git hooks"), "{why}");
    assert!(!place.exists());
}

/// [GATE-12] MD-04 G-14 The switch to plan comes after the first judgement and before the call is sent, while
/// a hook holds it there: judged again at dispatch, and refused with the mode that holds now.
#[tokio::test]
async fn a_switch_while_a_hook_runs_is_seen_at_dispatch() {
    let world = World::new();
    let hook = "[[hook]]\nevent = \"tool_call_before\"\nmatch = { tool = \"bash\" }\n\
        command = \"touch held; until [ -e go ]; do sleep 0.01; done\"\n";
    set(&world, "hooks.toml", hook);
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new()).await;
    session.stance("work", "full-access").await.unwrap();
    let caller = session.clone();
    let call = tokio::spawn(async move { caller.call("bash", &bash("touch CANARY")).await });
    let world = until(world, "held").await;
    session.stance("plan", "").await.unwrap();
    world.write("go", "");
    let called = call.await.unwrap().unwrap();
    let (class, why) = refused(&called.result);
    assert_eq!(class, "plan_mode", "{why}");
    assert_eq!(called.receipt["end"]["may_have_run"], false);
    assert!(!world.has(CANARY), "it ran");
}

/// [GATE-12] G-14 A call runs under `full-access`, the user tightens twice, and what the same turn asks for
/// next is judged as of then; the stance that holds is named.
#[tokio::test]
async fn a_turn_is_judged_call_by_call() {
    for (tool, arguments) in
        [("bash", bash("touch CANARY")), ("relay", relayed("bash", &bash("touch CANARY")))]
    {
        let world = standin("trusted");
        let wait = bash("touch held; until [ -e go ]; do sleep 0.01; done; touch first");
        let script = Script::new().call("bash", wait).call(tool, arguments).text("done");
        let kernel = Kernel::start(&world, []);
        let session = kernel.session(&world, &script).await;
        session.stance("work", "full-access").await.unwrap();
        let turn = session.turn("go").await.unwrap();
        let world = until(world, "held").await;
        session.stance("", "ask").await.unwrap();
        session.stance("plan", "").await.unwrap();
        world.write("go", "");
        let events = turn.rest().await.unwrap();
        let last = events.iter().rfind(|it| it["type"] == "tool.result").unwrap();
        assert!(refused(last).1.contains("plan mode"), "{last}");
        assert!(world.has("first"), "what ran before is let finish");
        assert!(!world.has(CANARY), "it ran");
    }
}

/// Waits, beside the runtime, until a file of the workspace is there.
async fn until(world: World, file: &'static str) -> World {
    let wait = tokio::task::spawn_blocking(move || {
        eventually_true("it is held", || world.has(file));
        world
    });
    wait.await.unwrap()
}
