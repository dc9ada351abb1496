//! Arguments and names that could mean two things: whatever is judged is what runs, or nothing runs.

use super::*;

/// A world whose user denies to read one file, under a name that other spellings may reach.
fn world() -> World {
    let world = World::new();
    world.write("f.txt", "fine\n");
    world.write("secret.txt", "TOKEN-7f3a-CANARY-READ\n");
    set(&world, "permissions.toml", "deny = [\"read(secret.txt)\"]\n");
    world
}

/// [KERN-04] G-09 JSON that two readers may read in two ways is refused before anything is asked or run.
#[test]
fn ambiguous_json_is_refused() {
    let world = world();
    let rows = [
        r#"{"path":"f.txt","path":"secret.txt"}"#,
        r#"{"path":"secret.txt","path":"f.txt"}"#,
        r#"{"p\u0061th":"f.txt","path":"secret.txt"}"#,
        r#"{"Path":"secret.txt"}"#,
        r#"{"path":"f.txt","Path":"secret.txt"}"#,
        r#"{"path":"f.txt","extra":1}"#,
        r#"{"path":"f.txt","limit":NaN}"#,
        r#"{"path":"f.txt","limit":Infinity}"#,
        r#"{"path":"f.txt","limit":1e400}"#,
        r#"{"path":"f.txt","limit":1.5}"#,
        r#"{"path":"f.txt","limit":99999999999999999999999}"#,
        r#"{"path":"\ud800"}"#,
        r#"{"path":"f.txt"}{"path":"secret.txt"}"#,
        r#"{"path":"f.txt"} trailing"#,
        r#"{"path":"f.txt",}"#,
        r#"{path:"f.txt"}"#,
        r#"{"path":"f.txt" /* secret.txt */}"#,
        "\u{feff}{\"path\":\"secret.txt\"}",
    ];
    for arguments in rows {
        let ran = world.tollgate(["call", "read", arguments, "--json"]).run();
        assert!(!ran.text().contains("TOKEN-7f3a"), "{arguments}: {ran}");
        let (class, why) = call_refused(ran.code(2));
        assert_eq!(class, "invalid_arguments", "{arguments}: {why}");
    }
    let deep = format!("{{\"path\":{}\"f.txt\"{}}}", "[".repeat(20_000), "]".repeat(20_000));
    let ran = world.tollgate(["call", "read", &deep, "--json"]).run();
    assert_eq!(call_refused(ran.code(2)).0, "invalid_arguments");
    // From the model the same, in a turn that goes on.
    let calls = rows.map(|text| json!({ "name": "read", "arguments": text }));
    let script = Script::new().step(json!({ "tool_calls": calls })).text("done");
    let events = world.exec(&script, "go").run().events().well_formed();
    for (row, result) in rows.iter().zip(events.results()) {
        assert_eq!(result["status"], "refused", "{row}: {result}");
        assert!(!result.to_string().contains("TOKEN-7f3a"), "{row}: {result}");
    }
    let ran = world.call("read", &json!({ "path": "secret.txt\0" })).run();
    assert_eq!(call_refused(ran).0, "invalid_path");
    world.call("read", &json!({ "path": "f.txt" })).run().success();
}

/// [KERN-04] G-10 Fields by which a model would free itself are unknown and refused; a wider sandbox is a card
/// in `ask`, and nothing in any other posture or from inside a call.
#[test]
fn no_field_opens_the_gate() {
    let world = standin("trusted");
    let mut rows = Vec::new();
    for (field, value) in [
        ("dangerouslyDisableSandbox", json!(true)),
        ("cwd", json!("/")),
        ("working_directory", json!("/")),
        ("env", json!({ "BASH_ENV": "evil.sh" })),
        ("approved", json!(true)),
        ("posture", json!("full-access")),
        ("writable_roots", json!(["/"])),
        ("run_in_background", json!(true)),
    ] {
        rows.push((json!({ "command": "touch CANARY", field: value }), "invalid_arguments"));
    }
    let wider =
        |to: &str| json!({ "command": "touch CANARY", "sandbox": to, "justification": "x" });
    rows.push((wider("none"), "invalid_arguments"));
    rows.push((wider("off"), "escalation"));
    rows.push((wider("network"), "escalation"));
    for (arguments, expected) in &rows {
        for more in [&[][..], &["--allow", "bash"]] {
            let full = ["--posture", "full-access"];
            let ran = world.call("bash", arguments).args(full).args(more).run();
            let (class, why) = call_refused(ran);
            assert_eq!(class, *expected, "{arguments}: {why}");
        }
    }
    // G-13: from inside another call a wider sandbox is for nobody.
    let calls = [("relay", relayed("bash", &wider("off"))), ("bash", wider("off"))];
    let turn = turn(&world, &calls, "deny", &["--allow", "bash"]);
    let results = turn.results();
    assert!(results[0].1.is_none() && refused(results[0].0).1.contains("not from inside a call"));
    assert_eq!(results[1].1.unwrap()["escalation"]["to"], "off");
    assert!(reasons(results[1].1.unwrap()).contains("wants sandbox 'off'"));
    assert!(!world.has(CANARY));
}

