//! What a launched program tries, each through a safe wrapper. What has none (`clone`, `io_uring_setup`,
//! `keyctl`) is tried on the filter itself: `src/syscalls/list/tests.rs`.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, Permissions},
    io,
    net::{SocketAddr as Address, TcpListener, TcpStream, UdpSocket},
    os::{
        linux::net::SocketAddrExt as _,
        unix::{
            fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink},
            net::{SocketAddr, UnixDatagram, UnixStream},
        },
    },
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use nix::{
    errno::Errno,
    fcntl::{self, AT_FDCWD, OFlag, RenameFlags, renameat2},
    mount::{MsFlags, mount, umount},
    sched::{CloneFlags, setns, unshare},
    sys::{
        ptrace,
        signal::{Signal, kill},
        socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket, socketpair},
        stat::{self, Mode, SFlag},
        time::TimeSpec,
        uio,
    },
    unistd::{self, Gid, Pid, Uid},
};
use rustix::fs::{AtFlags, CWD, StatxFlags, XattrFlags};

use super::world::TOLD;

type Outcome = Result<(), Errno>;

/// Does what a launched program is to do; false if this is no such act.
pub(crate) fn run(act: &str) -> bool {
    match act {
        "try files" => tell(files(&told(0), &told(1))),
        "try places" => tell(places(&told(0), &told(1))),
        "try processes" => tell(processes(&told(0))),
        "try sockets" => tell(sockets(&told(0), &text(1))),
        "try mounts" => tell(mounts(&told(0), &told(1))),
        "spawn" => spawn(),
        "listen" => listen(),
        "dial" => drop(TcpStream::connect(("127.0.0.1", text(0).parse().unwrap())).unwrap()),
        "look" => look(),
        "rewrite" => fs::write(told(0), "rewritten").unwrap(),
        _ => return false,
    }
    true
}

fn told(number: usize) -> PathBuf {
    std::env::var_os(format!("{TOLD}{number}")).unwrap_or_else(|| OsString::from("/")).into()
}

fn text(number: usize) -> String {
    std::env::var(format!("{TOLD}{number}")).unwrap()
}

fn tell(rows: Vec<(&str, Outcome)>) {
    for (what, outcome) in rows {
        let outcome = outcome.map_or_else(|errno| format!("{errno:?}"), |()| "WORKED".to_owned());
        println!("tried {what}: {outcome}");
    }
}

/// Changes outside, where there is `file` and `folder`; `work` is the folder that can be written.
fn files(outside: &Path, work: &Path) -> Vec<(&'static str, Outcome)> {
    let (file, folder, made) = (outside.join("file"), outside.join("folder"), outside.join("made"));
    let own = work.join("own");
    fs::write(&own, "own").unwrap();
    let around = |begin: &str| PathBuf::from(begin).join(made.strip_prefix("/").unwrap());
    let up = Path::new("/proc/self/cwd/../outside/made");
    let open = File::open(&file).unwrap();
    let write = || OpenOptions::new().write(true).open(&file);
    let now = TimeSpec::new(1, 0);
    let (this, group) = (Some(Uid::current()), Some(Gid::current()));
    let times = stat::UtimensatFlags::FollowSymlink;
    vec![
        ("write", of(write())),
        ("append", of(OpenOptions::new().append(true).open(&file))),
        ("truncate as it opens", of(OpenOptions::new().write(true).truncate(true).open(&file))),
        ("truncate by its path", nix(unistd::truncate(&file, 0))),
        ("write by way of /proc/self/cwd", of(File::create(up))),
        ("write by way of /proc/self/root", of(File::create(around("/proc/self/root")))),
        ("write by way of /dev/fd", of(OpenOptions::new().write(true).open(fd(&open)))),
        ("make a file", of(File::create(&made))),
        ("make an unnamed file", of(unnamed(outside))),
        ("make a folder", of(fs::create_dir(&made))),
        ("make a symbolic link", of(symlink("/", &made))),
        ("make a pipe", nix(unistd::mkfifo(&made, Mode::S_IRWXU))),
        ("make a node", nix(stat::mknod(&made, SFlag::S_IFREG, Mode::S_IRWXU, 0))),
        ("link into it", of(fs::hard_link(&own, &made))),
        ("link out of it", of(fs::hard_link(&file, work.join("linked")))),
        ("move into it", of(fs::rename(&own, &made))),
        ("move out of it", of(fs::rename(&file, work.join("moved")))),
        ("rename in it", of(fs::rename(&file, &made))),
        ("exchange", nix(renameat2(AT_FDCWD, &file, AT_FDCWD, &own, RenameFlags::RENAME_EXCHANGE))),
        ("remove a file", of(fs::remove_file(&file))),
        ("remove a folder", of(fs::remove_dir(&folder))),
        ("change the mode", of(fs::set_permissions(&file, Permissions::from_mode(0o600)))),
        (
            "change the mode of an open file",
            of(open.set_permissions(Permissions::from_mode(0o600))),
        ),
        ("change the owner", nix(unistd::chown(&file, this, group))),
        ("change the times", nix(stat::utimensat(AT_FDCWD, &file, &now, &now, times))),
        ("change the times of an open file", nix(stat::futimens(&open, &now, &now))),
        ("set an attribute", attribute(&file)),
    ]
}

