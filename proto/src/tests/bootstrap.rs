//! Goal: the bootstrap line is read as it is written, by newer and older peers, and tells no secret.

use serde_json::json;

use crate::bootstrap::{Bootstrap, Endpoint, GrantKey, LINE_BYTES_MAX, VERSION};

const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn bootstrap() -> Bootstrap {
    Bootstrap {
        version: VERSION,
        endpoint: Endpoint::Fd(3),
        server: "file".into(),
        grant_key: GrantKey { id: "key-1".into(), hmac_sha256: SECRET.into() },
        session: "0197-session".into(),
        kernel_pid: 4242,
        roots: vec!["/srv/repo".into(), "/srv/ü".into()],
        state: Some("/home/u/.local/state/tollgate/servers/file".into()),
        settings: json!({ "read_bytes_max": 1_000_000 }),
        log: "info".into(),
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into(),
    }
}

/// [PROTO-10]
#[test]
fn the_line_is_read_as_it_was_written() {
    let line = serde_json::to_string(&bootstrap()).unwrap();
    assert!(!line.contains('\n') && line.len() < LINE_BYTES_MAX);
    let read: Bootstrap = serde_json::from_str(&line).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), line);
}

/// The keys and their shapes are the contract with servers in other languages.
#[test]
fn the_line_has_these_keys() {
    let written = serde_json::to_value(bootstrap()).unwrap();
    let expected = json!({
        "version": 1,
        "endpoint": { "fd": 3 },
        "server": "file",
        "grant_key": { "id": "key-1", "hmac_sha256": SECRET },
        "session": "0197-session",
        "kernel_pid": 4242,
        "roots": ["/srv/repo", "/srv/ü"],
        "state": "/home/u/.local/state/tollgate/servers/file",
        "settings": { "read_bytes_max": 1_000_000 },
        "log": "info",
        "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    });
    assert_eq!(written, expected);
    let path = serde_json::to_value(Endpoint::Path("/run/t/s.sock".into())).unwrap();
    assert_eq!(path, json!({ "path": "/run/t/s.sock" }));
}

#[test]
fn a_newer_kernels_key_is_ignored_and_optional_keys_may_be_absent() {
    let mut line = serde_json::to_value(bootstrap()).unwrap();
    let object = line.as_object_mut().unwrap();
    object.insert("new".into(), json!([1, 2]));
    for optional in ["state", "settings", "log", "traceparent"] {
        object.remove(optional);
    }
    let read: Bootstrap = serde_json::from_value(line).unwrap();
    assert!(
        read.state.is_none()
            && read.settings.is_null()
            && read.log.is_empty()
            && read.traceparent.is_empty()
    );
}

#[test]
fn debug_shows_the_keys_id_and_never_the_key() {
    let shown = format!("{:?} {:#?}", bootstrap(), bootstrap().grant_key);
    assert!(shown.contains("key-1") && !shown.contains("0011"), "{shown}");
}
