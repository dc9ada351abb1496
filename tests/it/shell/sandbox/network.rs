//! SH-18, SH-22, EN-06 Nobody is reached without leave: sockets of the test count who comes.

use std::{
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixListener},
    },
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::json;
use tollgate_proto::tool::v1::Sandbox;
use tollgate_tests::{World, events::content_text, eventually::eventually_true};

use super::hand::{Hand, approved_calls, has, ordinary, reaching};

/// Sockets outside, with how many came to each.
struct Outside {
    tcp: u16,
    udp: u16,
    path: String,
    name: String,
    streams: Arc<AtomicUsize>,
    datagrams: Arc<AtomicUsize>,
    locals: Arc<AtomicUsize>,
}

impl Outside {
    fn new(world: &World) -> Self {
        let (streams, datagrams, locals) = Default::default();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        // In the workspace, where a command may do everything.
        let path = world.workspace().join("s.sock");
        let name = format!("tollgate-{}-{}", std::process::id(), tcp.local_addr().unwrap().port());
        let abstract_one = SocketAddr::from_abstract_name(&name).unwrap();
        let outside = Self {
            tcp: tcp.local_addr().unwrap().port(),
            udp: udp.local_addr().unwrap().port(),
            path: path.display().to_string(),
            name,
            streams,
            datagrams,
            locals,
        };
        count(&outside.streams, move || tcp.accept().is_ok());
        count(&outside.datagrams, move || udp.recv(&mut [0; 64]).is_ok());
        for listener in
            [UnixListener::bind(path).unwrap(), UnixListener::bind_addr(&abstract_one).unwrap()]
        {
            count(&outside.locals, move || listener.accept().is_ok());
        }
        outside
    }

    /// Who came: by streams, datagrams, sockets of this machine.
    fn came(&self) -> (usize, usize, usize) {
        let all =
            [&self.streams, &self.datagrams, &self.locals].map(|it| it.load(Ordering::SeqCst));
        (all[0], all[1], all[2])
    }

    fn fill(&self, line: &str) -> String {
        line.replace("TCP", &self.tcp.to_string())
            .replace("UDP", &self.udp.to_string())
            .replace("PATH", &self.path)
            .replace("NAME", &self.name)
    }
}

fn count(into: &Arc<AtomicUsize>, next: impl Fn() -> bool + Send + 'static) {
    let into = Arc::clone(into);
    thread::spawn(move || {
        while next() {
            into.fetch_add(1, Ordering::SeqCst);
        }
    });
}

/// Programs that reach somebody: with the network, a stream or a datagram comes.
const REACH: &[(&str, &str)] = &[
    ("bash", "exec 3<> /dev/tcp/127.0.0.1/TCP && echo x >&3"),
    ("bash", "echo x > /dev/udp/127.0.0.1/UDP"),
    ("curl", "curl -s -m 2 http://127.0.0.1:TCP/$(cat f)"),
    ("curl", "curl -s -m 2 telnet://127.0.0.1:TCP < /dev/null"),
    ("git", "timeout 2 git ls-remote http://127.0.0.1:TCP/$(cat f)"),
    ("git", "timeout 2 git clone git://127.0.0.1:TCP/x"),
    ("python3", "python3 -c \"import socket; socket.create_connection(('127.0.0.1', TCP), 2)\""),
    (
        "python3",
        "python3 -c \"import socket; s = socket.socket(2, 2); s.sendto(b'x', ('127.0.0.1', UDP))\"",
    ),
    (
        "node",
        "timeout 5 node -e \"require('net').connect(TCP, '127.0.0.1').on('connect', () => process.exit())\"",
    ),
    ("nc", "echo x | nc -w 1 127.0.0.1 TCP"),
    ("wget", "timeout 2 wget -q -t 1 -O - http://127.0.0.1:TCP/x"),
    ("ssh", "timeout 2 ssh -p TCP -o BatchMode=yes 127.0.0.1"),
];

/// Programs that ask for names or send packets, which must do without; nothing of the test's hears them.
const ASK: &[&str] = &[
    "timeout 3 getent hosts sink.test",
    "timeout 3 ping -c 1 127.0.0.1",
    "timeout 3 python3 -c \"import socket; socket.socket(17, 3)\"",
    "timeout 3 python3 -c \"import socket; socket.socket(2, 3, 1)\"",
    "timeout 3 python3 -c \"import socket; socket.socket(40, 1)\"",
    "timeout 3 python3 -c \"import socket; socket.socket(38, 5)\"",
];

/// Sockets of this machine.
const LOCAL: &[&str] = &[
    "python3 -c \"import socket; s = socket.socket(1); s.connect('PATH')\"",
    "python3 -c \"import socket; s = socket.socket(1); s.connect('s.sock')\"",
    "python3 -c \"import socket; s = socket.socket(1); s.connect(chr(0) + 'NAME')\"",
    "ln -f s.sock other; python3 -c \"import socket; s = socket.socket(1); s.connect('other')\"",
    "curl -s -m 2 --unix-socket PATH http://x/",
    "curl -s -m 2 --abstract-unix-socket NAME http://x/",
];