fn fd(file: &File) -> String {
    format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file))
}

fn unnamed(folder: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).custom_flags(nix::libc::O_TMPFILE).mode(0o600).open(folder)
}

fn attribute(file: &Path) -> Outcome {
    let set = rustix::fs::setxattr(file, "user.tollgate", b"x", XattrFlags::empty());
    set.map_err(|error| Errno::from_raw(error.raw_os_error()))
}

/// Reads, changes and uncovers a place in `work`: its path, and another name of it there.
fn places(place: &Path, other: &Path) -> Vec<(&'static str, Outcome)> {
    let work = Path::new("/proc/self/cwd");
    let in_root = Path::new("/proc/self/root").join(place.strip_prefix("/").unwrap());
    let from_here = place.strip_prefix(std::env::current_dir().unwrap()).unwrap();
    let (linked, moved) = (work.join("linked"), work.join("moved"));
    let spare = work.join("spare");
    fs::create_dir_all(&spare).unwrap();
    fs::write(work.join("spare-file"), "spare").unwrap();
    let exchange = |with: &str| {
        let with = work.join(with);
        nix(renameat2(AT_FDCWD, place, AT_FDCWD, &with, RenameFlags::RENAME_EXCHANGE))
    };
    let now = TimeSpec::new(1, 0);
    let times = stat::UtimensatFlags::FollowSymlink;
    let (read, mode) = (OFlag::O_RDONLY, Mode::empty());
    let folder = File::open(".").unwrap();
    vec![
        ("read", of(read_or_list(place))),
        ("read by way of /proc/self/root", of(read_or_list(&in_root))),
        ("read by way of /proc/self/cwd", of(read_or_list(&work.join(from_here)))),
        ("read from here", of(read_or_list(from_here))),
        ("read by its other name", of(read_or_list(other))),
        ("read beneath a descriptor", nix(fcntl::openat(&folder, from_here, read, mode))),
        ("read a link to it", of(link_and_read(place, &linked))),
        ("write", of(OpenOptions::new().write(true).open(place))),
        ("make something in it", of(File::create(place.join("made")))),
        ("truncate", nix(unistd::truncate(place, 0))),
        ("change the mode", of(fs::set_permissions(place, Permissions::from_mode(0o755)))),
        ("change the owner", nix(unistd::chown(place, Some(Uid::current()), None))),
        ("change the times", nix(stat::utimensat(AT_FDCWD, place, &now, &now, times))),
        ("set an attribute", attribute(place)),
        ("remove", of(fs::remove_file(place))),
        ("remove the folder", of(fs::remove_dir(place))),
        ("rename", of(fs::rename(place, &moved))),
        ("replace by a file", of(fs::rename(work.join("spare-file"), place))),
        ("replace by a folder", of(fs::rename(&spare, place))),
        ("exchange with a file", exchange("spare-file")),
        ("exchange with a folder", exchange("spare")),
        ("unmount", nix(umount(place))),
        ("mount over it", nix(bind(&spare, place))),
        ("mount it elsewhere", nix(bind(place, &spare))),
    ]
}

fn link_and_read(place: &Path, link: &Path) -> io::Result<()> {
    symlink(place, link)?;
    read_or_list(link)
}

/// Prints what is found.
fn read_or_list(place: &Path) -> io::Result<()> {
    if fs::metadata(place)?.is_dir() {
        for entry in fs::read_dir(place)? {
            println!("found {:?}", fs::read(entry?.path()).map(String::from_utf8));
        }
    } else {
        println!("found {:?}", String::from_utf8_lossy(&fs::read(place)?));
    }
    Ok(())
}

fn bind(from: &Path, to: &Path) -> nix::Result<()> {
    mount(Some(from), to, None::<&str>, MsFlags::MS_BIND, None::<&str>)
}

