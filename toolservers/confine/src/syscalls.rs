//! Seccomp filters: which system calls a process may still make.
//!
//! | for | filter | stays |
//! |---|---|---|
//! | programs and most servers | [`filter`] | all but what gets out of a confinement ([`Doors`]), or at the kernel's seldom used parts |
//! | a server that needs nothing but its connections | [`alone`] | the few calls of its list |
//!
//! What is taken away fails with `EPERM` and ends nothing: programs and libraries that probe for a comfort
//! go without, and hostile code gains nothing, as nothing happens either way. `clone3` fails with `ENOSYS`:
//! its flags lie in memory that a filter cannot read, and the C library then uses `clone`, whose flags a
//! filter can. A foreign calling convention (32 bit) ends the process; the x32 numbers of `x86_64` are
//! taken away like the others.
//!
//! Invariant: the verdict for each call and argument is the tables of the tests.

mod alone;
#[cfg(test)]
mod kernel;
mod list;

use std::{collections::BTreeMap, env::consts::ARCH};

use nix::libc::{self, c_int, c_long};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use crate::Tier;

/// For [`crate::Tiers`].
pub const SECCOMP: Tier = Tier {
    word: "seccomp",
    needs: "Linux 3.17 or newer with seccomp filters, on x86_64 or aarch64, and a container that allows seccomp(2)",
};

/// What a process still may.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Doors {
    /// Make IPv4 and IPv6 stream sockets.
    pub streams: bool,
    /// Make IPv4 and IPv6 datagram sockets.
    pub datagrams: bool,
    /// Become other programs.
    pub exec: bool,
    /// Give files bits that lend their owner or group to whoever runs them.
    pub set_id: bool,
}

/// The conditions of each system call that a filter knows, any of which is enough; none: always.
type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// The bit of the numbers of x32, a second convention of `x86_64` under the same architecture.
const X32: c_long = 0x4000_0000;

/// Takes away from this process, all its threads, and all that it starts, what leads out.
///
/// # Errors
/// Why nothing is taken away.
pub fn filter(doors: Doors) -> Result<String, String> {
    apply(refusing(doors))
}

/// Leaves this process, all its threads, nothing but connections that it has or accepts, its memory,
/// threads and clocks.
///
/// # Errors
/// Why nothing is taken away.
pub fn alone() -> Result<String, String> {
    apply(allowing(std::process::id()))
}

/// The kernel asks all of them and heeds the strictest.
fn apply<const N: usize>(
    programs: Result<[BpfProgram; N], BackendError>,
) -> Result<String, String> {
    programs
        .map_err(|error| error.to_string())?
        .iter()
        .try_for_each(|program| seccompiler::apply_filter_all_threads(program))
        .map_err(|error| error.to_string())?;
    Ok(String::new())
}

fn refusing(doors: Doors) -> Result<[BpfProgram; 2], BackendError> {
    let absent = list::absent(doors);
    Ok([refuse(absent, libc::ENOSYS)?, refuse(list::refused(doors)?, libc::EPERM)?])
}

/// The list comes last and takes away `seccomp` itself, so it must let `clone3` pass.
fn allowing(process: u32) -> Result<[BpfProgram; 2], BackendError> {
    let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let listed = SeccompFilter::new(
        alone::rules(process)?,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        SeccompAction::Allow,
        TargetArch::try_from(ARCH)?,
    )?;
    Ok([refuse(absent, libc::ENOSYS)?, listed.try_into()?])
}

fn refuse(rules: Rules, with: c_int) -> Result<BpfProgram, BackendError> {
    let errno = SeccompAction::Errno(with.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, errno, TargetArch::try_from(ARCH)?)?.try_into()
}

/// One way to meet a rule.
fn all(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions)
}

/// A condition on an argument.
fn argument(
    index: u8,
    width: Width,
    is: Is,
    value: c_int,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(index, width, is, wide(value))
}

/// A flag or a number of the C library, none of which is negative but masks of 32 bit.
fn wide(value: c_int) -> u64 {
    u64::from(value.cast_unsigned())
}
