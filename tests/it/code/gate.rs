//! One gate: what a program calls is judged as if it were called directly, and running a program grants nothing.

use tollgate_tests::kernel::Kernel;

use super::*;

/// Calls each of these in one program; ".code: message" or "ok" of each.
#[track_caller]
fn each(world: &World, calls: &[&str], options: &[&str]) -> Vec<String> {
    let code = format!(
        "const out = []; for (const call of [{}]) out.push(await call().then(() => 'ok', (e) => `${{e.code}}: ${{e.message}}`)); \
         return out",
        calls.iter().map(|call| format!("() => {call}")).collect::<Vec<_>>().join(", ")
    );
    let ended = run_with(world, &code, options);
    serde_json::from_value(ended.value().clone()).unwrap()
}

/// [CODE-05] G-13: what only a direct call reaches is refused, with the word that helps.
#[test]
fn what_wants_a_direct_call_is_refused() {
    let world = world();
    let said = each(&world, &["tools.execute_tools({ code: 'return 1' })"], &FULL);
    assert!(said[0].starts_with("refused: ") && said[0].contains("call it directly"), "{said:?}");
    // Names that no server has yet are not there in the first place.
    for name in ["agent", "workflow", "request_user_input", "terminal", "mcp_x_authenticate"] {
        let said = each(&world, &[&format!("tools.{name}({{}})")], &FULL);
        assert!(said[0].starts_with("refused: "), "{name}: {said:?}");
    }
    // Where a server claims such a name, it stays direct.
    let tools = ["agent", "workflow", "request_user_input", "terminal", "mcp_x_authenticate"]
        .map(|name| format!("{{ name = \"{name}\" }}"))
        .join(", ");
    let program = tollgate_tests::binary("tollgate-hostile");
    let world = self::world().config(&format!(
        "[servers.other]\ncommand = [{program:?}, \"told\"]\ntrust = \"trusted\"\nsettings.tools = [{tools}]\n"
    ));
    for name in ["agent", "workflow", "request_user_input", "terminal", "mcp_x_authenticate"] {
        let said = each(&world, &[&format!("tools.call('{name}', {{}})")], &FULL);
        assert!(
            said[0].starts_with("refused: ") && said[0].contains("directly"),
            "{name}: {said:?}"
        );
    }
}

/// [CODE-05] [CODE-04] G-13: no field of the arguments, no depth and no rule for programs opens anything.
#[test]
fn a_program_grants_nothing() {
    let world = world().hostile("plain", "trust = \"trusted\"");
    let deeper = "tools.look({ how: 'nest', name: 'bash', arguments: { command: 'touch one' } }).then((r) => { \
                  throw Object.assign(new Error(r.content), { code: 'refused' }) })";
    let calls = [
        ("tools.bash({ command: 'touch one' })", "needs an approval"),
        (
            "tools.bash({ command: 'touch one', sandbox: 'off', justification: 'x' })",
            "directly, not in a program",
        ),
        ("tools.bash({ command: 'touch one', decision: 'approved' })", "do not fit the schema"),
        ("tools.write({ path: '../outside', content: '' })", "outside the roots"),
        ("tools.write({ path: '.git/config', content: '' })", "needs an approval"),
        (deeper, "refused: this call needs an approval"),
    ];
    let texts = calls.map(|(call, _)| call);
    for options in [&["--posture", "ask"][..], &["--posture", "ask", "--allow", "execute_tools"]] {
        for (said, (call, part)) in each(&world, &texts, options).iter().zip(calls) {
            assert!(said.starts_with("refused: ") && said.contains(part), "{call}: {said}");
        }
    }
    assert!(!world.has("one"));
    // A wider sandbox is a person's to give, also where nobody is asked about anything else.
    let said = each(&world, &texts[1..2], &FULL);
    assert!(said[0].contains("directly, not in a program"), "{said:?}");
}

/// [CODE-04] CP-06, CP-35, B104: deny rules, and in plan mode there are no programs at all.
#[test]
fn denies_hold_inside_a_program() {
    let world = world();
    let options = ["--posture", "full-access", "--deny", "bash(rm *)", "--deny", "write"];
    let calls = [
        "tools.bash({ command: 'rm a.txt' })",
        "tools.bash({ command: 'true && rm a.txt' })",
        "tools.write({ path: 'b.txt', content: '' })",
        "tools.read({ path: 'a.txt' })",
    ];
    let said = each(&world, &calls, &options);
    assert!(said[..3].iter().all(|it| it.starts_with("refused: ")), "{said:?}");
    assert_eq!(said[3], "ok");
    assert!(world.has("a.txt") && !world.has("b.txt"));
    let ended = run_with(&world, "return 1", &["--mode", "plan"]);
    assert_eq!(ended.status(), "refused", "{}", ended.text);
    let script =
        Script::new().call("execute_tools", json!({ "code": "return 1" })).text("{{last.content}}");
    let ran = world.exec(&script, "go").args(["--mode", "plan"]).run();
    let events = ran.events().well_formed();
    assert_eq!(events.results()[0]["status"], "refused", "{ran}");
    let listed = world.tollgate(["tools", "list", "--mode", "plan"]).run().success().text();
    assert!(listed.contains("execute_tools  code    not in plan mode"), "{listed}");
}