/// Other processes, of which `outside` has the number in its name, and namespaces.
fn processes(outside: &Path) -> Vec<(&'static str, Outcome)> {
    let server = Pid::from_raw(text(1).parse().unwrap());
    let of_server = |what: &str| PathBuf::from(format!("/proc/{server}")).join(what);
    let through = of_server("root").join(outside.strip_prefix("/").unwrap()).join("file");
    let namespace = |name: &str, kind| -> Outcome {
        let file =
            File::open(of_server("ns").join(name)).or_else(|_| File::open("/proc/self/ns/net"));
        nix(setns(file.unwrap(), kind))
    };
    let handle = || {
        let server = rustix::process::Pid::from_raw(server.as_raw()).unwrap();
        let handle = rustix::process::pidfd_open(server, rustix::process::PidfdFlags::empty())?;
        rustix::process::pidfd_send_signal(handle, rustix::process::Signal::URG)
    };
    let mut byte = [0; 8];
    let mut here = [io::IoSliceMut::new(&mut byte)];
    let there = [uio::RemoteIoVec { base: 0x1000, len: 8 }];
    let write = |path: &str| of(OpenOptions::new().write(true).open(path));
    vec![
        ("signal the server", nix(kill(server, Signal::SIGURG))),
        ("ask for the server", nix(kill(server, None))),
        ("signal the server by a handle", handle().map_err(|e| Errno::from_raw(e.raw_os_error()))),
        ("trace the server", nix(ptrace::attach(server))),
        ("read the server's memory", nix(uio::process_vm_readv(server, &mut here, &there))),
        ("open the server's memory", of(File::open(of_server("mem")))),
        ("read the server's environment", of(fs::read(of_server("environ")))),
        ("open what the server has open", of(File::open(of_server("fd/0")))),
        ("see what the server has open", of(fs::read_link(of_server("fd/1")))),
        ("write by way of the server's root", of(OpenOptions::new().write(true).open(through))),
        ("list the server's root", of(fs::read_dir(of_server("root")))),
        ("go where the server is", of(std::env::set_current_dir(of_server("cwd")))),
        ("join the server's mounts", namespace("mnt", CloneFlags::CLONE_NEWNS)),
        ("join the server's user namespace", namespace("user", CloneFlags::CLONE_NEWUSER)),
        ("join the server's network", namespace("net", CloneFlags::CLONE_NEWNET)),
        ("a user namespace", nix(unshare(CloneFlags::CLONE_NEWUSER))),
        ("a mount namespace", nix(unshare(CloneFlags::CLONE_NEWNS))),
        ("a network namespace", nix(unshare(CloneFlags::CLONE_NEWNET))),
        ("another root", nix(unistd::chroot("/"))),
        (
            "become root",
            if Uid::current().is_root() {
                Err(Errno::EPERM)
            } else {
                nix(unistd::setuid(0.into()))
            },
        ),
        ("become another", other_user()),
        ("set how dumps are made", write("/proc/sys/kernel/core_pattern")),
        ("press a magic key", write("/proc/sysrq-trigger")),
        ("change a setting of the network", write("/proc/sys/net/ipv4/ip_forward")),
        ("change the most processes", write("/proc/sys/kernel/pid_max")),
        ("load a module", write("/sys/module/kernel/parameters/panic")),
        ("set a cgroup", write("/sys/fs/cgroup/cgroup.procs")),
        ("read the kernel's memory", of(fs::read("/proc/kcore").map(drop))),
        ("read a disk", disks()),
        ("read the kernel's log", of(File::open("/dev/kmsg"))),
        ("a machine", of(File::open("/dev/kvm"))),
        ("name the host", nix(unistd::sethostname("confined"))),
    ]
}

fn other_user() -> Outcome {
    let other = if Uid::current().is_root() { 1 } else { Uid::current().as_raw() - 1 };
    nix(unistd::setuid(Uid::from_raw(other)))
}

/// Any device that is no character one.
fn disks() -> Outcome {
    for entry in fs::read_dir("/dev").into_iter().flatten().flatten() {
        let is_disk = entry.metadata().is_ok_and(|found| {
            SFlag::from_bits_truncate(found.mode() & SFlag::S_IFMT.bits()) == SFlag::S_IFBLK
        });
        if is_disk && File::open(entry.path()).is_ok() {
            return Ok(());
        }
    }
    Err(Errno::EACCES)
}

