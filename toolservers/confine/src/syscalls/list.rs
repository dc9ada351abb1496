//! The system calls that are taken away from programs and servers, each with why.
//!
//! What stays though other confinements take it away: `landlock_*` and `seccomp` only add; `pidfd_open`
//! and `kill` reach what the PID namespace and Landlock leave; `memfd_*`, `mseal`, `mbind` and
//! `set_mempolicy` are a process's own memory; `statmount` and `listmount` tell what `/proc` tells.

use nix::libc::{self, c_int, c_long};
use seccompiler::{BackendError, SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompRule};

use super::{Doors, Rules, X32, all, argument, wide};

/// Newer than the library's names; the same numbers everywhere.
const FCHMODAT2: c_long = 452;
const OPEN_TREE_ATTR: c_long = 467;

/// Refused with any arguments.
const REFUSED: &[c_long] = &[
    // Does what other calls do, where no filter sees it.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Other processes' memory and course.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // Namespaces and mounts, old and new way.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    // Opens files by number, past every path.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Keys of the kernel, shared by all sessions of a user.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Large or forgotten parts of the kernel that ordinary programs do not need.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_vhangup,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    // The machine itself.
    libc::SYS_acct,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
];

/// What `x86_64` has beside the others.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[c_long] = &[
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_ustat,
    libc::SYS_sysfs,
];
/// The library has this one's number there under one C library only.
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[c_long] = &[294];

