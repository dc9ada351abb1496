//! What is shown of the tools of requests: `tools payload|contract|list|show` and `GetSnapshot`.
//!
//! Invariants: one digest everywhere (`[CAT-30]`); a look changes nothing and needs nobody's leave; what is
//! not known is said to be.

mod contract;
mod snapshots;

use std::fs;

use serde_json::{Value, json, value::RawValue};
use tollgate_proto::grant::sha256;
use tollgate_tests::{
    Script, World, eventually::eventually_true, processes::programs_below, run::Ran, world,
};

/// SHA-256 in hex.
fn digest(bytes: &[u8]) -> String {
    sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `tollgate tools payload --json`.
#[track_caller]
fn payload(world: &World, arguments: &[&str]) -> Value {
    let all = ["tools", "payload", "--json"].iter().chain(arguments).copied();
    world.tollgate(all).run().success().json()
}

/// Digest and size of the tools in a recorded request, of its exact bytes.
fn recorded(world: &World, name: &str) -> (String, usize) {
    #[derive(serde::Deserialize)]
    struct Request<'a> {
        #[serde(borrow)]
        tools: &'a RawValue,
    }
    let bytes = fs::read(world.beside("requests").join(name)).unwrap();
    let request: Request<'_> = serde_json::from_slice(&bytes).unwrap();
    (digest(request.tools.get().as_bytes()), request.tools.get().len())
}

/// A turn of a script whose requests are recorded.
fn recorded_turn(world: &World, script: &Script, more: &[&str]) -> Ran {
    let folder = world::text(&world.beside("requests"));
    let recorded = ["--record-requests", folder.as_str()];
    world.exec(script, "go").args(recorded).args(more).run()
}

/// `[CAT-30]` B127: the event, the payload and the recorded bytes name one digest, and no reason for a change
/// is told where nothing changed.
#[test]
fn one_digest_is_told_everywhere() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let script = Script::new().call("read", json!({ "path": "a.txt" })).text("done");
    let ran = recorded_turn(&world, &script, &[]).success();
    let events = ran.events().well_formed();
    let prepared = events.of("request.prepared");
    assert_eq!(prepared.len(), 2);
    for (event, name) in prepared.iter().zip(["0001.json", "0002.json"]) {
        let (digest, bytes) = recorded(&world, name);
        assert_eq!(event["active_tool_catalog_sha256"], digest);
        assert_eq!(event["tools_bytes"], bytes);
        assert!(event.get("prefix_change_reason").is_none(), "{event}");
    }
    let shown = payload(&world, &[]);
    assert_eq!(shown["session"], events.session());
    let snapshot = &shown["snapshot"];
    let (wire, last) = (&snapshot["wire"], prepared[1]);
    assert_eq!(wire["active_tool_catalog_sha256"], last["active_tool_catalog_sha256"]);
    assert_eq!(wire["bytes"], last["tools_bytes"]);
    let names: Vec<_> = wire["tools"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(json!(names), last["tool_names"]);
    let request = fs::read(world.beside("requests/0002.json")).unwrap();
    assert_eq!(snapshot["request"]["sha256"], digest(&request));
    assert_eq!(snapshot["request"]["bytes"], last["request_bytes"]);
    assert_eq!(
        (&snapshot["request"]["turn"], &snapshot["request"]["step"]),
        (&json!(1), &json!(2))
    );
    // The bytes themselves are kept under that name.
    let id = last["active_tool_catalog_sha256"].as_str().unwrap();
    let kept = world.tollgate(["artifacts", "show", id]).run().success();
    assert_eq!(digest(&kept.stdout), id);
}

