//! Denied files below a folder that a call reads as a whole: `grep`, `find`, `list` and their old names pass
//! over them, and any other tool is asked about.

use std::os::unix::fs::symlink;

use super::*;

const TOKEN: &str = "TOKEN-7f3a-CANARY-READ";
/// What a walk says that passes over something.
const WITHHELD: &str = "withheld by rules of this session";

/// A workspace with a file that is denied in some tests, and one that is not.
fn world() -> World {
    secret(World::new())
}

fn secret(world: World) -> World {
    world.write("secrets/deep/key.txt", format!("{TOKEN} hidden\n"));
    world.write("open/b.txt", format!("{TOKEN} shown\n"));
    symlink(".", world.workspace().join("here")).unwrap();
    symlink("secrets", world.workspace().join("way")).unwrap();
    symlink("deep", world.workspace().join("secrets/hop")).unwrap();
    world
}

/// Every tool that goes through a folder, under today's names and old ones.
fn walks(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("grep", json!({ "pattern": "CANARY", "path": path })),
        ("grep", json!({ "pattern": "CANARY", "path": path, "output": "files" })),
        ("grep", json!({ "pattern": "(?s)CANARY.*", "path": path, "multiline": true })),
        ("grep_files", json!({ "pattern": "CANARY", "path": path })),
        ("find", json!({ "pattern": "key*", "path": path })),
        ("find", json!({ "pattern": "**/deep/*", "path": path })),
        ("search_files", json!({ "query": "key", "path": path })),
        ("list", json!({ "path": path, "depth": 9 })),
        ("list_dir", json!({ "path": path, "depth": 9 })),
    ]
}

#[track_caller]
fn hidden(told: &str, result: &Value) {
    let (all, said) = (result.to_string(), content_text(result));
    assert!(!all.contains("hidden") && !said.contains("key.txt"), "{told}: {all}");
}

/// [GATE-20] [GATE-01] B094: a denied folder is passed over, by whichever rule it is denied, and that is said;
/// for the model and for `tollgate call`.
#[test]
fn a_denied_folder_is_passed_over() {
    let world = world();
    for rule in
        ["read(secrets/**)", "*(path:secrets)", "read(**/key.txt)", "re*(path:secrets/deep/*)"]
    {
        let options = ["--posture", "full-access", "--deny", rule];
        let calls = walks(".");
        let done = turn(&world, &calls, "once", &options);
        for ((tool, arguments), (result, _)) in calls.iter().zip(done.results()) {
            let told = format!("{rule}: {tool} {arguments}");
            assert_eq!(result["status"], "ok", "{told}: {result}");
            hidden(&told, result);
            assert!(content_text(result).contains(WITHHELD), "{told}: {result}");
        }
        let (tool, arguments) = &calls[0];
        let printed = world.call(tool, arguments).args(options).run().success().json();
        hidden(rule, &printed["result"]);
        let text = content_text(&printed["result"]);
        assert!(text.contains(WITHHELD) && text.contains(&format!("{TOKEN} shown")), "{text}");
        assert_eq!(printed["receipt"]["subjects"][0]["reach"], "granted_tree", "{printed}");
        let explain = ["permissions", "explain", tool, &arguments.to_string()];
        let explained = world.tollgate(explain).args(options).run().success().text();
        assert!(explained.contains("below it is withheld: /"), "{explained}");
    }
    let free = world.call("grep", &json!({ "pattern": "CANARY" })).run().success().json();
    let text = content_text(&free["result"]);
    assert!(
        text.contains("hidden") && text.contains("shown") && !text.contains(WITHHELD),
        "{text}"
    );
}

/// [GATE-20] FS-07: a rule of one tool withholds from that tool alone.
#[test]
fn a_rule_of_one_tool_is_for_that_tool() {
    let world = world();
    let grep = json!({ "pattern": "CANARY" });
    for (rule, hides) in [("grep(secrets/**)", true), ("find(secrets/**)", false), ("read", false)]
    {
        let printed = world.call("grep", &grep).args(["--deny", rule]).run().success().json();
        assert_ne!(printed.to_string().contains("hidden"), hides, "{rule}: {printed}");
    }
}

/// FS-02 FS-07 B094: the folder itself, or what is in it, is refused by every spelling, and a way around that
/// ends above it passes over it.
#[test]
fn no_spelling_leads_into_a_denied_folder() {
    let world = world();
    let absolute = world.workspace().join("secrets");
    let inside = [
        "secrets",
        "./secrets/",
        "open/../secrets",
        "secrets/deep",
        "secrets/hop",
        "secrets/deep/key.txt",
        "here/secrets",
        "here/here/secrets/hop/key.txt",
        "way",
        "here/way/deep",
        "../ws/secrets",
        absolute.to_str().unwrap(),
    ];
    let grep = |path: &&str| ("grep", json!({ "pattern": "CANARY", "path": path }));
    let list = |path: &&str| ("list", json!({ "path": path }));
    let calls: Vec<_> = inside.iter().map(grep).chain(inside[..5].iter().map(list)).collect();
    let options = ["--posture", "full-access", "--deny", "read(secrets/**)"];
    let done = turn(&world, &calls, "once", &options);
    for ((tool, arguments), (result, _)) in calls.iter().zip(done.results()) {
        let (class, _) = refused(result);
        assert_eq!(class, "rule", "{tool} {arguments}: {result}");
        hidden(arguments.to_string().as_str(), result);
    }
    let above = [".", "here", "here/here", "open/..", "../ws", world.workspace().to_str().unwrap()]
        .map(|path| ("grep", json!({ "pattern": "CANARY", "path": path })));
    // A rule may name the folder by a link that leads around it.
    for rule in ["read(secrets/**)", "read(here/secrets/**)"] {
        let options = ["--posture", "full-access", "--deny", rule];
        let done = turn(&world, &above, "once", &options);
        for ((_, arguments), (result, _)) in above.iter().zip(done.results()) {
            let around = arguments["path"].as_str().unwrap().starts_with("here");
            if rule.starts_with("read(secrets") || around {
                hidden(&format!("{rule} {arguments}"), result);
            }
            assert!(content_text(result).contains("shown"), "{rule} {arguments}: {result}");
        }
    }
}

