//! The first step: no new privileges, no dumps, resource limits. Every supported kernel has them.
//!
//! Not here: the number of processes. `RLIMIT_NPROC` counts every process of the user, so that any bound
//! fails beside other work, and root is exempt; [`super::syscalls`] denies new processes instead. Time of
//! the processor: the kernel's clock.

use std::{fs::File, io, os::fd::AsFd};

use nix::sys::{
    prctl,
    resource::{Resource, getrlimit, rlim_t, setrlimit},
};

use super::ConfineError;

/// Open descriptors: 64 kernels at once (the SDK's bound), standard streams, the listening socket, the
/// runtime's own, and room. At it the next connection waits.
const DESCRIPTORS_MAX: rlim_t = 96;

pub(super) fn limit(address_bytes: u64) -> Result<(), ConfineError> {
    prctl::set_no_new_privs().map_err(failed("give up new privileges"))?;
    // Also makes /proc/PID/* root's, so that no process of the same user attaches or reads.
    prctl::set_dumpable(false).map_err(failed("forbid that this process is dumped"))?;
    lower(Resource::RLIMIT_CORE, 0, "switch off core dumps")?;
    lower(Resource::RLIMIT_NOFILE, DESCRIPTORS_MAX, "limit the open descriptors")?;
    lower(Resource::RLIMIT_AS, address_bytes, "limit the address space")?;
    if !logs_to_a_file() {
        lower(Resource::RLIMIT_FSIZE, 0, "forbid that files grow")?;
    }
    Ok(())
}

/// A server beside a kernel may have `2>server.log`: with `RLIMIT_FSIZE` its next line would end it with
/// SIGXFSZ. A kernel's server has pipes.
fn logs_to_a_file() -> bool {
    let is_file = |stream: io::Result<std::os::fd::OwnedFd>| {
        stream.and_then(|stream| File::from(stream).metadata()).is_ok_and(|found| found.is_file())
    };
    is_file(io::stdout().as_fd().try_clone_to_owned())
        || is_file(io::stderr().as_fd().try_clone_to_owned())
}

/// Lowers a limit, soft and hard, so that it cannot be raised again; one that is lower already stays.
fn lower(resource: Resource, wanted: rlim_t, what: &'static str) -> Result<(), ConfineError> {
    let (_, hard) = getrlimit(resource).map_err(failed(what))?;
    let limit = wanted.min(hard);
    setrlimit(resource, limit, limit).map_err(failed(what))
}

fn failed(what: &'static str) -> impl Fn(nix::Error) -> ConfineError {
    move |source| ConfineError::Step { what, source }
}
