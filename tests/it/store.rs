//! [STORE-01] [STORE-03] [STORE-04] Disks that are full or read-only, two kernels, long paths, torn and
//! changed logs: a clear error, and nothing corrupted.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::{Path, PathBuf},
};

use serde_json::json;
use tollgate_tests::{
    Command, Ran, Script, World, binary, eventually::eventually_true, world::text,
};

/// Runs a shell line in a mount namespace of its own, where `$STATE` is the state folder and `$TOLLGATE`
/// the program.
fn in_own_mounts(world: &World, line: &str) -> Ran {
    let is_root = nix::unistd::geteuid().is_root();
    let user: &[&str] = if is_root { &[] } else { &["--user", "--map-root-user"] };
    fs::create_dir_all(world.home().join("state")).unwrap();
    fs::set_permissions(world.home().join("state"), fs::Permissions::from_mode(0o700)).unwrap();
    Command::new(Path::new("/bin/sh"))
        .args(["-c", line])
        .in_folder(&world.workspace())
        .env("TOLLGATE_HOME", world.home())
        .env("HOME", world.folder())
        .env("STATE", world.home().join("state"))
        .env("TOLLGATE", binary("tollgate"))
        .under("unshare", ["--mount"].iter().chain(user).copied())
        .run()
}

/// [STORE-04] A file system that is read-only.
#[test]
fn a_read_only_file_system_is_told() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let ran = in_own_mounts(
        &world,
        "mount --bind \"$STATE\" \"$STATE\" && mount -o remount,ro,bind \"$STATE\" && \
         exec \"$TOLLGATE\" call read '{\"path\":\"a.txt\"}'",
    );
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.stderr.contains("Read-only file system") && ran.stderr.contains("state"), "{ran}");
    assert!(ran.stdout.is_empty(), "{ran}");
    world.call("read", &json!({ "path": "a.txt" })).run().success();
    world.is_quiet();
}

/// [STORE-04] A state folder that this user may not write, as an unprivileged user.
#[test]
fn a_state_folder_without_permission_is_told() {
    let world = World::new();
    world.write("a.txt", "x\n");
    world.call("read", &json!({ "path": "a.txt" })).run().success();
    let bin = world.beside("bin");
    fs::create_dir(&bin).unwrap();
    for program in
        ["tollgate", "tollgate-file", "tollgate-shell", "tollgate-code", "tollgate-model"]
    {
        fs::hard_link(binary(program), bin.join(program))
            .or_else(|_| fs::copy(binary(program), bin.join(program)).map(drop))
            .unwrap();
    }
    let is_root = nix::unistd::geteuid().is_root();
    let mut folders = vec![world.folder()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
            if is_root && !entry.path().starts_with(&bin) {
                chown(entry.path(), Some(65534), Some(65534)).unwrap();
            }
        }
        if is_root {
            chown(&folder, Some(65534), Some(65534)).unwrap();
        }
    }
    for name in ["sessions", "receipts"] {
        fs::set_permissions(world.state(name), fs::Permissions::from_mode(0o500)).unwrap();
        let mut command = Command::new(&bin.join("tollgate"))
            .in_folder(&world.workspace())
            .env("TOLLGATE_HOME", world.home())
            .env("HOME", world.folder())
            .args(["call", "read", "{\"path\":\"a.txt\"}"]);
        if is_root {
            command =
                command.under("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"]);
        }
        let ran = command.run();
        // A folder of one's own is made writable again; one that cannot be is told.
        let told = ran.stderr.contains("Permission denied") && ran.stderr.contains(name);
        assert!(ran.code == 0 || told, "{name}: {ran}");
        fs::set_permissions(world.state(name), fs::Permissions::from_mode(0o700)).unwrap();
    }
}

