//! Guards that fail: the call does not run, and is told which hook failed, and how.

use nix::sys::signal::Signal;
use tollgate_tests::{Script, events::content_text, eventually::eventually_true};

use super::*;

/// A guard that fails in one way, strict and not.
#[track_caller]
fn check(world: &World, command: &str, class: &str, parts: &[&str]) {
    set(world, &hook("tool_call_before", command, "timeout_s = 2"));
    let ran = guarded(world);
    let (found, why) = refused(&ran);
    assert!(!world.has(MARKER), "{command} let the call run");
    assert_eq!(found, class, "{command}: {why}");
    for part in ["hooks.toml:1"].iter().chain(parts) {
        assert!(why.contains(part), "{command}: {why:?} lacks {part:?}");
    }
}

/// B101, HK-01, HK-02, HK-04: everything that is no verdict refuses.
#[test]
fn a_guard_that_fails_stops_the_call() {
    let world = World::new();
    let mode = script(&world, "plain.sh", "#!/bin/sh\nexit 0\n", 0o644);
    let text = script(&world, "text", "exit 0\n", 0o755);
    let mut arch = fs::read("/proc/self/exe").unwrap();
    arch.truncate(4096);
    arch[18] ^= 0x55;
    let arch = script(&world, "arch", arch, 0o755);
    let shebang = script(&world, "shebang", "#!/no/interpreter\n", 0o755);
    let path = |path: &PathBuf| format!("[{:?}]", path.display().to_string());
    let failed = "hook_failed";
    check(&world, "\"exit 2\"", "hook_denied", &["exit code 2", "no reason"]);
    check(&world, "\"exit 1\"", failed, &["exit code 1", "`command`"]);
    check(&world, "\"exit 127\"", failed, &["exit code 127"]);
    check(&world, "'printf \"{bad\"'", failed, &["no JSON"]);
    check(&world, "'printf \"{}{}\"'", failed, &["no JSON"]);
    check(&world, "'echo denied'", failed, &["no JSON"]);
    check(&world, r#"'echo "{\"decision\":\"maybe\"}"'"#, failed, &["unknown decision 'maybe'"]);
    check(&world, "\"sleep 9999\"", failed, &["did not end in its time", "`timeout_s`"]);
    check(&world, "[\"/no/such/hook\"]", failed, &["failed to start", "/no/such/hook"]);
    check(&world, "\"/no/such/hook\"", failed, &["exit code 127", "/no/such/hook"]);
    check(&world, &path(&mode), failed, &["failed to start", "not executable"]);
    check(&world, &path(&text), failed, &["failed to start", "exec format error"]);
    check(&world, &path(&arch), failed, &["failed to start", "exec format error"]);
    check(&world, &path(&shebang), failed, &["cannot start"]);
    check(&world, "'kill -SEGV $$'", failed, &["exit code 139"]);
    check(&world, "'kill -KILL $$'", failed, &["exit code 137"]);
    check(&world, "'kill -KILL $PPID; sleep 9'", failed, &[]);
    check(&world, "\"yes | head -c 10000000\"", failed, &["printed more"]);
    check(&world, "\"yes >&2\"", failed, &["did not end in its time"]);
    world.receipts(None).sound(&world);
    world.is_quiet();
}

/// B109: a wrong path is told as one, and not as the hook's word; inspection stays usable.
#[test]
fn a_hook_that_never_began_is_no_denial() {
    let world = World::new();
    let missing = "/no/such/hook.py";
    for command in [
        format!("[\"python3\", {missing:?}]"),
        format!("\"python3 {missing}\""),
        format!("\"exec python3 {missing}\""),
        format!("\"python3 \\\"{missing}\\\" --strict\""),
        format!("[\"sh\", {missing:?}]"),
    ] {
        check(&world, &command, "hook_failed", &["failed to start", missing, "`command`"]);
    }
    check(&world, "[\"/no/such/bin\"]", "hook_failed", &["failed to start", "/no/such/bin"]);
    let denies = r#"'echo "{\"decision\":\"deny\",\"reason\":\"policy 7\"}"; exit 2'"#;
    check(&world, denies, "hook_denied", &["policy 7"]);
    check(&world, "'echo policy 8 >&2; exit 2'", "hook_denied", &["policy 8"]);
    check(&world, "[\"python3\", \"-c\", \"import sys; sys.exit(2)\"]", "hook_denied", &[]);
    for inspection in [["tools", "list"], ["receipts", "list"], ["sessions", "list"]] {
        world.tollgate(inspection).run().success();
    }
}

/// HK-03: a guard that does not end is ended with all that it started, whatever it ignores.
#[test]
fn a_guard_that_does_not_end_leaves_nothing() {
    let world = World::new();
    for line in [
        "trap '' TERM INT HUP; while :; do sleep 1; done",
        "setsid sleep 1000 & (setsid nohup sleep 1000 &) ; trap '' TERM; sleep 1000",
    ] {
        set(&world, &before(line, "timeout_s = 1"));
        assert_eq!(refused(&guarded(&world)).0, "hook_failed");
        assert!(!world.has(MARKER));
        world.is_quiet();
    }
    // One that goes and leaves a daemon with its output is heard, and the daemon ended.
    let line = "setsid sleep 1000 & echo '{\"decision\":\"deny\",\"reason\":\"said\"}'";
    set(&world, &before(line, "timeout_s = 30"));
    let (class, why) = refused(&guarded(&world));
    assert_eq!(class, "hook_denied", "{why}");
    world.is_quiet();
}

/// [GATE-40] Without strictness a fault is told, and the call goes on; a denial still denies.
#[test]
fn a_lenient_hook_that_fails_is_told() {
    let world = world(before("exit 1", "strict = false"));
    let script = Script::new().strict().call("bash", touch()).text("done");
    let ran = world.exec(&script, "go").args(["--posture", "full-access"]).run().success();
    let events = ran.events().well_formed();
    let told = events.one("error");
    assert_eq!(told["class"], "hook");
    let message = told["message"].as_str().unwrap();
    assert!(message.contains("hooks.toml:1") && message.contains("exit code 1"), "{message}");
    assert!(world.has(MARKER));
    set(&world, &before("exit 2", "strict = false"));
    assert_eq!(refused(&guarded(&world)).0, "hook_denied");
}

/// [GATE-02] A call that is given up while a hook runs never starts, and the hook is gone.
#[test]
fn giving_up_ends_the_hook() {
    let world = World::new();
    let line = "touch ../began; setsid sleep 1000 & trap '' TERM; sleep 1000";
    set(&world, &before(line, "timeout_s = 60"));
    let script = Script::new().call("bash", touch()).text("never");
    let running = world.exec(&script, "go").args(["--posture", "full-access"]).spawn();
    eventually_true("the hook runs", || world.beside("began").exists());
    running.signal(Signal::SIGINT);
    let ran = running.finish().code(130);
    let events = ran.events().well_formed();
    let result = events.results()[0];
    assert_eq!(
        (&result["status"], &result["metadata"]["error"]),
        (&json!("refused"), &json!("cancelled"))
    );
    assert!(content_text(result).contains("before this call started"), "{result}");
    assert!(!world.has(MARKER));
    world.is_quiet();
}

/// A hook that runs tollgate runs that one's hooks: this ends, and fails closed.
#[test]
fn a_hook_below_itself_ends() {
    let world = World::new();
    let again = format!(
        "#!/bin/sh\necho up >> ../depth\nexport TOLLGATE_HOME='{}'\n\
         '{}' call bash '{}' --posture full-access || exit 2\n",
        world.home().display(),
        tollgate_tests::binary("tollgate").display(),
        touch()
    );
    script(&world, "again.sh", again, 0o755);
    set(&world, &hook("tool_call_before", "[\"../again.sh\"]", ""));
    refused(&guarded(&world));
    assert!(!world.has(MARKER));
    assert!((1..10).contains(&lines(&world, "depth").len()), "{:?}", lines(&world, "depth"));
}

/// [PROTO-10] Nothing of a hook outlives its kernel, however that ends.
#[test]
fn a_hook_dies_with_its_kernel() {
    let world = World::new();
    let line = "touch ../began; (setsid sleep 1000 &); trap '' TERM; sleep 1000";
    set(&world, &before(line, "timeout_s = 60"));
    let running = world.call("bash", &touch()).args(["--posture", "full-access"]).spawn();
    eventually_true("the hook runs", || world.beside("began").exists());
    running.kill();
    assert_eq!(running.finish().code, 137);
    world.is_quiet();
    assert!(!world.has(MARKER));
}
