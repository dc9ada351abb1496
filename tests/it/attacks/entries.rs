//! One wall of each kind, and every way in (`[GATE-01]`).

use tollgate_proto::kernel::v1::OpenSessionRequest;
use tollgate_tests::{
    Command,
    kernel::{Called, Client, Kernel},
};

use super::*;

/// What the call would write, and the law protects.
const PLACE: &str = "lawful/CANARY";

/// A wall: the files that build it, the mode, and the layer that refuses.
struct Wall {
    name: &'static str,
    hooks: &'static str,
    rules: &'static str,
    law: &'static str,
    managed: &'static str,
    mode: &'static str,
    layer: &'static str,
}

const NO_WALL: Wall =
    Wall { name: "none", hooks: "", rules: "", law: "", managed: "", mode: "work", layer: "" };

fn walls() -> [Wall; 5] {
    let hooks = "[[hook]]\nevent = \"tool_call_before\"\nmatch = { tool = \"write\" }\ncommand = \"echo no >&2; exit 2\"\n";
    let law = "[[protect]]\npaths = [\"lawful/**\"]\naction = \"block\"\nreason = \"law\"\n";
    let deny = "deny = [\"write\"]\n";
    [
        Wall { name: "hook", hooks, layer: "hooks", ..NO_WALL },
        Wall { name: "rule", rules: deny, layer: "rules", ..NO_WALL },
        Wall { name: "law", law, layer: "law", ..NO_WALL },
        Wall { name: "managed", managed: deny, layer: "managed", ..NO_WALL },
        Wall { name: "mode", mode: "plan", layer: "admission", ..NO_WALL },
    ]
}

fn build(world: &World, wall: &Wall) {
    set(world, "hooks.toml", wall.hooks);
    set(world, "permissions.toml", wall.rules);
    fs::write(world.beside("managed.toml"), wall.managed).unwrap();
    world.write(".tollgate/law.toml", wall.law);
    fs::remove_dir_all(world.workspace().join("lawful")).ok();
}

fn within_walls(world: &World, command: Command) -> Command {
    command.env("TOLLGATE_MANAGED", world.beside("managed.toml"))
}

/// By `tollgate call`, by the model, and from inside a call and a program of theirs.
fn by_process(world: &World, wall: &Wall) -> Vec<(&'static str, Value)> {
    let options = ["--mode", wall.mode, "--posture", "full-access"];
    let run = |command: Command| within_walls(world, command.args(options)).run();
    run(world.call("write", &write(PLACE)));
    let user = receipt(world, None);
    run(world.call("relay", &relayed("write", &write(PLACE))));
    let nested = receipt(world, None);
    let script = Script::new().call("write", write(PLACE)).text("done");
    let model = run(world.exec(&script, "go")).events().well_formed();
    let inside = Script::new().call("relay", relayed("write", &write(PLACE))).text("done");
    let inside = run(world.exec(&inside, "go")).events().well_formed();
    let mut ways = vec![
        ("tollgate call", user),
        ("inside tollgate call", nested),
        ("the model", receipt(world, Some(model.session()))),
        ("inside a model's call", receipt(world, Some(inside.session()))),
    ];
    let code = format!("return await tools.call('write', {})", write(PLACE));
    let program = Script::new().call("execute_tools", json!({ "code": code })).text("done");
    let program = run(world.exec(&program, "go")).events().well_formed();
    if wall.mode == "plan" {
        // [CODE-05] There are no programs, so that none of their calls has a receipt.
        let receipts = world.receipts(Some(program.session())).sound(world);
        assert_eq!(receipts.words(), ["execute_tools refused refused"]);
    } else {
        ways.push(("a model's program", receipt(world, Some(program.session()))));
    }
    ways
}

/// The receipt of the `write` of a session.
#[track_caller]
fn receipt(world: &World, session: Option<&str>) -> Value {
    let receipts = world.receipts(session).sound(world);
    receipts.0.iter().find(|it| it["tool"] == "write").expect("it has a receipt").clone()
}

/// Over the kernel's gRPC: a call, one inside it, and a turn.
async fn by_kernel(world: &World, kernel: &Kernel, wall: &Wall) -> Vec<(&'static str, Value)> {
    let script = Script::new().call("write", write(PLACE)).text("done");
    let client = open(world, kernel, wall, &script).await;
    let called: Called = client.call("write", &write(PLACE)).await.unwrap();
    let mut watch = client.watch(true).await.unwrap();
    client.call("relay", &relayed("write", &write(PLACE))).await.unwrap();
    let nested = loop {
        let result = watch.until("tool.result").await;
        if result["name"] == "write" {
            break result["receipt"].clone();
        }
    };
    let events = client.turn("go").await.unwrap().rest().await.unwrap();
    let result = events.iter().find(|it| it["type"] == "tool.result").unwrap();
    client.close().await.unwrap();
    vec![
        ("gRPC CallTool", called.receipt),
        ("inside gRPC CallTool", nested),
        ("gRPC RunTurn", result["receipt"].clone()),
    ]
}

async fn open(world: &World, kernel: &Kernel, wall: &Wall, script: &Script) -> Client {
    let request = OpenSessionRequest {
        mode: wall.mode.to_owned(),
        posture: "full-access".to_owned(),
        model: world.script(script),
        ..OpenSessionRequest::default()
    };
    kernel.open(request).await.expect("a session opens")
}

/// [GATE-01] [CODE-04] One hook, one rule, one law, one managed rule, one mode: each alone stops the call by whichever
/// way it comes, with the same layer, class and reason; without them each way goes through.
#[tokio::test]
async fn one_wall_stops_every_way_in() {
    let world = standin("trusted");
    build(&world, &NO_WALL);
    world.warm();
    let kernel = Kernel::start_with(&world, |command| within_walls(&world, command));
    for wall in walls() {
        build(&world, &wall);
        let mut receipts = by_process(&world, &wall);
        receipts.extend(by_kernel(&world, &kernel, &wall).await);
        let mut reasons = BTreeMap::new();
        for (way, receipt) in receipts {
            let end = &receipt["end"];
            assert_eq!(end["status"], "refused", "{} by {way}: {receipt}", wall.name);
            assert_eq!(end["may_have_run"], false, "{} by {way}: {receipt}", wall.name);
            let mut layers = receipt["layers"].as_array().unwrap().iter();
            let refusing = layers.find(|note| note["verdict"] == "refuse").expect("one refuses");
            assert_eq!(refusing["layer"], wall.layer, "{} by {way}: {receipt}", wall.name);
            let reason = (end["error_class"].to_string(), end["error"].to_string());
            reasons.entry(reason).or_insert_with(Vec::new).push(way);
        }
        assert_eq!(reasons.len(), 1, "{}: {reasons:?}", wall.name);
        assert!(!world.has(PLACE), "{}: it was written", wall.name);
    }
    build(&world, &NO_WALL);
    for (way, receipt) in by_process(&world, &NO_WALL) {
        assert_eq!(receipt["end"]["status"], "ok", "{way}: {receipt}");
    }
    fs::remove_file(world.workspace().join(PLACE)).unwrap();
    for (way, receipt) in by_kernel(&world, &kernel, &NO_WALL).await {
        assert_eq!(receipt["end"]["status"], "ok", "{way}: {receipt}");
    }
    assert_eq!(world.read(PLACE), "evil\n");
}