/// [CODE-04] CP-14: what is denied is neither found nor named by a search in a program.
#[test]
fn what_is_denied_is_not_found() {
    let world = world();
    let code = "const r = await tools.search('find files by name'); const n = await tools.call('fnd', {}).catch((e) => e.message); \
                return JSON.stringify(r.content) + n";
    let found =
        |options: &[&str]| run_with(&world, code, options).value().as_str().unwrap().to_owned();
    assert!(
        found(&FULL).contains("\"find\"") || found(&FULL).contains("find("),
        "{}",
        found(&FULL)
    );
    let denied = found(&["--posture", "full-access", "--deny", "find"]);
    assert!(!denied.contains("\"find\"") && !denied.contains("find("), "{denied}");
}

/// [CODE-04] B104, CP-06: a hook sees each nested call and whose it is, and its no holds.
#[test]
fn a_hook_sees_every_nested_call() {
    let world = world();
    let line = "input=$(cat); echo \"$input\" >> ../told; case $input in *'touch one'*) echo no touch >&2; exit 2;; esac";
    let hooks = format!("[[hook]]\nevent = \"tool_call_before\"\ncommand = {line:?}\n");
    std::fs::write(world.home().join("config/hooks.toml"), hooks).unwrap();
    // The program's own text does not hold what the hook looks for.
    let said = each(
        &world,
        &["tools.read({ path: 'a.txt' })", "tools.bash({ command: 'touch' + ' one' })"],
        &FULL,
    );
    assert_eq!(said[0], "ok");
    assert!(said[1].starts_with("refused: ") && said[1].contains("no touch"), "{said:?}");
    assert!(!world.has("one"));
    let told = std::fs::read_to_string(world.beside("told")).unwrap();
    let told: Vec<Value> =
        told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let words: Vec<_> =
        told.iter().map(|it| format!("{} {}", it["tool_name"], it["caller"])).collect();
    assert_eq!(words, [r#""execute_tools" "user""#, r#""read" "program""#, r#""bash" "program""#]);
    assert!(told[1..].iter().all(|it| it["parent"] == told[0]["call_id"]), "{told:#?}");
}

/// [CODE-17] Without a session's turn a program has Tollgate's own tools, for what changes nothing and asks nobody.
#[tokio::test]
async fn without_a_turn_a_program_only_reads() {
    let world = world().hostile("plain", "trust = \"trusted\"");
    let rule = "[[rule]]\naction = \"ask\"\ntool = \"read\"\npath = \"**/b.txt\"\n";
    std::fs::write(world.home().join("config/permissions.toml"), rule).unwrap();
    let code = "const out = []; for (const call of [
          () => tools.read({ path: 'a.txt' }), () => tools.bash({ command: 'cat a.txt' }), () => tools.search('read a file'),
          () => tools.write({ path: 'b.txt', content: '' }), () => tools.bash({ command: 'touch b.txt' }),
          () => tools.look({ how: 'ok' }), () => tools.change({ how: 'ok' }), () => tools.read({ path: 'b.txt' })])
          out.push(await call().then(() => 'ok', (e) => `${e.code}: ${e.message}`));
        return out";
    let arguments = json!({ "code": code });
    let check = |ended: &Ended| {
        let said: Vec<String> = serde_json::from_value(ended.value().clone()).unwrap();
        assert_eq!(said[..3], ["ok", "ok", "ok"], "{said:?}");
        for refused in &said[3..7] {
            assert!(
                refused.starts_with("refused: ") && refused.contains("without a turn"),
                "{said:?}"
            );
        }
        assert!(said[7].starts_with("refused: ") && said[7].contains("asks"), "{said:?}");
        assert!(!world.has("b.txt"));
    };
    for posture in ["ask", "full-access"] {
        let ran = world.call("execute_tools", &arguments).args(["--posture", posture]).run();
        check(&Ended::printed(&ran));
    }
    // The same for a client's call over gRPC; a turn of that session has the whole gate.
    let kernel = Kernel::start(&world, []);
    let script = Script::new().call("execute_tools", arguments.clone()).text("{{last.content}}");
    let session = kernel.session(&world, &script).await;
    let called = session.call("execute_tools", &arguments).await.unwrap();
    check(&Ended::of(&called.result, &called.receipt));
    assert!(world.journal().is_empty(), "{:?}", world.journal());
}
