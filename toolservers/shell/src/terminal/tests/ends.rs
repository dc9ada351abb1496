//! Goal: terminals end, with all that was started in them; there are never too many. [SHELL-03], B038, B040.

use super::*;

/// HUP and TERM ignored, sessions of their own, stopped, in the background of an interactive shell.
const UNWILLING: &[&str] = &[
    "trap '' HUP TERM; sleep 7201; sleep 7201",
    "setsid sleep 7201 & sleep 7201",
    "nohup sleep 7201 & exec bash --norc -i",
    "sleep 7201 & kill -STOP $!; exec bash --norc -i",
    "bash --norc -i -c 'set -m; sleep 7201 & sleep 7201'",
];

async fn begun(command: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while alive("7201") == 0 && !command.contains("STOP") {
        assert!(Instant::now() < deadline, "{command}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_close_ends_all_that_was_started() {
    for command in UNWILLING {
        let desk = Desk::new();
        let terminal = desk.open(command);
        begun(command).await;
        let said = desk.said(json!({"action": "close", "id": "t1"})).await;
        assert!(said.contains("were stopped on request"), "{command}: {said}");
        let life = terminal.life();
        assert!(
            matches!(life, Life::Ended { by: By::Call, survivors: 0, .. }),
            "{command}: {life:?}"
        );
        assert_eq!(alive("7201"), 0, "{command}");
    }
}

/// [PROTO-04]: the lease takes all with it.
#[tokio::test]
async fn the_sessions_end_ends_all_that_was_started() {
    for command in UNWILLING {
        let desk = Desk::new();
        let terminal = desk.open(command);
        begun(command).await;
        desk.world.over.cancel();
        ended(&terminal).await;
        let life = terminal.life();
        assert!(matches!(life, Life::Ended { by: By::Session, .. }), "{command}: {life:?}");
        assert_eq!(alive("7201"), 0, "{command}");
        assert!(desk.terminals.all.of("s").is_empty());
    }
}

/// The server's end, as `main` has it.
#[tokio::test]
async fn the_servers_end_ends_all() {
    let desk = Desk::new();
    desk.open("trap '' HUP TERM; setsid sleep 7202 & sleep 7202");
    running("7202", 2).await;
    assert_eq!(tree::kill_everything().await, 0);
    assert_eq!(alive("7202"), 0);
}

/// What a shell left, and which the terminal's end does not end, is told and goes with a close.
#[tokio::test]
async fn what_the_shell_left_is_told() {
    let desk = Desk::new();
    let terminal = desk.open("trap '' HUP; sleep 7203 & exit 3");
    let deadline = Instant::now() + Duration::from_secs(10);
    while terminal.life() == Life::Running {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    let said = desk.said(json!({"action": "read", "id": "t1"})).await;
    assert!(said.contains("exit code 3") && said.contains("1 process that it started"), "{said}");
    desk.act(json!({"action": "close", "id": "t1"})).await.unwrap();
    assert_eq!(alive("7203"), 0);
}

/// An ended one can still be looked at, and takes nothing more.
#[tokio::test]
async fn an_ended_one_can_be_read_and_not_typed_into() {
    let desk = Desk::new();
    let terminal = desk.open("echo last words; kill -KILL $$");
    ended(&terminal).await;
    let said = desk.said(json!({"action": "read", "id": "t1", "wait_seconds": 60})).await;
    assert!(said.contains("last words") && said.contains("SIGKILL, signal 9"), "{said}");
    for arguments in [
        json!({"action": "send", "id": "t1", "text": "x"}),
        json!({"action": "resize", "id": "t1", "rows": 30}),
    ] {
        let said = desk.said(arguments.clone()).await;
        assert!(said.contains("no_input"), "{arguments}: {said}");
    }
    let said = desk.said(json!({"action": "close", "id": "t1"})).await;
    assert!(said.contains("it had ended before"), "{said}");
    let said = desk.said(json!({"action": "list"})).await;
    assert!(said.contains("t1 was ended by SIGKILL"), "{said}");
}

#[tokio::test]
async fn more_than_can_be_are_refused() {
    let mut desk = Desk::new();
    for _ in 0..TERMINALS_MAX {
        desk.open("sleep 7204");
    }
    let said = desk.said(json!({"action": "open"})).await;
    assert!(said.contains("too_many") && said.contains("close one first"), "{said}");
    for session in 1..TERMINALS_OF_ALL_MAX / TERMINALS_MAX {
        desk.world.context.session = format!("s{session}");
        for _ in 0..TERMINALS_MAX {
            desk.open("sleep 7204");
        }
    }
    desk.world.context.session = "one-more".into();
    let said = desk.said(json!({"action": "open"})).await;
    assert!(said.contains("32 terminals of all sessions"), "{said}");
    assert_eq!(tree::kill_everything().await, 0);
    assert_eq!(alive("7204"), 0);
}

#[tokio::test]
async fn ids_of_another_session_are_unknown() {
    let mut desk = Desk::new();
    desk.open("sleep 7205");
    // A process of that number is another thing.
    let said = desk.said(json!({"action": "read", "id": "p1"})).await;
    assert!(said.contains("there is no terminal 'p1'; there are: t1 (runs)"), "{said}");
    desk.world.context.session = "another".into();
    for action in ["read", "close"] {
        let said = desk.said(json!({"action": action, "id": "t1"})).await;
        assert!(said.contains("unknown_terminal") && said.contains("action 'open'"), "{said}");
    }
    assert_eq!(tree::kill_everything().await, 0);
}

/// One that no call names ends after its time; one that is looked at does not.
#[tokio::test]
async fn an_unused_terminal_ends_and_a_used_one_does_not() {
    let desk = Desk::new();
    let unused = desk.open("sleep 7206");
    let used = desk.open("sleep 7206");
    running("7206", 2).await;
    tokio::time::pause();
    for _ in 0..9 {
        tokio::time::advance(TERMINAL_IDLE_MAX / 8).await;
        desk.act(json!({"action": "read", "id": "t2"})).await.unwrap();
        tokio::task::yield_now().await;
    }
    tokio::time::resume();
    ended(&unused).await;
    assert!(matches!(unused.life(), Life::Ended { by: By::Idle, .. }), "{:?}", unused.life());
    assert_eq!(used.life(), Life::Running);
    assert_eq!(tree::kill_everything().await, 0);
}

#[tokio::test]
async fn a_stopped_call_leaves_the_terminal() {
    let desk = Desk::new();
    let terminal = desk.open("sleep 7207");
    desk.world.cancelled.cancel();
    let said = desk.said(json!({"action": "read", "id": "t1", "wait_seconds": 600})).await;
    assert!(said.contains("the wait was stopped; t1 goes on"), "{said}");
    assert_eq!(terminal.life(), Life::Running);
    assert_eq!(tree::kill_everything().await, 0);
}
