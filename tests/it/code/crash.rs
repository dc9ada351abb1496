//! The code server dies in the middle of a program, or is not what it should be: that program fails with its
//! receipts, and nothing else is harmed.

use std::fs;

use tollgate_tests::{
    binary,
    eventually::{eventually, eventually_true},
    kernel::{Client, Kernel},
    processes::{Process, all, below, look},
};

use super::*;

/// A world whose code server is a hostile one.
pub(super) fn broken() -> World {
    let program = binary("tollgate-hostile");
    world().config(&format!(
        "[servers.code]\ncommand = [{program:?}, \"code\"]\ntrust = \"trusted\"\n"
    ))
}

/// A process below a kernel by its program.
#[track_caller]
fn server_of(kernel: i32, program: &str) -> Process {
    eventually(&format!("{program} runs"), || {
        below(kernel).into_iter().find(|process| process.program() == program)
    })
}

/// [CODE-18] [CODE-11] B113: killed with ten calls open, the program fails with its receipts, its calls are
/// cancelled, and the next program runs in a new process.
#[test]
fn a_killed_code_server_fails_its_program_alone() {
    let world = world();
    let mark = world.folder().join("mark").display().to_string();
    let code = format!(
        "console.log('begun'); await tools.read({{ path: 'a.txt' }});
         await Promise.all(Array.from({{ length: 10 }}, (_, i) =>
           tools.bash({{ command: `touch runs; sleep 300; : {mark} ${{i}}` }})))"
    );
    let script = Script::new()
        .call("execute_tools", json!({ "code": "return 'before'" }))
        .call("execute_tools", json!({ "code": code }))
        .call(
            "execute_tools",
            json!({ "code": "return (await tools.read({ path: 'a.txt' })).content" }),
        )
        .call("read", json!({ "path": "a.txt" }))
        .text("done");
    let kernel = world.exec(&script, "go").args(FULL).spawn();
    eventually_true("a command runs", || world.has("runs"));
    server_of(kernel.pid, "tollgate-code").kill();
    let ran = unhurt(kernel.finish()).success();
    let events = ran.events().well_formed();
    let results: Vec<_> =
        events.results().into_iter().filter(|it| it["receipt"]["caller"] == "model").collect();
    let [before, killed, after, read] = results.as_slice() else { panic!("{ran}") };
    let text = content_text(killed);
    assert!(["failed", "in_flight"].contains(&killed["status"].as_str().unwrap()), "{killed}");
    for part in ["logs:\nbegun", "read ok", "bash", "not started"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert_eq!(before["receipt"]["instance"], killed["receipt"]["instance"]);
    assert_ne!(after["receipt"]["instance"], killed["receipt"]["instance"]);
    assert!(content_text(after).starts_with("hello\n"), "{after}");
    assert_eq!(content_text(read), "hello\n");
    let words = world.receipts(Some(events.session())).sound(&world).words();
    assert_eq!(words.iter().filter(|it| it.starts_with("bash ")).count(), 10, "{words:?}");
    assert!(!words.iter().any(|it| it.starts_with("bash ok")), "{words:?}");
    world.is_quiet();
}

/// [CODE-09] [CODE-11] The server of a nested call dies: that call fails and says so, and the program goes on.
#[test]
fn a_tools_server_that_dies_fails_its_call_alone() {
    let world = world();
    let code = "
        const died = await tools.bash({ command: 'touch runs; sleep 300' }).catch((e) => e);
        const after = await tools.bash({ command: 'echo again' });
        return [died.code, died.message, after.content]";
    let running = world.tollgate(["run", "-", "--json"]).args(FULL).stdin(code).spawn();
    eventually_true("the command runs", || world.has("runs"));
    server_of(running.pid, "tollgate-shell").kill();
    let ended = Ended::printed(&unhurt(running.finish()));
    let value = ended.value();
    assert_eq!(value[0], "failed", "{value}");
    assert!(value[1].as_str().unwrap().contains("may have run"), "{value}");
    assert!(value[2].as_str().unwrap().starts_with("again"), "{value}");
    assert_eq!(ended.calls(), ["bash auto failed", "bash auto ok"]);
    world.receipts(None).sound(&world);
    world.is_quiet();
}

/// CM-11: the code server dies while a card waits: the card is withdrawn, and a late yes runs nothing.
#[test]
fn a_late_yes_to_a_dead_program_runs_nothing() {
    let world = world();
    let code = "await tools.bash({ command: 'touch made' }); return 1";
    let script = Script::new()
        .call("execute_tools", json!({ "code": code }))
        .call("execute_tools", json!({ "code": "return 'next'" }))
        .text("done");
    let mut turn = world.exec(&script, "go").args(["--approvals", "stdio"]).stdin_open().spawn();
    let asked = turn.event_type("approval.requested");
    server_of(turn.pid, "tollgate-code").kill();
    let result = turn.event("the program's end", |it| {
        it["type"] == "tool.result" && it["name"] == "execute_tools"
    });
    let text = content_text(&result);
    assert!(text.contains("was waiting for approval, not started"), "{text}");
    turn.say(&json!({ "approval": asked["id"], "answer": "once" }).to_string());
    let ran = unhurt(turn.finish());
    assert!(!world.has("made"), "{ran}");
    let events = ran.events().well_formed();
    let last = content_text(events.results().last().unwrap());
    assert!(last.starts_with("next"), "{last}");
    world.receipts(Some(events.session())).sound(&world);
}

/// [CODE-18] A crash of broken memory, with and without open calls: receipts and logs are there, the kernel
/// lives, other servers go on.
#[test]
fn a_crash_of_broken_memory_is_told() {
    for code in ["segv", "abort", "segv-in-flight"] {
        let world = broken();
        let script = Script::new()
            .call("execute_tools", json!({ "code": code }))
            .call("execute_tools", json!({ "code": "well" }))
            .call("read", json!({ "path": "a.txt" }))
            .text("done");
        let ran = unhurt(world.exec(&script, "go").args(FULL).run()).success();
        let events = ran.events().well_formed();
        let results: Vec<_> =
            events.results().into_iter().filter(|it| it["receipt"]["caller"] == "model").collect();
        let text = content_text(results[0]);
        assert_ne!(results[0]["status"], "ok");
        for said in ["server 'code' was lost", "logs:\nbegun", "read x2 ok"] {
            assert!(text.contains(said), "{code}: no {said:?} in {text}");
        }
        assert!(content_text(results[1]).starts_with("returned\n"), "{code}: {}", results[1]);
        assert_eq!(content_text(results[2]), "hello\n");
        assert!(!world.has("late"));
        world.receipts(Some(events.session())).sound(&world);
        world.is_quiet();
    }
}

/// What a kernel holds: open files, and children that have ended and are still listed.
fn held(kernel: i32) -> (usize, usize) {
    let files = fs::read_dir(format!("/proc/{kernel}/fd")).map_or(0, Iterator::count);
    let listed = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| look(entry.ok()?.file_name().to_str()?.parse().ok()?));
    (files, listed.filter(|it| it.parent == kernel && it.state == 'Z').count())
}

