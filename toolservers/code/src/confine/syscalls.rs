//! The third step: a seccomp filter that allows the few system calls which a server needs after its start.
//! It holds for all threads and cannot be taken off.
//!
//! What is not on the list fails with `EPERM` and does not end the process: a library that probes for a
//! comfort (allocator, resolver of time zones) then goes without, while a kill would end the other
//! programs of this server too; hostile code gains nothing, as nothing happens either way. `clone3` alone
//! fails with `ENOSYS`: its flags lie in memory that a filter cannot read, and the C library then uses
//! `clone`, whose flags a filter can. A foreign calling convention (32 bit) ends the process.
//!
//! Invariant: the verdict for each number is the golden list of the tests.

mod list;

use std::{collections::BTreeMap, env::consts::ARCH};

use nix::libc;
use seccompiler::{BackendError, BpfProgram, SeccompAction, SeccompFilter, TargetArch};

/// What a host must have.
pub(super) const NEEDS: &str = "Linux 3.17 or newer with seccomp filters, on x86_64 or aarch64, and a container that allows seccomp(2)";

/// Filters the system calls of this process from now on. An error says why they are not.
pub(super) fn filter() -> Result<(), String> {
    let programs = programs(std::process::id()).map_err(|error| error.to_string())?;
    programs
        .iter()
        .try_for_each(|program| seccompiler::apply_filter_all_threads(program))
        .map_err(|error| error.to_string())
}

/// The filters, in the order in which they are applied: the kernel asks all and heeds the strictest, so
/// that the list, which comes last and takes away `seccomp` itself, must let `clone3` pass.
fn programs(process: u32) -> Result<[BpfProgram; 2], BackendError> {
    let architecture = TargetArch::try_from(ARCH)?;
    let no_clone3 = SeccompFilter::new(
        BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        architecture,
    )?;
    let listed = SeccompFilter::new(
        list::rules(process)?,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        SeccompAction::Allow,
        architecture,
    )?;
    Ok([no_clone3.try_into()?, listed.try_into()?])
}

#[cfg(test)]
mod tests;
