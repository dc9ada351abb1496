//! One gate: a hook stands before a call whoever asked for it.

use tollgate_tests::Script;

use super::*;

/// [GATE-01] G-02 B104: the model, a person, another server.
#[test]
fn a_hook_stops_the_call_of_every_caller() {
    let world = World::new().hostile("plain", "trust = \"trusted\"");
    world.write("secret.txt", "token\n");
    let deny = "match = { tool = \"read\" }";
    set(&world, &before("grep -q secret.txt && { echo not that >&2; exit 2; }; exit 0", deny));
    let read = json!({ "path": "secret.txt" });

    let (class, _) = refused(&world.call("read", &read).run());
    assert_eq!(class, "hook_denied");

    let script = Script::new().call("read", read.clone()).text("done");
    let ran = world.exec(&script, "go").run().code(3);
    let events = ran.events().well_formed();
    assert_eq!(events.results()[0]["metadata"]["error"], "hook_denied");
    assert!(!ran.text().contains("token"));

    let nest = json!({ "how": "nest", "name": "read", "arguments": read });
    let ran = world.call("look", &nest).run().success();
    let text = content_text(&ran.json()["result"]);
    assert!(text.starts_with("refused:") && text.contains("not that"), "{text}");
    assert!(!ran.text().contains("token"));
    let receipts = world.receipts(None).sound(&world);
    let nested = receipts.0.iter().find(|it| it["tool"] == "read").unwrap();
    let parent = receipts.0.iter().find(|it| it["tool"] == "look").unwrap();
    assert_eq!((&nested["parent"], &nested["caller"]), (&parent["id"], &json!("server")));
    assert_eq!(nested["end"]["error_class"], "hook_denied");
}

/// [GATE-40] A nested call is told to hooks with its parent, before and after.
#[test]
fn a_nested_call_is_told_with_its_parent() {
    let world = World::new().hostile("plain", "trust = \"trusted\"");
    world.write("a.txt", "x\n");
    let scribe = |event| hook(event, "'cat >> ../told; echo >> ../told'", "");
    set(&world, &[scribe("tool_call_before"), scribe("tool_call_after")].concat());
    let nest = json!({ "how": "nest", "name": "read", "arguments": { "path": "a.txt" } });
    world.call("look", &nest).run().success();
    let told: Vec<Value> = lines(&world, "told")
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let words: Vec<_> = told
        .iter()
        .map(|it| {
            format!("{} {}", it["event"].as_str().unwrap(), it["tool_name"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        words,
        [
            "tool_call_before look",
            "tool_call_before read",
            "tool_call_after read",
            "tool_call_after look"
        ]
    );
    assert_eq!(told[1]["parent"], told[0]["call_id"]);
    assert_eq!((&told[1]["caller"], &told[0]["caller"]), (&json!("server"), &json!("user")));
}

/// [GATE-01] Calls that run side by side are each heard.
#[test]
fn calls_side_by_side_are_each_heard() {
    let world = World::new();
    let names: Vec<String> = (0..8).map(|number| format!("{number}.txt")).collect();
    let line = "grep -q '\"path\":\"3.txt\"' && exit 2; exit 0";
    set(&world, &before(line, ""));
    for name in &names {
        world.write(name, "x\n");
    }
    let calls = names.iter().map(|name| ("read", json!({ "path": name })));
    let ran = world.exec(&Script::new().calls(calls).text("done"), "go").run().code(3);
    let events = ran.events().well_formed();
    let statuses: Vec<_> = events.results().iter().map(|it| it["status"].clone()).collect();
    let expected: Vec<_> =
        (0..8).map(|number| json!(if number == 3 { "refused" } else { "ok" })).collect();
    assert_eq!(statuses, expected);
    world.is_quiet();
}
