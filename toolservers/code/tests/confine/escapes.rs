//! What code that broke out of the interpreter would try, each through a safe wrapper.

use std::{
    ffi::CString,
    fs::{self, File},
    io,
    net::{TcpListener, TcpStream, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::{PermissionsExt, symlink},
            net::{SocketAddr, UnixDatagram, UnixListener, UnixStream},
        },
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use nix::{
    errno::Errno,
    fcntl::{self, OFlag},
    mount::{self, MsFlags},
    sched::{self, CloneFlags, CpuSet},
    sys::{
        epoll, eventfd, inotify, memfd, personality, prctl, ptrace,
        resource::{self, Resource},
        signal::{self, Signal},
        socket::{self, ControlMessage, MsgFlags},
        stat, uio,
    },
    unistd::{self, Pid, Uid},
};
use rustix::process::{PidfdFlags, PidfdGetfdFlags};

use super::acts::{FOLDER, PORT};

type Outcome = Result<(), Errno>;
type Row = (&'static str, Outcome);

/// What a confined process could still hold from before.
pub(crate) struct Ready {
    folder: PathBuf,
    port: u16,
    parent: Pid,
    program: File,
    root: File,
    child: Child,
    datagrams: UdpSocket,
    local_datagrams: UnixDatagram,
    pair: (UnixStream, UnixStream),
    parent_handle: std::os::fd::OwnedFd,
}

impl Ready {
    pub(crate) fn open() -> Self {
        let parent = rustix::process::getppid().unwrap();
        Self {
            folder: std::env::var(FOLDER).unwrap().into(),
            port: std::env::var(PORT).unwrap().parse().unwrap(),
            parent: unistd::getppid(),
            program: File::open("/bin/true").unwrap(),
            root: File::open("/").unwrap(),
            // Ends at the end of its input, that is, with this process.
            child: Command::new("/bin/cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
            datagrams: UdpSocket::bind("127.0.0.1:0").unwrap(),
            local_datagrams: UnixDatagram::unbound().unwrap(),
            pair: UnixStream::pair().unwrap(),
            parent_handle: rustix::process::pidfd_open(parent, PidfdFlags::empty()).unwrap(),
        }
    }
}

/// Each attempt with how it went.
pub(crate) fn try_all(mut ready: Ready) -> Vec<Row> {
    let mut rows = files(&ready);
    rows.extend(names(&ready));
    rows.extend(sockets(&ready));
    rows.extend(processes(&mut ready));
    rows.extend(privileges(&ready));
    rows.extend(descriptors(&ready));
    rows
}

fn files(ready: &Ready) -> Vec<Row> {
    let inside = ready.folder.join("made");
    let (path, mode) = ("etc/passwd", stat::Mode::empty());
    vec![
        ("open /etc/passwd", of(fs::read("/etc/passwd"))),
        ("open /proc/self/environ", of(fs::read("/proc/self/environ"))),
        ("open /proc/self/mem", of(File::options().write(true).open("/proc/self/mem"))),
        ("open /dev/tty", of(File::open("/dev/tty"))),
        ("open beneath a descriptor", nix(fcntl::openat(&ready.root, path, OFlag::O_RDONLY, mode))),
        ("list /", of(fs::read_dir("/"))),
        ("create a file", of(File::create(&inside))),
        ("make a folder", of(fs::create_dir(&inside))),
        ("make a symbolic link", of(symlink("/", &inside))),
        ("make a link", of(fs::hard_link(ready.folder.join("kernel"), &inside))),
        ("make a pipe with a name", nix(unistd::mkfifo(&inside, stat::Mode::S_IRWXU))),
        ("remove the kernel's socket", of(fs::remove_file(ready.folder.join("kernel")))),
        ("rename the kernel's socket", of(fs::rename(ready.folder.join("kernel"), inside))),
        ("grow a file", of(ready.program.set_len(1))),
    ]
}

fn names(ready: &Ready) -> Vec<Row> {
    let kernel = ready.folder.join("kernel");
    vec![
        ("look at /etc/passwd", of(fs::metadata("/etc/passwd"))),
        ("look at /proc/self/exe", of(fs::read_link("/proc/self/exe"))),
        ("look where it is", of(std::env::current_dir())),
        ("go elsewhere", of(std::env::set_current_dir("/"))),
        ("go to a descriptor", nix(unistd::fchdir(&ready.root))),
        ("change rights", of(fs::set_permissions(kernel, fs::Permissions::from_mode(0o777)))),
        ("change the root", nix(unistd::chroot("/"))),
        (
            "mount",
            nix(mount::mount(None::<&str>, "/mnt", Some("tmpfs"), MsFlags::empty(), None::<&str>)),
        ),
        ("watch files", nix(inotify::Inotify::init(inotify::InitFlags::empty()))),
    ]
}

fn sockets(ready: &Ready) -> Vec<Row> {
    let abstract_name = SocketAddr::from_abstract_name("tollgate-confine").unwrap();
    let peer = ("127.0.0.1", ready.port);
    let (kernel, wait) = (ready.folder.join("kernel"), Duration::from_secs(1));
    vec![
        ("connect to the kernel's socket", of(UnixStream::connect(&kernel))),
        ("connect to an abstract name", of(UnixStream::connect_addr(&abstract_name))),
        ("connect by TCP", of(TcpStream::connect(peer))),
        (
            "connect by TCP with a bound",
            of(TcpStream::connect_timeout(&([127, 0, 0, 1], ready.port).into(), wait)),
        ),
        ("listen on TCP", of(TcpListener::bind("127.0.0.1:0"))),
        ("listen on a path", of(UnixListener::bind(ready.folder.join("made")))),
        ("a datagram socket", of(UdpSocket::bind("127.0.0.1:0"))),
        ("a pair of sockets", of(UnixStream::pair())),
        ("send a datagram to an address", of(ready.datagrams.send_to(b"x", peer))),
        ("send a datagram to a path", of(ready.local_datagrams.send_to(b"x", &kernel))),
        ("connect a datagram socket", of(ready.datagrams.connect(peer))),
    ]
}

fn processes(ready: &mut Ready) -> Vec<Row> {
    let (this, parent) = (Pid::this(), ready.parent);
    let (path, none) = (CString::new("/bin/true").unwrap(), &[] as &[CString]);
    let mut byte = [0; 8];
    let mut here = [io::IoSliceMut::new(&mut byte)];
    let there = [uio::RemoteIoVec { base: 0x1000, len: 8 }];
    let peek = uio::process_vm_readv(parent, &mut here, &there);
    let parent_id = rustix::process::Pid::from_raw(parent.as_raw()).unwrap();
    vec![
        ("start a process", of(Command::new("/bin/true").spawn())),
        ("become another program", nix(unistd::execv(&path, none))),
        ("become an open program", nix(unistd::fexecve(&ready.program, none, none))),
        // Signal 0 asks only: if the filter failed, this test would else end the machine's work.
        ("signal all", nix(signal::kill(Pid::from_raw(-1), None))),
        ("signal the group", nix(signal::killpg(Pid::from_raw(0), None::<Signal>))),
        ("signal the parent", nix(signal::kill(parent, Signal::SIGURG))),
        ("signal itself by kill", nix(signal::kill(this, None))),
        ("end a child", of(ready.child.kill())),
        ("wait for a child", of(ready.child.try_wait())),
        ("trace the parent", nix(ptrace::attach(parent))),
        ("be traced", nix(ptrace::traceme())),
        ("read the parent's memory", nix(peek)),
        (
            "a handle of the parent",
            rustix(rustix::process::pidfd_open(parent_id, PidfdFlags::empty())),
        ),
        (
            "signal by a handle",
            rustix(rustix::process::pidfd_send_signal(
                &ready.parent_handle,
                rustix::process::Signal::URG,
            )),
        ),
        (
            "take the parent's descriptor",
            rustix(rustix::process::pidfd_getfd(&ready.parent_handle, 0, PidfdGetfdFlags::empty())),
        ),
        ("a session of its own", nix(unistd::setsid())),
        ("another group", nix(unistd::setpgid(this, parent))),
        ("be nicer to itself", rustix(rustix::process::nice(-5))),
        ("pin the parent", nix(sched::sched_setaffinity(parent, &CpuSet::new()))),
    ]
}

fn privileges(ready: &Ready) -> Vec<Row> {
    let (_, most) = resource::getrlimit(Resource::RLIMIT_CPU).unwrap_or((0, 1));
    let readable = personality::Persona::READ_IMPLIES_EXEC;
    vec![
        ("become root", nix(unistd::setuid(Uid::from_raw(0)))),
        ("become nobody", nix(unistd::setgroups(&[]))),
        ("a user namespace", nix(sched::unshare(CloneFlags::CLONE_NEWUSER))),
        ("a network namespace", nix(sched::unshare(CloneFlags::CLONE_NEWNET))),
        ("another's namespace", nix(sched::setns(&ready.parent_handle, CloneFlags::CLONE_NEWPID))),
        ("raise a limit", nix(resource::setrlimit(Resource::RLIMIT_NOFILE, most, most))),
        ("memory that runs", nix(personality::set(readable))),
        ("be dumped", nix(prctl::set_dumpable(true))),
        ("outlive the parent", nix(prctl::set_pdeathsig(None))),
        ("adopt orphans", nix(prctl::set_child_subreaper(true))),
        ("rename the host", nix(unistd::sethostname("confined"))),
    ]
}

fn descriptors(ready: &Ready) -> Vec<Row> {
    let handed = [std::os::fd::AsRawFd::as_raw_fd(&ready.root)];
    let socket = std::os::fd::AsRawFd::as_raw_fd(&ready.pair.0);
    let (text, carried) = ([io::IoSlice::new(b"x")], [ControlMessage::ScmRights(&handed)]);
    let sent = socket::sendmsg::<()>(socket, &text, &carried, MsgFlags::empty(), None);
    let mut byte = [0; 1];
    let mut room = [io::IoSliceMut::new(&mut byte)];
    let received = socket::recvmsg::<()>(socket, &mut room, None, MsgFlags::MSG_DONTWAIT);
    vec![
        ("a file in memory", nix(memfd::memfd_create(c"x", memfd::MFdFlags::empty()))),
        ("a pipe", nix(unistd::pipe())),
        ("a counter", nix(eventfd::EventFd::new())),
        ("an event queue", nix(epoll::Epoll::new(epoll::EpollCreateFlags::empty()))),
        ("hand a descriptor on", nix(sent)),
        ("be handed a descriptor", nix(received.map(|_| ()))),
        ("double a descriptor", nix(unistd::dup(&ready.root))),
        ("double a descriptor by fcntl", of(ready.program.try_clone())),
        (
            "have signals sent",
            nix(fcntl::fcntl(&ready.pair.0, fcntl::FcntlArg::F_SETFL(OFlag::O_ASYNC))),
        ),
        ("a socket's option", of(ready.datagrams.set_broadcast(true))),
    ]
}

fn of<T>(result: io::Result<T>) -> Outcome {
    let number = |error: io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(0));
    result.map(drop).map_err(number)
}

fn nix<T>(result: nix::Result<T>) -> Outcome {
    result.map(drop)
}

fn rustix<T>(result: rustix::io::Result<T>) -> Outcome {
    result.map(drop).map_err(|error| Errno::from_raw(error.raw_os_error()))
}
