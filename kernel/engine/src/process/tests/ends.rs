//! Nothing is left, whoever dies: kernel, warden or server, killed or asked.

use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};

use super::*;

/// A server that starts programs in every way that escapes a process group.
const SERVER: &str = r#"
say() { echo "$@" > "$ROLL_CALL"; }
say server $$
sleep 1000 & say below $!
nohup sleep 1001 >/dev/null 2>&1 </dev/null & say below $!
setsid sleep 1002 >/dev/null 2>&1 </dev/null & say below $!
(setsid sh -c 'setsid sleep 1003 & echo below $! > "$ROLL_CALL"')
setsid sh -c 'trap "" TERM HUP INT; sleep 1004 & echo below $! > "$ROLL_CALL"; wait' &
read -r end"#;

/// Number of processes that [`SERVER`] names.
const FAMILY_COUNT: usize = 6;

/// Set, with the path of the roll call, in a test process that is to be a kernel.
const FAKE_KERNEL: &str = "TOLLGATE_TEST_FAKE_KERNEL";

fn family(roll: &RollCall, warden: bool) -> ProcessSpec {
    let mut spec = ProcessSpec { warden, ..shell(SERVER) };
    spec.env.push(roll.variable());
    spec
}

fn members(roll: &mut RollCall) -> (Process, Vec<Process>) {
    let named: Vec<_> = (0..FAMILY_COUNT).map(|_| roll.next()).collect();
    let server = named.iter().find(|(who, _)| who == "server").unwrap().1;
    (server, named.into_iter().map(|(_, process)| process).collect())
}

/// Starts a family, ends it with `end`, and asserts that it is gone once `exited` says so.
async fn check(warden: bool, end: impl Fn(&ServerProcess, Process), expected: Exit) {
    let mut roll = RollCall::new();
    let server = spawner().spawn(family(&roll, warden)).await.unwrap();
    let (process, all) = members(&mut roll);
    end(&server, process);
    assert_eq!(server.exited().await, expected);
    assert_gone(&all, Duration::ZERO);
}

#[tokio::test]
async fn nothing_is_left_when_a_server_is_killed() {
    check(false, |server, _| server.kill(), Exit::Signal(9)).await;
    check(true, |server, _| server.kill(), Exit::Signal(9)).await;
    check(true, |_, process| kill(process.pid, Signal::SIGKILL).unwrap(), Exit::Code(137)).await;
}

#[tokio::test]
async fn nothing_is_left_when_a_server_is_asked_to_end() {
    check(false, |server, _| server.close_stdin(), Exit::Code(1)).await;
    check(true, |server, _| server.close_stdin(), Exit::Code(1)).await;
    check(false, |server, _| server.terminate(), Exit::Signal(15)).await;
    check(true, |server, _| server.terminate(), Exit::Code(143)).await;
}

#[tokio::test]
async fn nothing_is_left_when_a_warden_is_killed() {
    let kill_warden = |server: &ServerProcess, _| {
        kill(Pid::from_raw(server.pid()), Signal::SIGKILL).unwrap();
    };
    check(true, kill_warden, Exit::Signal(9)).await;
}

#[tokio::test]
async fn a_stopped_warden_still_ends() {
    let stop_first = |server: &ServerProcess, _| {
        kill(Pid::from_raw(server.pid()), Signal::SIGSTOP).unwrap();
        server.terminate();
    };
    check(true, stop_first, Exit::Code(143)).await;
}

#[tokio::test]
async fn nothing_is_left_when_a_server_is_dropped() {
    for warden in [false, true] {
        let mut roll = RollCall::new();
        let server = spawner().spawn(family(&roll, warden)).await.unwrap();
        let (_, all) = members(&mut roll);
        drop(server);
        assert_gone(&all, GONE_WITHIN);
    }
}

#[tokio::test]
async fn the_end_of_one_server_does_not_touch_another() {
    let mut roll = RollCall::new();
    let _kept = spawner().spawn(family(&roll, true)).await.unwrap();
    let (_, all) = members(&mut roll);
    check(false, |server, _| server.kill(), Exit::Signal(9)).await;
    assert!(all.iter().all(is_same_and_alive), "{all:?}");
}

#[tokio::test]
async fn stopping_a_server_insists_step_by_step() {
    let grace = Duration::from_millis(100);
    let mut roll = RollCall::new();
    let rows = [
        ("echo ready $$ > $ROLL_CALL; read end; exit 0", Exit::Code(0)),
        ("trap 'exit 4' TERM; echo ready $$ > $ROLL_CALL; sleep 1000 & wait", Exit::Code(4)),
        ("trap '' TERM; echo ready $$ > $ROLL_CALL; while :; do sleep 1000; done", Exit::Signal(9)),
    ];
    for (script, exit) in rows {
        let mut spec = shell(script);
        spec.env.push(roll.variable());
        let server = spawner().spawn(spec).await.unwrap();
        roll.next();
        server.write_line("go").await.unwrap();
        assert_eq!(server.stop(grace).await, exit, "{script}");
    }
}

/// Not a test by itself: the kernel that `nothing_outlives_a_killed_kernel` kills. Waits for ever.
#[tokio::test]
async fn fake_kernel() {
    let Some(path) = std::env::var_os(FAKE_KERNEL) else { return };
    let with_path = |spec: ProcessSpec| {
        let mut spec = spec;
        spec.env.push(("ROLL_CALL".into(), path.clone()));
        spec
    };
    let spawner = spawner();
    let below_warden = ProcessSpec { warden: true, ..shell(SERVER) };
    let plain = shell("echo plain $$ > $ROLL_CALL; trap '' TERM; while :; do read -r line; done");
    let servers = [
        spawner.spawn(with_path(below_warden)).await.unwrap(),
        spawner.spawn(with_path(plain)).await.unwrap(),
    ];
    std::fs::write(&path, format!("warden {}\n", servers[0].pid())).unwrap();
    std::future::pending::<()>().await;
}

#[test]
fn nothing_outlives_a_killed_kernel() {
    for signal in [Signal::SIGKILL, Signal::SIGTERM] {
        let mut roll = RollCall::new();
        let mut kernel = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "process::tests::ends::fake_kernel", "--nocapture"])
            .env(FAKE_KERNEL, &roll.path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let named: Vec<_> = (0..FAMILY_COUNT + 2).map(|_| roll.next().1).collect();
        kill(Pid::from_raw(kernel.id().try_into().unwrap()), signal).unwrap();
        kernel.wait().unwrap();
        assert_gone(&named, GONE_WITHIN);
    }
}
