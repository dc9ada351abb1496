//! The steps of a plain launch, in their order, ending in the server's own program.

use std::convert::Infallible;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use nix::sys::signal::Signal;

use crate::Launch;
use crate::error::LaunchError;
use crate::steps;

/// Limits this process and becomes the server; returns only if that failed.
pub(crate) fn become_it(launch: &Launch) -> Result<ExitCode, LaunchError> {
    // First, because everything after it takes time in which the parent may end.
    steps::tie_to_parent(launch.parent, Signal::SIGKILL)?;
    steps::stand_alone()?;
    steps::enter(launch.directory.as_deref())?;
    steps::close_descriptors(launch.listen)?;
    // Last, because the steps above need a descriptor and memory themselves.
    steps::limit(&launch.limits)?;
    exec(launch).map(|never| match never {})
}

/// Replaces this program. The standard library's `exec` is used because it also gives SIGPIPE,
/// which every Rust program ignores, its default action back.
fn exec(launch: &Launch) -> Result<Infallible, LaunchError> {
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments);
    if launch.listen {
        // As systemd does (sd_listen_fds(3)): one descriptor from 3 on, meant for this process.
        command.env("LISTEN_FDS", "1").env("LISTEN_PID", std::process::id().to_string());
    }
    let source = command.exec();
    Err(LaunchError::Exec { program: launch.program.clone().into(), source })
}
