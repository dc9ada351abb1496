//! [GATE-13] [GATE-20] [GATE-21] [GATE-51] Rules from files, options, a project and the machine's owner:
//! stored, listed, in force, explained.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tollgate_tests::{Script, World};

fn world() -> World {
    let world = World::new();
    world.write("kept.txt", "old\n");
    world
}

/// The class of a refused call.
#[track_caller]
fn refused(world: &World, tool: &str, arguments: &Value, more: &[&str]) -> String {
    let ran = world.call(tool, arguments).args(more).run().code(3);
    ran.json()["receipt"]["end"]["error_class"].as_str().unwrap_or_default().to_owned()
}

fn touch(file: &str) -> Value {
    json!({ "command": format!("touch {file}") })
}

/// A managed file that only its owner can have written.
fn managed(world: &World, toml: &str) -> PathBuf {
    let file = world.beside("managed.toml");
    fs::write(&file, toml).expect("a file can be written");
    file
}

/// The rules of `permissions list`.
fn rules(world: &World) -> Vec<Value> {
    let listed = world.tollgate(["permissions", "list", "--json"]).run().success().json();
    listed["rules"].as_array().expect("a list").clone()
}

/// [GATE-20] Stored as narrow as it was said, shown normalised, and in force for the next call.
#[test]
fn a_rule_is_stored_listed_and_in_force() {
    let world = world();
    assert_eq!(refused(&world, "bash", &touch("a"), &[]), "no_approver");
    let added = world.tollgate(["permissions", "add", "bash(touch a*)", "--reason", "tests"]).run();
    let added = added.code(2);
    assert!(added.stderr.contains("touch"), "a glob inside a word is no words: {added}");
    let added = world.tollgate(["permissions", "add", "Bash(touch *)", "--reason", "tests"]).run();
    let text = added.success().text();
    for part in ["allow bash(touch *)", "begin with `touch`", "permissions.toml", "/ws"] {
        assert!(text.contains(part), "no {part:?}: {text}");
    }
    let rules = rules(&world);
    let rule = rules.iter().find(|rule| rule["source"] == "user").expect("it is listed");
    assert_eq!(rule["rule"], "bash(touch *)");
    assert_eq!(rule["action"], "allow");
    assert_eq!(rule["reason"], "tests");
    assert_eq!(rule["in_force"], true);
    assert_eq!(rule["workspace"], world.workspace().to_str().unwrap());
    assert!(rule["origin"].as_str().unwrap().contains("permissions.toml:"), "{rule}");
    let ran = world.call("bash", &touch("a")).run().success().json();
    assert!(world.has("a"));
    assert!(ran["receipt"]["rule"].as_str().unwrap().contains("bash(touch *)"), "{ran}");
    // [GATE-23] One approved command approves no other, in no combination.
    for line in
        ["touch b && rm kept.txt", "rm kept.txt", "touch b > ../out.txt", "touch $(rm kept.txt)"]
    {
        assert_eq!(
            refused(&world, "bash", &json!({ "command": line }), &[]),
            "no_approver",
            "{line}"
        );
    }
    assert_eq!(world.read("kept.txt"), "old\n");
}

/// [GATE-20] [CLI-08] What means nothing is told with what would, and nothing is stored.
#[test]
fn nonsense_is_no_rule() {
    let world = world();
    for (arguments, parts) in [
        (vec!["bash("], vec!["bash(", "TOOL"]),
        (vec![""], vec!["TOOL"]),
        (vec!["bahs(ls *)"], vec!["bahs", "bash"]),
        (vec!["read(../**)"], vec![".."]),
        (vec!["bash(ls *)", "--expires", "soon"], vec!["soon", "2027-01-31"]),
        (vec!["bash(ls *)", "--expires", "2001-01-01"], vec!["over"]),
        (vec!["bash(ls *)", "--action", "maybe"], vec!["maybe", "allow"]),
    ] {
        let all = ["permissions", "add"].into_iter().chain(arguments.clone());
        let ran = world.tollgate(all).run().code(2);
        for part in parts {
            assert!(ran.stderr.contains(part), "{arguments:?}: no {part:?}: {ran}");
        }
    }
    assert!(!world.home().join("config/permissions.toml").exists());
}

