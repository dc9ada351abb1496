//! Goal: the verdict of the filters for every system call and for the arguments that matter (`CM-06`),
//! by running the compiled filters here as the kernel runs them.

use nix::libc;

use crate::syscalls::{
    allowing,
    kernel::{ABSENT, DENIED, HERE, I386, Verdict, verdict},
};

/// The process that the filters are for.
const PROCESS: u32 = 4242;

/// Allowed with any arguments, by number: the golden list. A change here is a change of what a program
/// that broke out can do.
#[cfg(target_arch = "x86_64")]
const GOLDEN: &[(i64, &str)] = &[
    (0, "read"),
    (1, "write"),
    (3, "close"),
    (11, "munmap"),
    (12, "brk"),
    (13, "rt_sigaction"),
    (14, "rt_sigprocmask"),
    (15, "rt_sigreturn"),
    (20, "writev"),
    (24, "sched_yield"),
    (25, "mremap"),
    (35, "nanosleep"),
    (39, "getpid"),
    (45, "recvfrom"),
    (48, "shutdown"),
    (51, "getsockname"),
    (52, "getpeername"),
    (60, "exit"),
    (96, "gettimeofday"),
    (107, "geteuid"),
    (131, "sigaltstack"),
    (186, "gettid"),
    (201, "time"),
    (204, "sched_getaffinity"),
    (219, "restart_syscall"),
    (228, "clock_gettime"),
    (230, "clock_nanosleep"),
    (231, "exit_group"),
    (232, "epoll_wait"),
    (233, "epoll_ctl"),
    (273, "set_robust_list"),
    (281, "epoll_pwait"),
    (288, "accept4"),
    (318, "getrandom"),
    (334, "rseq"),
];
/// Allowed with some arguments: clone, mmap, mprotect, madvise, futex, fcntl, prctl, tgkill, sendto, getsockopt.
#[cfg(target_arch = "x86_64")]
const CONDITIONAL: &[i64] = &[56, 9, 10, 28, 202, 72, 157, 234, 44, 55];

#[cfg(target_arch = "aarch64")]
const GOLDEN: &[(i64, &str)] = &[
    (21, "epoll_ctl"),
    (22, "epoll_pwait"),
    (57, "close"),
    (63, "read"),
    (64, "write"),
    (66, "writev"),
    (93, "exit"),
    (94, "exit_group"),
    (99, "set_robust_list"),
    (101, "nanosleep"),
    (113, "clock_gettime"),
    (115, "clock_nanosleep"),
    (123, "sched_getaffinity"),
    (124, "sched_yield"),
    (128, "restart_syscall"),
    (132, "sigaltstack"),
    (134, "rt_sigaction"),
    (135, "rt_sigprocmask"),
    (139, "rt_sigreturn"),
    (169, "gettimeofday"),
    (172, "getpid"),
    (175, "geteuid"),
    (178, "gettid"),
    (204, "getsockname"),
    (205, "getpeername"),
    (207, "recvfrom"),
    (210, "shutdown"),
    (214, "brk"),
    (215, "munmap"),
    (216, "mremap"),
    (242, "accept4"),
    (278, "getrandom"),
    (293, "rseq"),
];
#[cfg(target_arch = "aarch64")]
const CONDITIONAL: &[i64] = &[220, 222, 226, 233, 98, 25, 167, 131, 206, 209];

fn answer(architecture: u32, call: i64, arguments: [u64; 6]) -> Verdict {
    verdict(&allowing(PROCESS).unwrap(), architecture, call, arguments)
}

#[track_caller]
fn check(call: i64, arguments: &[i64], expected: Verdict) {
    let mut all = [0; 6];
    for (place, argument) in all.iter_mut().zip(arguments) {
        *place = argument.cast_unsigned();
    }
    assert_eq!(answer(HERE, call, all), expected, "{call} {arguments:x?}");
}

#[track_caller]
fn allowed(call: i64, arguments: &[i64]) {
    check(call, arguments, Verdict::Allow);
}

#[track_caller]
fn denied(call: i64, arguments: &[i64]) {
    check(call, arguments, DENIED);
}

fn is_golden(call: i64) -> bool {
    GOLDEN.iter().any(|(number, _)| *number == call)
}

#[test]
fn what_is_allowed_is_the_golden_list() {
    for call in 0..=500 {
        let expected = match call {
            435 => ABSENT,
            call if is_golden(call) => Verdict::Allow,
            _ => DENIED,
        };
        // Arguments that meet no condition.
        assert_eq!(answer(HERE, call, [u64::MAX; 6]), expected, "{call}");
        if !CONDITIONAL.contains(&call) {
            for arguments in [[0; 6], [1; 6], [u64::from(PROCESS); 6]] {
                assert_eq!(answer(HERE, call, arguments), expected, "{call} {arguments:?}");
            }
        }
    }
}

#[test]
fn another_calling_convention_is_no_way_around() {
    // `execve` and `open` of the 32 bit table; then the x32 table, which only x86_64 has.
    for call in [11, 5, 0] {
        assert_eq!(answer(I386, call, [0; 6]), Verdict::Kill, "{call}");
    }
    for call in 0..=600 {
        assert_eq!(answer(HERE, call | 0x4000_0000, [0; 6]), DENIED, "x32 {call}");
    }
}

