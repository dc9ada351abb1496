//! A tool server without a kernel: started by the bootstrap line, as a kernel does, or alone.

use std::{
    fs,
    net::SocketAddr,
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tollgate_proto::grant::{SigningKey, VerifyingKey};

use crate::{
    binaries::{binary, workspace_root},
    eventually::eventually_true,
    peer::Credentials,
    run::{Command, Running},
    world::{World, text},
};

/// The name under which the test's kernel knows the server.
pub const NAME: &str = "files";
/// The secret of the test's kernel.
const SECRET: [u8; 32] = [0x5a; 32];
/// The id of its key.
const KEY_ID: &str = "test-key";

/// A running server.
#[derive(Debug)]
pub struct ToolServer {
    /// Its process.
    pub process: Running,
    /// Where it listens, if at a path.
    pub socket: PathBuf,
    /// How to speak to it.
    pub credentials: Credentials,
}

/// `SECRET` as hex digits.
fn secret_hex() -> String {
    SECRET.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn credentials(key: fn() -> SigningKey) -> Credentials {
    Credentials { key, key_id: KEY_ID.into(), server: NAME.into() }
}

fn hmac() -> SigningKey {
    SigningKey::Hmac(SECRET)
}

fn ed25519() -> SigningKey {
    SigningKey::ed25519(&SECRET)
}

impl ToolServer {
    /// A server that this process has started by the bootstrap line, listening at a path.
    #[must_use]
    pub fn by_line(world: &World, program: &Path, arguments: &[&str]) -> Self {
        Self::of_command(world, Command::new(program).args(arguments), &json!({}))
    }

    /// The same of a command with an environment of its own; `more` are further fields of the line.
    #[must_use]
    pub fn of_command(world: &World, command: Command, more: &Value) -> Self {
        let socket = world.beside("s.sock");
        let mut line = json!({
            "version": 1,
            "endpoint": { "path": socket },
            "server": NAME,
            "grant_key": { "id": KEY_ID, "hmac_sha256": secret_hex() },
            "session": "0198-test",
            "kernel_pid": std::process::id(),
            "roots": [world.workspace()],
            "log": "info",
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            line[name] = value.clone();
        }
        let command = command.in_folder(&world.workspace());
        let process = command.stdin(format!("{line}\n")).stdin_open().spawn();
        wait_for(&socket);
        Self { process, socket, credentials: credentials(hmac) }
    }

    /// A server of its own, at a Unix socket.
    #[must_use]
    pub fn alone_unix(world: &World, program: &str) -> Self {
        let socket = world.beside("s.sock");
        let process = alone(world, program, &format!("unix:{}", socket.display()), &[]).spawn();
        wait_for(&socket);
        Self { process, socket, credentials: credentials(ed25519) }
    }

    /// A server of its own at a TCP address, with the test's certificates.
    #[must_use]
    pub fn alone_tls(world: &World, program: &str, address: SocketAddr) -> Self {
        let tls = [
            "--tls-cert",
            &pem("server.pem"),
            "--tls-key",
            &pem("server.key"),
            "--client-ca",
            &pem("ca.pem"),
        ];
        let process = alone(world, program, &address.to_string(), &tls).spawn();
        wait_for_port(address);
        Self { process, socket: PathBuf::new(), credentials: credentials(ed25519) }
    }
}

/// The command of a server of its own; `more` are further options.
#[must_use]
pub fn alone(world: &World, program: &str, listen: &str, more: &[&str]) -> Command {
    let keys = world.beside("grant-keys");
    fs::write(&keys, format!("# kernels\n{KEY_ID} ed25519 {}\n", public_hex()))
        .expect("keys can be written");
    Command::new(&binary(program))
        .in_folder(&world.folder())
        .args(["--listen", listen, "--name", NAME, "--grant-keys", &text(&keys)])
        .args(["--workspace", &text(&world.workspace())])
        .args(more)
}

/// The lines of `[servers.files]` that reach a server of its own.
#[must_use]
pub fn remote_config(world: &World, endpoint: &str, with_tls: bool) -> String {
    let key = world.beside("grant.key");
    fs::write(&key, secret_hex()).expect("a key can be written");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("its mode can be set");
    let tls = format!(
        "tls = {{ ca = {:?}, cert = {:?}, key = {:?}, name = \"server.tollgate.invalid\" }}\n",
        pem("ca.pem"),
        pem("kernel.pem"),
        pem("kernel.key")
    );
    format!(
        "[servers.file]\nenabled = false\n[servers.{NAME}]\nendpoint = {endpoint:?}\ntrust = \"trusted\"\n\
         grant_key_file = {key:?}\ngrant_key_id = {KEY_ID:?}\nroots = [{:?}]\n{}",
        world.workspace(),
        if with_tls { tls } else { String::new() }
    )
}

/// A file of the test's authority.
#[must_use]
pub fn pem(name: &str) -> String {
    text(&workspace_root().join("tests/it/tls").join(name))
}

/// An address on which nothing else listens: loopback is a whole network, and the port is a free one.
#[must_use]
pub fn free_address() -> SocketAddr {
    let [_, _, high, low] = std::process::id().to_be_bytes();
    let listener =
        std::net::TcpListener::bind((std::net::Ipv4Addr::new(127, 1, high, low.max(1)), 0));
    listener.and_then(|listener| listener.local_addr()).expect("loopback has a free port")
}

/// The public half of the test's kernel.
fn public_hex() -> String {
    let VerifyingKey::Ed25519(key) = ed25519().verifying() else { return String::new() };
    key.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn wait_for(socket: &Path) {
    eventually_true("the server listens at its path", || UnixStream::connect(socket).is_ok());
}

/// Waits until somebody listens at an address.
pub fn wait_for_port(address: SocketAddr) {
    eventually_true("the server listens at its address", || {
        std::net::TcpStream::connect(address).is_ok()
    });
}
