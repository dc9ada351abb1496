//! No new privileges, no dumps, resource limits: what every supported kernel has.

use nix::sys::{
    prctl,
    resource::{Resource, getrlimit, rlim_t, setrlimit},
};

use crate::{ConfineError, step};

/// Bytes of a dump. Linux reads 1 as "none, nor one into a program", to which 0 does not apply (core(5),
/// `fs/coredump.c`).
const DUMP_BYTES_MAX: rlim_t = 1;

/// Gives up new privileges and core dumps; with `hidden`, also closes `/proc/PID` of this process to others
/// of the same user, debuggers among them.
///
/// # Errors
/// The operating system refuses.
pub fn harden(hidden: bool) -> Result<(), ConfineError> {
    prctl::set_no_new_privs().map_err(step("give up new privileges"))?;
    if hidden {
        prctl::set_dumpable(false).map_err(step("forbid that this process is dumped"))?;
    }
    lower(Resource::RLIMIT_CORE, DUMP_BYTES_MAX, "switch off core dumps")
}

/// Lowers a limit, soft and hard, so that it cannot be raised again; one that is lower already stays.
///
/// # Errors
/// The operating system refuses.
pub fn lower(resource: Resource, wanted: rlim_t, what: &'static str) -> Result<(), ConfineError> {
    let (_, hard) = getrlimit(resource).map_err(step(what))?;
    let limit = wanted.min(hard);
    setrlimit(resource, limit, limit).map_err(step(what))
}