/// G-10 CVE-2025-59532 Where a command goes is no root: neither for the file tools nor for later calls.
#[test]
fn a_working_directory_is_no_root() {
    let world = World::new();
    let out = world.beside("out");
    fs::create_dir(&out).unwrap();
    let target = out.join(CANARY);
    let calls = [
        ("bash", bash(&format!("cd {}", out.display()))),
        ("write", write(&target)),
        ("write", write(CANARY)),
        ("write", write("../out/CANARY")),
    ];
    let full = turn(&world, &calls, "once", &["--posture", "full-access"]);
    let results = full.results();
    for number in [1, 3] {
        assert_ne!(results[number].0["status"], "ok", "{}", results[number].0);
    }
    assert!(!target.exists(), "the file tools wrote outside");
}

/// G-11 A name is exact, or one certain spelling of a canonical name that every rule then sees; nothing that
/// only looks like one is a tool.
#[test]
fn a_name_is_one_tool_or_none() {
    let world = world();
    let secret = json!({ "path": "secret.txt" });
    for name in ["READ", "Read", "read-tool", "ReadTool", "read ", " read", "read\n", "read_"] {
        let ran = world.call(name, &secret).run();
        let class = call_refused(ran.clone()).0;
        let tool = ran.json()["receipt"]["tool"].clone();
        let known = tool == "read" && class == "rule";
        assert!(known || class == "unknown_tool", "{name:?}: {class} {tool}");
        assert!(!ran.text().contains("TOKEN-7f3a"), "{name:?}");
    }
    let strangers = [
        "File.read",
        "file.read",
        "rе\u{430}d",
        "r\u{435}ad",
        "re\u{200b}ad",
        "re\u{202e}ad",
        "ｒead",
        "read\u{0}",
        "mcp__a__b__c",
        "file__read",
        "file/read",
        "tollgate.read",
        "eval",
        "",
        "rea\u{301}d",
        "read;bash",
        "../read",
        "execute_tool",
        "exеcute_tools",
        "code.execute_tools",
        "agent",
        "request_user_input",
    ];
    for name in strangers {
        if name.contains('\0') {
            continue;
        }
        let ran = world.call(name, &secret).run();
        assert_eq!(call_refused(ran.clone()).0, "unknown_tool", "{name:?}: {ran}");
    }
    // What no command line can hold, the model can say.
    let calls = strangers.map(|name| json!({ "name": name, "arguments": secret }));
    let script = Script::new().step(json!({ "tool_calls": calls })).text("done");
    let events = world.exec(&script, "go").run().events().well_formed();
    assert!(events.results().iter().all(|it| it["status"] == "refused"));
}

/// G-13 [GATE-03] A call inside a call inside a call ends at a number, and each of them was judged.
#[test]
fn nesting_is_judged_at_every_depth() {
    let world = standin("trusted");
    let mut arguments = relayed("bash", &bash("touch CANARY"));
    for _ in 0..20 {
        arguments = relayed("relay", &arguments);
    }
    let ran = world.call("relay", &arguments).args(["--posture", "full-access"]).run();
    let (_, why) = refused(&ran.json()["result"]);
    assert!(why.contains("deep"), "{why}");
    assert!(!world.has(CANARY), "it ran 21 calls deep");
    let shallow = relayed("relay", &relayed("bash", &bash("touch CANARY")));
    assert!(refused(&world.call("relay", &shallow).run().json()["result"]).1.contains("approval"));
    assert!(!world.has(CANARY));
    world.call("relay", &shallow).args(["--posture", "full-access"]).run().success();
    assert!(world.has(CANARY));
}

/// [GATE-60] AP-01 I5 What a card shows is what is judged, signed, run and receipted: the arguments to the
/// letter, with one digest, whatever characters are in them.
#[test]
fn a_card_is_the_bytes_that_run() {
    let world = World::new();
    let pool = [
        "a",
        " ",
        "\n",
        "\r",
        "\t",
        "\u{1b}[2J",
        "\u{202e}",
        "\u{200b}",
        "é",
        "e\u{301}",
        "\u{2028}",
        "\\",
        "\"",
        "'",
        "\u{7f}",
        "日本",
        "😀",
        "\u{e0041}",
        "</x>",
        "{\"a\":1}",
        "$(touch CANARY)",
    ];
    let mut state = 0x5eed_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).unwrap()
    };
    let calls: Vec<_> = (0..60)
        .map(|number| {
            let content: String = (0..next() % 40).map(|_| pool[next() % pool.len()]).collect();
            ("write", json!({ "path": format!("{number}.txt"), "content": content }))
        })
        .collect();
    let turn = turn(&world, &calls, "once", &[]);
    for (number, ((_, arguments), (result, card))) in calls.iter().zip(turn.results()).enumerate() {
        let card = card.expect("a write is asked for");
        assert_eq!(card["arguments"], *arguments);
        let receipt = &result["receipt"];
        assert_eq!(receipt["arguments_sha256"], card["arguments_sha256"], "{card}");
        assert_eq!(receipt["arguments_bytes"], card["arguments_bytes"], "{card}");
        assert_eq!(receipt["arguments"], *arguments);
        assert_eq!(world.read(&format!("{number}.txt")), arguments["content"].as_str().unwrap());
    }
    assert!(!world.has(CANARY));
}