/// [GATE-21] `--allow` clears a question; `--deny` forbids, whatever else allows.
#[test]
fn options_allow_and_deny() {
    let world = world();
    let allow = ["--allow", "bash(touch *)"];
    world.call("bash", &touch("a")).args(allow).run().success();
    assert!(world.has("a"));
    world.tollgate(["permissions", "add", "bash(touch *)"]).run().success();
    for more in [
        vec!["--deny", "bash(touch *)"],
        vec!["--deny", "bash(touch *)", "--allow", "bash(touch *)"],
        vec!["--deny", "bash", "--posture", "full-access"],
    ] {
        assert_eq!(refused(&world, "bash", &touch("b"), &more), "rule", "{more:?}");
    }
    let wrong = world.call("bash", &touch("b")).args(["--deny", "bash("]).run().code(2);
    assert!(wrong.stderr.contains("--deny"), "{wrong}");
    assert!(!world.has("b"));
}

/// [GATE-21] The done-when of the gate: every command, every layer, and nothing runs.
#[test]
fn an_explanation_shows_every_layer_and_runs_nothing() {
    let world = world();
    let line = json!({ "command": "git status && curl x | sh" }).to_string();
    let ran = world.tollgate(["permissions", "explain", "bash", &line]).run().success();
    let text = ran.text();
    for part in ["  git status", "  && curl x", "  | sh"] {
        assert!(text.contains(part), "no {part:?}: {text}");
    }
    let numbers = |text: &str| -> Vec<u32> {
        text.lines().filter_map(|line| line.get(..3)?.trim().parse().ok()).collect()
    };
    let mut told = numbers(&text);
    told.dedup();
    assert_eq!(told, (0..=11).collect::<Vec<_>>(), "{text}");
    assert!(text.contains("a person would be asked"), "{text}");
    let mixed = json!({ "command": "git status && touch a" }).to_string();
    let mixed = world.tollgate(["permissions", "explain", "bash", &mixed]).run().success().text();
    assert!(mixed.contains("  git status  (only reads)\n  && touch a\n"), "{mixed}");
    let json = world.tollgate(["permissions", "explain", "bash", &line, "--json"]).run().success();
    let json = json.json();
    assert_eq!(json["verdict"]["verdict"], "ask", "{json}");
    assert_eq!(json["subjects"].as_array().map(Vec::len), Some(3), "{json}");
    assert_eq!(json["complete"], true);
    let command = touch("made.txt").to_string();
    for more in [vec![], vec!["--posture", "full-access"], vec!["--caller", "program"]] {
        let all = ["permissions", "explain", "bash", &command].into_iter().chain(more);
        world.tollgate(all).run().success();
    }
    assert!(!world.has("made.txt"));
    let sessions = world.tollgate(["sessions", "list", "--json"]).run().success().json();
    assert_eq!(sessions, json!([]), "an explanation is no session");
    world.is_quiet();
}

/// [GATE-01] [GATE-21] What is explained is what happens: one judgement, whatever holds.
#[test]
fn an_explanation_is_what_happens() {
    let world = world();
    world.tollgate(["permissions", "add", "bash(touch *)"]).run().success();
    world.tollgate(["permissions", "add", "bash(mkdir *)", "--action", "ask"]).run().success();
    let bash = |line: &str| ("bash", json!({ "command": line }));
    let calls = [
        ("read", json!({ "path": "kept.txt" })),
        ("write", json!({ "path": "w.txt", "content": "x" })),
        bash("ls"),
        bash("touch t"),
        bash("mkdir m"),
        bash("touch t; mkdir m"),
        bash("touch t; curl x | sh"),
        bash("rm kept.txt"),
        bash("rm -rf /"),
        ("bahs", json!({})),
        ("read", json!({ "path": 5 })),
    ];
    let stances =
        [["work", "ask"], ["work", "never"], ["work", "full-access"], ["plan", "full-access"]];
    for (tool, arguments) in &calls {
        let text = arguments.to_string();
        for [mode, posture] in stances {
            let stance = ["--mode", mode, "--posture", posture];
            let explain = ["permissions", "explain", tool, &text, "--headless", "--caller", "user"];
            let explained =
                world.tollgate(explain).args(stance).args(["--json"]).run().success().json();
            let said = &explained["verdict"];
            if said["verdict"] == "allow" && posture == "full-access" && *tool == "bash" {
                // Not run for the sake of a comparison.
                continue;
            }
            let ran = world.call(tool, arguments).args(stance).run().json();
            let class = ran["receipt"]["end"]["error_class"].as_str().unwrap_or_default();
            let expected = match said["verdict"].as_str() {
                Some("allow") => "",
                Some("ask") => "no_approver",
                _ => said["class"].as_str().unwrap_or("?"),
            };
            assert_eq!(class, expected, "{tool} {text} {stance:?}: {explained} {ran}");
        }
    }
}

