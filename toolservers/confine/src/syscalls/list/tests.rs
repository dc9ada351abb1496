//! Goal: the verdict of the filters for every system call, and for the calls and arguments that matter
//! (`[GATE-70]`, `EN-05`), by running the compiled filters here as the kernel runs them.

use nix::libc;

use crate::syscalls::{
    Doors,
    kernel::{ABSENT, DENIED, HERE, I386, Verdict, verdict},
    refusing,
};

const X32: i64 = 0x4000_0000;

/// What a program with the network may.
const OPEN: Doors = Doors { streams: true, datagrams: true, exec: true, set_id: false };
/// What a server that only reads and writes files may.
const SHUT: Doors = Doors { streams: false, datagrams: false, exec: false, set_id: true };

/// Refused with any arguments, by number: the golden list. A change here is a change of what programs can
/// do.
#[cfg(target_arch = "x86_64")]
const GOLDEN: &[i64] = &[
    101, 103, 134, 136, 139, 153, 154, 155, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171,
    172, 173, 175, 176, 179, 180, 212, 227, 246, 248, 249, 250, 256, 272, 279, 298, 300, 303, 304,
    305, 308, 310, 311, 312, 313, 320, 321, 323, 425, 426, 427, 428, 429, 430, 431, 432, 433, 438,
    440, 442, 443, 448, 467,
];
/// Refused with some arguments: open, ioctl, socket, socketpair, clone, creat, chmod, fchmod, mknod,
/// personality, openat, mknodat, fchmodat, fchmodat2.
#[cfg(target_arch = "x86_64")]
const CONDITIONAL: &[i64] = &[2, 16, 41, 53, 56, 85, 90, 91, 133, 135, 257, 259, 268, 452];
/// execve, execveat.
#[cfg(target_arch = "x86_64")]
const EXEC: [i64; 2] = [59, 322];

#[cfg(target_arch = "aarch64")]
const GOLDEN: &[i64] = &[
    18, 39, 40, 41, 42, 51, 58, 60, 89, 97, 104, 105, 106, 112, 116, 117, 142, 161, 162, 170, 171,
    217, 218, 219, 224, 225, 238, 239, 241, 262, 264, 265, 266, 268, 270, 271, 272, 273, 280, 282,
    294, 425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 440, 442, 443, 448, 467,
];
/// Refused with some arguments: ioctl, mknodat, fchmod, fchmodat, openat, personality, socket, socketpair,
/// clone, fchmodat2.
#[cfg(target_arch = "aarch64")]
const CONDITIONAL: &[i64] = &[29, 33, 52, 53, 56, 92, 198, 199, 220, 452];
#[cfg(target_arch = "aarch64")]
const EXEC: [i64; 2] = [221, 281];

fn answer(doors: Doors, call: i64, arguments: &[i64]) -> Verdict {
    let mut all = [0; 6];
    for (place, argument) in all.iter_mut().zip(arguments) {
        *place = argument.cast_unsigned();
    }
    verdict(&refusing(doors).unwrap(), HERE, call, all)
}

#[track_caller]
fn allowed(call: i64, arguments: &[i64]) {
    assert_eq!(answer(OPEN, call, arguments), Verdict::Allow, "{call} {arguments:x?}");
}

#[track_caller]
fn denied(call: i64, arguments: &[i64]) {
    assert_eq!(answer(OPEN, call, arguments), DENIED, "{call} {arguments:x?}");
    if cfg!(target_arch = "x86_64") {
        assert_eq!(answer(OPEN, X32 | call, arguments), DENIED, "x32 {call} {arguments:x?}");
    }
}

/// What is refused whatever the arguments are, but for those calls that have conditions on them.
fn expected(doors: Doors, call: i64) -> Verdict {
    match call {
        435 => ABSENT,
        437 if !doors.set_id => ABSENT,
        call if EXEC.contains(&call) && !doors.exec => DENIED,
        call if GOLDEN.contains(&call) => DENIED,
        _ => Verdict::Allow,
    }
}

