//! [PROTO-06] A server executes only what a grant covers; a stolen connection executes nothing. Shown on
//! a running server, once in Rust and once in Python, by a kernel made by hand.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
};

use serde_json::{Value, json};
use tollgate_proto::{
    grant::{self, SigningKey},
    tool::v1::{
        GrantAlgorithm, GrantClaims, SignedGrant,
        completed::{Outcome, Rejection},
    },
};
use tollgate_tests::{
    Command, World, binary,
    peer::{self, Peer},
    python,
    server::ToolServer,
    world::text,
};

async fn peer(world: &World, server: &ToolServer) -> Peer {
    let channel = peer::unix(&server.socket).await.expect("the server lets its kernel in");
    Peer::attach(channel, server.credentials.clone(), &world.workspace()).await
}

/// Every claim that does not hold, and every signature that does not fit.
async fn check(peer: &mut Peer, tool: &str, arguments: &Value) {
    let missing = peer.start("c-none", tool, arguments, None).await;
    assert_eq!(missing.outcome(), Outcome::Rejected);
    assert_eq!(missing.rejection(), Rejection::GrantMissing);

    type Change = fn(&mut GrantClaims);
    let rows: [(&str, Rejection, Change); 11] = [
        ("server", Rejection::GrantAudience, |it| it.server = "shell".into()),
        ("instance", Rejection::GrantAudience, |it| it.instance = "another".into()),
        ("session", Rejection::GrantAudience, |it| it.session = "another".into()),
        ("call", Rejection::GrantAudience, |it| it.call_id = "another".into()),
        ("attempt", Rejection::GrantAudience, |it| it.attempt = 2),
        ("tool", Rejection::GrantAudience, |it| it.tool = "another".into()),
        ("expired", Rejection::GrantExpired, |it| it.expires_unix_ms = 1_700_000_000_000),
        ("for ever", Rejection::GrantInvalid, |it| it.expires_unix_ms = u64::MAX),
        ("schema", Rejection::SchemaChanged, |it| it.schema_sha256 = vec![1; 32].into()),
        ("bytes", Rejection::ArgumentsDigest, |it| it.arguments_sha256 = vec![1; 32].into()),
        ("nonce", Rejection::GrantInvalid, |it| it.nonce = vec![1; 4].into()),
    ];
    for (name, expected, change) in rows {
        let got =
            peer.rejection(&format!("c-{}", name.replace(' ', "-")), tool, arguments, change).await;
        assert_eq!(got, expected, "{name}");
    }
    let good = peer.sign(&peer.claims("c-sig", tool, arguments));
    let mut signature = good.signature.to_vec();
    signature[0] ^= 1;
    let mut claims = good.claims.to_vec();
    claims[10] ^= 1;
    let stolen = grant::sign(&peer.claims("c-sig", tool, arguments), &SigningKey::Hmac([1; 32]));
    let bad = [
        ("signature", SignedGrant { signature: signature.into(), ..good.clone() }),
        ("claims", SignedGrant { claims: claims.into(), ..good.clone() }),
        ("key", stolen),
        ("key id", SignedGrant { key_id: "another".into(), ..good.clone() }),
        (
            "algorithm",
            SignedGrant { algorithm: GrantAlgorithm::Unspecified.into(), ..good.clone() },
        ),
        ("empty", SignedGrant::default()),
    ];
    for (name, grant) in bad {
        let completed = peer.start("c-sig", tool, arguments, Some(grant)).await;
        assert_eq!(completed.rejection(), Rejection::GrantInvalid, "{name}");
    }
    let unknown = peer.start("c-unknown", "no_such_tool", arguments, Some(good.clone())).await;
    assert_eq!(unknown.rejection(), Rejection::UnknownTool);
    // All of it was refused, so that the good one is still unused; a second time it is not.
    let done = peer.start("c-sig", tool, arguments, Some(good.clone())).await;
    assert_eq!(done.outcome(), Outcome::Succeeded, "{done:?}");
    let replayed = peer.start("c-sig", tool, arguments, Some(good)).await;
    assert_eq!(replayed.rejection(), Rejection::GrantReplayed);
}

/// No file is made by any call that a grant does not cover.
#[tokio::test]
async fn a_rust_server_runs_nothing_without_its_grant() {
    let world = World::new();
    let server = ToolServer::by_line(&world, &binary("tollgate-file"), &[]);
    let mut peer = peer(&world, &server).await;
    let arguments = json!({ "path": "made.txt", "content": "x" });
    let missing = peer.start("c-0", "write", &arguments, None).await;
    assert_eq!(missing.rejection(), Rejection::GrantMissing);
    let other =
        peer.sign(&peer.claims("c-1", "write", &json!({ "path": "other.txt", "content": "x" })));
    let swapped = peer.start("c-1", "write", &arguments, Some(other)).await;
    assert_eq!(swapped.rejection(), Rejection::ArgumentsDigest);
    assert!(!world.has("made.txt") && !world.has("other.txt"));
    check(&mut peer, "write", &arguments).await;
    assert_eq!(world.read("made.txt"), "x");
}

/// [SDK-02] The Python server says the same of every case.
#[tokio::test]
async fn a_python_server_runs_nothing_without_its_grant() {
    let world = World::new();
    let script = text(&python::folder().join("echo_server.py"));
    let server = ToolServer::by_line(&world, &python::python(), &[&script]);
    let mut peer = peer(&world, &server).await;
    check(&mut peer, "pyecho", &json!({ "text": "hi" })).await;
}

