//! A server that confines itself.

use std::{
    fs, net::TcpListener, net::TcpStream, net::UdpSocket, os::unix::net::UnixStream,
    process::Command,
};

use nix::sys::stat::{Mode, SFlag, makedev, mknod};
use tollgate_confine::{
    Requirement,
    paths::Access,
    server::{Plan, confine},
    syscalls::Doors,
};

use super::world::World;

/// It reads one folder and writes another, and does nothing else.
pub(crate) fn confined() {
    let world = World::new();
    let access = Access {
        read: vec![world.outside.clone()],
        write: vec![world.work.clone()],
        ..Access::default()
    };
    let listening = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listening.local_addr().unwrap();
    let peer = TcpStream::connect(address).unwrap();
    let requirement = Requirement::Required;
    let plan = Plan { requirement, access, doors: Doors::default(), descriptors: 64 };
    let words = confine(&plan).unwrap();
    let words: Vec<_> = words.split(' ').collect();
    assert!(words[0].starts_with("landlock:") && words[1..] == ["seccomp", "rlimits"], "{words:?}");

    fs::write(world.work.join("file"), "text").unwrap();
    assert_eq!(fs::read_to_string(world.outside.join("file")).unwrap(), "outside");
    for kind in [SFlag::S_IFBLK, SFlag::S_IFCHR] {
        let made = mknod(&world.work.join("device"), kind, Mode::S_IRWXU, makedev(1, 3));
        assert!(made.is_err(), "a device was made");
    }
    assert!(fs::write(world.outside.join("file"), "x").is_err());
    assert!(fs::read("/etc/passwd").is_err());
    assert!(fs::read("/proc/self/status").is_err());
    assert!(Command::new("/bin/true").status().is_err());
    assert!(TcpStream::connect(address).is_err() && TcpListener::bind("127.0.0.1:0").is_err());
    assert!(UdpSocket::bind("127.0.0.1:0").is_err());
    assert!(UnixStream::connect(world.work.join("file")).is_err());
    // What it has already it keeps.
    drop((listening.accept().unwrap(), peer));
    UnixStream::pair().unwrap();
    let more = (0..100).map(|_| fs::File::open(world.work.join("file"))).collect::<Vec<_>>();
    assert!(more.iter().any(Result::is_err), "descriptors have no limit");
    drop(more);
    // Whoever started this removes its folder.
    std::mem::forget(world);
}

/// Nothing is done, and that is said.
pub(crate) fn off() {
    let plan = Plan { requirement: Requirement::Off, ..Plan::default() };
    assert_eq!(confine(&plan).unwrap(), "off");
    assert!(fs::read("/proc/self/status").is_ok() && !nix::sys::prctl::get_no_new_privs().unwrap());
}

/// With another thread Landlock would not hold for it.
pub(crate) fn beside_a_thread() {
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || ended.recv());
    let plan = Plan { requirement: Requirement::Required, ..Plan::default() };
    let error = confine(&plan).unwrap_err().to_string();
    assert!(error.contains("landlock cannot be had here: 2 threads run already"), "{error}");
    let words = confine(&Plan::default()).unwrap();
    assert_eq!(words, "landlock:none seccomp rlimits");
    drop(end);
    thread.join().unwrap().unwrap_err();
}
