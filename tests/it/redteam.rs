//! What a reader who did not write the gate tried, and what must go on to fail: lines that bash reads
//! otherwise than the reader of lines, loops over `PATH`, and Tollgate told to change itself. A canary is
//! touched, or it is not.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
};

use serde_json::{Value, json};
use tollgate_tests::{World, events::content_text};

/// A workspace with a program that is allowed, and one of the same name that must never run.
fn world() -> World {
    let world = World::new();
    world.write("ok.sh", "echo ran\n");
    let evil = world.write("evil/cat", "#!/bin/sh\n/usr/bin/touch CANARY\n");
    fs::set_permissions(evil, Permissions::from_mode(0o755)).unwrap();
    world
}

/// Runs a line with `cat` allowed and nobody to ask.
fn refused(world: &World, line: &str) -> Value {
    let ran =
        world.call("bash", &json!({ "command": line })).args(["--allow", "bash(cat *)"]).run();
    assert!(!world.has("CANARY"), "{line:?} touched the canary");
    ran.code(3).json()
}

/// [GATE-22] SH-03, SH-04: a rule that allows one command allows no line in which another one hides: behind
/// what is a comment, a blank, a continued line or a here-document to one reader only.
#[test]
fn no_other_command_hides_behind_an_allowed_one() {
    let world = world();
    let allowed = world.call("bash", &json!({ "command": "cat ok.sh # a comment" }));
    let ran = allowed.args(["--allow", "bash(cat *)"]).run().success();
    assert!(content_text(&ran.json()["result"]).contains("echo ran"));
    for line in [
        "cat ok.sh \\ #; touch CANARY",
        "cat ok.sh \r#; touch CANARY",
        "cat ok.sh \u{b}# | touch CANARY",
        "cat ok.sh \\\r\ntouch CANARY",
        "cat ok.sh\n\\\ntouch CANARY",
        "cat <<E\n`touch CANARY`\nE",
        "cat <<E\n$\\\n(touch CANARY)\nE",
        "cat <<E; touch CANARY\n$x\nE\n",
        "cat <<E\n$x`touch CANARY`",
    ] {
        let class = refused(&world, line)["receipt"]["end"]["error_class"].clone();
        assert_eq!(class, "no_approver", "{line:?}");
    }
}

/// [GATE-22] SH-11, SH-15: a loop can change what an allowed name means, as an assignment can.
#[test]
fn a_loop_over_path_is_not_covered_by_a_rule() {
    let world = world();
    let evil = world.workspace().join("evil");
    for line in [
        format!("for PATH in {}; do cat ok.sh > out; done", evil.display()),
        format!("select PATH in {}; do cat ok.sh > out; done < ok.sh", evil.display()),
    ] {
        refused(&world, &line);
    }
}

/// A loop names files: what it reads is looked at as in any command.
#[test]
fn a_loop_does_not_read_credentials_unseen() {
    let world = world();
    world.write(".ssh/id_ed25519", "TOKEN-7f3a-CANARY-READ");
    let line = "for f in .ssh/id_ed25519; do cat $f; done";
    let printed = world.call("bash", &json!({ "command": line })).run().code(3).json();
    assert!(!printed.to_string().contains("TOKEN-7f3a"), "{printed}");
    assert_eq!(printed["receipt"]["end"]["error_class"], "no_approver");
}

/// [THR-05] CFG-08: no posture and no rule lets a shell have Tollgate change what it trusts and allows.
#[test]
fn a_shell_cannot_have_tollgate_trust_or_allow() {
    let world = world();
    for line in ["tollgate trust --yes", "env tollgate permissions add 'bash' --everywhere"] {
        for more in [["--posture", "full-access"], ["--allow", "bash"]] {
            let ran = world.call("bash", &json!({ "command": line })).args(more).run().code(3);
            let printed = ran.json();
            assert_eq!(printed["receipt"]["end"]["may_have_run"], false, "{line}: {printed}");
        }
    }
}

/// [THR-05] I7: nor does a link that is made in the same line lead to Tollgate's own files.
#[test]
fn a_link_made_in_the_line_does_not_lead_to_tollgates_own_files() {
    let world = world();
    let home = world.home();
    let line = format!("ln -s {} own && echo x > own/config/permissions.toml", home.display());
    let ran = world
        .call("bash", &json!({ "command": line }))
        .args(["--posture", "full-access"])
        .run()
        .code(3);
    assert_eq!(ran.json()["receipt"]["end"]["error_class"], "own_place");
    assert!(!world.has("own"));
}

/// [GATE-02] [GATE-51] Where the copy of receipts that the machine's owner wants cannot be written nothing
/// runs, and the call has its one receipt all the same.
#[test]
fn a_call_whose_receipt_cannot_be_copied_has_its_receipt_and_did_not_run() {
    let world = world();
    let folder = world.beside("not-there");
    let file = world.beside("managed.toml");
    fs::write(&file, format!("receipts = {folder:?}\n")).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let ran = world
        .call("bash", &json!({ "command": "touch CANARY" }))
        .args(["--posture", "full-access"])
        .env("TOLLGATE_MANAGED", &file)
        .run();
    assert!(ran.code != 0 && ran.stderr.contains("not-there"), "{ran}");
    assert!(!world.has("CANARY"));
    assert_eq!(world.receipts(None).sound(&world).words(), ["bash refused refused"]);
}
