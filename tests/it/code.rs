//! Code mode, as a black box: programs of JavaScript run by the real binaries, hostile ones too. A program
//! may not end well, but it always ends, with a clear error and its receipts, and what comes after it works.
//!
//! | module | what |
//! |---|---|
//! | [`approvals`] | questions of nested calls (`[CODE-07, 08]`) |
//! | [`clocks`] | the two clocks (`[CODE-08]`) |
//! | [`crash`] | the code server dies (`[CODE-18]`, CM-11, CM-12) |
//! | [`ends`] | receipts and logs at every end (`[CODE-10, 11]`, CM-10, CM-14) |
//! | [`forged`] | the code server is somebody else's (CM-05) |
//! | [`forms`] | what a program may look like, and what is said of one that is none (`[CODE-01, 12, 19]`) |
//! | [`gate`] | the same gate as for direct calls (`[CODE-04, 05, 17]`) |
//! | [`hostile`] | programs that will not end, or take too much (`[CODE-15]`, Q1 to Q10, CM-01 to CM-03) |
//! | [`large`] | large results, arguments and values (`[CODE-09, 15]`, CM-13) |
//! | [`queue`] | a thousand programs at once (`[CODE-15]`) |
//! | [`run`] | `tollgate run` (`[CODE-17]`, `[CLI-05]`) |
//! | [`search`] | `tool_search` in a program, and the switch (`[CODE-13, 14, 16]`, B121) |
//! | [`stance`] | mode and posture change in the middle (`[CODE-06]`) |
//! | [`surface`] | what a program reaches, and a wrong guess (`[CODE-02, 19]`, CM-04, CM-07) |
//!
//! Not here: the language and its values in all their detail (`toolservers/code`), how fast it is (the
//! benches).

mod approvals;
mod clocks;
mod crash;
mod ends;
mod forged;
mod forms;
mod gate;
mod hostile;
mod large;
mod queue;
mod run;
mod search;
mod stance;
mod surface;

use serde_json::{Value, json};
use tollgate_tests::{Ran, Script, World, events::content_text};

/// Nobody is asked, and what is not refused runs.
const FULL: [&str; 2] = ["--posture", "full-access"];

/// How a program ended.
#[derive(Clone, Debug)]
struct Ended {
    /// What the model is told.
    text: String,
    /// As programs have it; null where only an event was seen.
    structured: Value,
    /// Of the program itself.
    receipt: Value,
}

impl Ended {
    /// Of an object that has the result's fields and its receipt.
    fn of(result: &Value, receipt: &Value) -> Self {
        let structured = result["structured"].clone();
        Self { text: content_text(result), structured, receipt: receipt.clone() }
    }

    /// As `call --json` and `run --json` print it.
    #[track_caller]
    fn printed(ran: &Ran) -> Self {
        let printed = ran.json();
        Self::of(&printed["result"], &printed["receipt"])
    }

    /// "ok", "failed", "`in_flight`", "refused".
    fn status(&self) -> &str {
        self.receipt["end"]["status"].as_str().unwrap_or_default()
    }

    /// Why it is not ok.
    fn class(&self) -> &str {
        self.receipt["end"]["error_class"].as_str().unwrap_or_default()
    }

    /// The process that ran it.
    fn instance(&self) -> &str {
        self.receipt["instance"].as_str().unwrap_or_default()
    }

    /// What it returned.
    #[track_caller]
    fn value(&self) -> &Value {
        assert_eq!(self.status(), "ok", "{}", self.text);
        &self.structured["value"]
    }

    /// Its receipts, each "name decision status".
    fn calls(&self) -> Vec<String> {
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let lines = self.structured["receipts"].as_array().into_iter().flatten();
        let words = |it: &Value| [&it["name"], &it["decision"], &it["status"]].map(word).join(" ");
        lines.map(words).collect()
    }

    /// Asserts its class and that it is told with a part; gives it back.
    #[track_caller]
    fn failed(self, class: &str, part: &str) -> Self {
        assert_eq!((self.status(), self.class()), ("failed", class), "{}", self.text);
        assert!(self.text.contains(part), "no {part:?} in {}", self.text);
        self
    }
}

/// A kernel that was hurt says "panicked" or dies of a signal.
#[track_caller]
fn unhurt(ran: Ran) -> Ran {
    assert!(ran.code <= 130, "{ran}");
    assert!(!ran.stderr.contains("panicked"), "{ran}");
    ran
}

/// Runs a program as a person does, in the posture that asks nothing.
#[track_caller]
fn run(world: &World, code: &str) -> Ended {
    run_with(world, code, &FULL)
}

/// Runs a program as a person does.
#[track_caller]
fn run_with(world: &World, code: &str, options: &[&str]) -> Ended {
    let command = world.tollgate(["run", "-", "--json"]).args(options);
    Ended::printed(&unhurt(command.stdin(code).run()))
}

/// Runs programs in one turn of a model, one a step, each with its time in ms; how each ended.
#[track_caller]
fn turn<'a>(world: &World, programs: impl IntoIterator<Item = (&'a str, u64)>) -> Vec<Ended> {
    let script = programs.into_iter().fold(Script::new(), |script, (code, ms)| {
        script.call("execute_tools", json!({ "code": code, "timeout_ms": ms }))
    });
    let ran = unhurt(world.exec(&script.text("done"), "go").args(FULL).run()).success();
    let events = ran.events().well_formed();
    world.receipts(Some(events.session())).sound(world);
    let results = events.results().into_iter();
    let own = results.filter(|it| it["receipt"]["tool"] == "execute_tools");
    own.map(|it| Ended::of(it, &it["receipt"])).collect()
}

/// A world with a file `a.txt`.
fn world() -> World {
    let world = World::new();
    world.write("a.txt", "hello\n");
    world
}
