//! Namespaces that programs of one server share: user, PID, network, IPC.
//!
//! A holder ([`make`]) makes them and keeps them open: it is the first process of its PID namespace, adopts and
//! reaps what loses its parent there, and its end ends everything in it (7 ms for a tree that detached
//! itself in every way). Programs [`join`] them, and make a mount namespace of their own.
//!
//! Invariants: the user is mapped to itself alone; the network has its loopback and nothing else.

use std::{fs, io, path::PathBuf};

use nix::{
    sched::{CloneFlags, setns, unshare},
    sys::socket::{
        AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto,
        socket,
    },
    unistd::{Pid, getegid, geteuid},
};
use std::os::fd::AsRawFd as _;

use crate::Tier;

/// For [`crate::Tiers`].
pub const NAMESPACES: Tier = Tier {
    word: "namespaces",
    needs: "unprivileged user namespaces (kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0, \
            kernel.apparmor_restrict_unprivileged_userns=0 or a profile that allows them)",
};

/// Makes the namespaces for this process: the user, network and IPC ones hold at once, the PID one for
/// what it starts next.
///
/// # Errors
/// The host does not allow it.
pub fn make() -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // Group lists could hide a group that a file is forbidden to; Linux wants this said first.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    unshare(CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWPID)?;
    loopback_up()
}

/// Joins the namespaces of a holder, the PID one for what is started next; its network only with `network`
/// false.
///
/// # Errors
/// The holder is gone, or the host does not allow it.
pub fn join(holder: Pid, network: bool) -> io::Result<()> {
    let of = |name: &str| fs::File::open(PathBuf::from(format!("/proc/{holder}/ns/{name}")));
    // All are opened first: after the first is joined, /proc shows them no more.
    let all = [
        (of("user")?, CloneFlags::CLONE_NEWUSER),
        (of("ipc")?, CloneFlags::CLONE_NEWIPC),
        (of("pid")?, CloneFlags::CLONE_NEWPID),
        (of("net")?, CloneFlags::CLONE_NEWNET),
    ];
    for (namespace, kind) in &all {
        if *kind != CloneFlags::CLONE_NEWNET || !network {
            setns(namespace, *kind)?;
        }
    }
    Ok(())
}

/// The loopback device comes down in a new network: one message to the kernel brings it up.
fn loopback_up() -> io::Result<()> {
    let route = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    sendto(route.as_raw_fd(), &up(), &NetlinkAddr::new(0, 0), MsgFlags::empty())?;
    let mut answer = [0; 64];
    let length = recv(route.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    // struct nlmsghdr, then the error number, 0 if it worked.
    let error = answer.get(16..20).filter(|_| length >= 20).and_then(|it| it.try_into().ok());
    match error.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(-error)),
        None => Err(io::Error::other("the kernel's answer about the loopback device is too short")),
    }
}

/// struct nlmsghdr (16 bytes) and struct ifinfomsg (16): device 1, the flag `IFF_UP` set, no other changed.
fn up() -> [u8; 32] {
    const RTM_NEWLINK: u16 = 16;
    const REQUEST_AND_ACK: u16 = 1 | 4;
    const IFF_UP: u32 = 1;
    let mut message = [0; 32];
    let mut put = |at: usize, bytes: &[u8]| {
        if let Some(place) = message.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    };
    put(0, &32_u32.to_ne_bytes());
    put(4, &RTM_NEWLINK.to_ne_bytes());
    put(6, &REQUEST_AND_ACK.to_ne_bytes());
    put(20, &1_i32.to_ne_bytes());
    put(24, &IFF_UP.to_ne_bytes());
    put(28, &IFF_UP.to_ne_bytes());
    message
}
