//! `hold` and `reap`: namespaces that stay open for the programs of one server, and their first process.

use std::process::ExitCode;

use nix::{
    errno::Errno,
    sys::{
        prctl,
        signal::{SigSet, Signal},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::close,
};

use super::{PLAN, REPORT, next_stage, report::Reporter, tie_to_parent, tie_to_stage};
use crate::{ConfineError, namespaces, resources, step};

/// The stage that is the first process of the PID namespace.
pub(super) const REAP: &str = "reap";

/// Makes the namespaces, starts their first process, and ends with it.
pub(super) fn hold() -> Result<ExitCode, ConfineError> {
    tie_to_parent()?;
    let mut report = Reporter::open().map_err(step("open the report"))?;
    namespaces::make().map_err(step("make namespaces"))?;
    resources::harden(false)?;
    let first = next_stage(REAP, &[])?;
    // A server that ended before this process was tied to it does not read that.
    report.tell(&format!("held {}", first.pid)).map_err(step("report"))?;
    drop(report);
    close(REPORT).ok();
    loop {
        match waitpid(first.pid, None) {
            Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) => return Ok(ExitCode::SUCCESS),
            Ok(_) | Err(Errno::EINTR) => {}
            // Nothing to wait for: it has ended already.
            Err(_) => return Ok(ExitCode::SUCCESS),
        }
    }
}

/// Adopts and reaps what loses its parent, until it is killed.
pub(super) fn reap() -> Result<ExitCode, ConfineError> {
    let mut awaited = SigSet::empty();
    awaited.add(Signal::SIGCHLD);
    SigSet::all().thread_block().map_err(step("block signals"))?;
    tie_to_stage()?;
    prctl::set_name(c"tollgate-reaper").map_err(step("take a name"))?;
    for descriptor in [0, 1, 2, PLAN, REPORT] {
        close(descriptor).ok();
    }
    loop {
        while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            if status == WaitStatus::StillAlive {
                break;
            }
        }
        match awaited.wait() {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(step("wait for signals")(error)),
        }
    }
}