#[test]
fn what_is_refused_is_the_golden_list() {
    for doors in [OPEN, SHUT] {
        let programs = refusing(doors).unwrap();
        // Below the second numbers, which have a test of their own.
        for call in (0..512).filter(|call| !CONDITIONAL.contains(call)) {
            for arguments in [[0; 6], [1; 6], [u64::MAX; 6]] {
                let found = verdict(&programs, HERE, call, arguments);
                assert_eq!(found, expected(doors, call), "{call} {arguments:?}");
            }
        }
    }
}

#[test]
fn what_confines_further_or_only_itself_stays() {
    for call in [
        libc::SYS_seccomp,
        libc::SYS_landlock_create_ruleset,
        libc::SYS_landlock_add_rule,
        libc::SYS_landlock_restrict_self,
        libc::SYS_prctl,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_send_signal,
        libc::SYS_kill,
        libc::SYS_memfd_create,
        libc::SYS_mbind,
        libc::SYS_set_mempolicy,
        libc::SYS_inotify_init1,
        libc::SYS_execve,
        libc::SYS_connect,
        libc::SYS_prlimit64,
    ] {
        allowed(call, &[1, 0, 0]);
    }
}

/// Seccomp's own manual: the numbers of x32 with and without their bit.
#[test]
#[cfg(target_arch = "x86_64")]
fn second_numbers_are_no_way_around() {
    for doors in [OPEN, SHUT] {
        let programs = refusing(doors).unwrap();
        for call in (0..512).filter(|call| !CONDITIONAL.contains(call)) {
            let expected = expected(doors, call);
            if expected != Verdict::Allow {
                assert_eq!(verdict(&programs, HERE, X32 | call, [0; 6]), expected, "x32 {call}");
            }
        }
    }
    // ptrace, kexec_load, move_pages, process_vm_readv, process_vm_writev; then execve and execveat.
    for number in [521, 528, 533, 539, 540] {
        assert_eq!(answer(OPEN, number, &[]), DENIED);
        assert_eq!(answer(OPEN, X32 | number, &[]), DENIED);
    }
    for number in [520, 545] {
        assert_eq!(answer(SHUT, X32 | number, &[]), DENIED);
        assert_eq!(answer(OPEN, X32 | number, &[]), Verdict::Allow);
    }
    assert_eq!(answer(OPEN, X32 | 514, &[0, 0x5412]), DENIED);
    assert_eq!(answer(OPEN, 514, &[0, 0x5412]), DENIED);
}

#[test]
fn another_calling_convention_ends_the_process() {
    let programs = refusing(OPEN).unwrap();
    for call in [11, 5, 0] {
        assert_eq!(verdict(&programs, I386, call, [0; 6]), Verdict::Kill, "{call}");
    }
}

#[test]
fn processes_start_and_namespaces_do_not() {
    let fork = i64::from(libc::SIGCHLD);
    let vfork = i64::from(libc::CLONE_VM | libc::CLONE_VFORK) | fork;
    let thread = 0x3d_0f00;
    for flags in [fork, vfork, thread, fork | i64::from(libc::CLONE_PARENT)] {
        allowed(libc::SYS_clone, &[flags]);
        for namespace in [
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWNS,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWNET,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWUTS,
            libc::CLONE_NEWCGROUP,
        ] {
            denied(libc::SYS_clone, &[flags | i64::from(namespace)]);
            denied(libc::SYS_clone, &[flags | i64::from(namespace) | 1 << 40]);
        }
    }
}

#[test]
fn nothing_is_typed_into_a_terminal() {
    for request in [0x5412, 0x541c, 0x5423] {
        denied(libc::SYS_ioctl, &[0, request]);
        // The kernel looks at 32 bits.
        denied(libc::SYS_ioctl, &[0, request | 1 << 32]);
    }
    for request in
        [libc::TIOCGWINSZ, libc::TIOCSWINSZ, libc::TCGETS, libc::TIOCSCTTY, libc::FIONREAD]
    {
        allowed(libc::SYS_ioctl, &[0, i64::try_from(request).unwrap()]);
    }
}

