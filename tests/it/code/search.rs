//! `tool_search` inside a program describes and activates nothing; whatever it names can be called; and the
//! switch that defers programs.

use std::fs;

use tollgate_tests::workspace_root;

use super::*;

/// Steps of a turn whose requests are kept; the `tools` field of each request, as text.
#[track_caller]
fn tools_of_requests(world: &World, script: &Script, options: &[&str]) -> Vec<String> {
    let folder = world.beside("requests");
    let kept = folder.display().to_string();
    let command =
        world.exec(script, "go").args(FULL).args(["--record-requests", &kept]).args(options);
    unhurt(command.run()).success();
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    let field = |file: &std::path::PathBuf| {
        let request: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        request["tools"].to_string()
    };
    let fields = files.iter().map(field).collect();
    fs::remove_dir_all(&folder).unwrap();
    fields
}

/// [CODE-13] B127, TS-42: a search in a program gives schemas and leaves the tools of the next request byte for
/// byte; a found tool is called without being activated.
#[test]
fn a_search_in_a_program_activates_nothing() {
    let world = world();
    let code = "
        const found = await tools.call('tool_search', { query: 'find files by their names' });
        const typed = await tools.search('find files by their names', { format: 'types' });
        return [found.content, typed.content]";
    let script = Script::new()
        .call("execute_tools", json!({ "code": code }))
        .call(
            "execute_tools",
            json!({ "code": "return (await tools.find({ pattern: '*.txt' })).content" }),
        )
        .text("done");
    let fields = tools_of_requests(&world, &script, &[]);
    assert_eq!(fields.len(), 3);
    assert!(fields.windows(2).all(|pair| pair[0] == pair[1]), "the tools have changed");
    assert!(fields[0].contains("\"execute_tools\""), "{:.300}", fields[0]);
    // The very same search by the model itself does activate.
    let script = Script::new()
        .call("tool_search", json!({ "query": "find files by their names" }))
        .text("done");
    let fields = tools_of_requests(&world, &script, &[]);
    assert_ne!(fields[0], fields[1]);
}

/// [CODE-13] [CODE-14] B121: every name that search gives can be called in a program, and types are given.
#[test]
fn every_name_that_is_found_can_be_called() {
    let world = world();
    let listed = world.tollgate(["tools", "list", "--json"]).run().success().json();
    let mut names: Vec<String> = Vec::new();
    collect_names(&listed, &mut names);
    assert!(names.len() >= 6, "{listed}");
    names.retain(|name| name != "execute_tools");
    names.sort();
    names.dedup();
    let code = format!(
        "const out = {{}};
         for (const name of {names:?}) {{
           try {{ await tools.call(name, {{}}); out[name] = 'ok' }} catch (e) {{ out[name] = e.message }}
         }}
         const queries = ['file', 'search text', 'run a command', 'edit', 'find files', 'read', 'background job'];
         for (const query of queries) {{
           const r = await tools.search(query, {{ format: 'types' }});
           if (!/[(:]/.test(JSON.stringify(r.content))) throw new Error('no types for ' + query);
         }}
         return out"
    );
    let ended = run(&world, &code);
    for (name, said) in ended.value().as_object().unwrap() {
        let said = said.as_str().unwrap();
        assert!(!said.contains("there is no tool"), "{name} is listed and {said}");
    }
}

/// Names of tools in what `tools list --json` prints.
fn collect_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|it| collect_names(it, names)),
        Value::Object(fields) => {
            names.extend(fields.get("name").and_then(Value::as_str).map(str::to_owned));
            for (key, it) in fields {
                if ["tools", "eager", "deferred"].contains(&key.as_str()) {
                    collect_names(it, names);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// [CODE-20] B121: every example in the tool's description and in `run --help` runs.
#[test]
fn every_example_runs() {
    let world = world();
    world.write("src/main.rs", "fn main() {}\n");
    let shown = world.tollgate(["tools", "show", "execute_tools", "--json"]).run().success().text();
    for part in
        ["tools.call(name, args)", "{content, metadata, truncated}", "tools.search(query, {format"]
    {
        assert!(shown.contains(part), "the description has changed: {shown}");
    }
    let value = run(
        &world,
        "const name = 'read', args = { path: 'a.txt' }; return await tools.call(name, args)",
    );
    let fields: Vec<_> = value.value().as_object().unwrap().keys().collect();
    assert_eq!(fields, ["content", "metadata", "truncated"]);
    run(&world, "const query = 'find files'; return (await tools.search(query, {format: \"types\"})).content").value();
    let ended = run(
        &world,
        "try { await tools.read({ path: 'nope' }) } catch (e) { return [e.code, e.result] }",
    );
    assert_eq!(ended.value()[0], "failed");
    assert!(ended.value()[1]["content"].is_string(), "{}", ended.text);
    // The help's own example, as it stands there.
    let help = world.tollgate(["run", "--help"]).run().success().text();
    let example: String = help
        .lines()
        .filter(|line| line.starts_with("  const") || line.starts_with("  return"))
        .collect::<Vec<_>>()
        .join("\n");
    assert!(example.contains("tools."), "{help}");
    let ended = run(&world, &example);
    assert_eq!(ended.value(), &json!(1), "{example}\n{}", ended.text);
}

/// B121: the example of the code server's README runs as it stands there, and does what it says.
#[test]
fn the_readmes_example_runs() {
    let world = world();
    world.write("one.md", "1\n2\n");
    world.write("two.md", "1\n");
    let readme = workspace_root().join("toolservers/code/README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let example = readme.split("```js\n").nth(1).and_then(|it| it.split("```").next()).unwrap();
    let ended = run(&world, example);
    assert_eq!(ended.value(), &json!(2), "{}", ended.text);
    let report = world.read("report.txt");
    let mut lines: Vec<_> = report.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["one.md 2", "two.md 1"]);
}

/// [CODE-16] Switched off, programs are deferred behind search, and can be used all the same.
#[test]
fn the_switch_defers_programs() {
    let world = world().config("[features]\ncode_mode = false\n");
    let script = Script::new()
        .call("tool_search", json!({ "query": "run a javascript program that makes many calls" }))
        .call(
            "execute_tools",
            json!({ "code": "return (await tools.read({ path: 'a.txt' })).content" }),
        )
        .text("{{last.content}}");
    let fields = tools_of_requests(&world, &script, &[]);
    assert!(!fields[0].contains("execute_tools\""), "{:.500}", fields[0]);
    assert!(fields[1].contains("\"execute_tools\""), "search did not activate it");
    assert_eq!(run(&world, "return 1").value(), &json!(1));
    // The surface of programs alone needs them.
    let ran = world.tollgate(["tools", "list", "--surface", "code"]).run().code(2);
    assert!(ran.stderr.contains("features.code_mode"), "{ran}");
}