/// [GATE-70] SH-18 SH-22 EN-06 Without the network nobody is reached, by no program; with it streams and datagrams
/// come, and still nobody speaks to sockets of this machine, but with the sandbox off.
#[test]
fn nobody_is_reached_without_leave() {
    let world = World::new();
    world.write("f", "secret");
    let outside = Outside::new(&world);
    let mut hand = Hand::new(&world);
    let lines = REACH.iter().map(|(_, line)| *line).chain(LOCAL.iter().copied());
    for sandbox in [Sandbox::ReadOnly, Sandbox::WorkspaceWrite] {
        for line in lines.clone() {
            let done = hand.bash(&outside.fill(line), reaching(sandbox));
            assert_eq!(outside.came(), (0, 0, 0), "{sandbox:?} {line}: {done:?}");
            assert!(done.confinement.contains("net:none"), "{done:?}");
        }
    }
    for line in ASK {
        let done = hand.bash(&format!("{line} && echo GAVE"), ordinary);
        assert!(!done.text.contains("GAVE"), "{line}: {done:?}");
    }
    let network = || reaching(Sandbox::Network);
    for (_, line) in REACH.iter().filter(|(program, _)| has(program)) {
        let (streams, datagrams, _) = outside.came();
        let done = hand.bash(&outside.fill(line), network());
        eventually_true(&format!("somebody comes: {line}: {done:?}"), || {
            outside.came() > (streams, datagrams, 0) || outside.came().1 > datagrams
        });
        assert!(!done.confinement.contains("net:none"), "{done:?}");
    }
    let came = outside.came();
    for line in LOCAL {
        let done = hand.bash(&outside.fill(line), network());
        assert_eq!(outside.came(), came, "{line}: {done:?}");
    }
    for line in LOCAL {
        let (_, _, locals) = outside.came();
        let done = hand.bash(&outside.fill(line), reaching(Sandbox::Off));
        eventually_true(&format!("off: {line}: {done:?}"), || outside.came().2 > locals);
    }
}

/// [GATE-70] [GATE-72] SH-22 The same through the kernel: who asks has it, once it was approved.
#[test]
fn the_network_is_given_by_a_yes() {
    let world = World::new();
    let outside = Outside::new(&world);
    world.write(
        "n.py",
        outside.fill("import socket; socket.create_connection(('127.0.0.1', TCP), 2)"),
    );
    let call = json!({ "command": "python3 n.py" });
    let without = approved_calls(&world, std::slice::from_ref(&call), &[]);
    assert_eq!(outside.came(), (0, 0, 0), "{without:?}");
    assert!(without[0]["receipt"]["confinement"].to_string().contains("net:none"), "{without:?}");
    let mut wider = call.clone();
    wider["sandbox"] = json!("network");
    wider["justification"] = json!("test");
    let with = approved_calls(&world, &[wider], &[]);
    eventually_true("it comes", || outside.came().0 == 1);
    assert!(with[0]["receipt"]["confinement"].to_string().contains(" net\""), "{with:?}");
    let posture = approved_calls(&world, &[call], &["--posture", "full-access"]);
    eventually_true(&format!("{posture:?}"), || outside.came().0 == 2);
}

/// [GATE-70] SH-22 Within the sandbox programs speak to each other: in one call, and in later ones of a session.
#[test]
fn loopback_is_the_sessions_own() {
    let world = World::new();
    world.write("f.txt", "served");
    let mut hand = Hand::new(&world);
    let server = "python3 -m http.server 8123 --bind 127.0.0.1";
    let wait = "for i in $(seq 100); do curl -s 127.0.0.1:8123/f.txt && break; sleep 0.1; done";
    let one = hand.bash(&format!("{server} > /dev/null 2>&1 & {wait}; kill $!"), ordinary);
    assert!(one.text.contains("served"), "{one:?}");
    let start = json!({ "action": "start", "command": server });
    let started = hand.call("process", &start, ordinary);
    assert!(started.succeeded, "{started:?}");
    let later = hand.bash(wait, ordinary);
    assert!(later.text.contains("served"), "{later:?}");
    assert!(std::net::TcpStream::connect("127.0.0.1:8123").is_err(), "it is seen outside");
}

/// [GATE-70] EN-06 Sockets that programs make between themselves work: pairs, and by a path of theirs.
#[test]
fn programs_have_pairs_of_sockets() {
    let world = World::new();
    let line = "python3 -c \"
import socket
a, b = socket.socketpair()
a.send(b'pair'); print(b.recv(9).decode())\"";
    let result = approved_calls(&world, &[json!({ "command": line })], &[]);
    assert!(content_text(&result[0]).contains("pair"), "{result:?}");
}
