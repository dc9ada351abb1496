//! [CLI-06] [CLI-08] Unknown commands, flags, keys: told with their place and the nearest name; nothing
//! is ignored.

use tollgate_tests::World;

/// Usage errors name what was meant.
#[test]
fn an_unknown_command_or_flag_names_the_nearest() {
    let world = World::new();
    for (arguments, parts) in [
        (vec!["exce", "hi"], vec!["'exce'", "exec"]),
        (vec!["exec", "--outptu-format", "json", "hi"], vec!["--outptu-format", "--output-format"]),
        (vec!["servers", "lsit"], vec!["lsit", "list"]),
        (vec!["call", "read", "{}", "--posture", "full"], vec!["full", "full-access"]),
        (vec!["exec", "--approvals", "perhaps", "hi"], vec!["perhaps", "deny"]),
        (vec!["exec", "--max-steps", "0", "hi"], vec!["--max-steps", "0"]),
        (vec!["config", "shwo"], vec!["shwo", "show"]),
    ] {
        let ran = world.tollgate(arguments.clone()).run().code(2).says(parts);
        assert!(ran.stdout.is_empty(), "{arguments:?}: {ran}");
    }
}

/// Every mistake of a file, each with file, line and the nearest key.
#[test]
fn an_unknown_key_is_told_with_file_line_and_nearest() {
    let world = World::new().config(
        "posture = \"ask\"\n\n[limits]\nturn_clals = 5\n\n[servers.file]\ntrsut = \"trusted\"",
    );
    let file = world.home().join("config/config.toml");
    let place = |line: usize| format!("{}:{line}", file.display());
    let ran = world.tollgate(["tools", "list"]).run().code(2);
    for part in
        [&place(4), "limits.turn_clals", "turn_calls", &place(7), "servers.file.trsut", "trust"]
    {
        assert!(ran.stderr.contains(part), "no {part:?} in {ran}");
    }
    world.tollgate(["config", "check"]).run().code(2).says(["turn_clals", "trsut"]);
    world.tollgate(["config", "path"]).run().success();
}

/// Values of another kind, broken files, servers that make no sense.
#[test]
fn a_value_that_does_not_fit_is_told() {
    for (toml, parts) in [
        ("mode = \"paln\"", vec!["mode", "plan"]),
        ("mode = 5", vec!["mode", "number 5"]),
        ("[limits]\nturn_calls = -1", vec!["turn_calls", "1"]),
        ("mode = \"plan\nposture", vec!["config.toml:2"]),
        ("[servers.Bad_Name]\ncommand = [\"x\"]", vec!["Bad_Name", "server name"]),
        ("[servers.x]\ntrust = \"trusted\"", vec!["servers.x", "command", "endpoint"]),
        ("[servers.x]\ncommand = []", vec!["servers.x.command", "empty"]),
        (
            "[servers.x]\ncommand = [\"no-such-program\"]",
            vec!["no-such-program", "not found", "enabled = false"],
        ),
        ("[servers.x]\nendpoint = \"https://h:1\"", vec!["servers.x", "tls"]),
    ] {
        let world = World::new().config(toml);
        let ran = world.tollgate(["call", "read", "{\"path\":\"a\"}"]).run().code(2);
        for part in parts {
            assert!(ran.stderr.contains(part), "{toml:?}: no {part:?} in {ran}");
        }
        assert!(ran.stderr.contains("config.toml"), "{toml:?}: no file in {ran}");
    }
}

/// [GATE-13] The project's file can only tighten.
#[test]
fn a_project_can_only_tighten() {
    let world = World::new();
    world.write("a.txt", "x\n");
    world.write(".tollgate/config.toml", "mode = \"plan\"\n");
    let call = [
        "call",
        "write",
        "{\"path\":\"b.txt\",\"content\":\"x\"}",
        "--posture",
        "full-access",
        "--json",
    ];
    let ran = world.tollgate(call).run().code(3);
    assert_eq!(ran.json()["receipt"]["end"]["error_class"], "plan_mode");
    for loose in
        ["posture = \"full-access\"", "[servers.evil]\ncommand = [\"sh\"]", "model = \"script:/x\""]
    {
        world.write(".tollgate/config.toml", loose);
        world.tollgate(call).run().code(2).says(["project", ".tollgate/config.toml"]);
    }
    assert!(!world.has("b.txt"));
}

/// [CLI-06] Each value with its source; the flag wins over the file.
#[test]
fn values_are_shown_with_their_source() {
    let world = World::new().config("mode = \"plan\"");
    let shown =
        world.tollgate(["config", "show", "--json", "--posture", "never"]).run().success().json();
    assert_eq!(shown["mode"]["value"], "plan");
    assert!(
        shown["mode"]["source"].as_str().unwrap().ends_with("config.toml:1"),
        "{}",
        shown["mode"]
    );
    assert_eq!(shown["posture"]["source"], "--posture");
    assert_eq!(shown["limits.turn_calls"]["source"], "built in");
}

/// [CLI-06] What is kept is private.
#[test]
fn what_is_kept_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.write("a.txt", "x\n");
    world.call("read", &serde_json::json!({ "path": "a.txt" })).run().success();
    let mut folders = vec![world.home().join("state"), world.home().join("run")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.map(Result::unwrap) {
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            let expected = if entry.path().is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode & !expected, 0, "{} has mode {mode:o}", entry.path().display());
            if entry.path().is_dir() {
                folders.push(entry.path());
            }
        }
    }
}

/// [MODEL-06] Without a model: what was looked for, and what helps.
#[test]
fn without_a_model_it_says_what_helps() {
    let world = World::new();
    let ran = world.tollgate(["exec", "hi"]).run().code(2);
    for part in ["OPENAI_API_KEY", "tollgate demo", "--model"] {
        assert!(ran.stderr.contains(part), "no {part:?} in {ran}");
    }
}

/// [CLI-08] `doctor` looks at everything and says so; completions and versions are printed.
#[test]
fn doctor_completions_and_version() {
    let world = World::new();
    let ran = world.tollgate(["doctor"]).run();
    let all = ran.text() + &ran.stderr;
    for part in ["file", "shell", "model"] {
        assert!(all.contains(part), "no {part:?}: {all}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.tollgate(["completions", shell]).run().success().text().contains("tollgate"));
    }
    let version = world.tollgate(["--version"]).run().success().text();
    assert!(version.starts_with("tollgate "), "{version}");
    world.is_quiet();
}

/// `tollgate demo` runs to its end without a key and without a network, and leaves nothing behind.
#[test]
fn the_demo_runs_to_its_end() {
    let world = World::new();
    let ran = world.tollgate(["demo"]).run().success();
    let all = ran.text() + &ran.stderr;
    for part in ["read", "edit", "bash", "refused", "denied", "the chain holds"] {
        assert!(all.contains(part), "no {part:?}: {all}");
    }
    assert!(!world.home().join("state").exists(), "the demo wrote into the user's state");
    world.is_quiet();
}
