//! Confines this process to its socket and its own memory, for good (`[GATE-70]`, `CM-06`).
//!
//! A program that breaks out of the interpreter finds itself in a process that can answer the kernel and
//! nothing else. The steps, in this order, because each takes away what the one before needed:
//!
//! | # | Step | Holds against | If the host has it not |
//! |---|------|---------------|------------------------|
//! | 1 | [`resources`]: no new privileges, no dumps, rlimits | debuggers of the same user, hoarding | never starts |
//! | 2 | [`paths`]: Landlock without any rule | opening files, TCP, signals to others | as [`Requirement`] says |
//! | 3 | [`syscalls::alone`]: a seccomp allow-list | all that takes a system call | as [`Requirement`] says |
//!
//! Invariants: what [`confine`] says is what holds, a tier that is missing is named as missing
//! (`tests/confine.rs`); called with another thread running, Landlock is missing, because it would hold for
//! the calling thread only.
//!
//! What a program notices: local time is UTC, because the C library cannot read the host's zone.
//!
//! Not here: the steps themselves (`tollgate-confine`); the number of processes, whose limit counts every
//! process of the user and exempts root (the allow-list denies new ones instead); time of the processor
//! (the kernel's clock); memory of one program (the engine's).

use std::{fs::File, io, os::fd::AsFd};

use nix::sys::resource::{Resource, rlim_t};
use tollgate_confine::{
    ConfineError, Requirement, Tiers,
    paths::{self, Access},
    resources, syscalls,
};

/// Open descriptors: 64 kernels at once (the SDK's bound), standard streams, the listening socket, the
/// runtime's own, and room. At it the next connection waits.
const DESCRIPTORS_MAX: rlim_t = 96;

/// What to do to this process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Plan {
    /// How much of it must hold.
    pub sandbox: Requirement,
    /// Bytes of address space, the interpreter's and everything else's; an allocation over it fails.
    pub address_bytes: u64,
}

/// Confines this process, and says in words for receipts what holds: "landlock:7 seccomp rlimits", where
/// 7 is the version of Landlock's interface; "landlock:none" for a tier that cannot be had; "off".
///
/// # Errors
/// [`ConfineError`]: the process may then be confined in part, and should end.
pub fn confine(plan: Plan) -> Result<String, ConfineError> {
    if plan.sandbox == Requirement::Off {
        return Ok(Tiers::off().to_string());
    }
    let mut tiers = Tiers::new(plan.sandbox);
    // Nobody of the same user attaches or reads, either.
    resources::harden(true)?;
    resources::lower(Resource::RLIMIT_NOFILE, DESCRIPTORS_MAX, "limit the open descriptors")?;
    resources::lower(Resource::RLIMIT_AS, plan.address_bytes, "limit the address space")?;
    if !logs_to_a_file() {
        resources::lower(Resource::RLIMIT_FSIZE, 0, "forbid that files grow")?;
    }
    tiers.add(paths::LANDLOCK, paths::restrict(&Access::default()))?;
    tiers.add(syscalls::SECCOMP, syscalls::alone())?;
    tiers.hold("rlimits");
    Ok(tiers.to_string())
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