#[test]
fn threads_can_be_started_and_nothing_else() {
    let (glibc, musl) = (0x3d_0f00, 0x7d_0f00);
    allowed(libc::SYS_clone, &[glibc]);
    allowed(libc::SYS_clone, &[musl]);
    let process = i64::from(libc::SIGCHLD);
    let vfork = i64::from(libc::CLONE_VM | libc::CLONE_VFORK) | process;
    for flags in [0, process, vfork, glibc | process, glibc & !i64::from(libc::CLONE_THREAD)] {
        denied(libc::SYS_clone, &[flags]);
    }
    for more in [libc::CLONE_NEWUSER, libc::CLONE_NEWNET, libc::CLONE_PTRACE, libc::CLONE_PARENT] {
        denied(libc::SYS_clone, &[glibc | i64::from(more)]);
    }
    denied(libc::SYS_clone, &[glibc | 1 << 32]);
    check(libc::SYS_clone3, &[], ABSENT);
}

#[test]
fn memory_does_not_run_and_is_no_file() {
    let (read, write, run) = (libc::PROT_READ, libc::PROT_WRITE, libc::PROT_EXEC);
    let [data, code, all] = [read | write, read | run, read | write | run].map(i64::from);
    let private = i64::from(libc::MAP_PRIVATE);
    let anonymous = private | i64::from(libc::MAP_ANONYMOUS);
    let stack = anonymous | i64::from(libc::MAP_STACK | libc::MAP_NORESERVE);
    for flags in [anonymous, stack] {
        allowed(libc::SYS_mmap, &[0, 4096, data, flags, -1]);
        allowed(libc::SYS_mmap, &[0, 4096, 0, flags, -1]);
        denied(libc::SYS_mmap, &[0, 4096, code, flags, -1]);
        denied(libc::SYS_mmap, &[0, 4096, all, flags, -1]);
    }
    denied(libc::SYS_mmap, &[0, 4096, data, private, 3]);
    allowed(libc::SYS_mprotect, &[0, 4096, data]);
    allowed(libc::SYS_mprotect, &[0, 4096, 0]);
    denied(libc::SYS_mprotect, &[0, 4096, code]);
    denied(libc::SYS_mprotect, &[0, 4096, all]);
    for (advice, verdict) in [
        (4, Verdict::Allow),
        (8, Verdict::Allow),
        (102, Verdict::Allow),
        (100, DENIED),
        (101, DENIED),
    ] {
        check(libc::SYS_madvise, &[0, 4096, advice], verdict);
    }
}

#[test]
fn signals_reach_this_process_alone() {
    let this = i64::from(PROCESS);
    allowed(libc::SYS_tgkill, &[this, this + 1, i64::from(libc::SIGABRT)]);
    for other in [1, this + 1, -1, 0] {
        denied(libc::SYS_tgkill, &[other, other, i64::from(libc::SIGABRT)]);
    }
    for call in [libc::SYS_kill, libc::SYS_tkill, libc::SYS_rt_sigqueueinfo] {
        denied(call, &[this, 0]);
    }
    denied(libc::SYS_fcntl, &[3, i64::from(libc::F_SETFL), i64::from(libc::O_ASYNC)]);
    for command in [libc::F_SETOWN, libc::F_DUPFD_CLOEXEC, libc::F_SETLK] {
        denied(libc::SYS_fcntl, &[3, i64::from(command), 1]);
    }
    allowed(libc::SYS_fcntl, &[3, i64::from(libc::F_GETFD)]);
    allowed(libc::SYS_fcntl, &[3, i64::from(libc::F_GETFL)]);
}

#[test]
fn of_calls_with_many_uses_those_of_the_server_stay() {
    for (operation, verdict) in [
        (libc::FUTEX_WAIT, Verdict::Allow),
        (libc::FUTEX_WAKE, Verdict::Allow),
        (libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG, Verdict::Allow),
        (
            libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME,
            Verdict::Allow,
        ),
        (libc::FUTEX_LOCK_PI, DENIED),
        (libc::FUTEX_WAIT_REQUEUE_PI | libc::FUTEX_PRIVATE_FLAG, DENIED),
        (libc::FUTEX_CMP_REQUEUE_PI, DENIED),
        (libc::FUTEX_FD, DENIED),
    ] {
        check(libc::SYS_futex, &[0, i64::from(operation)], verdict);
    }
    allowed(libc::SYS_prctl, &[i64::from(libc::PR_SET_NAME)]);
    for option in
        [libc::PR_SET_DUMPABLE, libc::PR_SET_PDEATHSIG, libc::PR_SET_MM, libc::PR_SET_SECCOMP]
    {
        denied(libc::SYS_prctl, &[i64::from(option), 1]);
    }
    allowed(libc::SYS_sendto, &[3, 1, 1, 0, 0]);
    denied(libc::SYS_sendto, &[3, 1, 1, 0, 0x1000]);
    denied(libc::SYS_sendto, &[3, 1, 1, 0, 1 << 32]);
    let socket = i64::from(libc::SOL_SOCKET);
    allowed(libc::SYS_getsockopt, &[3, socket, i64::from(libc::SO_PEERCRED)]);
    denied(libc::SYS_getsockopt, &[3, socket, i64::from(libc::SO_PEERSEC)]);
    denied(libc::SYS_getsockopt, &[3, 0, i64::from(libc::SO_PEERCRED)]);
}

#[test]
fn what_hostile_code_would_call_is_denied() {
    for call in [
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_openat,
        libc::SYS_openat2,
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_listen,
        libc::SYS_sendmsg,
        libc::SYS_recvmsg,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_memfd_create,
        libc::SYS_bpf,
        libc::SYS_userfaultfd,
        libc::SYS_perf_event_open,
        libc::SYS_keyctl,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_mount,
        libc::SYS_ioctl,
        libc::SYS_seccomp,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pkey_mprotect,
        libc::SYS_personality,
        libc::SYS_prlimit64,
        libc::SYS_shmat,
    ] {
        denied(call, &[1, 0, 0]);
    }
}
