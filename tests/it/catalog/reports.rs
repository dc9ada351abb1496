//! Public reports of what tool search does wrong elsewhere: each with the input that showed it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tollgate_tests::{Script, World, binaries::binary};

use super::{CONTRACT, answers, class, found, names, parsed, requests, select, server};

/// B121: whatever name a request, a list, the contract or a search shows is a tool's.
#[test]
fn every_name_that_is_shown_is_a_tools() {
    let world = World::new().config(&server(
        "told",
        "",
        &["name = \"read\"", "name = \"Grep\"", "name = \"agent\"", "name = \"zeta\""],
    ));
    let mut shown = BTreeSet::new();
    let mut add = |names: &mut dyn Iterator<Item = &Value>| {
        shown.extend(names.map(|name| name.as_str().expect("a name").to_owned()));
    };
    let listed = world.tollgate(["tools", "list", "--json"]).run().success().json();
    add(&mut listed["tools"].as_array().unwrap().iter().map(|it| &it["name"]));
    let contract = world.tollgate(["tools", "contract", "--json"]).run().success().json();
    add(&mut contract["contract"]["tools"].as_array().unwrap().iter().map(|it| &it["name"]));
    for query in ["file", "run", "claims to change nothing", "zeta", "agent", "read"] {
        shown.extend(found(&world, query, &[]));
    }
    let script = Script::new().call("tool_search", select("zeta,grep")).text("Done.");
    for request in requests(&world, &script, &[]) {
        shown.extend(names(&parsed(&request)).into_iter().map(str::to_owned));
    }
    for name in ["read", "told_read", "told_Grep", "told_agent", "zeta", "tool_search"] {
        assert!(shown.contains(name), "{name} is not in {shown:?}");
    }
    for name in &shown {
        let class = class(&world, name, &json!({}), &["--posture", "never"]);
        let is_known = !["unknown_tool", "ambiguous_tool", "server_unavailable"].contains(&&*class);
        assert!(is_known, "{name}: {class}");
    }
}

/// B119: a name that is no tool's is answered with the nearest that can be called.
#[test]
fn an_unknown_name_is_answered_with_what_can_be_called() {
    let world = World::new();
    let calls = [
        ("reed", json!({})),
        ("reed", json!({})),
        ("tools.read", json!({})),
        ("gerp", json!({})),
        ("read", json!({})),
    ];
    let said = answers(&world, &calls, &["--deny", "grep"]);
    assert!(said[0].starts_with("there is no tool 'reed'; the nearest are read"), "{}", said[0]);
    assert_eq!(said[0], said[1]);
    assert!(said[2].starts_with("there is no tool 'tools.read'"), "{}", said[2]);
    assert!(!said[3].contains("grep"), "{}", said[3]);
    assert!(said[4].contains("path"), "{}", said[4]);
}

/// B131: servers that are named as something of ours: each tool is found, called, and in the list of its
/// server; the one name that is taken is refused with its reason.
#[test]
fn servers_of_any_name_are_searched() {
    let servers = ["web", "git", "memory", "tools"];
    let trusted = "trust = \"trusted\"";
    let tables = servers.map(|name| server(name, trusted, &["name = \"zeta_unique\""]));
    let world = World::new().config(&tables.concat());
    let expected: BTreeSet<String> =
        servers.iter().map(|name| format!("{name}_zeta_unique")).collect();
    let listed = world.tollgate(["tools", "list", "--json"]).run().success().json();
    let listed = listed["tools"].as_array().unwrap().iter().filter_map(|it| {
        let server = it["server"].as_str().unwrap();
        servers.contains(&server).then(|| it["name"].as_str().unwrap().to_owned())
    });
    assert_eq!(listed.collect::<BTreeSet<_>>(), expected);
    let found: BTreeSet<_> = found(&world, "zeta_unique", &[]).into_iter().collect();
    assert_eq!(found, expected);
    for name in &expected {
        assert_eq!(class(&world, name, &json!({}), &[]), "", "{name}");
    }
    assert_eq!(class(&world, "zeta_unique", &json!({}), &[]), "ambiguous_tool");
    let world = World::new().config(&server("kernel", "", &["name = \"zeta_unique\""]));
    world.tollgate(["tools", "list"]).run().code(2).says(["servers.kernel"]);
}

