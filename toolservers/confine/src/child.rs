//! A program in a confinement of its own, by a launcher in between.
//!
//! The server has threads, and what a process imposes on itself cannot be taken back; so it starts its own
//! binary again, which confines itself and becomes the program:
//!
//! ```text
//! server ─┬─ hold  makes the namespaces ── reap   first process of the PID namespace
//!         └─ enter joins them ──────────── inside mounts, limits, Landlock, seccomp, exec
//! ```
//!
//! Without namespaces `enter` does what `inside` does, but for the mounts. Descriptors: 0, 1, 2 are the
//! program's; 3 is the [`Plan`], 4 takes the [`report`](Report). The program gets neither.
//!
//! | stage | reports |
//! |---|---|
//! | the program begins | `confined WORDS` |
//! | something failed, nothing ran | `failed SENTENCE` |
//! | the program ended (with namespaces, where only `enter` knows) | `code N` or `signal N` |
//!
//! Invariants: foreign code runs only after every step (test `nothing_runs_when_a_step_fails`); with the
//! server, however it ends, ends everything (each stage dies with its parent).
//!
//! Not here: starting the launcher (the server's, with its own signals and sessions), waiting for it.

mod hold;
mod inside;
mod plan;
mod report;

use std::{
    convert::Infallible,
    ffi::{CString, OsStr, OsString},
    io::Write as _,
    os::{fd::RawFd, unix::ffi::OsStringExt as _},
    path::Path,
    process::ExitCode,
};

use nix::{
    errno::Errno,
    spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn},
    sys::{
        prctl,
        signal::{SigSet, Signal},
    },
    unistd::{Pid, getppid},
};

use crate::{ConfineError, step};
use report::Reporter;

pub use plan::Plan;
pub use report::{Ended, Report};

/// First argument that turns a server's binary into a launcher.
pub const COMMAND: &str = "__confine";

/// Second argument: keep namespaces open.
pub const HOLD: &str = "hold";

/// Second argument: confine and become a program, whose words follow.
pub const ENTER: &str = "enter";

/// Descriptor of the plan, an open file that is read from its beginning.
pub const PLAN: RawFd = 3;

/// Descriptor of the report; of `hold` too.
pub const REPORT: RawFd = 4;

/// Exit code of a launcher that failed; its report says why.
pub const FAILED: u8 = 125;

/// How the server's binary is started again.
pub const OWN_BINARY: &str = "/proc/self/exe";

/// Does the launcher's work if this process was started as one, and nothing otherwise. Must be the first
/// thing that `main` does: no thread may have been started.
#[must_use]
pub fn main_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(COMMAND)) {
        return None;
    }
    let stage = arguments.next().unwrap_or_default();
    let words: Vec<_> = arguments.collect();
    let ended = match stage.to_str() {
        Some(HOLD) => hold::hold(),
        Some(hold::REAP) => hold::reap(),
        Some(ENTER) => inside::enter(&words),
        Some(inside::INSIDE) => inside::inside(&words).map(|never: Infallible| match never {}),
        Some(_) | None => Err(ConfineError::Step {
            what: "confine a program",
            why: format!(
                "this is started by a server, not by hand; there is no '{}'",
                stage.display()
            ),
        }),
    };
    Some(ended.unwrap_or_else(|error| {
        match Reporter::open() {
            Ok(mut report) => report.say(&format!("failed {error}")),
            // Started by hand: there is nobody to report to.
            Err(_) => drop(writeln!(std::io::stderr(), "tollgate {COMMAND}: {error}")),
        }
        ExitCode::from(FAILED)
    }))
}

/// Asks to die with the parent.
fn tie_to_parent() -> Result<(), ConfineError> {
    let parent = getppid();
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(step("ask for an end with the parent"))?;
    if getppid() == parent { Ok(()) } else { Err(gone()) }
}

fn gone() -> ConfineError {
    ConfineError::Step { what: "start", why: "the process that asked for it has ended".into() }
}

/// Starts this binary again as another stage, with the descriptors that it has.
fn next_stage(stage: &str, words: &[OsString]) -> Result<Pid, ConfineError> {
    let starting = step::<Errno>("start the next stage of the launcher");
    let own_name = std::env::args_os().next().unwrap_or_default();
    let first = [own_name, COMMAND.into(), stage.into()];
    let arguments = texts(first.into_iter().chain(words.iter().cloned()))?;
    let pairs = std::env::vars_os().map(|(mut name, value)| {
        name.push("=");
        name.push(value);
        name
    });
    let environment = texts(pairs)?;
    let mut attributes = PosixSpawnAttr::init().map_err(&starting)?;
    attributes.set_sigmask(&SigSet::empty()).map_err(&starting)?;
    attributes.set_sigdefault(&SigSet::all()).map_err(&starting)?;
    let flags = PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF;
    attributes.set_flags(flags).map_err(&starting)?;
    let actions = PosixSpawnFileActions::init().map_err(&starting)?;
    posix_spawn(Path::new(OWN_BINARY), &actions, &attributes, &arguments, &environment)
        .map_err(starting)
}

/// As C has them. They came so from C, and hold no NUL.
fn texts(all: impl Iterator<Item = OsString>) -> Result<Vec<CString>, ConfineError> {
    let text = |it: OsString| CString::new(it.into_vec()).map_err(step("pass a word on"));
    all.map(text).collect()
}