/// [STORE-04] A disk that is full: told, nothing corrupted, and well again when there is room.
#[test]
fn a_full_disk_is_told() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let ran = in_own_mounts(
        &world,
        r#"mount -t tmpfs -o size=512k,mode=700 tmpfs "$STATE" || exit 99
           call() { "$TOLLGATE" call read '{"path":"a.txt"}' >/dev/null; }
           call; echo "before: $?"
           head -c 512k /dev/zero >"$STATE/filler" 2>/dev/null
           call; echo "full: $?"
           "$TOLLGATE" receipts verify >/dev/null; echo "verified: $?"
           rm "$STATE/filler"
           call; echo "after: $?"
           "$TOLLGATE" receipts verify >/dev/null; echo "verified again: $?"
           "$TOLLGATE" sessions list --json >/dev/null; echo "listed: $?""#,
    );
    assert_ne!(ran.code, 99, "no small file system can be mounted here: {ran}");
    let said = ran.text();
    for line in
        ["before: 0", "full: 1", "verified: 0", "after: 0", "verified again: 0", "listed: 0"]
    {
        assert!(said.contains(line), "no {line:?} in {ran}");
    }
    assert!(ran.stderr.contains("No space left on device"), "{ran}");
    assert!(!ran.stderr.contains("panicked"), "{ran}");
}

/// [STORE-04] A disk that fills up in the middle of a turn: no call runs that cannot be written down.
#[test]
fn a_disk_that_fills_up_stops_the_turn() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let mut script = Script::new();
    for number in 0..200 {
        script = script.call("bash", json!({ "command": format!("echo {number} >> ran.txt; head -c 20000 /dev/zero | tr '\\0' y") }));
    }
    let model = world.script(&script.text("done"));
    let ran = in_own_mounts(
        &world,
        &format!(
            r#"mount -t tmpfs -o size=400k,mode=700 tmpfs "$STATE" || exit 99
               "$TOLLGATE" exec --model "{model}" --posture full-access go; echo "turn: $?"
               "$TOLLGATE" receipts list --json --limit 0 >receipts.json; echo "listed: $?"
               "$TOLLGATE" receipts verify >/dev/null; echo "verified: $?""#
        ),
    );
    assert_ne!(ran.code, 99, "no small file system can be mounted here: {ran}");
    let said = ran.text();
    assert!(
        said.contains("turn: 1") && said.contains("listed: 0") && said.contains("verified: 0"),
        "{ran}"
    );
    assert!(ran.stderr.contains("No space left on device"), "{ran}");
    let ran_lines = world.read("ran.txt").lines().count();
    let receipts: serde_json::Value = serde_json::from_str(&world.read("receipts.json")).unwrap();
    assert!(
        receipts.as_array().unwrap().len() >= ran_lines,
        "a command ran without its record: {receipts}"
    );
}

/// [STORE-04] Another kernel on the same session: told with its process; the first goes on.
#[test]
fn two_kernels_cannot_have_one_session() {
    let world = World::new();
    let wait = "touch running; while [ ! -e go ]; do read -t 0.05 < <(:) || :; done; echo went";
    let script = Script::new().call("bash", json!({ "command": wait })).text("done");
    let mut first = world.exec(&script, "go").args(["--posture", "full-access"]).spawn();
    let session = first.event_type("session.started")["session"].as_str().unwrap().to_owned();
    eventually_true("the command runs", || world.has("running"));
    let pid = first.pid.to_string();
    for arguments in [vec!["resume", &session], vec!["resume", &session, "me too"]] {
        let second = world.tollgate(arguments).run();
        assert_ne!(second.code, 0, "{second}");
        assert!(
            second.stderr.contains("another kernel") && second.stderr.contains(&pid),
            "{second}"
        );
    }
    world.tollgate(["receipts", "verify", &session]).run().success();
    world.write("go", "");
    let ran = first.finish().success();
    assert_eq!(ran.events().well_formed().one("turn.completed")["text"], "done");
    world.receipts(Some(&session)).sound(&world);
}