/// [GATE-21] A layer that refuses does not hide those after it; exit 0 whatever the verdict.
#[test]
fn an_explanation_goes_on_after_a_refusal() {
    let world = world();
    let command = touch("a").to_string();
    for more in [vec!["--mode", "plan"], vec!["--deny", "bash(touch *)"]] {
        let all = ["permissions", "explain", "bash", &command, "--json"].into_iter().chain(more);
        let json = world.tollgate(all).run().success().json();
        assert_eq!(json["verdict"]["verdict"], "refuse", "{json}");
        let layers = json["layers"].as_array().unwrap();
        let refused = layers.iter().position(|note| note["verdict"] == "refuse").unwrap();
        let managed = layers.iter().position(|note| note["layer"] == "managed").unwrap();
        assert!(refused < managed, "{json}");
    }
    for (tool, arguments, layer) in
        [("bahs", "{}", "name"), ("bash", "{\"comand\":1}", "arguments")]
    {
        let json = world.tollgate(["permissions", "explain", tool, arguments, "--json"]).run();
        let json = json.success().json();
        assert_eq!(json["complete"], false, "{json}");
        let last = json["layers"].as_array().and_then(|layers| layers.last()).unwrap();
        assert_eq!((&last["layer"], &last["verdict"]), (&json!(layer), &json!("refuse")), "{json}");
    }
}

/// [GATE-13] CFG-02 A project adds denies and asks, switches servers off, and loosens nothing.
#[test]
fn a_project_only_tightens() {
    let world = world();
    let full = ["--posture", "full-access"];
    world.write(".tollgate/config.toml", "[permissions]\ndeny = [\"bash(touch *)\"]\n");
    assert_eq!(refused(&world, "bash", &touch("a"), &full), "rule");
    let listed = rules(&world);
    let rule = listed.iter().find(|rule| rule["source"] == "project").expect("it is listed");
    assert!(rule["origin"].as_str().unwrap().ends_with(".tollgate/config.toml:2"), "{rule}");
    let all = ["--posture", "full-access", "--allow", "bash(touch *)"];
    assert_eq!(refused(&world, "bash", &touch("a"), &all), "rule", "no option takes it back");
    world.write(".tollgate/config.toml", "[tools]\ndeny = [\"bash\"]\n");
    assert_eq!(refused(&world, "bash", &touch("a"), &full), "denied_tool");
    world.write(".tollgate/config.toml", "[servers.shell]\nenabled = false\n");
    world.call("bash", &touch("a")).args(full).run().code(2);
    for (loose, key) in [
        ("posture = \"full-access\"", "posture"),
        ("workspace_writes = \"auto\"\ntaint = false", "taint"),
        ("[permissions]\nallow = [\"bash\"]", "permissions.allow"),
        ("[tools]\nallow = [\"bash\"]", "tools.allow"),
        ("[servers.shell]\nenabled = true", "servers.shell.enabled"),
        ("[servers.shell]\ntrust = \"trusted\"", "servers.shell.trust"),
        ("[auto_review]\nmodel = \"x\"", "auto_review.model"),
        ("trusted = true", "trusted"),
        ("[permissions]\ndeny = [\"bash(\"]", "permissions.deny"),
    ] {
        world.write(".tollgate/config.toml", loose);
        let ran = world.call("bash", &touch("a")).args(full).run().code(2);
        for part in [key, ".tollgate/config.toml:"] {
            assert!(ran.stderr.contains(part), "{loose}: no {part:?}: {ran}");
        }
    }
    assert!(!world.has("a"));
}

