//! `tool_search` from outside: a model finds a tool and calls it, a server and a person ask as well, what is
//! about optional servers connects them, and nothing that is denied is found.

use serde_json::{Value, json};
use tollgate_tests::{Script, World, events::content_text};

/// The results of a turn that makes these calls, one a step.
fn results(world: &World, calls: &[(&str, Value)], options: &[&str]) -> (Vec<Value>, Vec<Value>) {
    let script = calls
        .iter()
        .fold(Script::new(), |script, (name, arguments)| script.call(name, arguments.clone()));
    let ran = world.exec(&script.text("Done."), "go").args(options.iter().copied()).run().success();
    let events = ran.events().well_formed();
    let own = |all: Vec<&Value>| all.into_iter().cloned().collect::<Vec<Value>>();
    (own(events.results()), own(events.of("request.prepared")))
}

fn named(request: &Value, name: &str) -> bool {
    request["tool_names"].as_array().unwrap().iter().any(|it| it == name)
}

/// [CAT-10] [CAT-20] Found, in the next request, called; the prefix stays as it was.
#[test]
fn a_model_finds_a_tool_and_calls_it() {
    let world = World::new();
    world.write("a.txt", "one needle\n");
    let calls = [
        ("tool_search", json!({ "query": "find lines in files by a regular expression" })),
        ("grep", json!({ "pattern": "needle" })),
    ];
    let (results, requests) = results(&world, &calls, &[]);
    let text = content_text(&results[0]);
    assert!(text.contains("grep(pattern: string"), "{text}");
    assert!(text.contains("[activated]"), "{text}");
    assert!(content_text(&results[1]).contains("one needle"), "{}", results[1]);
    assert!(!named(&requests[0], "grep") && named(&requests[1], "grep"), "{requests:#?}");
    assert_eq!(requests[1]["prefix_change_reason"], "toolbox");
    let names = |at: usize| requests[at]["tool_names"].as_array().unwrap().clone();
    assert_eq!(names(1)[..names(0).len()], names(0)[..], "only appended");
    let receipts = world.receipts(None).sound(&world);
    assert_eq!(receipts.words(), ["tool_search ok auto", "grep ok auto"]);
}

/// [CAT-11] Pages, picked names, nothing found; B125: what is no query is refused with what helps.
#[test]
fn any_search_is_answered() {
    let world = World::new();
    let calls = [
        ("tool_search", json!({ "query": "file", "limit": 1 })),
        ("tool_search", json!({ "query": "file", "limit": 1, "skip": 1 })),
        ("tool_search", json!({ "query": "select:read,lst" })),
        ("tool_search", json!({ "query": "zzqx vvkj" })),
        ("tool_search", json!({ "query": "[", "kind": "regex" })),
        ("tool_search", json!({ "query": null })),
        ("tool_search", json!({})),
        ("tool_search", json!({ "query": "file", "limit": 0 })),
    ];
    let (results, _) = results(&world, &calls, &[]);
    let texts: Vec<String> = results.iter().map(content_text).collect();
    assert!(texts[0].contains("1 shown; skip: 1 shows more."), "{}", texts[0]);
    assert_ne!(texts[0].lines().nth(1), texts[1].lines().nth(1));
    assert!(texts[2].contains("read(") && texts[2].contains("Not found: 'lst'."), "{}", texts[2]);
    assert!(texts[3].starts_with("No tool matches 'zzqx vvkj'."), "{}", texts[3]);
    assert!(texts[4].contains("not a regular expression"), "{}", texts[4]);
    let classes: Vec<_> =
        results[4..].iter().map(|it| &it["receipt"]["end"]["error_class"]).collect();
    let refused = "invalid_arguments";
    assert_eq!(classes, ["invalid_query", refused, refused, refused]);
}