/// New namespaces, by the flags of `clone`.
const NAMESPACES: [c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Types a character into the terminal of whoever started this, speaks to the console, and makes of a
/// terminal the line of some old device.
const IOCTLS: [c_int; 3] = [0x5412, 0x541c, 0x5423];

/// Personalities under which memory can be had at address 0, or all of it runs.
const WEAK_MEMORY: [c_int; 2] = [0x0010_0000, 0x0040_0000];

/// Bits of a mode that lend a file's owner or group to whoever runs it.
const SET_ID: [c_int; 2] = [0o4000, 0o2000];

/// Flags of `open` with which the mode counts: `O_CREAT`, and that of `O_TMPFILE`.
const MAKES_A_FILE: [c_int; 2] = [libc::O_CREAT, 0x40_0000];

/// Kinds of a socket, without its flags: those 4 bits that the kernel looks at.
const KIND: c_int = 0xf;

/// What programs find as if this kernel had it not yet, and they then do the older way.
pub(super) fn absent(doors: Doors) -> Rules {
    let mut rules = Rules::from([(libc::SYS_clone3, Vec::new())]);
    if !doors.set_id {
        // The mode of a file that it makes lies in memory.
        rules.insert(libc::SYS_openat2, Vec::new());
    }
    second_numbers(&mut rules);
    rules
}

/// What is refused, and on which conditions.
pub(super) fn refused(doors: Doors) -> Result<Rules, BackendError> {
    let mut rules: Rules =
        REFUSED.iter().chain(REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_clone, any_bit(0, &NAMESPACES)?);
    rules.insert(libc::SYS_ioctl, any_value(1, &IOCTLS)?);
    rules.insert(libc::SYS_personality, personalities()?);
    rules.insert(libc::SYS_socket, sockets(doors)?);
    rules.insert(libc::SYS_socketpair, pairs()?);
    if !doors.set_id {
        modes(&mut rules)?;
    }
    if !doors.exec {
        rules.insert(libc::SYS_execve, Vec::new());
        rules.insert(libc::SYS_execveat, Vec::new());
    }
    second_numbers(&mut rules);
    Ok(rules)
}

/// Calls that give a file its mode.
fn modes(rules: &mut Rules) -> Result<(), BackendError> {
    rules.insert(libc::SYS_fchmod, any_bit(1, &SET_ID)?);
    rules.insert(libc::SYS_fchmodat, any_bit(2, &SET_ID)?);
    rules.insert(FCHMODAT2, any_bit(2, &SET_ID)?);
    rules.insert(libc::SYS_mknodat, any_bit(2, &SET_ID)?);
    rules.insert(libc::SYS_openat, files(2)?);
    #[cfg(target_arch = "x86_64")]
    {
        rules.insert(libc::SYS_chmod, any_bit(1, &SET_ID)?);
        rules.insert(libc::SYS_mknod, any_bit(1, &SET_ID)?);
        rules.insert(libc::SYS_creat, any_bit(1, &SET_ID)?);
        rules.insert(libc::SYS_open, files(1)?);
    }
    Ok(())
}

/// Every rule holds for the x32 numbers of its call too. Those from 512 on kernels before 5.4 took without
/// the bit as well.
fn second_numbers(rules: &mut Rules) {
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let ordinary: Vec<_> = rules.iter().map(|(call, ways)| (*call, ways.clone())).collect();
    for (call, ways) in ordinary {
        let own = match call {
            libc::SYS_ioctl => 514,
            libc::SYS_execve => 520,
            libc::SYS_ptrace => 521,
            libc::SYS_kexec_load => 528,
            libc::SYS_move_pages => 533,
            libc::SYS_process_vm_readv => 539,
            libc::SYS_process_vm_writev => 540,
            libc::SYS_execveat => 545,
            call => call,
        };
        for number in [own, X32 | own, X32 | call] {
            rules.insert(number, ways.clone());
        }
    }
}

/// Which sockets are refused: a rule for each way to be one of them.
fn sockets(doors: Doors) -> Result<Vec<SeccompRule>, BackendError> {
    let family = |is, value| argument(0, Width::Dword, is, value);
    let protocol = |is, value| argument(2, Width::Dword, is, value);
    let mut refused = vec![
        // Families that lead past the network (Unix, vsock, packets, Bluetooth …), but for netlink.
        vec![
            family(Is::Ne, libc::AF_INET)?,
            family(Is::Ne, libc::AF_INET6)?,
            family(Is::Ne, libc::AF_NETLINK)?,
        ],
        // Of netlink only the questions about addresses and routes.
        vec![family(Is::Eq, libc::AF_NETLINK)?, protocol(Is::Ne, libc::NETLINK_ROUTE)?],
    ];
    for inet in [libc::AF_INET, libc::AF_INET6] {
        for kind in 0..=KIND {
            let is_kind = argument(1, Width::Dword, Is::MaskedEq(wide(KIND)), kind)?;
            let mut way = vec![family(Is::Eq, inet)?, is_kind];
            if kind == libc::SOCK_STREAM && doors.streams {
                // MPTCP and others that are no TCP, so that no rule for TCP holds them.
                way.extend([protocol(Is::Ne, 0)?, protocol(Is::Ne, libc::IPPROTO_TCP)?]);
            }
            if kind != libc::SOCK_DGRAM || !doors.datagrams {
                refused.push(way);
            }
        }
    }
    refused.into_iter().map(all).collect()
}

/// Pairs of sockets: only those that stay with each other. A datagram one can be connected anew, to any
/// socket with a path.
fn pairs() -> Result<Vec<SeccompRule>, BackendError> {
    let mut refused = vec![all(vec![argument(0, Width::Dword, Is::Ne, libc::AF_UNIX)?])?];
    let stays = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
    for kind in (0..=KIND).filter(|kind| !stays.contains(kind)) {
        let is_kind = argument(1, Width::Dword, Is::MaskedEq(wide(KIND)), kind)?;
        refused.push(all(vec![is_kind])?);
    }
    Ok(refused)
}

/// Files that are made with a bit of [`SET_ID`]; `flags` is the index of that argument, the mode's follows.
fn files(flags: u8) -> Result<Vec<SeccompRule>, BackendError> {
    let mut ways = Vec::new();
    for makes in MAKES_A_FILE {
        for bit in SET_ID {
            ways.push(all(vec![has(flags, makes)?, has(flags + 1, bit)?])?);
        }
    }
    Ok(ways)
}

/// All ones only ask which personality there is.
fn personalities() -> Result<Vec<SeccompRule>, BackendError> {
    let sets = || argument(0, Width::Dword, Is::Ne, -1);
    WEAK_MEMORY.iter().map(|bit| all(vec![sets()?, has(0, *bit)?])).collect()
}

/// One rule for each bit: any of them is enough.
fn any_bit(index: u8, bits: &[c_int]) -> Result<Vec<SeccompRule>, BackendError> {
    bits.iter().map(|bit| all(vec![has(index, *bit)?])).collect()
}

/// One rule for each value.
fn any_value(index: u8, values: &[c_int]) -> Result<Vec<SeccompRule>, BackendError> {
    values.iter().map(|value| all(vec![argument(index, Width::Dword, Is::Eq, *value)?])).collect()
}

/// The argument has this bit.
fn has(index: u8, bit: c_int) -> Result<seccompiler::SeccompCondition, BackendError> {
    argument(index, Width::Dword, Is::MaskedEq(wide(bit)), bit)
}

#[cfg(test)]
mod tests;
