//! Goal: processes that do not want to end, to be found, or to be read. [SHELL-03], B037, B038, B040.

use tollgate_sdk::serde_json::json;

use super::*;

/// `setsid`, double fork, `nohup`, a group of its own, no marker, TERM ignored, stopped.
const UNWILLING: &[&str] = &[
    "sh -c 'sleep 7003 & sleep 7003'; true",
    "setsid sleep 7003",
    "setsid sh -c 'setsid sleep 7003 & setsid sleep 7003 &'; sleep 7003",
    "nohup sleep 7003 & sleep 7003",
    "(setsid sh -c '(env -i setsid sleep 7003 &) &' &); sleep 7003",
    "trap '' TERM; sh -c 'trap \"\" TERM HUP; sleep 7003; sleep 7003' & sleep 7003; sleep 7003",
    "set -m; sleep 7003 & sleep 7003",
    "sleep 7003 & kill -STOP $!; kill -STOP $$",
];

/// Waits until it is in the midst of it. One that stops itself may never come to its program.
async fn begun(command: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while alive("7003") == 0 && !command.contains("STOP") {
        assert!(Instant::now() < deadline, "{command}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_stop_ends_all_that_was_started() {
    for command in UNWILLING {
        let world = World::new();
        let process = world.start(command);
        begun(command).await;
        assert!(process.stop(&world.cancelled).await, "{command}");
        let life = process.life();
        assert!(
            matches!(life, Life::Ended { by: By::Call, survivors: 0, .. }),
            "{command}: {life:?}"
        );
        assert_eq!(alive("7003"), 0, "{command}");
        assert!(ending(&process).is_some_and(|ending| ending != Ending::Code(0)), "{command}");
    }
}

/// [PROTO-04]: the lease takes all with it.
#[tokio::test]
async fn the_sessions_end_ends_all_that_was_started() {
    for command in UNWILLING {
        let world = World::new();
        let process = world.start(command);
        begun(command).await;
        world.over.cancel();
        wait_for(&process, |state| matches!(state.life, Life::Ended { .. })).await;
        let life = process.life();
        assert!(matches!(life, Life::Ended { by: By::Session, .. }), "{command}: {life:?}");
        assert_eq!(alive("7003"), 0, "{command}");
        assert!(world.office.processes.of("s").is_empty());
    }
}

/// The server's end, as `main` has it.
#[tokio::test]
async fn the_servers_end_ends_all_of_all_sessions() {
    let mut world = World::new();
    world.start("setsid sleep 7004");
    world.context.session = "another".into();
    world.start("trap '' TERM; sleep 7004; sleep 7004");
    running("7004", 2).await;
    assert_eq!(tree::kill_everything().await, 0);
    assert_eq!(alive("7004"), 0);
}

/// B037: the child keeps the pipe, and the shell's end is told all the same; what it writes later is read.
#[tokio::test]
async fn output_that_comes_after_the_shells_end_is_kept() {
    let world = World::new();
    let fifo = world.path("fifo");
    let command = "mkfifo fifo; { read x < fifo; echo late $x; } & echo early";
    let process = world.ended(command).await;
    assert_eq!(ending(&process), Some(Ending::Code(0)));
    let life = process.life();
    assert!(matches!(life, Life::Left { processes: 1.., .. }), "{life:?}");
    assert!(say::life(&process).contains("1 process that it started goes on"));
    tokio::task::spawn_blocking(move || std::fs::write(fifo, "42\n")).await.unwrap().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !process.state().kept.has("late 42", 0) {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    while matches!(process.life(), Life::Left { .. }) {
        assert!(Instant::now() < deadline);
        process.settle();
        tokio::task::yield_now().await;
    }
    let life = process.life();
    assert!(matches!(life, Life::Ended { by: By::Itself, survivors: 0, .. }), "{life:?}");
    assert_eq!(output(&process), "early\nlate 42\n");
}

/// What a shell left counts as running, is stopped by the shell's id, and only that.
#[tokio::test]
async fn what_a_shell_left_is_stopped_by_its_id() {
    let world = World::new();
    let other = world.start("setsid sleep 7005 & sleep 7005");
    let process = world.ended("setsid sleep 7006 >/dev/null 2>&1 & sleep 7006 & true").await;
    running("7006", 2).await;
    running("7005", 2).await;
    let said = world.said(json!({"action": "stop", "id": "p2"})).await;
    assert!(said.contains("p2 ended with exit code 0") && said.contains("stopped on"), "{said}");
    assert_eq!((alive("7006"), alive("7005")), (0, 2));
    assert!(matches!(process.life(), Life::Ended { by: By::Call, .. }));
    assert_eq!(other.life(), Life::Running);
    assert_eq!(tree::kill_everything().await, 0);
}

/// Memory is bounded, and other processes and calls have their turn.
#[tokio::test]
async fn endless_output_is_bounded_and_holds_up_nobody() {
    let world = World::new();
    let endless: Vec<_> = (0..4).map(|_| world.start("yes")).collect();
    let process = &endless[0];
    let much = KEPT_BYTES_MAX as u64 * 4;
    assert_eq!(wait_for(process, |state| state.bytes > much).await, Waited::Enough);
    world.ended("echo here").await;
    let said = world.said(json!({"action": "output", "id": "p1", "after": 0})).await;
    assert!(said.contains("lines before these are kept no more"), "{said}");
    assert!(said.len() < 100_000);
    {
        let state = process.state();
        let kept = state.kept.total() - state.kept.gone_lines();
        assert!(kept * 2 <= KEPT_BYTES_MAX as u64);
        assert_eq!(state.kept.gone_bytes(), 2 * state.kept.gone_lines());
        // Every byte is a line's, but for one that may wait for its end.
        assert_eq!(state.bytes / 2, state.kept.total());
    }
    for process in &endless {
        assert!(process.stop(&world.cancelled).await);
    }
}

#[tokio::test]
async fn invalid_bytes_and_control_characters_are_shown_as_text() {
    let process = World::new().ended("printf '\\xff\\x07\\x1b]0;title\\x07ok\\n'").await;
    let text = output(&process);
    assert!(
        text.ends_with("ok\n") && !text.chars().any(|c| c.is_control() && c != '\n'),
        "{text:?}"
    );
}

#[tokio::test]
async fn a_further_process_than_can_be_is_refused_with_those_that_there_are() {
    let world = World::new();
    for _ in 0..PROCESSES_MAX {
        world.start("sleep 7007");
    }
    let refused = format!("{:?}", world.try_start("sleep 7007", false).unwrap_err());
    assert!(refused.contains("too_many") && refused.contains("p16 (runs)"), "{refused}");
    let mut other = context(world.folder.path());
    other.session = "another".into();
    let asked = Asker { context: &other, ..world.asker() };
    let line = Line { command: "true".into(), ..Line::default() };
    assert!(world.office.start(&line, false, asked).is_ok());
    world.said(json!({"action": "stop", "id": "p3"})).await;
    world.start("sleep 7007");
    assert_eq!(tree::kill_everything().await, 0);
}

/// Ended ones stay readable until enough newer ones ended; unknown, ended and forgotten ids answer
/// differently (B187).
#[tokio::test]
async fn the_oldest_ended_process_is_forgotten_first() {
    let world = World::new();
    let keeper = world.start("sleep 7008");
    for n in 0..=ENDED_MAX {
        world.ended(&format!("echo {n}")).await;
    }
    let find = |id: &str| world.office.processes.find("s", id);
    let forgotten = find("p2").unwrap_err();
    assert!(forgotten.contains("'p2' has ended, and its output is not kept"), "{forgotten}");
    assert_eq!(output(&find("p3").unwrap()), "1\n");
    assert_eq!(find("p1").unwrap().life(), Life::Running);
    let unknown = find("p99").unwrap_err();
    assert!(unknown.contains("there is no process 'p99'"), "{unknown}");
    assert!(unknown.contains("p1 (runs), p3 (has ended)"), "{unknown}");
    assert!(keeper.stop(&world.cancelled).await);
}

#[tokio::test]
async fn ids_of_another_session_are_unknown() {
    let mut world = World::new();
    let process = world.start("sleep 7009");
    world.context.session = "another".into();
    for action in ["status", "output", "wait", "stop"] {
        let said = world.said(json!({"action": action, "id": "p1"})).await;
        assert!(said.contains("unknown_process") && said.contains("has none"), "{said}");
        let invalid = world.prepare(json!({"action": action, "id": "p1"})).unwrap_err();
        assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), ("/id", "unknown_process"));
    }
    assert!(world.said(json!({"action": "list"})).await.contains("no background processes"));
    assert_eq!(process.life(), Life::Running);
    assert_eq!(tree::kill_everything().await, 0);
}

#[tokio::test]
async fn a_process_that_does_not_read_stops_a_write_and_nothing_else() {
    let world = World::new();
    let process = world.try_start("sleep 7010", true).unwrap();
    let text = "x".repeat(30 * 1024);
    for _ in 0..2 {
        assert!(process.write(&text, false, &world.cancelled).await.is_ok());
    }
    tokio::time::pause();
    let full = process.write(&text, false, &CancellationToken::new()).await;
    assert!(matches!(full, Err(Unwritten::Full { written: 0..30_000 })), "{full:?}");
    tokio::time::resume();
    let stopping = async { world.cancelled.cancel() };
    let (written, ()) = tokio::join!(process.write(&text, false, &world.cancelled), stopping);
    assert!(matches!(written, Err(Unwritten::Cancelled { .. })), "{written:?}");
    assert!(process.stop(&CancellationToken::new()).await);
}

#[tokio::test]
async fn a_write_to_one_that_closed_its_input_or_has_ended_is_told() {
    let world = World::new();
    let closed = world.try_start("exec 0<&-; echo closed; sleep 7011", true).unwrap();
    says(&closed, "closed").await;
    let written = closed.write("x", false, &world.cancelled).await;
    assert_eq!(written, Err(Unwritten::Broken { written: 0 }));
    assert_eq!(closed.write("x", false, &world.cancelled).await, Err(Unwritten::Closed));
    let ended = world.try_start("true", true).unwrap();
    wait_for(&ended, |_| false).await;
    assert_eq!(ended.write("x", false, &world.cancelled).await, Err(Unwritten::Closed));
    assert_eq!(tree::kill_everything().await, 0);
}

#[tokio::test]
async fn processes_inherit_nothing_of_each_other() {
    let world = World::new();
    let first = world.try_start("cat; echo end", true).unwrap();
    let second = world.try_start("ls /proc/self/fd | wc -l; sleep 7012", true).unwrap();
    says(&second, "4").await;
    // The second would hold the first one's input open.
    assert!(first.write("", true, &world.cancelled).await.is_ok());
    assert_eq!(wait_for(&first, |_| false).await, Waited::Ended);
    assert_eq!(output(&first), "end\n");
    assert_eq!(tree::kill_everything().await, 0);
}
