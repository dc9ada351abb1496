//! The system calls that stay to a server which needs nothing but its connections, each with who needs it.
//!
//! Invariant: none opens, names or creates anything outside this process; what could, by its arguments,
//! has conditions on them. Descriptors that are open already (the socket, its connections, standard
//! streams, the runtime's own) can be used and closed.

use nix::libc::{self, c_int, c_long};
use seccompiler::{
    BackendError, SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition, SeccompRule,
};

use super::{Rules, all, argument, wide};

/// Allowed with any arguments.
const ALLOWED: &[c_long] = &[
    // Connections: tokio accepts, reads, writes and closes; the SDK asks who the peer is.
    libc::SYS_accept4,
    libc::SYS_close,
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_read,
    libc::SYS_recvfrom,
    libc::SYS_shutdown,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_geteuid,
    // Waiting: tokio's driver (`epoll_wait` where there is one, see below) and sleeping threads.
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_sched_yield,
    // Memory; `mmap`, `mprotect` and `madvise` have conditions.
    libc::SYS_brk,
    libc::SYS_mremap,
    libc::SYS_munmap,
    // Threads: what the C library does as one starts and ends (a thread whose `rseq` fails ends the
    // process), and Rust's look at its stack (`sched_getaffinity`, in pthread_getattr_np).
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_set_robust_list,
    // Signals to this process: handlers, their stacks, their end.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // Clocks, where the kernel offers none in memory; random numbers for maps and TLS.
    libc::SYS_clock_gettime,
    libc::SYS_getrandom,
    libc::SYS_gettimeofday,
    // Fails with ENOSYS by a filter of its own.
    libc::SYS_clone3,
];

/// What `x86_64` has beside its newer form, and the C library calls there.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[c_long] = &[libc::SYS_epoll_wait, libc::SYS_time];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[c_long] = &[];

/// The flags of a thread, as glibc and musl start it; musl adds one that has no effect.
const THREAD: c_int = libc::CLONE_VM
    | libc::CLONE_FS
    | libc::CLONE_FILES
    | libc::CLONE_SIGHAND
    | libc::CLONE_THREAD
    | libc::CLONE_SYSVSEM
    | libc::CLONE_SETTLS
    | libc::CLONE_PARENT_SETTID
    | libc::CLONE_CHILD_CLEARTID;

/// Waits and wakes. Not the operations that inherit priorities: nothing here uses them, and they have
/// given away kernels (CVE-2014-3153).
const FUTEX: &[c_int] = &[
    libc::FUTEX_WAIT,
    libc::FUTEX_WAKE,
    libc::FUTEX_REQUEUE,
    libc::FUTEX_CMP_REQUEUE,
    libc::FUTEX_WAIT_BITSET,
    libc::FUTEX_WAKE_BITSET,
];

/// Pages given back, and the guards of stacks (`MADV_GUARD_INSTALL`, `MADV_GUARD_REMOVE`: newer than the
/// library's constants). Others can take pages from the whole machine, as root (`MADV_HWPOISON`).
const ADVICE: &[c_int] = &[libc::MADV_DONTNEED, libc::MADV_FREE, 102, 103];

/// What std looks at in a descriptor. Not `F_SETOWN`, which sends signals to others.
const FCNTL: &[c_int] = &[libc::F_GETFD, libc::F_GETFL];

/// Each call that is allowed, with its conditions; `process` is this process's id.
pub(super) fn rules(process: u32) -> Result<Rules, BackendError> {
    let mut rules: Rules =
        ALLOWED.iter().chain(ALLOWED_HERE).map(|call| (*call, Vec::new())).collect();
    let mut allow = |call, alternatives| rules.insert(call, alternatives);
    // No processes and no namespaces.
    let thread = argument(0, Width::Qword, Is::MaskedEq(!wide(libc::CLONE_DETACHED)), THREAD)?;
    allow(libc::SYS_clone, vec![all(vec![thread])?]);
    // Memory of this process alone, that nothing runs from.
    let (data, anonymous) = (not_executable()?, flag(3, libc::MAP_ANONYMOUS, true)?);
    allow(libc::SYS_mmap, vec![all(vec![data, anonymous])?]);
    allow(libc::SYS_mprotect, vec![all(vec![not_executable()?])?]);
    allow(libc::SYS_madvise, one_of(2, Is::Eq, ADVICE)?);
    allow(libc::SYS_futex, one_of(1, Is::MaskedEq(wide(libc::FUTEX_CMD_MASK)), FUTEX)?);
    allow(libc::SYS_fcntl, one_of(1, Is::Eq, FCNTL)?);
    // The names of threads.
    allow(libc::SYS_prctl, one_of(0, Is::Eq, &[libc::PR_SET_NAME])?);
    // `abort`. No other process.
    let own = SeccompCondition::new(0, Width::Dword, Is::Eq, u64::from(process))?;
    allow(libc::SYS_tgkill, vec![all(vec![own])?]);
    // To the peer of a connection, never to an address.
    let peer = argument(4, Width::Qword, Is::Eq, 0)?;
    allow(libc::SYS_sendto, vec![all(vec![peer])?]);
    let socket = argument(1, Width::Dword, Is::Eq, libc::SOL_SOCKET)?;
    let credentials = argument(2, Width::Dword, Is::Eq, libc::SO_PEERCRED)?;
    allow(libc::SYS_getsockopt, vec![all(vec![socket, credentials])?]);
    Ok(rules)
}

fn not_executable() -> Result<SeccompCondition, BackendError> {
    flag(2, libc::PROT_EXEC, false)
}

/// The bit is set in the argument, or is not.
fn flag(index: u8, bit: c_int, set: bool) -> Result<SeccompCondition, BackendError> {
    argument(index, Width::Qword, Is::MaskedEq(wide(bit)), if set { bit } else { 0 })
}

/// One rule for each value that a 32 bit argument may have.
fn one_of(index: u8, is: Is, values: &[c_int]) -> Result<Vec<SeccompRule>, BackendError> {
    values
        .iter()
        .map(|value| all(vec![argument(index, Width::Dword, is.clone(), *value)?]))
        .collect()
}

#[cfg(test)]
mod tests;
