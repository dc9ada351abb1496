//! Who is heard and who is not, and the socket's life.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::Path,
};

use nix::sys::signal::Signal;
use serde_json::json;
use tollgate_proto::kernel::v1::{
    OpenSessionRequest, decide_request::Answer, kernel_client::KernelClient,
};
use tollgate_tests::{
    Script, World, binary,
    kernel::{Client, Kernel, client},
    peer::within,
    run::Command,
    server::{free_address, pem},
    world::text,
};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

use super::{serving, touch};

/// [I12] Another user is not heard, even where the files would let it.
#[tokio::test]
async fn another_user_is_not_heard() {
    assert!(nix::unistd::geteuid().is_root(), "this test drops its user id, and so needs root");
    let world = World::new();
    let kernel = Kernel::start(&world, []);
    let socket = kernel.socket();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&socket), 0o600);
    for open in [world.folder(), world.home(), world.home().join("run")] {
        fs::set_permissions(open, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let stranger = || Command::new(&binary("tollgate-hostile")).args(["client", &text(&socket)]);
    // This user is heard: it has no ToolServer, and says so.
    let own = stranger().run();
    assert!(
        own.text().contains("Unimplemented") || own.text().contains("not implemented"),
        "{own}"
    );
    let ids = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let other = stranger().under("setpriv", ids).run();
    assert_ne!(other.code, 0, "{other}");
    assert!(!other.text().contains("mplemented"), "another user was answered: {other}");
    // And it harmed nobody.
    kernel.session(&world, &Script::new()).await.close().await.unwrap();
}

/// [AP-11] A tool cannot answer its own question: what descends from the kernel is not heard, however it
/// detaches itself.
#[tokio::test]
async fn a_tool_is_no_client() {
    let world = World::new();
    let kernel = Kernel::start(&world, []);
    let probe =
        format!("{} client {}", binary("tollgate-hostile").display(), kernel.socket().display());
    world.write("probe.sh", format!("{probe} > $1.new; mv $1.new $1\n"));
    let command =
        "sh probe.sh direct; setsid sh probe.sh detached & while [ ! -e detached ]; do :; done";
    let script = Script::new().call("bash", json!({ "command": command })).text("tried");
    let session = kernel.session(&world, &script).await;
    session.stance("", "full-access").await.unwrap();
    session.turn("go").await.unwrap().rest().await.unwrap();
    for name in ["direct", "detached"] {
        let said = world.read(name);
        assert!(said.starts_with("refused") && !said.contains("mplemented"), "{name}: {said}");
    }
}

/// Bytes that are no gRPC end their own connection and nothing else.
#[tokio::test]
async fn noise_ends_its_own_connection_only() {
    let (_world, kernel, session) = serving(&Script::new()).await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    let noises: [Vec<u8>; 4] = [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        vec![0xff; 100_000],
        [preface.clone(), vec![0; 50_000]].concat(),
        [preface, b"\xff\xff\xff\x00\x00\x00\x00\x00\x01".to_vec()].concat(),
    ];
    for noise in noises {
        let mut stream = UnixStream::connect(kernel.socket()).unwrap();
        // It may hang up in the middle.
        stream.write_all(&noise).ok();
        stream.shutdown(std::net::Shutdown::Write).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "a browser was answered");
    }
    session.call("read", &json!({ "path": "missing" })).await.unwrap();
}

