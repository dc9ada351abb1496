//! [GATE-72] A wider sandbox: always a card, only strictly wider, only that call, only from outside; and what a
//! card opens.

use serde_json::{Value, json};
use tollgate_tests::{Running, Script, World};

use super::grants::{of_text, runs, world};

/// A turn in which a person answers.
fn turn(world: &World, script: &Script) -> Running {
    let command = world.exec(script, "go").args(["--approvals", "stdio"]);
    command.stdin_open().spawn()
}

/// The card of the next question, answered with yes.
fn said_yes(turn: &mut Running) -> Value {
    let asked = turn.event_type("approval.requested");
    turn.say(&json!({ "approval": asked["id"], "answer": "once" }).to_string());
    asked["card"].clone()
}

/// What the next call said of its grant.
fn grant(turn: &mut Running) -> Value {
    let result = turn.event_type("tool.result");
    of_text(result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")))
}

/// What was wished is what the call gets, and the next one is as before.
#[test]
fn a_yes_to_a_wider_sandbox_is_for_that_call() {
    let world = world();
    let wishing = |to: &str| {
        let mut arguments = runs(&world, "make", false, &[".git/hooks/x"]);
        arguments["sandbox"] = json!(to);
        arguments
    };
    let script = Script::new()
        .call("probe", wishing("network"))
        .call("probe", wishing("off"))
        .call("probe", runs(&world, "make", false, &[".git/hooks/x"]))
        .text("done");
    let mut turn = turn(&world, &script);
    let card = said_yes(&mut turn);
    let reach = json!({ "sandbox": "network", "instead_of": "workspace-write" });
    assert_eq!(card["reach"], reach, "{card}");
    let network = grant(&mut turn);
    assert_eq!(
        (&network["sandbox"], network["held"].as_array().unwrap().len()),
        (&json!("Network"), 1)
    );
    assert_eq!(said_yes(&mut turn)["reach"]["sandbox"], "off");
    let off = grant(&mut turn);
    assert_eq!((&off["sandbox"], &off["held"]), (&json!("Off"), &json!([])));
    let card = said_yes(&mut turn);
    assert_eq!(card["reach"], json!({ "sandbox": "workspace-write" }));
    assert_eq!(grant(&mut turn)["sandbox"], "WorkspaceWrite");
    turn.finish().success();
}

/// Compared with what this call would have anyway.
#[test]
fn what_is_no_wider_is_refused() {
    let world = world();
    let mut curl = runs(&world, "curl https://example.org", false, &[]);
    curl["sandbox"] = json!("network");
    let ran = world.call("probe", &curl).args(["--allow", "probe"]).run();
    assert!(ran.to_string().contains("escalation_not_wider"), "{ran}");
    // Nobody gives it from inside a call, nor in a posture that asks nobody.
    let mut make = runs(&world, "make", false, &[]);
    make["sandbox"] = json!("network");
    let ran = world.call("relay", &json!({ "name": "probe", "arguments": make })).run();
    assert!(ran.to_string().contains("not from inside a call"), "{ran}");
    let ran = world.call("probe", &make).args(["--posture", "full-access"]).run();
    assert!(ran.to_string().contains("needs a person's yes"), "{ran}");
}

/// [GATE-30] [THR-05] A protected place that the card names is open to that call, and to no other.
#[test]
fn a_place_that_a_card_names_is_open_to_that_call() {
    let world = world();
    let asks = [".envrc", "sub/.envrc"];
    let script = Script::new()
        .call("probe", runs(&world, "touch .envrc", false, &asks))
        .call("probe", runs(&world, "make", false, &asks))
        .text("done");
    let mut turn = turn(&world, &script);
    let card = said_yes(&mut turn);
    assert!(card["why"].to_string().contains("environment settings"), "{card}");
    let both = json!(asks.map(|place| world.workspace().join(place)));
    let named = grant(&mut turn);
    assert_eq!(
        (&named["held"], &named["opened"]),
        (&both, &json!([world.workspace().join(".envrc")]))
    );
    said_yes(&mut turn);
    let other = grant(&mut turn);
    assert_eq!((&other["held"], &other["opened"]), (&both, &json!([])));
    turn.finish().success();
}

/// What `permissions explain` says is what the call would get.
#[test]
fn explain_says_what_a_call_would_get() {
    let world = world();
    let arguments = runs(&world, "curl https://example.org", false, &[]).to_string();
    let explain = ["permissions", "explain", "probe", &arguments, "--deny", "read(secrets/**)"];
    let text = world.tollgate(explain).run().success().text();
    let expected = "its programs, if it runs: writes in the workspace, network: yes (example.org)";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("secrets/**") && text.contains("cannot change: "), "{text}");
    let json = world.tollgate(explain).args(["--json"]).run().success().json();
    assert_eq!(json["confinement"]["sandbox"], "network", "{json}");
    assert_eq!(json["reach"]["hosts"], json!(["example.org"]), "{json}");
}