/// `[CAT-32, 33, 35]`
#[test]
fn surface_facts_stand_beside_the_wires() {
    let world = World::new().hostile("plain", "");
    world.exec(&Script::new().text("done"), "go").args(["--deny", "change"]).run().success();
    let shown = payload(&world, &["--last"]);
    let snapshot = &shown["snapshot"];
    assert_eq!(snapshot["delivery_status"], "unknown");
    assert_eq!(snapshot["unavailable_for_this_request"], json!(["provider_wire_payload"]));
    assert_eq!(snapshot["request"]["provider"], "script");
    let surface = &snapshot["surface"];
    let of = |name: &str| {
        let tools = surface["tools"].as_array().unwrap();
        tools.iter().find(|it| it["name"] == name).unwrap().clone()
    };
    assert_eq!(of("read")["provenance"], "builtin");
    assert_eq!(of("read")["capabilities"]["read_only"], true);
    assert_eq!(of("bash")["approval"]["requires"], "per_call");
    assert_eq!(of("tool_search")["provenance"], "synthetic");
    assert_eq!(of("tool_search")["approval"]["requires"], "nothing");
    let resting = surface["not_carried"]["tools"].as_array().unwrap();
    let why = |name: &str| resting.iter().find(|it| it["name"] == name).unwrap()["why"].clone();
    assert_eq!((why("look"), why("change")), (json!("deferred"), json!("denied")));
    let by_why = surface["not_carried"]["by_why"].as_object().unwrap();
    let total: u64 = by_why.values().filter_map(Value::as_u64).sum();
    assert_eq!(surface["not_carried"]["count"], total);
    assert!(snapshot["wire"]["tools"][0].get("capabilities").is_none());
}

/// `[CAT-34]`: no session, a session without a request, one that is not there.
#[test]
fn before_the_first_request_there_is_no_snapshot() {
    let world = World::new();
    let none = world.tollgate(["tools", "payload"]).run().code(2);
    assert!(none.stderr.contains("no sessions yet"), "{none}");
    world.write("a.txt", "x\n");
    world.call("read", &json!({ "path": "a.txt" })).run().success();
    let shown = payload(&world, &[]);
    assert_eq!(shown["snapshot"], Value::Null);
    assert!(shown["why"].as_str().unwrap().contains("no request was prepared"), "{shown}");
    let told = world.tollgate(["tools", "payload"]).run().success();
    assert!(told.stdout.is_empty() && told.stderr.contains("no request was prepared"), "{told}");
    for asked in ["0198-none", "../../etc/passwd", "\u{1b}[2J", ""] {
        let unknown = world.tollgate(["tools", "payload", "--session", asked]).run().code(2);
        assert!(unknown.stderr.contains("there is no session"), "{unknown}");
        assert!(unknown.stdout.is_empty() && !unknown.stderr.contains("\u{1b}[2J"), "{unknown}");
    }
    world.tollgate(["tools", "payload", "--last", "--session", "x"]).run().code(2);
}

/// `[CAT-31]`: a session that runs in another kernel is looked at, by the beginning of its id; the look starts
/// nothing and writes nothing.
#[test]
fn a_running_session_is_looked_at() {
    let world = World::new();
    world.warm();
    let wait = "touch running; while [ ! -e go ]; do read -t 0.05 < <(:) || :; done";
    let script = Script::new().call("bash", json!({ "command": wait })).text("done");
    let mut kernel = world.exec(&script, "go").args(["--posture", "full-access"]).spawn();
    let event = kernel.event_type("request.prepared");
    eventually_true("the command runs", || world.has("running"));
    let session = event["session"].as_str().unwrap();
    let log = world.state(&format!("sessions/{session}.jsonl"));
    let (before, receipts) = (fs::read(&log).unwrap(), world.state("receipts"));
    let kept = || fs::read_dir(&receipts).unwrap().count();
    // The command's own come and go.
    let servers = || {
        let mut programs = programs_below(kernel.pid);
        programs.retain(|program| program.starts_with("tollgate"));
        programs
    };
    let (servers_before, receipts_before) = (servers(), kept());
    let shown = payload(&world, &["--session", session.get(..20).unwrap()]);
    let wire = &shown["snapshot"]["wire"];
    assert_eq!(wire["active_tool_catalog_sha256"], event["active_tool_catalog_sha256"]);
    assert_eq!(shown["snapshot"]["surface"]["posture"], "full-access");
    assert_eq!(fs::read(&log).unwrap(), before, "the log is as it was");
    assert_eq!((servers(), kept()), (servers_before, receipts_before));
    world.write("go", "");
    kernel.finish().success();
}