/// [CAT-14] Denied, hidden, of a failed server: not found, and not spoken of.
#[test]
fn what_is_denied_is_not_found() {
    let world = World::new().hostile("plain", "");
    let find = |options: &[&str]| {
        let search = ["tools", "search", "select:look,change,read_file,grep", "--json"];
        let found = world.tollgate(search).args(options).run().success().json();
        let names = found["matches"].as_array().expect("matches").iter();
        names.map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(find(&[]), ["look", "change", "grep"]);
    assert_eq!(find(&["--deny", "look"]), ["change", "grep"]);
    assert_eq!(find(&["--deny", "grep(**)"]), ["look", "change", "grep"], "not outright");
    assert!(find(&["--surface", "simple"]).is_empty());
    let world = World::new().hostile("exit", "");
    let (results, _) = results(&world, &[("tool_search", json!({ "query": "zzqx" }))], &[]);
    let text = content_text(&results[0]);
    assert!(text.contains("Not searched: hostile, unavailable: "), "{text}");
}

/// B124: the same order in twenty processes.
#[test]
fn the_order_is_always_the_same() {
    let world = World::new().hostile("plain", "");
    world.warm();
    let search = || {
        world
            .tollgate(["tools", "search", "something", "file", "-n", "20", "--json"])
            .run()
            .success()
            .text()
    };
    let first = search();
    assert!(first.contains("\"matches\""), "{first}");
    for _ in 1..20 {
        assert_eq!(search(), first);
    }
}

/// [CAT-04] With programs only, nothing is activated.
#[test]
fn a_program_surface_activates_nothing() {
    let world = World::new();
    let calls =
        [("tool_search", json!({ "query": "grep" })), ("tool_search", json!({ "query": "list" }))];
    let (results, requests) = results(&world, &calls, &["--surface", "code"]);
    let text = content_text(&results[0]);
    assert!(text.ends_with("Call them inside a program of execute_tools."), "{text}");
    assert!(requests.iter().all(|it| !named(it, "grep")), "{requests:#?}");
}

/// [PROTO-05] A server asks the same, by both words; it activates nothing.
#[test]
fn a_server_searches_through_the_gate() {
    let world = World::new().hostile("plain", "trust = \"trusted\"");
    let query = json!({ "query": "grep", "limit": 1 });
    let calls = [
        ("look", json!({ "how": "find", "arguments": query })),
        ("look", json!({ "how": "nest", "name": "tool_search", "arguments": query })),
        ("look", json!({ "how": "find", "arguments": { "query": "" } })),
    ];
    let (mut results, requests) = results(&world, &calls, &[]);
    results.retain(|it| it["name"] == "look");
    for result in &results[..2] {
        let text = content_text(result);
        let said = text.strip_prefix("value: ").unwrap_or_else(|| panic!("{text}"));
        let said: Value = serde_json::from_str(said).unwrap();
        assert_eq!(said["content"]["matches"][0]["name"], "grep");
        assert_eq!(said["content"]["activated"], json!([]));
    }
    assert!(content_text(&results[2]).starts_with("refused: the query is empty"), "{}", results[2]);
    assert!(requests.iter().all(|it| !named(it, "grep")));
    let words = world.receipts(None).sound(&world).words();
    assert_eq!(words.iter().filter(|it| it.starts_with("tool_search ")).count(), 3, "{words:?}");
}

/// [CAT-13] What a search is about is connected, and nothing else; its tools are there at once.
#[test]
fn a_search_connects_what_it_is_about() {
    let world = World::new().hostile("sources", "trust = \"trusted\"");
    world.warm();
    let calls = [
        ("tool_search", json!({ "query": "read a file" })),
        ("tool_search", json!({ "query": "greek letters" })),
        ("mcp_alpha_list", json!({})),
        ("tool_search", json!({ "query": "broken shards" })),
        ("tool_search", json!({ "query": "darkness" })),
    ];
    let (results, requests) = results(&world, &calls, &["--posture", "full-access"]);
    let text = content_text(&results[0]);
    assert!(text.contains("alpha (idle)") && !text.contains("mcp_alpha"), "{text}");
    let text = content_text(&results[1]);
    assert!(text.contains("mcp_alpha_list(") && text.contains("server alpha"), "{text}");
    assert!(named(&requests[2], "mcp_alpha_list"), "{:#?}", requests[2]);
    assert_eq!(results[2]["status"], "ok", "{}", results[2]);
    let text = content_text(&results[3]);
    assert!(text.contains("broken of server hostile, failed: it exited with code 3"), "{text}");
    let text = content_text(&results[4]);
    assert!(text.contains("off of server hostile, disabled: switched off in a file"), "{text}");
}

/// [CAT-13] [CAT-14] What policy forbids is not connected, and not spoken of.
#[test]
fn a_source_that_is_denied_is_not_connected() {
    let world = World::new().hostile("sources", "trust = \"trusted\"");
    world.warm();
    let logs = world.state("logs/hostile.log");
    let before = std::fs::read(&logs).unwrap_or_default();
    let calls = [("tool_search", json!({ "query": "greek letters of alpha" }))];
    let (results, _) = results(&world, &calls, &["--deny", "mcp_alpha_*"]);
    let text = content_text(&results[0]);
    assert!(!text.contains("alpha ("), "{text}");
    assert!(!text.contains("mcp_alpha"), "{text}");
    assert_eq!(std::fs::read(&logs).unwrap_or_default(), before, "the server was started");
}

/// [CAT-13] In plan mode a server whose word is not believed has nothing that could be called: it is not even
/// started.
#[test]
fn a_plan_connects_nothing_in_vain() {
    let world = World::new().hostile("sources", "");
    world.warm();
    let logs = world.state("logs/hostile.log");
    let before = std::fs::read(&logs).unwrap_or_default();
    let calls = [("tool_search", json!({ "query": "greek letters of alpha" }))];
    let (results, _) = results(&world, &calls, &["--mode", "plan"]);
    let text = content_text(&results[0]);
    assert!(text.contains("alpha of server hostile, idle: it is not connected"), "{text}");
    assert_eq!(std::fs::read(&logs).unwrap_or_default(), before, "the server was started");
}

/// [CLI-01] A person searches too; it reads on a narrow terminal, and no line leaves standard output.
#[test]
fn a_person_searches_at_the_command_line() {
    let world = World::new();
    world.warm();
    let ran =
        world.tollgate(["tools", "search", "regular", "expression", "-n", "1"]).run().success();
    let text = ran.text();
    assert!(text.starts_with("grep(pattern: string"), "{ran}");
    assert!(!text.contains('\u{1b}'), "{ran}");
    let ran =
        world.tollgate(["tools", "search", "grep", "--format", "names", "-n", "1"]).run().success();
    assert_eq!(ran.text(), "grep\n");
    let found =
        world.tollgate(["tools", "search", "select:grep", "--format", "schema", "--json"]).run();
    assert_eq!(found.success().json()["matches"][0]["input_schema"]["type"], "object");
    let ran = world.tollgate(["tools", "search", "zzqx"]).run().success().says(["no tool matches"]);
    assert_eq!(ran.text(), "");
    world.tollgate(["tools", "search", "["]).args(["--kind", "regex"]).run().code(2);
    world.tollgate(["tools", "search", "x", "--limit", "21"]).run().code(2);
    world.tollgate(["tools", "search"]).run().code(2);
    let words = world.receipts(None).sound(&world).words();
    assert_eq!(words, ["tool_search failed auto"]);
    world.is_quiet();
}