#[test]
fn no_file_lends_its_owner() {
    let modes = |call, index: usize, before: &[i64]| {
        let with = |mode: i64| [before, &vec![0; index - before.len()], &[mode]].concat();
        for mode in [0o4755, 0o2755, 0o6755, 0o10_4755, 0o4000, 0o2000] {
            denied(call, &with(mode));
        }
        for mode in [0o755, 0o1777, 0o10_0644, 0] {
            allowed(call, &with(mode));
        }
    };
    modes(libc::SYS_fchmod, 1, &[]);
    modes(libc::SYS_fchmodat, 2, &[]);
    modes(452, 2, &[]);
    modes(libc::SYS_mknodat, 2, &[]);
    let create = i64::from(libc::O_CREAT | libc::O_WRONLY);
    let unnamed = i64::from(libc::O_TMPFILE | libc::O_RDWR);
    modes(libc::SYS_openat, 3, &[0, 0, create]);
    modes(libc::SYS_openat, 3, &[0, 0, unnamed]);
    // Without them the argument is whatever the register held.
    allowed(libc::SYS_openat, &[0, 0, i64::from(libc::O_DIRECTORY | libc::O_CLOEXEC), 0o6755]);
    #[cfg(target_arch = "x86_64")]
    {
        modes(libc::SYS_chmod, 1, &[]);
        modes(libc::SYS_mknod, 1, &[]);
        modes(libc::SYS_creat, 1, &[]);
        modes(libc::SYS_open, 2, &[0, create]);
        modes(libc::SYS_open, 2, &[0, unnamed]);
        allowed(libc::SYS_open, &[0, i64::from(libc::O_RDWR), 0o6755]);
    }
    // The mode of this one lies in memory.
    assert_eq!(answer(OPEN, libc::SYS_openat2, &[]), ABSENT);
    assert_eq!(answer(SHUT, libc::SYS_openat2, &[]), Verdict::Allow);
    assert_eq!(answer(SHUT, libc::SYS_fchmod, &[0, 0o6755]), Verdict::Allow);
}

#[test]
fn memory_stays_as_it_is_laid_out() {
    // As asked, as on another machine, without randomness (sanitizers and debuggers want that).
    for persona in [0xffff_ffff, 0, 8, 0x2_0000, 0x4_0000] {
        allowed(libc::SYS_personality, &[persona]);
    }
    for persona in [0x10_0000, 0x40_0000, 0x44_0000, 0x50_0008] {
        denied(libc::SYS_personality, &[persona]);
    }
}

/// Every family, kind and protocol, for each pair of doors.
#[test]
fn sockets_are_those_of_the_doors() {
    let flags = i64::from(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK);
    for (streams, datagrams) in [(false, false), (true, false), (false, true), (true, true)] {
        let programs = refusing(Doors { streams, datagrams, exec: true, set_id: true }).unwrap();
        for family in 0..=64 {
            for kind in 0_i64..16 {
                for protocol in [0, 1, 6, 15, 17, 41, 58, 132, 255, 262] {
                    let expected = match (family, kind, protocol) {
                        (libc::AF_INET | libc::AF_INET6, 1, 0 | 6) => streams,
                        (libc::AF_INET | libc::AF_INET6, 2, _) => datagrams,
                        (libc::AF_NETLINK, _, 0) => true,
                        _ => false,
                    };
                    let expected = if expected { Verdict::Allow } else { DENIED };
                    for kind in [kind, kind | flags] {
                        let [family, protocol] =
                            [family, protocol].map(|it: i32| u64::from(it.cast_unsigned()));
                        let arguments = [family, kind.cast_unsigned(), protocol, 0, 0, 0];
                        let found = verdict(&programs, HERE, libc::SYS_socket, arguments);
                        assert_eq!(found, expected, "{streams} {datagrams} {arguments:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_pair_of_sockets_stays_with_each_other() {
    for flags in [0, i64::from(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK)] {
        let unix = i64::from(libc::AF_UNIX);
        for kind in 0..16 {
            let stays = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(i64::from).contains(&kind);
            if stays {
                allowed(libc::SYS_socketpair, &[unix, kind | flags]);
            } else {
                denied(libc::SYS_socketpair, &[unix, kind | flags]);
            }
            denied(libc::SYS_socketpair, &[i64::from(libc::AF_TIPC), kind | flags]);
        }
    }
}
