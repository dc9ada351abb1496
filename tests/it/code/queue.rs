//! A thousand programs at once: they wait for the code server, which runs few side by side; each ends.

use std::fs;

use tokio::task::JoinSet;
use tollgate_proto::kernel::v1::OpenSessionRequest;
use tollgate_tests::{eventually::eventually_true, kernel::Kernel, processes::below};

use super::*;

/// Programs that a client sends at once, each by a call of its own; the kernel takes 64 such calls at once.
const CALLS: usize = 40;
/// Sessions with a turn, and programs of its one step.
const TURNS: usize = 40;
const PROGRAMS_OF_A_TURN: usize = 24;

/// The most memory that a process has had, in KiB.
fn peak_kib(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

/// A program that gives a number; every tenth calls a tool, too.
fn numbered(number: usize) -> Value {
    let call = if number.is_multiple_of(10) { "await tools.read({ path: 'a.txt' });" } else { "" };
    json!({ "code": format!("{call} return {number}") })
}

#[track_caller]
fn gave(ended: &Ended, number: usize) {
    let lines: Vec<&str> = ended.text.lines().collect();
    assert_eq!((ended.status(), lines[0]), ("ok", number.to_string().as_str()), "{}", ended.text);
    assert_eq!(lines.len() > 1, number.is_multiple_of(10), "{}", ended.text);
}

/// [CODE-15] None is refused, each has its own value and receipts, and neither process grows with the queue.
#[tokio::test]
async fn a_thousand_programs_at_once_all_end() {
    let world = World::in_memory();
    world.write("a.txt", "hello\n");
    let kernel = Kernel::start(&world, []);
    let mut programs = JoinSet::new();
    let mut sessions = Vec::new();
    for turn in 0..TURNS {
        let numbers = (0..PROGRAMS_OF_A_TURN).map(move |number| turn * 100 + number);
        let calls = numbers.clone().map(|number| ("execute_tools", numbered(number)));
        let session = kernel.session(&world, &Script::new().calls(calls).text("done")).await;
        sessions.push(session.clone());
        programs.spawn(async move {
            let events = session.turn("go").await.unwrap().rest().await.unwrap();
            let results = events.iter().filter(|it| it["receipt"]["tool"] == "execute_tools");
            let ended: Vec<_> = results.map(|it| Ended::of(it, &it["receipt"])).collect();
            for (ended, number) in ended.iter().zip(numbers) {
                gave(ended, number);
            }
            ended.len()
        });
    }
    let client = kernel.session(&world, &Script::new()).await;
    for number in 0..CALLS {
        let client = client.clone();
        programs.spawn(async move {
            let called = client.call("execute_tools", &numbered(number)).await;
            let called = called.unwrap_or_else(|status| panic!("program {number}: {status}"));
            gave(&Ended::of(&called.result, &called.receipt), number);
            1
        });
    }
    let ended: usize = programs.join_all().await.into_iter().sum();
    assert_eq!(ended, CALLS + TURNS * PROGRAMS_OF_A_TURN);
    let code =
        below(kernel.process.pid).into_iter().find(|it| it.program() == "tollgate-code").unwrap();
    for (whose, pid) in [("the kernel", kernel.process.pid), ("the code server", code.pid)] {
        let peak = peak_kib(pid);
        assert!(peak < 256 * 1024, "{whose} had {peak} KiB");
    }
    client.close().await.unwrap();
    world.receipts(Some(&client.session)).sound(&world);
}

/// [CODE-18] [CODE-15] A program that holds up its process in one session, while those of others run and wait:
/// theirs end, too, and the next ones run.
#[tokio::test]
async fn a_hostile_neighbour_holds_nobody_up_for_ever() {
    let world = world();
    let kernel = Kernel::start(&world, []);
    let one = kernel.session(&world, &Script::new()).await;
    let code = "await tools.read({ path: 'a.txt' });
        await tools.bash({ command: 'touch runs; while [ ! -e go ]; do :; done' }); return 'well'";
    let script = Script::new().call("execute_tools", json!({ "code": code })).text("done");
    let (model, posture) = (world.script(&script), "full-access".to_owned());
    let request = OpenSessionRequest { model, posture, ..OpenSessionRequest::default() };
    let other = kernel.open(request).await.unwrap();
    let turn = other.turn("go").await.unwrap();
    eventually_true("the patient program waits", || world.has("runs"));
    let hostile = json!({ "code": "return new Array(1e9).join().length", "timeout_ms": 300 });
    let hostile = one.call("execute_tools", &hostile).await.unwrap();
    Ended::of(&hostile.result, &hostile.receipt).failed("timeout", "does not yield");
    world.write("go", "");
    let events = turn.rest().await.unwrap();
    let patient = events.iter().find(|it| it["receipt"]["tool"] == "execute_tools").unwrap();
    let patient = Ended::of(patient, &patient["receipt"]);
    // It shared the process, which ends after it.
    assert_eq!(patient.status(), "ok", "{}", patient.text);
    assert!(patient.text.contains("read ok") && patient.text.contains("bash "), "{}", patient.text);
    let next = other.call("execute_tools", &json!({ "code": "return 'next'" })).await.unwrap();
    assert_eq!(Ended::of(&next.result, &next.receipt).value(), &json!("next"));
}
