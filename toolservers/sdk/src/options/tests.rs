//! Goal: a server starts as it was told to, or says what is wrong and what helps; never less safely
//! than it was asked to.

use std::path::{Path, PathBuf};

use clap::Parser;
use serde_json::json;
use tollgate_proto::grant::VerifyingKey;

use super::{Listen, Options, alone, grant_keys, hex_32, parse_bootstrap};
use crate::ServeError;

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";

/// A folder with a key file, and the options of a command line that may name it as KEYS.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("keys"), format!("k1 hmac-sha256 {KEY}\n")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn alone(&self, line: &str) -> Result<super::Alone, String> {
        let folder = self.folder.path().to_str().unwrap();
        let words = line.split_whitespace().map(|word| word.replace("HERE", folder));
        let options = Options::try_parse_from(["server".to_owned()].into_iter().chain(words))
            .map_err(|error| error.to_string())?;
        let listen = options.listen.clone().unwrap();
        alone(options, &listen).map_err(|error| error.to_string())
    }
}

#[track_caller]
fn refused(line: &str, expected: &str) {
    let error = World::new().alone(line).err().expect("the line is taken");
    assert!(error.contains(expected), "{error}");
}

/// [PROTO-11]
#[test]
fn a_server_alone_listens_where_it_is_told() {
    let world = World::new();
    let unix = world.alone("--listen unix:HERE/s --grant-keys HERE/keys").unwrap();
    assert!(matches!(unix.listen, Listen::Unix(path) if path == world.path("s")));
    assert!(unix.keys.contains_key("k1") && unix.settings.is_null());

    let line = "--listen [::1]:0 --insecure-loopback --grant-keys HERE/keys";
    assert!(matches!(world.alone(line).unwrap().listen, Listen::Tcp(_)));
    let tls = "--listen 0.0.0.0:7443 --tls-cert HERE/c --tls-key HERE/k --grant-keys HERE/keys";
    assert!(matches!(world.alone(tls).unwrap().listen, Listen::Tcp(_)));
}

#[test]
fn plain_tcp_is_for_loopback_and_asked_for() {
    let keys = "--grant-keys HERE/keys";
    refused(&format!("--listen 127.0.0.1:0 {keys}"), "--insecure-loopback");
    refused(&format!("--listen 0.0.0.0:0 --insecure-loopback {keys}"), "without --tls-cert");
}

#[test]
fn a_wrong_line_says_what_is_wrong() {
    refused("--listen unix:HERE/s", "--grant-keys");
    refused("--listen here --grant-keys HERE/keys", "neither HOST:PORT");
    refused("--listen unix:HERE/s --grant-keys HERE/none", "cannot read");
    refused("--listen unix:HERE/s --grant-keys HERE/keys --tls-cert HERE/c", "--tls-key");
    refused("--listen unix:HERE/s --grant-keys HERE/keys --client-ca HERE/c", "--tls-cert");
    refused("--listen unix:HERE/s --grant-keys HERE/keys --workspace HERE/none", "workspace");
    refused("--listen unix:HERE/s --grant-keys HERE/keys --settings HERE/keys", "keys: ");
}

/// Calls compare paths below it: it must be absolute and without symbolic links.
#[test]
fn a_workspace_is_made_absolute() {
    let world = World::new();
    std::fs::create_dir(world.path("w")).unwrap();
    std::os::unix::fs::symlink(world.path("w"), world.path("link")).unwrap();
    let line = "--listen unix:HERE/s --grant-keys HERE/keys --workspace HERE/link --workspace .";
    let workspaces = world.alone(line).unwrap().options.workspaces;
    assert_eq!(workspaces[0], world.path("w").canonicalize().unwrap());
    assert!(workspaces[1].is_absolute());
}