/// [CLI-05] One kernel a socket; a dead one's socket is replaced, the end removes it and closes sessions.
#[tokio::test]
async fn the_socket_goes_with_its_kernel() {
    let script = Script::new().call("bash", touch("a.txt")).text("done");
    let (world, kernel, session) = serving(&script).await;
    let socket = kernel.socket();
    let second = world.tollgate(["serve"]).run().code(2);
    assert!(
        second.stderr.contains("another kernel serves") && second.stderr.contains("--listen"),
        "{second}"
    );
    kernel.process.kill();
    assert_eq!(kernel.process.finish().code, 128 + 9);
    assert!(socket.exists(), "a killed kernel leaves its socket");
    let kernel = Kernel::start(&world, []);
    assert_eq!(kernel.socket(), socket);
    let resume = OpenSessionRequest { session: session.session, ..OpenSessionRequest::default() };
    let session = kernel.open(resume).await.unwrap();
    let mut turn = session.turn("go").await.unwrap();
    turn.question().await;
    // Whoever only looks does not keep the kernel.
    let _watch = session.watch(true).await.unwrap();
    // [GATE-02] A card waits while the kernel is told to end: the call gets its end, too.
    kernel.process.signal(Signal::SIGTERM);
    let rest = turn.rest().await.unwrap();
    assert_eq!(rest.last().unwrap()["stop_reason"], "cancelled", "{rest:?}");
    let ran = kernel.process.finish().success();
    assert!(ran.stderr.contains("listening on unix:"), "{ran}");
    assert!(!socket.exists() && !world.has("a.txt"));
    let words = world.receipts(Some(&session.session)).sound(&world).words();
    assert_eq!(words, ["bash refused refused"]);
    world.is_quiet();
}

/// [I12] Over TCP only a client with a certificate is heard, and there is no other way to listen there.
#[tokio::test]
async fn tcp_needs_a_certificate_on_both_sides() {
    let world = World::new();
    let address = free_address().to_string();
    let (cert, key, ca) = (pem("server.pem"), pem("server.key"), pem("ca.pem"));
    for options in [
        vec!["--listen", address.as_str()],
        vec!["--listen", &address, "--tls-cert", &cert, "--tls-key", &key],
        vec!["--listen", &address, "--client-ca", &ca],
    ] {
        let ran = world.tollgate(["serve"]).args(options).run().code(2);
        assert!(ran.stderr.contains("certificates"), "{ran}");
    }
    let options =
        ["--listen", &address, "--tls-cert", &cert, "--tls-key", &key, "--client-ca", &ca];
    let kernel = Kernel::start(&world, options);
    assert_eq!(kernel.address, format!("https://{address}"));
    let mut good = tls(&kernel, Some("kernel")).await.expect("our client is heard");
    let opened =
        within(good.open_session(OpenSessionRequest::default())).await.unwrap().into_inner();
    let session = Client { rpc: good, session: opened.session };
    let mut front = session.watch(false).await.unwrap();
    let arguments = touch("a.txt");
    let (called, ()) = tokio::join!(session.call("bash", &arguments), async {
        let id = front.question().await;
        assert!(session.decide(&id, Answer::Once, "").await.taken);
    });
    assert_eq!(called.unwrap().receipt["decision"], "approved");
    for identity in [None, Some("stranger")] {
        let heard = match tls(&kernel, identity).await {
            Err(_) => false,
            Ok(mut rpc) => within(rpc.open_session(OpenSessionRequest::default())).await.is_ok(),
        };
        assert!(!heard, "{identity:?} was heard");
    }
    let plain = Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await;
    if let Ok(plain) = plain {
        let mut rpc = KernelClient::new(plain);
        assert!(within(rpc.open_session(OpenSessionRequest::default())).await.is_err());
    }
}

/// A client over TLS, with a certificate or without.
async fn tls(
    kernel: &Kernel,
    identity: Option<&str>,
) -> Result<KernelClient<Channel>, tonic::transport::Error> {
    let read = |name: String| fs::read(pem(&name)).unwrap();
    let mut config = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(read("ca.pem".into())))
        .domain_name("server.tollgate.invalid");
    if let Some(name) = identity {
        let (cert, key) = (read(format!("{name}.pem")), read(format!("{name}.key")));
        config = config.identity(Identity::from_pem(cert, key));
    }
    let endpoint = Endpoint::from_shared(kernel.address.clone())?.tls_config(config)?;
    Ok(client(endpoint.connect().await?))
}
