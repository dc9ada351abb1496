//! The single-threaded step between the kernel and a tool server, `tollgate __launch …`.
//!
//! The kernel has threads, so it can neither limit a child between fork and exec nor ask for a
//! parent-death signal that outlives its worker threads. It starts itself again instead; this crate
//! ties the new process to its parent, limits it, and becomes the server by `exec`.
//!
//! | module | job |
//! |---|---|
//! | [`Launch`] | the command line, written by the kernel and read here |
//! | `steps` | what one process does to itself before it runs foreign code |
//! | `server` | the steps of a server, ending in `exec` |
//! | `warden` | a parent for servers that start programs: nothing below it outlives it |
//! | [`start`] | `posix_spawn` with a clean signal state |
//! | [`processes`], [`sweep`] | the process table, and ending all that is below a process |
//!
//! Invariants: one thread; no descriptor above 3 reaches a server (test
//! `only_the_granted_descriptors_reach_the_server`); a process whose parent is gone does not start.
//!
//! Not here: file, network and system call confinement, and choosing the environment (the kernel).

mod error;
mod launch;
pub mod processes;
mod server;
mod start;
mod steps;
mod sweep;
mod warden;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::ExitCode;

use error::LaunchError;

pub use launch::{Launch, ResourceLimits};
pub use start::start;
pub use sweep::{Swept, sweep};

/// First argument that turns the `tollgate` binary into the launcher.
pub const COMMAND: &str = "__launch";

/// Runs the launcher if this process was started as one, and does nothing otherwise.
///
/// Must be the first thing that `main` does: no thread may have been started. `None` means that
/// this process is an ordinary `tollgate`. A launch that worked does not return, or, for a warden,
/// returns what its server ended with.
#[must_use]
pub fn main_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(COMMAND)) {
        return None;
    }
    let ended = Launch::parse(arguments).and_then(|launch| {
        if launch.warden { warden::run(&launch) } else { server::become_it(&launch) }
    });
    Some(ended.unwrap_or_else(|error| report(&error)))
}

/// Writes one sentence to standard error, where the kernel reads it as the server's last words.
fn report(error: &LaunchError) -> ExitCode {
    let cause = std::error::Error::source(error).map(|source| format!(": {source}"));
    let sentence = format!("tollgate {COMMAND}: {error}{}\n", cause.unwrap_or_default());
    // If nobody can read it, the exit code still tells.
    drop(io::stderr().write_all(sentence.as_bytes()));
    error.exit_code()
}