/// CFG-04 Files of a project named like an environment move nothing.
#[test]
fn an_env_file_of_a_project_is_not_read() {
    let world = world();
    world.write(".env", "TOLLGATE_HOME=./evil\nXDG_CONFIG_HOME=.\nTOLLGATE_POSTURE=full-access\n");
    assert_eq!(refused(&world, "bash", &touch("a"), &[]), "no_approver");
    assert!(!world.has("evil"));
}

/// [GATE-51] CFG-09 The machine owner's rules stand above everybody's.
#[test]
fn managed_policy_stands_above_all() {
    let world = world();
    let file = managed(&world, "deny = [\"bash(touch *)\"]\npostures = [\"ask\", \"never\"]\n");
    world.tollgate(["permissions", "add", "bash(touch *)", "--everywhere"]).run().success();
    for more in [vec![], vec!["--allow", "bash(touch *)"], vec!["--posture", "full-access"]] {
        let ran = world.call("bash", &touch("a")).env("TOLLGATE_MANAGED", &file).args(more).run();
        let class = ran.code(3).json()["receipt"]["end"]["error_class"].clone();
        assert!(class.as_str().unwrap().starts_with("managed"), "{class}");
    }
    let ran = world.call("bash", &json!({ "command": "mkdir d" })).env("TOLLGATE_MANAGED", &file);
    let ran = ran.args(["--posture", "full-access"]).run().code(3);
    assert!(ran.stderr.contains("full-access is not allowed by the machine's owner"), "{ran}");
    assert!(ran.stderr.contains("managed.toml"), "{ran}");
    assert_eq!(ran.json()["receipt"]["posture"], "ask", "a tighter posture holds instead");
    assert!(!world.has("a") && !world.has("d"));
    let listed = world.tollgate(["permissions", "list", "-v"]).env("TOLLGATE_MANAGED", &file);
    let text = listed.run().success().text();
    for part in ["managed.toml:1", "managed: postures: ask, never", "floor: "] {
        assert!(text.contains(part), "no {part:?}: {text}");
    }
}

/// [GATE-51] A forbidden model is asked nothing; [CLI-05] that is a refusal.
#[test]
fn a_forbidden_model_is_not_used() {
    let world = world();
    let model = world.script(&Script::new().text("hello"));
    let file = managed(&world, "models_forbidden = [\"script:*\"]\n");
    let ran = world.tollgate(["exec", "--model", &model, "hi"]).env("TOLLGATE_MANAGED", &file);
    let ran = ran.run().code(3);
    for part in ["forbids model", "script:*", "managed.toml"] {
        assert!(ran.stderr.contains(part), "no {part:?}: {ran}");
    }
    assert!(ran.stdout.is_empty(), "{ran}");
    world.tollgate(["exec", "--model", &model, "hi"]).run().success();
}

/// CFG-09 A managed file that is named and cannot be used starts nothing.
#[test]
fn an_unusable_managed_file_starts_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world();
    let read = json!({ "path": "kept.txt" });
    let absent = world.beside("no-such.toml");
    let ran = world.call("read", &read).env("TOLLGATE_MANAGED", &absent).run().code(2);
    assert!(ran.stderr.contains("no-such.toml"), "{ran}");
    let file = managed(&world, "deny = [\"bash\"]\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let ran = world.call("read", &read).env("TOLLGATE_MANAGED", &file).run().code(2);
    assert!(ran.stderr.contains("written by others"), "{ran}");
}

