//! A program tries all that leads out.

use std::{
    ffi::OsStr,
    fs,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixDatagram, UnixListener},
    },
};

use super::world::World;

/// What Landlock has no word for, and only read-only mounts hold: of a user's own files outside.
const WITHOUT_MOUNTS: &[&str] = &[
    "change the mode",
    "change the mode of an open file",
    "change the owner",
    "change the times",
    "change the times of an open file",
];

/// Files, processes and sockets outside, with something there that would be reached.
pub(crate) fn all() {
    let world = World::new();
    let own = std::process::id().to_string();
    let outside = world.outside.as_os_str();
    let files = world.act(&world.plan(), "try files", &[outside, world.work.as_os_str()]);
    let worked = if world.has_namespaces() { &[] } else { WITHOUT_MOUNTS };
    // Some file systems have no attributes.
    let attribute = "set an attribute";
    let has = files.rows().iter().any(|(what, how)| what == attribute && how == "WORKED");
    let more = (has && !world.has_namespaces()).then_some(attribute);
    let worked: Vec<_> = worked.iter().copied().chain(more).collect();
    files.only_worked(&worked, 25);
    assert_eq!(fs::read_to_string(world.outside.join("file")).unwrap(), "outside");
    assert_eq!(fs::read_dir(&world.outside).unwrap().count(), 2);

    let told = [outside, OsStr::new(&own)];
    let ran = world.act(&world.plan(), "try processes", &told);
    ran.only_worked(&[], 30);

    // What may write everything may not set the machine.
    if world.has_namespaces() {
        let plan = tollgate_confine::child::Plan { write: vec!["/".into()], ..world.plan() };
        world.act(&plan, "try processes", &told).only_worked(&[], 30);
    }
}

/// Sockets, with and without the network.
pub(crate) fn network() {
    let world = World::new();
    let folder = world.work.as_path();
    let kernel = UnixListener::bind(folder.join("kernel")).unwrap();
    let datagrams = UnixDatagram::bind(folder.join("datagrams")).unwrap();
    let name = SocketAddr::from_abstract_name(folder.as_os_str().as_encoded_bytes()).unwrap();
    let named = UnixListener::bind_addr(&name).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let ports = [tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port()];
    let ports = ports.map(|port| port.to_string()).join(" ");
    kernel.set_nonblocking(true).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    named.set_nonblocking(true).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();

    let told = [folder.as_os_str(), OsStr::new(&ports)];
    let ran = world.act(&world.plan(), "try sockets", &told);
    ran.only_worked(&["a pair", "routes"], 15);
    assert!(tcp.accept().is_err() && udp.recv(&mut [0]).is_err(), "the network was reached");

    let plan = tollgate_confine::child::Plan { network: true, ..world.plan() };
    let open = ["a pair", "routes", "connect by TCP", "send by UDP"];
    world.act(&plan, "try sockets", &told).only_worked(&open, 15);
    assert!(tcp.accept().is_ok() && udp.recv(&mut [0]).is_ok(), "the network was not reached");
    assert!(kernel.accept().is_err() && named.accept().is_err(), "a socket was reached");
    assert!(datagrams.recv(&mut [0]).is_err(), "a socket was reached");
}
