//! [SHELL-05] A refusal of the sandbox is told as the sandbox's; and what is none is not.

use std::fs;

use serde_json::json;
use tollgate_proto::tool::v1::Withheld;
use tollgate_tests::World;

use super::hand::{Hand, approved, ordinary, texts, withholds};

/// [SHELL-05] B053 Each kind, and what helps.
#[test]
fn a_refusal_is_told_as_the_sandboxs() {
    let world = World::new();
    world.write("secret.txt", "s");
    world.write(".envrc", "s");
    fs::write(world.beside("f"), "x").unwrap();
    let mut hand = Hand::new(&world);
    let outside = world.folder().display().to_string();
    for (line, told) in [
        (
            "echo x > OUT/new",
            "[sandbox: write to OUT/new was refused: this command may change only OUT/ws and",
        ),
        ("touch OUT/new", "[sandbox: write to OUT/new was refused"),
        ("rm -f OUT/f", "[sandbox: write to OUT/f was refused"),
        ("cp .git/HEAD OUT/f", "[sandbox: write to OUT/f was refused"),
        ("python3 -c \"open('OUT/new', 'w')\"", "[sandbox: write to OUT/new was refused"),
        ("mkdir ../new", "[sandbox: write to OUT/new was refused"),
        ("cd .. && echo x > new", "[sandbox: write to OUT/new was refused"),
        ("touch /etc/new", "[sandbox: write to /etc/new was refused"),
        ("curl -sS -m 3 http://example.invalid", "[sandbox: this command had no network"),
        (
            "python3 -c \"import urllib.request as r; r.urlopen('http://example.invalid')\"",
            "[sandbox: this command had no network",
        ),
        ("git ls-remote https://example.invalid/x", "[sandbox: this command had no network"),
        ("curl -sS -m 3 http://192.0.2.1", "[sandbox: this command had no network"),
        (
            "python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80), 3)\"",
            "[sandbox: this command had no network",
        ),
        ("unshare -r true", "[sandbox: the system call behind \"unshare\" was refused"),
        ("mount -t tmpfs x .git", "[sandbox: the system call behind \"mount\" was refused"),
    ] {
        let told = told.replace("OUT", &outside);
        let done = hand.bash(&line.replace("OUT", &outside), ordinary);
        assert!(done.text.contains(&told), "{line}: {told}: {done:?}");
    }
    let done = hand.bash("cat secret.txt", withholds(&world, &["secret.txt"]));
    assert!(
        done.text.contains("reading ") && done.text.contains("a rule withholds it"),
        "{done:?}"
    );
    let held = |scope: &mut tollgate_proto::tool::v1::Scope| {
        scope.held = Some(Withheld { names: vec![".envrc".into()], globs: Vec::new() });
    };
    for line in ["echo x > .envrc", "rm -f .envrc", "mv .envrc y"] {
        let done = hand.bash(line, held);
        assert!(
            done.text.contains("[sandbox: changing ") && done.text.contains("protected"),
            "{line}: {done:?}"
        );
    }
}

/// [SHELL-05] B053 Words alone are not believed, nor are refusals that the sandbox has no part in.
#[test]
fn what_is_no_refusal_of_the_sandbox_is_not_told() {
    let world = World::new();
    world.write("locked/f", "x");
    let mut hand = Hand::new(&world);
    let outside = world.folder().display().to_string();
    for line in [
        "echo Permission denied",
        "echo sandbox: blocked by the sandbox",
        "echo 'tests/x.rs: Permission denied is what we test for'",
        "echo 'cannot open f: Permission denied'",
        "echo 'Read-only file system'",
        "cat missing",
        "ls /proc/1/fd/99999",
        "echo 'mount points and namespaces'",
        "false",
        "cat locked",
        "mkdir locked",
        "rmdir locked",
        "echo OUT/f was written",
        "./locked/f",
        "cat OUT/f",
    ] {
        let done = hand.bash(&line.replace("OUT", &outside), ordinary);
        assert!(!done.text.contains("[sandbox"), "{line}: {done:?}");
    }
}

/// [SHELL-05] [GATE-72] Who may ask for more is told how.
#[test]
fn who_may_ask_for_more_is_told_how() {
    let world = World::new();
    let outside = world.beside("new").display().to_string();
    let line = format!("echo x > {outside}");
    let asked = texts(&approved(&world, &[&line])).remove(0);
    assert!(asked.contains("call bash with sandbox \"off\" and a justification"), "{asked}");
    let call = world.call("bash", &json!({ "command": line })).args(["--posture", "full-access"]);
    let text = call.run().to_string();
    assert!(text.contains("[sandbox: write to ") && !text.contains("a justification"), "{text}");
}