/// [PROTO-10] A path that no socket can have is told before anything starts, with what helps.
#[test]
fn a_socket_path_that_is_too_long_is_told() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let home = world.folder().join("h".repeat(110));
    let ran = world.call("read", &json!({ "path": "a.txt" })).env("TOLLGATE_HOME", &home).run();
    let all = ran.text() + &ran.stderr;
    assert!([2, 4].contains(&ran.code), "{ran}");
    assert!(all.contains("bytes") && all.contains("100"), "the limit is told: {ran}");
    assert!(all.contains("TOLLGATE_HOME"), "what was set and helps is named: {ran}");
    world.is_quiet();
}

/// The one file of a log folder.
fn log(world: &World, folder: &str) -> PathBuf {
    let mut files: Vec<PathBuf> =
        fs::read_dir(world.state(folder)).unwrap().map(|it| it.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "jsonl"));
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// A world with one turn of three calls; its script goes on for more turns.
fn a_turn() -> (World, String) {
    let world = World::new();
    world.write("a.txt", "x\n");
    let mut script = Script::new();
    for _ in 0..3 {
        script = script.call("read", json!({ "path": "a.txt" }));
    }
    for _ in 0..40 {
        script = script.text("done");
    }
    let ran = world.exec(&script, "go").run().success();
    let session = ran.events().session().to_owned();
    (world, session)
}

/// [STORE-01] A torn tail of either log: told, a copy kept, the session goes on.
#[test]
fn a_torn_log_is_mended_and_told() {
    for (folder, cut) in [("sessions", 2), ("sessions", 70), ("receipts", 2), ("receipts", 333)] {
        let (world, session) = a_turn();
        let file = log(&world, folder);
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() - cut]).unwrap();
        let ran = world.tollgate(["resume", &session]).run().success();
        assert!(!ran.stderr.contains("panicked"), "{ran}");
        let is_copy =
            |path: &PathBuf| path.extension().is_none_or(|it| it != "jsonl" && it != "lock");
        let kept = fs::read_dir(world.state(folder)).unwrap().map(|it| it.unwrap().path());
        assert_eq!(kept.filter(is_copy).count(), 1, "{folder} cut by {cut}: no copy is kept");
        let ran = world.tollgate(["resume", &session, "go on"]).run().success();
        assert_eq!(ran.text(), "done\n", "{folder} cut by {cut}");
    }
}

/// [STORE-03] Removed, changed, reordered: `verify` says which record, and ends with 1.
#[test]
fn a_changed_receipt_is_found() {
    type Change = fn(Vec<String>) -> Vec<String>;
    let changes: [(&str, Change); 4] = [
        ("removed", |mut lines| {
            lines.remove(2);
            lines
        }),
        ("changed", |mut lines| {
            lines[1] = lines[1].replace("a.txt", "b.txt");
            lines
        }),
        ("reordered", |mut lines| {
            lines.swap(2, 3);
            lines
        }),
        ("cut off", |mut lines| {
            lines.truncate(4);
            lines
        }),
    ];
    for (name, change) in changes {
        let (world, session) = a_turn();
        world.tollgate(["receipts", "verify", &session]).run().success();
        let file = log(&world, "receipts");
        let lines: Vec<String> =
            fs::read_to_string(&file).unwrap().lines().map(|it| format!("{it}\n")).collect();
        fs::write(&file, change(lines).concat()).unwrap();
        let ran = world.tollgate(["receipts", "verify", &session]).run().code(1);
        let all = ran.text() + &ran.stderr;
        assert!(all.contains("line") || all.contains("record"), "{name}: {ran}");
        world.tollgate(["receipts", "list", "--session", &session]).run().success();
        world.tollgate(["resume", &session, "go on"]).run().success();
        world.tollgate(["receipts", "verify", &session]).run().code(1);
    }
}

/// A session that is not there, and the beginning of several.
#[test]
fn an_unknown_session_is_told() {
    let (world, session) = a_turn();
    let ran = world.tollgate(["resume", "nothing"]).run().code(2);
    assert!(ran.stderr.contains("nothing"), "{ran}");
    let beginning: String = session.chars().take(18).collect();
    world.tollgate(["resume", &beginning]).run().success();
    assert!(text(&world.home()).starts_with('/'));
}