async fn program(session: &Client, code: &str) -> Ended {
    let called = session.call("execute_tools", &json!({ "code": code })).await.unwrap();
    Ended::of(&called.result, &called.receipt)
}

/// CM-12: twenty crashes leave nothing behind; after five the server is quarantined, which is told with what
/// helps.
#[tokio::test]
async fn twenty_crashes_leave_nothing_behind() {
    let world = broken();
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new()).await;
    let mut first = None;
    for round in 0..4 {
        for _ in 0..5 {
            let ended = program(&session, "segv").await;
            assert_ne!(ended.status(), "ok", "{}", ended.text);
            assert_eq!(ended.calls(), ["read auto ok", "read auto ok"], "{}", ended.text);
        }
        let ended = program(&session, "segv").await;
        assert_eq!(ended.status(), "refused", "{}", ended.text);
        for part in ["quarantined", "died 5 times", "SIGSEGV", "servers restart"] {
            assert!(ended.text.contains(part), "no {part:?} in {}", ended.text);
        }
        let (files, zombies) = held(kernel.process.pid);
        assert_eq!(zombies, 0, "round {round}");
        let first = *first.get_or_insert(files);
        assert!(files <= first + 2, "round {round}: {files} open files after {first}");
        world.tollgate(["servers", "restart", "code"]).run().success();
    }
    let ended = program(&session, "well").await;
    assert!(ended.text.starts_with("returned\n"), "{}", ended.text);
    let orphans =
        all().into_iter().filter(|it| it.name.starts_with("tollgate-host") && it.parent == 1);
    assert_eq!(
        orphans.filter(|it| it.command.contains(&world.folder().display().to_string())).count(),
        0
    );
    session.close().await.unwrap();
    world.receipts(Some(&session.session)).sound(&world);
}
