//! [PROTO-11] [ARCH-03] The same binaries as servers of their own: TCP with TLS, Unix sockets, and a
//! kernel that reaches them by configuration alone.

use nix::sys::signal::Signal;
use serde_json::json;
use tollgate_tests::{
    Command, World, binary,
    events::content_text,
    server::{ToolServer, alone, free_address, pem, remote_config, wait_for_port},
    world::text,
};

/// Read, write and refusal over TLS; the receipt names the host.
#[test]
fn a_kernel_reaches_a_server_over_tls() {
    let world = World::new();
    world.write("a.txt", "far away\n");
    let address = free_address();
    let server = ToolServer::alone_tls(&world, "tollgate-file", address);
    let endpoint = format!("https://{address}");
    let settings = remote_config(&world, &endpoint, true);
    let world = world.config(&settings);
    let printed = world.call("read", &json!({ "path": "a.txt" })).run().success().json();
    assert_eq!(content_text(&printed["result"]), "far away\n");
    assert_eq!(printed["receipt"]["host"], endpoint.as_str());
    let write = json!({ "path": "b.txt", "content": "x" });
    world.call("write", &write).run().code(3);
    assert!(!world.has("b.txt"), "the gate decides here, not there");
    world.call("write", &write).args(["--posture", "full-access"]).run().success();
    assert_eq!(world.read("b.txt"), "x");
    world.receipts(None).sound(&world);
    // The manifest is known now: nothing is dialled to list it.
    drop(server);
    let listed = world.tollgate(["tools", "list"]).run().success();
    assert!(listed.text().contains("read"), "{listed}");
    let gone = world.call("read", &json!({ "path": "a.txt" })).run().code(4);
    assert!(content_text(&gone.json()["result"]).contains("not available"), "{gone}");
}

/// Neither side takes a certificate of another authority.
#[test]
fn strangers_are_refused_on_both_sides() {
    let world = World::new();
    let address = free_address();
    let _server = ToolServer::alone_tls(&world, "tollgate-file", address);
    let settings = remote_config(&world, &format!("https://{address}"), true);
    for (good, bad) in [("kernel", "stranger"), ("ca.pem", "stranger-ca.pem")] {
        let other = World::new().config(&settings.replace(&pem(good), &pem(bad)));
        let ran = other.tollgate(["servers", "describe", "files"]).run().code(4);
        assert!(ran.stderr.contains("files"), "{ran}");
    }
    let other = World::new().config(&settings.replace("server.tollgate.invalid", "other.invalid"));
    other.tollgate(["servers", "describe", "files"]).run().code(4);
    let fine = World::new().config(&settings);
    fine.tollgate(["servers", "describe", "files"]).run().success();
}

/// A kernel whose key the server does not know: connected, and nothing runs.
#[test]
fn a_kernel_with_another_key_runs_nothing() {
    let world = World::new();
    let address = free_address();
    let _server = ToolServer::alone_tls(&world, "tollgate-file", address);
    let settings = remote_config(&world, &format!("https://{address}"), true);
    std::fs::write(world.beside("grant.key"), "11".repeat(32)).unwrap();
    let world = world.config(&settings);
    let write = json!({ "path": "b.txt", "content": "x" });
    let ran = world.call("write", &write).args(["--posture", "full-access"]).run().code(1);
    assert_eq!(ran.json()["receipt"]["end"]["error_class"], "grant_invalid", "{ran}");
    assert!(!world.has("b.txt"));
}

