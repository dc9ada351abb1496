//! The catalog from outside: what a first request carries, that only appending changes it, what surfaces,
//! rules and configuration do to it, that old names still work, and that no server gets what it only claims.

mod claims;
mod legacy;
mod prefix;
mod reports;
mod surface;

use serde_json::{Value, json};
use tollgate_tests::{Script, World, binaries::binary, events::content_text};

/// Contract names whose servers exist, in their order; then the search and programs.
const CONTRACT: [&str; 6] = ["read", "write", "edit", "bash", "tool_search", "execute_tools"];

/// The names in a request's tools array.
fn names(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array().expect("a request has tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a tool has a name")).collect()
}

/// The prepared requests of a script's turn, byte for byte.
fn requests(world: &World, script: &Script, options: &[&str]) -> Vec<String> {
    let model = world.script(script);
    let folder = world.folder().join("requests");
    let kept = folder.display().to_string();
    let mut arguments = vec!["exec", "--model", &model, "--record-requests", &kept];
    arguments.extend(options);
    arguments.push("Do it.");
    world.tollgate(arguments).run().success();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("requests were kept")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let read = |file| std::fs::read_to_string(file).expect("a request is text");
    let requests = files.into_iter().map(read).collect();
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    requests
}

fn parsed(request: &str) -> Value {
    serde_json::from_str(request).expect("a request is JSON")
}

/// The first request under these options.
fn first(world: &World, options: &[&str]) -> Value {
    let requests = requests(world, &Script::new().text("Done."), options);
    parsed(requests.first().expect("a turn has a request"))
}

/// A search by exact names, as a model calls it.
fn select(name: &str) -> Value {
    json!({ "query": format!("select:{name}") })
}

/// A server with these tools, as lines of a configuration.
fn server(name: &str, more: &str, tools: &[&str]) -> String {
    let program = binary("tollgate-hostile");
    let tools: Vec<_> = tools.iter().map(|tool| format!("{{ {tool} }}")).collect();
    format!(
        "[servers.{name}]\ncommand = [{program:?}, \"told\"]\n{more}\nsettings.tools = [{}]\n",
        tools.join(", ")
    )
}

/// The names of a search's matches.
fn found(world: &World, query: &str, options: &[&str]) -> Vec<String> {
    let search = ["tools", "search", query, "-n", "20", "--json"];
    let found = world.tollgate(search).args(options).run().success().json();
    let names = found["matches"].as_array().expect("matches").iter();
    names.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

/// How a person's call ended: the class of its error, or nothing.
fn class(world: &World, name: &str, arguments: &Value, options: &[&str]) -> String {
    let ran = world.call(name, arguments).args(options).run();
    ran.json()["receipt"]["end"]["error_class"].as_str().unwrap_or_default().to_owned()
}

/// The contents of a turn's results, one call a step.
fn answers(world: &World, calls: &[(&str, Value)], options: &[&str]) -> Vec<String> {
    let script = calls
        .iter()
        .fold(Script::new(), |script, (name, arguments)| script.call(name, arguments.clone()));
    let ran = world.exec(&script.text("Done."), "go").args(options.iter().copied()).run();
    ran.events().well_formed().results().into_iter().map(content_text).collect()
}