/// [GATE-21] [GATE-51] What is only asked about is passed over too, and asked about where it is named; the
/// machine's owner and files of rules withhold as the command line does.
#[test]
fn ask_rules_and_the_owner_withhold() {
    let world = world();
    let grep = |path: &str| ("grep", json!({ "pattern": "CANARY", "path": path }));
    let add = ["permissions", "add", "read(secrets/**)", "--action", "ask"];
    world.tollgate(add).run().success();
    let calls = [grep("."), grep("secrets")];
    let done = turn(&world, &calls, "once", &[]);
    let results = done.results();
    hidden("ask", results[0].0);
    assert!(results[0].1.is_none() && content_text(results[0].0).contains(WITHHELD));
    // Somebody said yes to this one.
    assert!(
        results[1].1.is_some() && content_text(results[1].0).contains("hidden"),
        "{}",
        results[1].0
    );

    let world = self::world();
    let file = world.beside("managed.toml");
    fs::write(&file, "[[rule]]\naction = \"deny\"\ntool = \"*\"\npath = \"**/deep/**\"\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(&file, mode).unwrap();
    let options = ["--posture", "full-access", "--allow", "grep"];
    let call = world.call("grep", &grep(".").1).args(options).env("TOLLGATE_MANAGED", &file);
    let printed = call.run().success().json();
    hidden("managed", &printed);
    assert!(content_text(&printed["result"]).contains(WITHHELD), "{printed}");
}

/// [GATE-31] B094: credentials are passed over wherever they are, and asked about where they are named.
#[test]
fn credentials_are_passed_over() {
    let world = World::new();
    for file in [".ssh/id_ed25519", "home/u/.aws/credentials", "home/u/.NETRC", "x/.kube/config"] {
        world.write(file, format!("{TOKEN} hidden\n"));
    }
    world.write(".ssh/config", format!("{TOKEN} shown\n"));
    for path in [".", ".ssh", "home", "x/.kube"] {
        let grep = json!({ "pattern": "CANARY", "path": path });
        let printed = world.call("grep", &grep).run().success().json();
        let text = content_text(&printed["result"]);
        assert!(!text.contains("hidden") && text.contains(WITHHELD), "{path}: {text}");
        assert_eq!(text.contains("shown"), matches!(path, "." | ".ssh"), "{path}: {text}");
    }
    let named = world.call("grep", &json!({ "pattern": "CANARY", "path": ".ssh/id_ed25519" }));
    let (class, _) = call_refused(named.run());
    assert_eq!(class, "no_approver");
    // As `read` does where nobody is to be asked.
    let all = world.call("grep", &json!({ "pattern": "CANARY" }));
    let printed = all.args(["--posture", "full-access"]).run().success().json();
    assert!(content_text(&printed["result"]).contains("hidden"), "{printed}");
}

/// I17: another tool that reads a folder with all below it is asked about where something below is denied,
/// whatever it says of itself when nobody trusts it.
#[test]
fn trees_of_other_tools_are_asked_about() {
    for (trust, reach, expected) in [
        ("trusted", "tree", "no_approver"),
        ("trusted", "granted-tree", ""),
        ("trusted", "write-tree", "no_approver"),
        ("untrusted", "granted-tree", "no_approver"),
        ("untrusted", "read", "no_approver"),
    ] {
        let world = secret(standin(trust));
        let canary = world.workspace().join(CANARY);
        let claims = |folder: &str| {
            let folder = world.workspace().join(folder);
            let reads = reach != "write-tree";
            json!({ "read_only": reads, "leaves": canary, "subjects": [{ "path": [reach, folder] }] })
        };
        let options =
            ["--allow", "probe", "--deny", "read(secrets/**)", "--deny", "probe(secrets/x)"];
        let ran = world.call("probe", &claims("")).args(options).run();
        let told = format!("{trust} {reach}: {ran}");
        if expected.is_empty() {
            assert!(ran.success().json()["receipt"]["end"]["status"] == "ok" && world.has(CANARY));
        } else {
            let (class, _) = call_refused(ran);
            assert!(!world.has(CANARY), "{told}");
            assert!(
                class == expected || (reach == "write-tree" && class == "rule"),
                "{told}: {class}"
            );
        }
        // Beside the denied folder there is nothing to ask about.
        if reach != "write-tree" {
            world.call("probe", &claims("open")).args(options).run().success();
        }
    }
}

/// [GATE-01] From inside another call it is the same.
#[test]
fn a_nested_walk_passes_over_what_is_denied() {
    let world = secret(standin("trusted"));
    let nested = relayed("grep", &json!({ "pattern": "CANARY" }));
    let options = ["--posture", "full-access", "--deny", "read(secrets/**)"];
    let printed = world.call("relay", &nested).args(options).run().success().json();
    hidden("nested", &printed);
    assert!(printed.to_string().contains("shown"), "{printed}");
}