/// A snapshot whose bytes were lost, changed, or never kept says so, and the rest is shown.
#[test]
fn what_was_lost_is_told() {
    let world = World::new();
    let ran = world.exec(&Script::new().text("done"), "go").run().success();
    let events = ran.events();
    let id = events.one("request.prepared")["active_tool_catalog_sha256"].as_str().unwrap();
    let file = world.state(&format!("artifacts/{}/{id}", id.get(..2).unwrap()));
    fs::write(&file, "[{\"name\":\"forged\"}]").unwrap();
    let shown = payload(&world, &[]);
    let wire = &shown["snapshot"]["wire"];
    assert_eq!((&wire["tools_field"], &wire["tools"]), (&json!("unavailable"), &json!([])));
    assert!(wire["damage"].as_str().unwrap().contains("changed or damaged"), "{wire}");
    assert_eq!(wire["active_tool_catalog_sha256"], id, "the log has it");
    fs::remove_file(&file).unwrap();
    let shown = payload(&world, &[]);
    assert!(shown["snapshot"]["wire"]["damage"].as_str().unwrap().contains("deleted"), "{shown}");
    assert_eq!(shown["snapshot"]["surface"]["captured"], true);
    fs::remove_dir_all(world.state("artifacts")).unwrap();
    let shown = payload(&world, &[]);
    let unknown = shown["snapshot"]["unavailable_for_this_request"].as_array().unwrap();
    for word in ["provider_wire_payload", "provenance", "capabilities", "approval", "tools"] {
        assert!(unknown.contains(&json!(word)), "{unknown:?}");
    }
    let text = world.tollgate(["tools", "payload"]).run().success();
    assert!(text.text().contains("tools field: unavailable"), "{text}");
}

/// A look is all that is lost when nothing can be kept: the turn goes on, and the digest is told all the same.
#[test]
fn a_turn_goes_on_when_nothing_can_be_kept() {
    let world = World::new();
    world.warm();
    let partial = world.state("artifacts/partial");
    fs::create_dir_all(partial.parent().unwrap()).unwrap();
    fs::write(&partial, "in the way").unwrap();
    let ran = world.exec(&Script::new().text("done"), "go").run().success();
    let event = ran.events().one("request.prepared").clone();
    let shown = payload(&world, &[]);
    let snapshot = &shown["snapshot"];
    assert_eq!(snapshot["wire"]["tools_field"], "unavailable");
    let told = &snapshot["wire"]["active_tool_catalog_sha256"];
    assert_eq!(*told, event["active_tool_catalog_sha256"]);
    assert_eq!(snapshot["surface"]["captured"], false);
}

/// `[GATE-81]`: a known secret that stands in a tool's description is not kept and not shown; the digest stays
/// that of what was sent.
#[test]
fn a_secret_in_a_description_is_not_shown() {
    let world = World::new();
    let read = world.tollgate(["tools", "show", "read", "--json"]).run().success().json();
    let secret: String = read["description"].as_str().unwrap().chars().take(24).collect();
    let folder = world::text(&world.beside("requests"));
    let ran = world
        .exec(&Script::new().text("done"), "go")
        .args(["--record-requests", &folder])
        .env("INSPECTED_API_KEY", &secret)
        .run()
        .success();
    let event = ran.events().one("request.prepared").clone();
    assert_eq!(event["active_tool_catalog_sha256"], recorded(&world, "0001.json").0);
    let shown = payload(&world, &[]);
    let wire = &shown["snapshot"]["wire"];
    assert_eq!(wire["redacted"], true);
    assert_eq!(wire["active_tool_catalog_sha256"], event["active_tool_catalog_sha256"]);
    assert_eq!(wire["bytes"], event["tools_bytes"]);
    let text = shown.to_string();
    assert!(!text.contains(&secret) && text.contains("[secret INSPECTED_API_KEY]"), "{text}");
}

/// Readable at any width, without colour where none is wanted.
#[test]
fn a_payload_is_readable_at_forty_columns() {
    let world = World::new();
    world.exec(&Script::new().text("done"), "go").run().success();
    for (columns, width) in [("40", 40), ("120", 120)] {
        let shown = world.tollgate(["tools", "payload"]).env("COLUMNS", columns).run().success();
        for line in shown.text().lines() {
            assert!(line.chars().count() <= width, "{line}");
            assert!(!line.contains('\u{1b}'), "{line}");
        }
        assert!(
            shown.text().contains("1. read") && shown.text().contains("input_schema:"),
            "{shown}"
        );
    }
    let forced = world.tollgate(["tools", "payload"]).env("CLICOLOR_FORCE", "1");
    let coloured = forced.env("TERM", "xterm").run().success();
    assert!(coloured.text().contains("\u{1b}[1m1. read"), "{coloured}");
}