/// B124: twenty processes give one order, and nothing of a server that is switched off, that failed, or whose
/// tools the posture forbids.
#[test]
fn what_is_not_there_is_never_found() {
    let zeta = |name: &str| format!("name = \"zeta_{name}\"");
    let program = binary("tollgate-hostile");
    let exits = format!("[servers.failed]\ncommand = [{program:?}, \"exit\"]\n");
    let tables = [
        server("there", "trust = \"trusted\"", &[&zeta("b"), &zeta("a"), &zeta("c")]),
        server("off", "enabled = false", &[&zeta("off")]),
        server("wild", "", &[&zeta("wild")]),
        exits,
    ];
    let world = World::new().config(&tables.concat());
    world.warm();
    let first = found(&world, "zeta", &["--posture", "never"]);
    assert_eq!(first, ["zeta_a", "zeta_b", "zeta_c"]);
    for _ in 1..20 {
        assert_eq!(found(&world, "zeta", &["--posture", "never"]), first);
    }
    assert!(found(&world, "zeta", &[]).contains(&"zeta_wild".to_owned()));
}

/// A query that names six tools has all six, beyond its limit; a bare name finds the server's tool; tasks in
/// words find what does them.
#[test]
fn names_and_tasks_find_their_tools() {
    let graph = ["search_graph", "trace_path", "get_code", "index_repo", "list_projects", "query"];
    let names = graph.map(|name| format!("name = \"mcp_graph_{name}\", source = \"graph\""));
    let mut tools: Vec<&str> = names.iter().map(String::as_str).collect();
    tools.extend([
        "name = \"Gmail_SendEmail\", description = \"Sends a mail message.\"",
        "name = \"create_specific_calendar_event\", description = \"Creates an event.\"",
        "name = \"mcp_x_ask_codex\", source = \"x\"",
    ]);
    let world = World::new().config(&server("told", "", &tools));
    let query = format!("graph {}", graph.map(|name| format!("mcp_graph_{name}")).join(" "));
    let search = ["tools", "search", &query, "-n", "1", "--json"];
    let all = world.tollgate(search).run().success().json();
    let all = all["matches"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap());
    let all: BTreeSet<_> = all.collect();
    for name in graph {
        assert!(all.contains(&*format!("mcp_graph_{name}")), "{name} is not in {all:?}");
    }
    let tasks = [
        ("send email", "Gmail_SendEmail"),
        ("Send an email to my colleague", "Gmail_SendEmail"),
        ("create calendar event", "create_specific_calendar_event"),
        ("ask_codex", "mcp_x_ask_codex"),
        ("trace_path", "mcp_graph_trace_path"),
    ];
    for (query, name) in tasks {
        assert_eq!(found(&world, query, &[]).first().map(String::as_str), Some(name), "{query}");
    }
}

/// A schema is, in every request and on every way, what the manifest has: byte for byte.
#[test]
fn a_schema_goes_round_whole() {
    let schema = concat!(
        r#"{ "type" : "object","required":["z"], "properties":{"z":{"type":"number","#,
        r#""maximum":1e400,"default":1.10},"a":{"const":123456789012345678901234567890},"#,
        r#""é":{"enum":["\u0041","\/","\u200b"]},"nest":{"$ref":"#,
        r##""#/$defs/n"}},"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"}}}},  "x":null}"##
    );
    let tool = format!("name = \"zeta\", schema = '{schema}'");
    let world = World::new().config(&server("told", "", &[&tool]));
    let script = Script::new().call("tool_search", select("zeta")).text("Done.");
    let requests = requests(&world, &script, &[]);
    let carried = format!(
        "\"name\":\"zeta\",\"description\":\"Claims to change nothing.\",\"input_schema\":{schema}}}"
    );
    assert!(requests[1].contains(&carried), "{}", requests[1]);
    assert_eq!(names(&parsed(&requests[0])), CONTRACT);
    let said = answers(
        &world,
        &[("tool_search", json!({ "query": "select:zeta", "format": "schema" }))],
        &[],
    );
    let whole = said[0].lines().find_map(|line| line.trim().strip_prefix("input_schema: "));
    let numbers = ["1e400", "1.10", "123456789012345678901234567890", r"\u0041", r"\u200b"];
    let whole = whole.expect("a schema");
    assert!(numbers.iter().all(|it| whole.contains(it)), "{whole}");
}
