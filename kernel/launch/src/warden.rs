//! The warden: the parent of a server that starts programs itself (shell, Python, MCP bridge).
//!
//! ```text
//! kernel ── warden ── server ── what it starts, however it detaches itself
//! ```
//!
//! Running => Sweeping   the server ended, or SIGTERM came: the kernel asks, or the kernel is dead
//! Sweeping => ended     nothing below is left; the exit code is the server's (128 + n for signal n)
//!
//! Invariants: the server dies with the warden (its parent-death signal is SIGKILL); what the server
//! started is killed with it, also after `setsid` and double fork (test
//! `nothing_outlives_a_killed_kernel`). The warden holds neither standard input nor the
//! listening socket, so that end-of-file and refused connections are the server's alone.
//!
//! Not here: a warden that is itself killed; what is below it then falls to the kernel, which
//! sweeps it (`tollgate-engine`, `process/reaper.rs`).

use std::ffi::{CString, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, close, dup2_stdin};

use crate::error::LaunchError;
use crate::steps::{self, step};
use crate::{Launch, start, sweep};

/// Longest time for ending what the server left. Only a process stuck in the operating system
/// takes longer than a few milliseconds.
const SWEEP_MAX: Duration = Duration::from_secs(2);
/// Added to a signal's number in an exit code, as a shell does.
const EXIT_SIGNAL_BASE: i32 = 128;

/// Starts the server, waits until it ends or SIGTERM comes, ends all that is below, and returns the
/// exit code.
pub(crate) fn run(launch: &Launch) -> Result<ExitCode, LaunchError> {
    // First: a signal that came before could end the warden without its sweep.
    SigSet::all().thread_block().map_err(step("block signals"))?;
    steps::tie_to_parent(launch.parent, Signal::SIGTERM)?;
    prctl::set_child_subreaper(true).map_err(step("adopt orphans"))?;
    prctl::set_name(c"tollgate-warden").map_err(step("take a name"))?;
    steps::stand_alone()?;
    steps::close_descriptors(launch.listen)?;
    let server = start_server(launch)?;
    let ended = let_go(launch.listen).and_then(|()| wait(server));
    sweep(Pid::this(), |_| false, SWEEP_MAX);
    let code = ended?;
    Ok(ExitCode::from(u8::try_from(code & 0xff).unwrap_or(u8::MAX)))
}

/// Starts the server by a plain launch, whose parent is this process.
fn start_server(launch: &Launch) -> Result<Pid, LaunchError> {
    let plain = Launch { warden: false, parent: Pid::this(), ..launch.clone() };
    let arguments = [OsString::from("tollgate")].into_iter().chain(plain.to_arguments());
    let environment = std::env::vars_os().map(|(name, value)| {
        let mut pair = name.into_vec();
        pair.push(b'=');
        pair.extend_from_slice(value.as_bytes());
        pair
    });
    let starting = step("start the launcher of the server");
    let strings = |bytes: Vec<u8>| CString::new(bytes).map_err(|_| starting(Errno::EINVAL));
    let arguments =
        arguments.map(|word| strings(word.into_vec())).collect::<Result<Vec<_>, _>>()?;
    let environment = environment.map(strings).collect::<Result<Vec<_>, _>>()?;
    start(Path::new("/proc/self/exe"), &arguments, &environment, &[]).map_err(&starting)
}

/// Gives up the warden's own copies of what belongs to the server.
fn let_go(listen: bool) -> Result<(), LaunchError> {
    let nothing = File::open("/dev/null").map_err(|source| LaunchError::Descriptors { source })?;
    dup2_stdin(&nothing).map_err(step("let go of standard input"))?;
    if listen {
        close(steps::LISTEN_DESCRIPTOR).map_err(step("let go of the listening socket"))?;
    }
    Ok(())
}

/// Waits for the end of the server or for SIGTERM, and returns the exit code that says which.
fn wait(server: Pid) -> Result<i32, LaunchError> {
    let mut awaited = SigSet::empty();
    awaited.add(Signal::SIGCHLD);
    awaited.add(Signal::SIGTERM);
    loop {
        match awaited.wait() {
            Ok(Signal::SIGTERM) => return Ok(EXIT_SIGNAL_BASE + Signal::SIGTERM as i32),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(source) => return Err(LaunchError::Step { step: "wait for signals", source }),
        }
        if let Some(code) = reap(server) {
            return Ok(code);
        }
    }
}

/// Reaps every child that has ended; returns the server's exit code if it is among them.
fn reap(server: Pid) -> Option<i32> {
    loop {
        for awaited in [Some(server), None] {
            match waitpid(awaited, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) if pid == server => return Some(code),
                Ok(WaitStatus::Signaled(pid, signal, _)) if pid == server => {
                    return Some(EXIT_SIGNAL_BASE + signal as i32);
                }
                // Reaped, but by a real-time signal, for which `nix` has no name (EINVAL): either
                // here, or below, where it does not say whose status it was (then ECHILD here).
                Err(_) if awaited.is_some() => return Some(EXIT_SIGNAL_BASE),
                Ok(WaitStatus::StillAlive) if awaited.is_none() => return None,
                Ok(_) | Err(_) => {}
            }
        }
    }
}
