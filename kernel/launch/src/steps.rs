//! What a process does to itself before it runs foreign code. Each step fails closed.

use std::path::Path;

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, rlim_t, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Pid, close, getppid, setsid};

use crate::ResourceLimits;
use crate::error::LaunchError;

/// Descriptor of the listening socket that a server may be given.
pub(crate) const LISTEN_DESCRIPTOR: i32 = 3;

/// Asks the operating system for `signal` when the parent ends, however it ends.
///
/// The parent may have ended before the request; then no signal would ever come, so it is looked
/// at again afterwards (containers/bubblewrap#730).
pub(crate) fn tie_to_parent(parent: Pid, signal: Signal) -> Result<(), LaunchError> {
    prctl::set_pdeathsig(signal).map_err(step("ask for a signal at the parent's death"))?;
    if getppid() == parent {
        Ok(())
    } else {
        Err(LaunchError::ParentGone { parent: parent.as_raw() })
    }
}

/// Leaves the parent's session and process group, and gives up gaining privileges by `exec`.
pub(crate) fn stand_alone() -> Result<(), LaunchError> {
    setsid().map_err(step("start a session of its own"))?;
    prctl::set_no_new_privs().map_err(step("give up new privileges"))?;
    // A core dump would hold grant keys and the contents of files.
    lower(Resource::RLIMIT_CORE, Some(0), "switch off core dumps")
}

/// Lowers the limits that are given, soft and hard, so that the server cannot raise them again.
pub(crate) fn limit(limits: &ResourceLimits) -> Result<(), LaunchError> {
    lower(Resource::RLIMIT_NOFILE, limits.nofile, "limit the open descriptors")?;
    lower(Resource::RLIMIT_AS, limits.as_bytes, "limit the address space")?;
    lower(Resource::RLIMIT_NPROC, limits.nproc, "limit the processes")
}

/// Enters the working directory, if one is given.
pub(crate) fn enter(directory: Option<&Path>) -> Result<(), LaunchError> {
    let Some(path) = directory else { return Ok(()) };
    std::env::set_current_dir(path)
        .map_err(|source| LaunchError::WorkingDirectory { path: path.to_owned(), source })
}

/// Closes every descriptor above standard error, and keeps the listening socket if `listen`.
///
/// The kernel opens everything close-on-exec; this holds for what it inherited itself.
pub(crate) fn close_descriptors(listen: bool) -> Result<(), LaunchError> {
    let kept = if listen { LISTEN_DESCRIPTOR } else { LISTEN_DESCRIPTOR - 1 };
    let listed = std::fs::read_dir("/proc/self/fd")
        .map_err(|source| LaunchError::Descriptors { source })?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|descriptor| *descriptor > kept)
        .collect::<Vec<_>>();
    for descriptor in listed {
        match close(descriptor) {
            // The descriptor of the listing itself is closed already.
            Ok(()) | Err(Errno::EBADF) => {}
            Err(source) => {
                return Err(LaunchError::Step { step: "close an inherited descriptor", source });
            }
        }
    }
    Ok(())
}

/// Makes an error of a step; `what` is a verb with its object.
pub(crate) fn step(what: &'static str) -> impl Fn(Errno) -> LaunchError {
    move |source| LaunchError::Step { step: what, source }
}

fn lower(resource: Resource, to: Option<rlim_t>, what: &'static str) -> Result<(), LaunchError> {
    let Some(wanted) = to else { return Ok(()) };
    let (_, hard) = getrlimit(resource).map_err(step(what))?;
    // RLIM_INFINITY is the highest number on Linux, so `min` needs no special case.
    debug_assert_eq!(RLIM_INFINITY, rlim_t::MAX);
    let limit = wanted.min(hard);
    setrlimit(resource, limit, limit).map_err(step(what))
}