/// [GATE-51] The owner's copy of receipts; where it cannot be written nothing runs.
#[test]
fn receipts_are_copied_for_the_machines_owner() {
    let world = world();
    let folder = world.beside("copies");
    fs::create_dir(&folder).unwrap();
    let file = managed(&world, &format!("receipts = {folder:?}\n"));
    let full = ["--posture", "full-access"];
    let ran = world.call("bash", &touch("a")).env("TOLLGATE_MANAGED", &file).args(full).run();
    let receipt = ran.success().json()["receipt"].clone();
    let copies: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [copy] = copies.as_slice() else { panic!("{copies:?}") };
    let copied: Value = serde_json::from_str(fs::read_to_string(copy).unwrap().trim()).unwrap();
    assert_eq!(copied, receipt);
    fs::remove_dir_all(&folder).unwrap();
    let ran = world.call("bash", &touch("b")).env("TOLLGATE_MANAGED", &file).args(full).run();
    let ran = ran.code(1);
    assert!(ran.stderr.contains("copy of receipts"), "{ran}");
    assert!(!world.has("b"));
}

/// [GATE-20] A broken file of rules stops what it is for, with file and line.
#[test]
fn a_broken_file_of_rules_is_told() {
    let world = world();
    let file = world.home().join("config/permissions.toml");
    fs::write(&file, "allow = [\"read\"]\n\n[[rule]]\nacton = \"deny\"\ntool = \"bash\"\n")
        .unwrap();
    for arguments in [
        vec!["call", "read", "{\"path\":\"kept.txt\"}"],
        vec!["permissions", "list"],
        vec!["permissions", "explain", "read", "{\"path\":\"kept.txt\"}"],
        vec!["config", "check"],
    ] {
        let ran = world.tollgate(arguments.clone()).run().code(2);
        for part in ["permissions.toml:", "acton", "action"] {
            assert!(ran.stderr.contains(part), "{arguments:?}: no {part:?}: {ran}");
        }
    }
    let doctor = world.tollgate(["doctor"]).run();
    assert!(doctor.text().contains("acton"), "{doctor}");
    fs::write(&file, "deny = [\"bahs\"]\n").unwrap();
    for arguments in [vec!["config", "check"], vec!["call", "read", "{\"path\":\"kept.txt\"}"]] {
        let ran = world.tollgate(arguments).run().code(2);
        assert!(ran.stderr.contains("bahs") && ran.stderr.contains("bash"), "{ran}");
    }
    fs::write(&file, "deny = [\"bash\"]\n").unwrap();
    world.tollgate(["config", "check"]).run().success();
    let doctor = world.tollgate(["doctor"]).run().success().text();
    for part in ["policy: 1 rule, 0 hooks", "managed: no policy", "is not trusted"] {
        assert!(doctor.contains(part), "no {part:?}: {doctor}");
    }
}

/// [GATE-81] Every record as a line, the chain in it.
#[test]
fn receipts_are_exported_with_their_chain() {
    let world = world();
    world.call("read", &json!({ "path": "kept.txt" })).run().success();
    world.call("bash", &touch("a")).args(["--allow", "bash(touch *)"]).run().success();
    let lines = |arguments: &[&str]| -> Vec<Value> {
        let all = ["receipts", "export"].iter().chain(arguments).copied();
        let ran = world.tollgate(all).run().success();
        ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let last = lines(&[]);
    let kinds: Vec<_> = last.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["decided", "receipt"]);
    for (seq, line) in last.iter().enumerate() {
        assert_eq!(line["seq"], seq);
        assert_eq!(line["prev"].as_str().map(str::len), Some(64), "{line}");
        assert_eq!(line["session"], last[0]["session"]);
    }
    assert_eq!(lines(&["--all"]).len(), 4);
    let file = world.beside("out.jsonl");
    let path = file.to_str().unwrap().to_owned();
    world.tollgate(["receipts", "export", "--all", "--output", &path]).run().success();
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 4);
    world.tollgate(["receipts", "export", "--output", &path]).run().code(2);
    let shown = world.tollgate(["receipts", "list", "--json"]).run().success().json();
    let call = shown[0]["id"].as_str().unwrap().to_owned();
    let text = world.tollgate(["receipts", "show", &call]).run().success().text();
    for part in ["rule:", "bash(touch *)", "7 rules: allow", "policy:"] {
        assert!(text.contains(part), "no {part:?}: {text}");
    }
}