#[test]
fn settings_are_read_from_a_file() {
    let world = World::new();
    std::fs::write(world.path("s.json"), r#"{"depth": 3}"#).unwrap();
    let line = "--listen unix:HERE/s --grant-keys HERE/keys --settings HERE/s.json";
    assert_eq!(world.alone(line).unwrap().settings, json!({ "depth": 3 }));
}

#[track_caller]
fn key_file(text: &str, expected: Result<&[&str], &str>) {
    let read = grant_keys(text, Path::new("keys")).map(|keys| {
        let mut ids: Vec<_> = keys.into_keys().collect();
        ids.sort();
        ids
    });
    match (read, expected) {
        (Ok(ids), Ok(expected)) => assert_eq!(ids, expected),
        (Err(error), Err(expected)) => {
            let error = error.to_string();
            assert!(error.contains(expected) && !error.contains("0011"), "{error}");
        }
        (read, expected) => panic!("{read:?}, not {expected:?}"),
    }
}

#[test]
fn a_key_file_is_lines_of_id_algorithm_and_key() {
    // The public key of RFC 8032's first test.
    let point = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    key_file(&format!("# kernels\n\n a hmac-sha256 {KEY} \nb ed25519 {point}"), Ok(&["a", "b"]));
    key_file("", Err("keys: no key in it"));
    key_file(&format!("a hmac-sha256 {KEY}\nb hmac-sha512 {KEY}"), Err("keys:2: not"));
    key_file(&format!("a hmac-sha256 {KEY} more"), Err("keys:1: not"));
    key_file(&format!("a hmac-sha256 {}", &KEY.replace("00", "")), Err("keys:1: not"));
    key_file("a hmac-sha256", Err("keys:1: not"));
    // No point of the curve, and one of so small an order that anybody can sign for it.
    key_file(&format!("a ed25519 02{}", "0".repeat(62)), Err("keys:1: not"));
    key_file(&format!("a ed25519 01{}", "0".repeat(62)), Err("keys:1: not"));
    key_file(&format!("a hmac-sha256 {KEY}\na hmac-sha256 {KEY}"), Err("keys:2: a second key"));
}

#[test]
fn hex_is_64_digits_and_nothing_else() {
    assert_eq!(hex_32(KEY).unwrap()[..4], [0, 0x11, 0x22, 0x33]);
    for wrong in ["", "+f".repeat(32).as_str(), "g0".repeat(32).as_str(), "ü".repeat(32).as_str()]
    {
        assert_eq!(hex_32(wrong), None, "{wrong}");
    }
    assert!(matches!(VerifyingKey::Hmac(hex_32(KEY).unwrap()), VerifyingKey::Hmac(_)));
}

fn line() -> serde_json::Value {
    json!({
        "version": 1,
        "endpoint": { "fd": 3 },
        "server": "file",
        "grant_key": { "id": "k1", "hmac_sha256": KEY },
        "session": "session-1",
        "kernel_pid": 1,
        "roots": ["/srv/repo"],
    })
}

#[track_caller]
fn bootstrap(change: impl FnOnce(&mut serde_json::Value), expected: &str) {
    let mut line = line();
    change(&mut line);
    let error = parse_bootstrap(&format!("{line}\n")).unwrap_err();
    let ServeError::Usage(text) = error else { panic!("{error:?}") };
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("0011"), "the key is in the message: {text}");
}

/// [PROTO-10]
#[test]
fn the_bootstrap_line_is_read() {
    let boot = parse_bootstrap(&format!("{}\n", line())).unwrap();
    assert_eq!((boot.server.as_str(), boot.roots), ("file", vec![PathBuf::from("/srv/repo")]));
}

#[test]
fn a_wrong_bootstrap_line_says_what_is_wrong_and_tells_no_key() {
    bootstrap(|line| line["version"] = json!(2), "version 2, this server reads version 1");
    bootstrap(|line| drop(line.as_object_mut().unwrap().remove("session")), "`session`");
    bootstrap(|line| line["kernel_pid"] = json!("one"), "kernel_pid");
    bootstrap(|line| line["grant_key"] = json!(KEY), "grant_key is wrong");
    bootstrap(|line| line["grant_key"]["id"] = json!([KEY]), "grant_key.id is wrong");
    let cut = parse_bootstrap(&line().to_string()).unwrap_err().to_string();
    assert!(cut.contains("does not end"), "{cut}");
    let two = parse_bootstrap(&format!("{} {}\n", line(), line())).unwrap_err().to_string();
    assert!(two.contains("trailing"), "{two}");
}

/// [CAT-40]: a manifest needs settings and nothing else; what it cannot use is not taken silently.
#[test]
fn a_manifest_is_asked_for_alone_or_with_settings() {
    let parse = |line: &str| {
        let words = std::iter::once("server").chain(line.split_whitespace());
        Options::try_parse_from(words).map_err(|error| error.to_string())
    };
    assert!(parse("--manifest --settings s.json").unwrap().manifest);
    assert!(!parse("").unwrap().manifest);
    for other in [
        "--listen unix:s --grant-keys k",
        "--grant-keys k",
        "--workspace .",
        "--name file",
        "--tls-cert c --tls-key k",
        "--tls-cert c --tls-key k --client-ca a",
        "--reflection",
        "--insecure-loopback",
    ] {
        let error = parse(&format!("--manifest {other}")).expect_err(other);
        assert!(error.contains("cannot be used with"), "{error}");
    }
}

/// [CAT-40]
#[test]
fn a_manifests_settings_are_those_of_the_file() {
    let world = World::new();
    let file = world.path("s.json");
    let read = || {
        let words = ["server", "--manifest", "--settings", file.to_str().unwrap()];
        let settings = super::settings(&Options::try_parse_from(words).unwrap());
        settings.map_err(|error| error.to_string())
    };
    assert!(read().unwrap_err().contains("cannot read"));
    std::fs::write(&file, r#"{"depth": 3}"#).unwrap();
    assert_eq!(read().unwrap(), json!({ "depth": 3 }));
    std::fs::write(&file, "depth = 3").unwrap();
    assert!(read().unwrap_err().contains("s.json: "));
    let none = Options::try_parse_from(["server", "--manifest"]).unwrap();
    assert!(super::settings(&none).unwrap().is_null());
}

#[test]
fn the_command_line_is_consistent() {
    use clap::CommandFactory;
    Options::command().debug_assert();
}
