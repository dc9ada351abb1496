//! The catalog from outside: what a first request carries, that only appending changes it, what surfaces,
//! rules and configuration do to it, and that old names still work.

mod legacy;
mod prefix;
mod reports;
mod surface;

use serde_json::{Value, json};
use tollgate_tests::{Script, World};

/// Contract names whose servers exist, in their order; then the kernel's own.
const CONTRACT: [&str; 5] = ["read", "write", "edit", "bash", "tool_search"];

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
