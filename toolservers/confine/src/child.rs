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
//! Invariants: foreign code runs only after every step, and only if somebody hears that (test
//! `nothing_runs_when_a_step_fails`); with the server, however and whenever it ends, ends everything: each
//! stage dies with its parent (tests `with_the_server_everything_ends`, `nothing_runs_when_the_holder_is_gone`).
//!
//! Not here: starting the launcher (the server's, with its own signals and sessions), waiting for it.

mod hold;
mod inside;
mod plan;
mod report;

use std::{
    convert::Infallible,
    ffi::{CString, OsStr, OsString},
    fs::File,
    io::Write as _,
    os::{
        fd::{AsFd as _, AsRawFd as _, OwnedFd, RawFd},
        unix::ffi::OsStringExt as _,
    },
    path::Path,
    process::ExitCode,
};

use nix::{
    errno::Errno,
    fcntl::OFlag,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn},
    sys::{
        prctl,
        signal::{SigSet, Signal},
    },
    unistd::{Pid, pipe2},
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

/// Descriptor whose other end the stage before has.
const LIFELINE: RawFd = 5;

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

/// Asks to die with the parent, which is the thread that started this process: it must be one that lasts.
/// A server that has ended before is found out as nobody reads the report.
fn tie_to_parent() -> Result<(), ConfineError> {
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(step("ask for an end with the parent"))
}

/// The same for a further stage, whose parent is in other namespaces, so that `getppid` tells nothing: it
/// has the other end of [`LIFELINE`].
fn tie_to_stage() -> Result<(), ConfineError> {
    tie_to_parent()?;
    // Taken as what it is at once: whatever it is, the program does not get it.
    let lifeline = File::open(format!("/proc/self/fd/{LIFELINE}"));
    nix::unistd::close(LIFELINE).ok();
    let lifeline = lifeline.map_err(step("find out whether the parent lives"))?;
    let mut asked = [PollFd::new(lifeline.as_fd(), PollFlags::POLLIN)];
    match poll(&mut asked, PollTimeout::ZERO) {
        Ok(0) => Ok(()),
        Ok(_) => Err(step("start")("the stage before has ended")),
        Err(error) => Err(step("find out whether the parent lives")(error)),
    }
}

/// A further stage. While this process lives it has the writing end of the other's [`LIFELINE`].
#[derive(Debug)]
struct Stage {
    pid: Pid,
    _lifeline: OwnedFd,
}

/// Starts this binary again as another stage, with the descriptors that it has.
fn next_stage(stage: &str, words: &[OsString]) -> Result<Stage, ConfineError> {
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
    let (theirs, lifeline) = pipe2(OFlag::O_CLOEXEC).map_err(&starting)?;
    let mut actions = PosixSpawnFileActions::init().map_err(&starting)?;
    actions.add_dup2(theirs.as_raw_fd(), LIFELINE).map_err(&starting)?;
    let program = Path::new(OWN_BINARY);
    let pid =
        posix_spawn(program, &actions, &attributes, &arguments, &environment).map_err(starting)?;
    Ok(Stage { pid, _lifeline: lifeline })
}

/// As C has them. They came so from C, and hold no NUL.
fn texts(all: impl Iterator<Item = OsString>) -> Result<Vec<CString>, ConfineError> {
    let text = |it: OsString| CString::new(it.into_vec()).map_err(step("pass a word on"));
    all.map(text).collect()
}
