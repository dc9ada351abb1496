//! The attack suite of the gate (`[THR-01]`): what must fail, against the real binaries. Every attack is
//! harmless: what it would leave is a file, and a test asserts that the file is not there *and* why; each
//! wall has a call that goes through, so that a gate that refuses everything fails too.
//!
//! | module | cases |
//! |---|---|
//! | [`entries`] | one wall of each kind stops every way in (`[GATE-01]`) |
//! | [`places`] | what no tool changes silently (`[THR-05]`, CFG-08) |
//! | [`plan`] | plan mode and what servers claim of themselves (MD-01 to MD-04, B095) |
//! | [`taint`] | text from outside, and what reaches out after it (`[THR-04]`, MD-05) |
//! | [`bytes`] | arguments and names that mean two things (G-09 to G-11, G-13, AP-01) |
//! | [`lines`] | command lines (SH, B092, B098) |
//! | [`files`] | denied reads and places outside (B094, B103) |
//! | [`trees`] | denied files below a folder that is read as a whole (B094) |
//! | [`cards`] | questions (AP-06, AP-08, AP-12, B097, G-14) |
//! | [`project`] | what a repository brings along (G-12, CFG) |
//! | [`records`] | receipts (RX) |
//! | [`table`] | `tests/cases.md` lists every case, and names only tests that there are |
//!
//! Not here: what the modules beside this one show already; `tests/cases.md` says where.

mod bytes;
mod cards;
mod entries;
mod files;
mod lines;
mod places;
mod plan;
mod project;
mod records;
mod table;
mod taint;
mod trees;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tollgate_tests::{Events, Ran, Running, Script, World, binary, events::content_text};

/// What an attack would leave behind, in the workspace.
const CANARY: &str = "CANARY";

/// A world with the stand-in: a server that claims of its calls whatever their arguments say, and that
/// calls other tools through the gate.
fn standin(trust: &str) -> World {
    let program = binary("tollgate-standin");
    World::new().config(&format!("[servers.standin]\ncommand = [{program:?}]\ntrust = {trust:?}\n"))
}

fn bash(command: &str) -> Value {
    json!({ "command": command })
}

fn write(path: impl AsRef<Path>) -> Value {
    json!({ "path": path.as_ref(), "content": "evil\n" })
}

/// The same call from inside another one.
fn relayed(tool: &str, arguments: &Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

/// A file of the user's configuration.
fn set(world: &World, name: &str, content: &str) {
    fs::write(world.home().join("config").join(name), content).expect("a file can be written");
}

/// The class and the sentence of a result that is no success: as `call` prints it, or as an event.
#[track_caller]
fn refused(result: &Value) -> (String, String) {
    assert!(result["is_error"] == true || result["receipt"]["end"]["status"] != "ok", "{result}");
    let told = &result["metadata"]["error"];
    let class = if told.is_null() { &result["receipt"]["end"]["error_class"] } else { told };
    let class = class.as_str().unwrap_or_default().to_owned();
    (class, content_text(result))
}

/// A call that was refused by `tollgate call`: class and sentence; its receipt says that it never ran.
#[track_caller]
fn call_refused(ran: Ran) -> (String, String) {
    let printed = ran.json();
    let end = &printed["receipt"]["end"];
    assert_eq!((&end["status"], &end["may_have_run"]), (&json!("refused"), &json!(false)), "{ran}");
    assert_eq!(end["effects"], "none", "{ran}");
    refused(&printed["result"])
}

/// A turn whose front gives every card the same answer.
struct Turn {
    /// As they were shown, by their call.
    cards: BTreeMap<String, Value>,
    events: Events,
}

/// Runs the calls, one a step, and answers every card with a word.
#[track_caller]
fn turn(world: &World, calls: &[(&str, Value)], answer: &str, options: &[&str]) -> Turn {
    let script = calls
        .iter()
        .fold(Script::new(), |script, (name, arguments)| script.call(name, arguments.clone()));
    let steps = (calls.len() + 2).to_string();
    let command = world.exec(&script.text("done"), "go");
    let command = command.args(["--approvals", "stdio", "--max-steps", &steps]).args(options);
    answer_all(command.stdin_open().spawn(), answer)
}

#[track_caller]
fn answer_all(mut running: Running, answer: &str) -> Turn {
    let mut cards = BTreeMap::new();
    loop {
        let event = running.event("a card or the end", |event| {
            event["type"] == "approval.requested" || event["type"] == "turn.completed"
        });
        let Some(id) = event["id"].as_str().filter(|_| event["type"] == "approval.requested")
        else {
            break;
        };
        running.say(&json!({ "approval": id, "answer": answer }).to_string());
        cards.insert(id.to_owned(), event["card"].clone());
    }
    Turn { cards, events: running.finish().events().well_formed() }
}

impl Turn {
    /// The result of each call of the model, with its card if there was one, in the order of the calls.
    fn results(&self) -> Vec<(&Value, Option<&Value>)> {
        let card = |result: &Value| self.cards.get(result["call_id"].as_str().unwrap_or_default());
        let results = self.events.results().into_iter();
        let own = results.filter(|result| result["receipt"]["caller"] == "model");
        own.map(|result| (result, card(result))).collect()
    }
}

/// All reasons of a card, one text.
fn reasons(card: &Value) -> String {
    let whys = card["why"].as_array().into_iter().flatten();
    whys.filter_map(|why| why["reason"].as_str()).collect::<Vec<_>>().join("; ")
}

/// Every file below a folder with its content; links as what they point to.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder is read").map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().expect("it has a kind"));
            if kind.is_dir() {
                found.insert(path.clone(), b"folder".to_vec());
                folders.push(path);
            } else if kind.is_symlink() {
                let target = fs::read_link(&path).expect("a link is read");
                found.insert(path, target.into_os_string().into_encoded_bytes());
            } else if kind.is_file() {
                let content = fs::read(&path).expect("a file is read");
                found.insert(path, content);
            } else {
                found.insert(path, b"special".to_vec());
            }
        }
    }
    found
}