/// Plain TCP is refused by both sides, but for loopback and on demand.
#[test]
fn plaintext_is_refused() {
    let world = World::new();
    let address = free_address();
    let refused = alone(&world, "tollgate-file", &address.to_string(), &[]).run();
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("--tls-cert") && refused.stderr.contains("--insecure-loopback"),
        "{refused}"
    );
    let open = alone(&world, "tollgate-file", "0.0.0.0:0", &["--insecure-loopback"]).run();
    assert_ne!(open.code, 0, "{open}");
    let _server =
        alone(&world, "tollgate-file", &address.to_string(), &["--insecure-loopback"]).spawn();
    wait_for_port(address);
    world.write("a.txt", "near\n");
    let settings = remote_config(&world, &format!("http://{address}"), false);
    let far = World::new().config(&settings.replace(&address.to_string(), "192.0.2.1:7443"));
    let ran = far.tollgate(["servers", "describe", "files"]).run();
    assert!([2, 4].contains(&ran.code) && ran.stderr.contains("loopback"), "{ran}");
    let world = world.config(&settings);
    let printed = world.call("read", &json!({ "path": "a.txt" })).run().success().json();
    assert_eq!(content_text(&printed["result"]), "near\n");
}

/// What is missing on the command line or on standard input is told.
#[test]
fn a_server_that_is_started_wrongly_says_what_is_missing() {
    let world = World::new();
    let file = binary("tollgate-file");
    let run = |arguments: &[&str], stdin: &str| {
        Command::new(&file).args(arguments).in_folder(&world.workspace()).stdin(stdin).run()
    };
    let line = |version: u32| {
        format!(
            "{{\"version\":{version},\"endpoint\":{{\"fd\":3}},\"server\":\"x\",\"grant_key\":{{\"id\":\"k\",\"hmac_sha256\":\"zz\"}},\"session\":\"s\",\"kernel_pid\":1,\"roots\":[]}}\n"
        )
    };
    for (ran, part) in [
        (run(&["--listen", "127.0.0.1:0"], ""), "grant-keys"),
        (run(&["--lsiten", "127.0.0.1:0"], ""), "--listen"),
        (run(&["--listen", "127.0.0.1:0", "--grant-keys", "/nowhere"], ""), "--tls-cert"),
        (run(&["--listen", "unix:/x", "--grant-keys", "/nowhere"], ""), "/nowhere"),
        (run(&[], ""), "bootstrap line"),
        (run(&[], "hello\n"), "bootstrap line"),
        (run(&[], &line(2)), "version 2"),
        (run(&[], &line(1)), "grant key"),
    ] {
        assert_ne!(ran.code, 0, "{ran}");
        assert!(ran.stderr.contains(part), "no {part:?} in {ran}");
        assert!(!ran.stderr.contains("panicked"), "{ran}");
    }
    let keys = world.beside("keys");
    std::fs::write(&keys, "# none\n\nkernel ed25519 xyz\n").unwrap();
    let ran = run(&["--listen", "unix:/x", "--grant-keys", &text(&keys)], "");
    assert!(ran.code != 0 && ran.stderr.contains(":3:"), "the line is told: {ran}");
    for program in ["tollgate-file", "tollgate-shell", "tollgate-model", "tollgate-example"] {
        let help = Command::new(&binary(program)).args(["--help"]).run().success();
        assert!(help.text().contains("--grant-keys"), "{help}");
    }
}

/// SIGTERM drains and ends it well; so does the end of standard input for a kernel's server.
#[test]
fn a_server_ends_when_it_is_told() {
    let world = World::new();
    let server = ToolServer::alone_unix(&world, "tollgate-file");
    server.process.signal(Signal::SIGTERM);
    server.process.finish().success();
    let world = World::new();
    let mut server = ToolServer::by_line(&world, &binary("tollgate-file"), &[]);
    server.process.close_stdin();
    server.process.finish().success();
}

/// A remote server that goes away and comes back: the call is told, the next kernel goes on.
#[test]
fn a_remote_server_may_come_back() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let address = free_address();
    let server = ToolServer::alone_tls(&world, "tollgate-file", address);
    let settings = remote_config(&world, &format!("https://{address}"), true);
    let world = world.config(&settings);
    let read = json!({ "path": "a.txt" });
    let first = world.call("read", &read).run().success().json();
    server.process.kill();
    assert_eq!(server.process.finish().code, 128 + 9);
    world.call("read", &read).run().code(4);
    let _server = ToolServer::alone_tls(&world, "tollgate-file", address);
    let second = world.call("read", &read).run().success().json();
    assert_ne!(first["receipt"]["instance"], second["receipt"]["instance"]);
}