/// What listens: `kernel` and `datagrams` in a folder, a TCP and a UDP port, an abstract name.
fn sockets(folder: &Path, ports: &str) -> Vec<(&'static str, Outcome)> {
    let ports: Vec<u16> = ports.split(' ').map(|port| port.parse().unwrap()).collect();
    let abstract_name =
        SocketAddr::from_abstract_name(folder.as_os_str().as_encoded_bytes()).unwrap();
    let address = |port: u16| Address::from(([127, 0, 0, 1], port));
    let datagram = |port| {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.send_to(b"x", address(port))
    };
    let new = |family, kind, protocol: Option<SockProtocol>| {
        nix(socket(family, kind, SockFlag::empty(), protocol))
    };
    let pair = |kind| socketpair(AddressFamily::Unix, kind, None, SockFlag::SOCK_CLOEXEC);
    vec![
        (
            "connect by TCP",
            of(TcpStream::connect_timeout(&address(ports[0]), Duration::from_secs(2))),
        ),
        ("send by UDP", of(datagram(ports[1]))),
        ("connect to a path", of(UnixStream::connect(folder.join("kernel")))),
        ("connect to an abstract name", of(UnixStream::connect_addr(&abstract_name))),
        (
            "send to a path",
            of(UnixDatagram::unbound().and_then(|it| it.send_to(b"x", folder.join("datagrams")))),
        ),
        ("send to a path from a pair", nix(pair(SockType::Datagram))),
        ("a pair", nix(pair(SockType::Stream))),
        ("vsock", new(AddressFamily::Vsock, SockType::Stream, None)),
        ("packets", new(AddressFamily::Packet, SockType::Raw, None)),
        (
            "packets of the first kind",
            new(AddressFamily::Inet, SockType::Raw, Some(SockProtocol::Icmp)),
        ),
        ("the audit", new(AddressFamily::Netlink, SockType::Raw, Some(SockProtocol::NetlinkAudit))),
        (
            "the firewall",
            new(AddressFamily::Netlink, SockType::Raw, Some(SockProtocol::NetlinkNetFilter)),
        ),
        ("routes", new(AddressFamily::Netlink, SockType::Raw, Some(SockProtocol::NetlinkRoute))),
        ("ciphers", new(AddressFamily::Alg, SockType::SeqPacket, None)),
        ("bluetooth", new(AddressFamily::Bluetooth, SockType::Raw, None)),
    ]
}

/// What only mounts hold: all below `folder` read-only, and new mounts.
fn mounts(folder: &Path, work: &Path) -> Vec<(&'static str, Outcome)> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
    for line in table.lines() {
        let fields: Vec<_> = line.split(' ').collect();
        if fields[5].split(',').any(|option| option == "rw") {
            let place =
                rustix::fs::statx(CWD, fields[4], AtFlags::NO_AUTOMOUNT, StatxFlags::MNT_ID);
            // Another mount may cover it.
            if place.is_ok_and(|found| found.stx_mnt_id.to_string() == fields[0]) {
                println!("writable {}", fields[4]);
            }
        }
    }
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND;
    let tmpfs = |at: &Path| mount(None::<&str>, at, Some("tmpfs"), MsFlags::empty(), None::<&str>);
    vec![
        ("write it again", nix(mount(None::<&str>, folder, None::<&str>, flags, None::<&str>))),
        ("write all again", nix(mount(None::<&str>, "/", None::<&str>, flags, None::<&str>))),
        ("mount over it", nix(bind(work, folder))),
        ("mount it inside", nix(bind(folder, work))),
        ("mount a new one", nix(tmpfs(work))),
        ("unmount /proc", nix(umount("/proc"))),
        (
            "open a tree",
            rustix_outcome(rustix::mount::open_tree(
                CWD,
                "/",
                rustix::mount::OpenTreeFlags::OPEN_TREE_CLONE,
            )),
        ),
    ]
}

/// As many processes as can be had, all of which end with this one.
fn spawn() {
    let mut all = Vec::new();
    while all.len() < 1000 {
        match Command::new("/bin/sleep").arg("1000").spawn() {
            Ok(child) => all.push(child),
            Err(_) => break,
        }
    }
    println!("spawned {}", all.len());
    for mut child in all {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Listens on a port of its own, and takes one connection.
fn listen() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    listener.accept().unwrap();
    println!("accepted");
}

/// Reads a file whenever it is told to.
fn look() {
    println!("up");
    for line in io::stdin().lines() {
        line.unwrap();
        println!("{:?}", fs::read_to_string(told(0)));
    }
}

fn of<T>(result: io::Result<T>) -> Outcome {
    let number = |error: io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(0));
    result.map(drop).map_err(number)
}

fn nix<T>(result: nix::Result<T>) -> Outcome {
    result.map(drop)
}

fn rustix_outcome<T>(result: rustix::io::Result<T>) -> Outcome {
    result.map(drop).map_err(|error| Errno::from_raw(error.raw_os_error()))
}
