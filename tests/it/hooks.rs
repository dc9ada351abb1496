//! Hooks (`[GATE-40]`): the user's programs that are told of events and may stop calls, through the
//! real kernel.

mod events;
mod faults;
mod paths;
mod verdicts;

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use serde_json::{Value, json};
use tollgate_tests::{Ran, World, events::content_text};

/// The call that a guard is there to stop: what it would leave behind.
const MARKER: &str = "ran.txt";

fn touch() -> Value {
    json!({ "command": format!("touch {MARKER}") })
}

/// One `[[hook]]` of an event, with further lines.
fn hook(event: &str, command: &str, more: &str) -> String {
    format!("[[hook]]\nevent = {event:?}\ncommand = {command}\n{more}\n")
}

/// A hook before every call, a line for the shell.
fn before(line: &str, more: &str) -> String {
    hook("tool_call_before", &format!("{line:?}"), more)
}

/// A hook before every call that prints an answer.
fn answers(answer: &Value) -> String {
    hook("tool_call_before", &json!(["printf", "%s", answer.to_string()]).to_string(), "")
}

/// A world with the user's hooks.
fn world(hooks: impl AsRef<str>) -> World {
    let world = World::new();
    set(&world, hooks.as_ref());
    world
}

fn set(world: &World, hooks: &str) {
    fs::write(world.home().join("config/hooks.toml"), hooks).unwrap();
}

/// A file of the user's, outside the workspace.
fn script(world: &World, name: &str, content: impl AsRef<[u8]>, mode: u32) -> PathBuf {
    let path = world.beside(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// The guarded call, where nothing but a hook would stop it.
fn guarded(world: &World) -> Ran {
    world.call("bash", &touch()).args(["--posture", "full-access"]).run()
}

/// The class and the sentence of a refused call.
#[track_caller]
fn refused(ran: &Ran) -> (String, String) {
    let printed = ran.clone().code(3).json();
    let end = &printed["receipt"]["end"];
    assert_eq!((&end["status"], &end["may_have_run"]), (&json!("refused"), &json!(false)), "{ran}");
    let class = end["error_class"].as_str().unwrap_or_default().to_owned();
    assert_eq!(printed["result"]["metadata"]["error"], class.as_str());
    (class, content_text(&printed["result"]))
}

/// Lines that hooks have written, as `NAME` of the world.
fn lines(world: &World, name: &str) -> Vec<String> {
    let text = fs::read_to_string(world.beside(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