/// [PROTO-08] A call id is used once: with the same bytes it gives the stored end, with others nothing.
#[tokio::test]
async fn a_call_id_is_used_once() {
    let world = World::new();
    let server = ToolServer::by_line(&world, &binary("tollgate-file"), &[]);
    let mut peer = peer(&world, &server).await;
    let arguments = json!({ "path": "made.txt", "content": "first" });
    let first = peer.granted("c-1", "write", &arguments).await;
    assert_eq!(first.outcome(), Outcome::Succeeded, "{first:?}");
    fs::write(world.workspace().join("made.txt"), "changed").unwrap();
    let again = peer.granted("c-1", "write", &arguments).await;
    assert_eq!(again, first, "the stored end");
    assert_eq!(world.read("made.txt"), "changed", "it did not run again");
    let other =
        peer.granted("c-1", "write", &json!({ "path": "made.txt", "content": "second" })).await;
    assert_eq!(other.rejection(), Rejection::DuplicateCall);
    assert_eq!(world.read("made.txt"), "changed");
}

/// A copy of the stranger where every user can run it, and the socket where every user can reach it.
fn open_up(world: &World, server: &ToolServer) -> Command {
    let program = world.folder().join("stranger");
    fs::copy(binary("tollgate-hostile"), &program).unwrap();
    for path in [&world.folder(), &program, &server.socket] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    Command::new(&program).args(["client", &text(&server.socket)])
}

/// Another user, which only root can become; without root that one case cannot be shown.
fn as_another_user(command: Command) -> Option<Command> {
    let is_root = nix::unistd::geteuid().is_root();
    let ids = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    is_root.then(|| command.under("setpriv", ids))
}

/// [PROTO-10] A server that a kernel started speaks to that process alone: not to another process of the
/// same user, and not to another user, even where the path is open to all.
#[tokio::test]
async fn a_kernels_server_speaks_to_its_kernel_alone() {
    let world = World::new();
    let server = ToolServer::by_line(&world, &binary("tollgate-file"), &[]);
    let same_user = open_up(&world, &server).run().code(5);
    assert!(same_user.text().starts_with("refused"), "{same_user}");
    if let Some(command) = as_another_user(open_up(&world, &server)) {
        assert!(command.run().code(5).text().starts_with("refused"));
    }
    let mut peer = peer(&world, &server).await;
    let done = peer.granted("c-1", "write", &json!({ "path": "made.txt", "content": "x" })).await;
    assert_eq!(done.outcome(), Outcome::Succeeded, "{done:?}");
}

/// [PROTO-11] A server of its own speaks to its user's processes, and runs nothing for them without a
/// grant; to another user it does not speak.
#[tokio::test]
async fn a_server_of_its_own_speaks_to_its_user() {
    let world = World::new();
    let server = ToolServer::alone_unix(&world, "tollgate-file");
    assert!(open_up(&world, &server).run().code(0).text().starts_with("answered"));
    if let Some(command) = as_another_user(open_up(&world, &server)) {
        assert!(command.run().code(5).text().starts_with("refused"));
    }
    let mut peer = peer(&world, &server).await;
    let arguments = json!({ "path": "made.txt", "content": "x" });
    let missing = peer.start("c-0", "write", &arguments, None).await;
    assert_eq!(missing.rejection(), Rejection::GrantMissing);
    let forged =
        grant::sign(&peer.claims("c-1", "write", &arguments), &SigningKey::ed25519(&[9; 32]));
    let forged = peer.start("c-1", "write", &arguments, Some(forged)).await;
    assert_eq!(forged.rejection(), Rejection::GrantInvalid);
    assert!(!world.has("made.txt"));
    let done = peer.granted("c-2", "write", &arguments).await;
    assert_eq!(done.outcome(), Outcome::Succeeded, "{done:?}");
}

/// [PROTO-10] The kernel's own sockets: private, and gone once the connection is up.
#[test]
fn no_socket_is_left_for_strangers() {
    let world = World::new();
    let arguments =
        json!({ "command": "touch running; while [ ! -e go ]; do read -t 0.05 < <(:) || :; done" });
    let call = world
        .tollgate(["call", "bash", &arguments.to_string(), "--posture", "full-access"])
        .spawn();
    tollgate_tests::eventually::eventually_true("the command runs", || world.has("running"));
    let mut sockets = Vec::new();
    let mut folders = vec![world.home().join("run")];
    while let Some(folder) = folders.pop() {
        assert_eq!(
            fs::metadata(&folder).unwrap().permissions().mode() & 0o077,
            0,
            "{}",
            folder.display()
        );
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if std::os::unix::fs::FileTypeExt::is_socket(&kind) => {
                    sockets.push(entry.path());
                }
                _ => {}
            }
        }
    }
    assert!(sockets.is_empty(), "{sockets:?}");
    world.write("go", "");
    call.finish().success();
    let left: Vec<_> = fs::read_dir(world.home().join("run")).unwrap().collect();
    assert!(left.is_empty(), "the kernel's folder is left: {left:?}");
}

/// A state folder of another user is not used.
#[test]
fn a_state_folder_of_another_user_is_refused() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let world = World::new();
    let state = world.home().join("state");
    fs::create_dir(&state).unwrap();
    chown(&state, Some(65534), Some(65534)).unwrap();
    let ran = world.call("read", &json!({ "path": "a" })).run();
    assert_ne!(ran.code, 0, "{ran}");
    assert!(ran.stderr.contains("belongs to user 65534"), "{ran}");
}
