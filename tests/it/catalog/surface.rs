//! [CAT-04] [CAT-05] What surfaces, modes, rules and configuration take away and add.

use serde_json::{Value, json};
use tollgate_tests::{Script, World, events::content_text};

use super::{CONTRACT, first, names};

/// `--surface simple` is three tools; `code` is search and programs; what a model cannot see it cannot
/// call, and a person can.
#[test]
fn a_surface_bounds_what_a_model_may_call() {
    let world = World::new();
    world.write("a.txt", "there\n");
    assert_eq!(names(&first(&world, &["--surface", "simple"])), ["read", "edit", "bash"]);
    assert_eq!(names(&first(&world, &["--surface", "code"])), ["tool_search", "execute_tools"]);
    assert_eq!(names(&first(&world, &[])), CONTRACT);
    for (surface, part) in
        [("simple", "surface 'simple'"), ("code", "in a program of execute_tools")]
    {
        let script =
            Script::new().call("write", json!({ "path": "b.txt", "content": "x\n" })).text("Done.");
        let ran = world.exec(&script, "Write.").args(["--surface", surface]).run();
        let events = ran.events().well_formed();
        let result = events.results()[0];
        assert_eq!(result["status"], "refused", "{result}");
        assert!(content_text(result).contains(part), "{result}");
        assert!(!world.has("b.txt"));
        let call = world.call("read", &json!({ "path": "a.txt" })).args(["--surface", surface]);
        assert_eq!(call.run().success().json()["receipt"]["end"]["status"], "ok");
    }
    let ran = world.tollgate(["tools", "list", "--surface", "tiny"]).run();
    ran.code(2).says(["tiny", "simple"]);
}

/// [CAT-05] `[tools] always_load` appends to the contract; a pattern that cannot be read is an error with
/// its place.
#[test]
fn always_load_adds_to_every_request() {
    let world = World::new()
        .hostile("plain", "trust = \"trusted\"")
        .config("[tools]\nalways_load = [\"grep\", \"lo*\", \"no_such_tool\"]");
    let with = [&CONTRACT[..], &["grep", "look"]].concat();
    assert_eq!(names(&first(&world, &[])), with);
    let world = World::new().config("[tools]\nalways_load = [\"\"]");
    let ran = world.tollgate(["tools", "list"]).run().code(2);
    ran.says(["tools.always_load"]);
}

/// [CAT-04] A tool that a rule denies outright is in no request; one of which some calls are denied is. The
/// gate still refuses it by the rule, and no message offers it.
#[test]
fn a_denied_tool_is_not_there() {
    let world = World::new();
    let denied = ["--deny", "write", "--deny", "bash(rm *)"];
    let without_write: Vec<_> = CONTRACT.into_iter().filter(|name| *name != "write").collect();
    assert_eq!(names(&first(&world, &denied)), without_write);
    let script = Script::new()
        .call("write", json!({ "path": "a", "content": "" }))
        .call("writ", json!({}))
        .call("tool_search", json!({ "query": "write a file" }))
        .text("Done.");
    let events = world.exec(&script, "Go.").args(denied).run().events().well_formed();
    let results = events.results();
    assert!(content_text(results[0]).contains("--deny"), "{}", results[0]);
    assert!(!content_text(results[1]).contains("write"), "{}", results[1]);
    let found = content_text(results[2]);
    assert!(!found.lines().any(|line| line.starts_with("write")), "{found}");
}

/// [CAT-01] [CODE-05] Mode and posture, and switching them, keep the contract, but for programs in plan.
#[test]
fn a_mode_keeps_the_contract() {
    let world = World::new();
    let without_programs = &CONTRACT[..CONTRACT.len() - 1];
    for (mode, expected) in
        [("plan", without_programs), ("work", &CONTRACT[..]), ("operate", &CONTRACT[..])]
    {
        assert_eq!(names(&first(&world, &["--mode", mode])), expected, "{mode}");
    }
    assert!(!without_programs.contains(&"execute_tools"));
}

/// [CAT-30] The digest in the event is that of the request's tools, byte for byte.
#[test]
fn the_digest_is_of_the_bytes_that_were_sent() {
    let world = World::new();
    let folder = world.folder().join("requests");
    let kept = folder.display().to_string();
    let script = Script::new().text("Done.");
    let events = world
        .exec(&script, "Go.")
        .args(["--record-requests", &kept])
        .run()
        .success()
        .events()
        .well_formed();
    let request = std::fs::read_to_string(folder.join("0001.json")).unwrap();
    let (_, tools) = request.split_once("\"tools\":").unwrap();
    let (tools, _) = tools.split_once(",\"messages\":").unwrap();
    let file = world.folder().join("tools.json");
    std::fs::write(&file, tools).unwrap();
    let sum = std::process::Command::new("sha256sum").arg(&file).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    let prepared = events.one("request.prepared");
    assert_eq!(
        prepared["active_tool_catalog_sha256"],
        Value::from(sum.split_whitespace().next().unwrap())
    );
    assert_eq!(prepared["tools_bytes"], tools.len());
    let names: Vec<_> = names_of(tools);
    assert_eq!(prepared["tool_names"], json!(names));
}

fn names_of(tools: &str) -> Vec<String> {
    let tools: Vec<Value> = serde_json::from_str(tools).unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// [GATE-51] The machine owner's list of servers leaves the kernel's own tool alone.
#[test]
fn a_list_of_servers_leaves_the_search_alone() {
    let world = World::new();
    let file = world.beside("managed.toml");
    std::fs::write(&file, "servers = [\"file\", \"model\"]\n").unwrap();
    let ran = world.call("tool_search", &json!({ "query": "grep" }));
    let ran = ran.env("TOLLGATE_MANAGED", &file).run().success();
    assert_eq!(ran.json()["receipt"]["end"]["status"], "ok", "{ran}");
    let ran = world.call("bash", &json!({ "command": "ls" })).env("TOLLGATE_MANAGED", &file).run();
    assert_eq!(ran.json()["receipt"]["end"]["status"], "refused", "{ran}");
}
