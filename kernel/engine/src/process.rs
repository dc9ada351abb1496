//! The processes of local tool servers: started, heard, and ended without leaving anything behind.
//!
//! ```text
//! Spawner ── spawner thread ── posix_spawn `tollgate __launch …` ── exec server
//!                                   stdin: held open    stdout, stderr: log    3: listening socket
//! reaper thread ── waits for any child, sweeps orphans, then tells who waits for `exited`
//! ```
//!
//! | module | job |
//! |---|---|
//! | [`Spawner`] | one thread that starts everything, because parent-death signals name a thread |
//! | [`Captured`] | a program run to its end: a hook |
//! | [`ServerProcess`] | one running server: its input, its log, its end |
//! | `reaper` | which children run; reaping; orphans |
//! | [`LogTail`] | the last 64 KiB a server said |
//! | [`RuntimeDir`] | sockets and records of this kernel |
//! | [`scrubbed`] | the environment that a server may see |
//!
//! Invariants: every child of the kernel is started by a [`Spawner`], so that a child it does not know
//! is an orphan of a server and is killed; no process is signalled after it was reaped; nothing is
//! parsed from a server's output.
//!
//! Not here: the protocol with the server, restarts and quarantine (`servers`), and what a process
//! does to itself before it becomes the server (`tollgate-launch`).

mod capture;
mod child;
mod environment;
mod exit;
mod limits;
mod log_file;
mod logs;
mod reaper;
mod records;
mod runtime_dir;
mod server;
mod spawner;
mod spec;

pub use capture::{CaptureBounds, CaptureEnd, Captured};
pub use environment::{scrubbed, secret_variables};
pub use exit::Exit;
pub use logs::LogTail;
pub use records::{Record, forgive, running};
pub use runtime_dir::{RuntimeDir, RuntimeDirError};
pub use server::ServerProcess;
pub use spawner::Spawner;
pub use spec::{ProcessSpec, SpawnError};
pub use tollgate_launch::ResourceLimits as ProcessLimits;

use std::path::{Path, PathBuf};

/// Where the runtime directories of this user's kernels are: `below`, or the usual place.
#[must_use]
pub fn runtime_home(below: Option<&Path>) -> PathBuf {
    runtime_dir::home(below)
}

#[cfg(test)]
mod tests;
