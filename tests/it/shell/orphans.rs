//! [SHELL-03] [PROTO-08] Nothing outlives its session, whoever is killed and however processes hide.
//!
//! Each tree has fifty processes that left their parent, their group and their session in five ways: in the
//! background, with `setsid`, after two forks, with `nohup`, and as daemons do: no descriptor, no environment,
//! another folder, another name. They are known by their executable alone, a copy of the shell in the world.
//!
//! Not here: processes that ignore SIGTERM and the ways of a background process (`process` of the shell server),
//! the launcher's part (`kernel/launch`).

use std::{fs, time::Duration};

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tollgate_tests::{
    Ran, Running, Script, World,
    events::content_text,
    eventually,
    eventually::eventually_true,
    kernel::Kernel,
    processes::{Process, all, below},
};

const FULL: [&str; 2] = ["--posture", "full-access"];

/// Processes of one tree.
const TREE: usize = 50;

/// Calls that are cancelled.
const CANCELS: u64 = 40;

/// The last moment of a cancel, in µs: some calls have ended by then.
const LATEST_MOMENT_US: u64 = 200_000;

/// A command that starts the tree and waits. The processes wait for a line that nobody writes.
const COMMAND: &str = "mkfifo never
n=\"$PWD/napper\"; s='read x <> \"$1\"'; f=\"$PWD/never\"
for i in 1 2 3 4 5 6 7 8 9 10; do
  \"$n\" -c \"$s\" n \"$f\" &
  setsid \"$n\" -c \"$s\" n \"$f\" &
  ( ( \"$n\" -c \"$s\" n \"$f\" & ) & )
  nohup \"$n\" -c \"$s\" n \"$f\" >/dev/null 2>&1 &
  ( cd / && exec setsid \"$n\" -c '(exec -a \"[kworker/0:1]\" env -i -- \"$0\" -c \"$1\" n \"$2\" <&- >&- 2>&- &) &' \
      \"$n\" \"$s\" \"$f\" )
done
: the-tree
touch planted
sleep 300";

fn world() -> World {
    let world = World::new();
    fs::copy("/bin/bash", world.workspace().join("napper")).unwrap();
    world
}

/// The processes of the tree.
fn nappers(world: &World) -> Vec<Process> {
    let napper = world.workspace().join("napper");
    let exe = |process: &Process| fs::read_link(format!("/proc/{}/exe", process.pid)).ok();
    all().into_iter().filter(|process| exe(process).is_some_and(|exe| exe == napper)).collect()
}

/// Runs the tree's command, then another one.
fn plant(world: &World) -> Running {
    let script = Script::new()
        .call("bash", json!({ "command": COMMAND, "timeout": 600 }))
        .call("bash", json!({ "command": "echo again" }))
        .text("done");
    let kernel = world.exec(&script, "go").args(FULL).spawn();
    eventually_true("the command is through", || world.has("planted"));
    eventually_true("the whole tree waits", || nappers(world).len() == TREE);
    kernel
}

/// The process below the kernel that has this word, or program, in its command; the outermost of them.
#[track_caller]
fn one_below(kernel: &Running, what: &str, wanted: impl Fn(&Process) -> bool) -> Process {
    eventually(&format!("{what} runs"), || {
        let all = below(kernel.pid);
        let of_kind: Vec<&Process> = all.iter().filter(|process| wanted(process)).collect();
        let has_parent = |it: &Process| of_kind.iter().any(|other| other.pid == it.parent);
        of_kind.iter().find(|process| !has_parent(process)).map(|process| (*process).clone())
    })
}

fn is_shell(process: &Process) -> bool {
    process.program() == "bash" && process.command.contains("the-tree")
}

/// After the death of `victim` the tree is gone, the session goes on, and the call is told; gives its result.
#[track_caller]
fn survives(world: &World, kernel: Running, victim: &Process) -> Value {
    victim.kill();
    let ran = kernel.finish();
    let events = goes_on(&ran);
    eventually_true("nothing of the tree is left", || nappers(world).is_empty());
    world.is_quiet();
    world.receipts(None).sound(world);
    events
}

#[track_caller]
fn goes_on(ran: &Ran) -> Value {
    let events = ran.clone().success().events().well_formed();
    let results = events.results();
    assert!(content_text(results[1]).starts_with("again\n"), "{}", results[1]);
    assert_ne!(results[0]["status"], "ok", "{}", results[0]);
    results[0].clone()
}

/// B040
#[test]
fn a_killed_kernel_leaves_none_of_fifty() {
    let world = world();
    let kernel = plant(&world);
    kernel.kill();
    eventually_true("nothing of the tree is left", || nappers(&world).is_empty());
    world.is_quiet();
}

/// The same when all of the kernel's own helpers are killed at one moment with it: each is a way out alone.
#[test]
fn a_kernel_killed_with_its_warden_leaves_none_of_fifty() {
    let world = world();
    let kernel = plant(&world);
    let warden = one_below(&kernel, "the warden", |it| it.command.contains("__launch"));
    kernel.kill();
    warden.kill();
    eventually_true("nothing of the tree is left", || nappers(&world).is_empty());
    world.is_quiet();
}

/// B040
#[test]
fn a_killed_shell_server_leaves_none_of_fifty() {
    let world = world();
    let kernel = plant(&world);
    let server = one_below(&kernel, "the server", |it| {
        it.program() == "tollgate-shell" && !it.command.contains("__confine")
    });
    let result = survives(&world, kernel, &server);
    assert!(content_text(&result).contains("may have run"), "{result}");
}

#[test]
fn a_killed_warden_leaves_none_of_fifty() {
    let world = world();
    let kernel = plant(&world);
    let warden = one_below(&kernel, "the warden of the shell", |it| {
        it.command.contains("__launch") && it.command.contains("tollgate-shell")
    });
    let result = survives(&world, kernel, &warden);
    assert!(content_text(&result).contains("may have run"), "{result}");
}

/// What holds the commands' namespaces, if this host allows any: without it no process is left in them.
#[test]
fn killed_holders_of_a_sandbox_leave_none_of_fifty() {
    for holder in ["__confine hold", "__confine reap", "__confine enter"] {
        let world = world();
        let kernel = plant(&world);
        let held = below(kernel.pid);
        let Some(victim) = held.iter().find(|it| it.command.contains(holder)) else { continue };
        let result = survives(&world, kernel, victim);
        assert_eq!(result["status"], "failed", "{holder}: {result}");
    }
}

/// The shell itself: its end is told, what it left is the session's, and ends with it.
#[test]
fn a_killed_shell_leaves_none_of_fifty() {
    let world = world();
    let kernel = plant(&world);
    let shell = one_below(&kernel, "the shell", is_shell);
    let result = survives(&world, kernel, &shell);
    let text = content_text(&result);
    assert!(text.contains("[ended by SIGKILL, signal 9, after "), "{text}");
    // The last `sleep` of the command itself too.
    assert!(text.contains(&format!("[{} processes go on in the background", TREE + 1)), "{text}");
    assert_eq!(result["metadata"]["signal"], "SIGKILL");
}

/// A command that kills whatever it can see, what holds it included, harms nobody but itself.
#[test]
fn a_command_that_kills_all_that_it_can_ends_alone() {
    let world = World::new();
    // Where commands see other processes this would end them.
    if !has_own_processes(&world) {
        return;
    }
    let command = format!(
        "trap '' TERM; [ -e /proc/{} ] && exit 0
         for p in /proc/[0-9]*; do p=${{p#/proc/}}; [ $p = $$ ] || kill -KILL $p; done; kill -KILL $$",
        std::process::id()
    );
    let script = Script::new()
        .call("bash", json!({ "command": command }))
        .call("bash", json!({ "command": "echo again" }))
        .text("done");
    let ran = world.exec(&script, "go").args(FULL).run();
    let result = goes_on(&ran);
    assert_eq!(result["status"], "failed", "{result}");
    world.receipts(None).sound(&world);
    world.is_quiet();
}

/// Whether commands see no process but their own.
fn has_own_processes(world: &World) -> bool {
    let seen = world.call("bash", &json!({ "command": "ls -d /proc/[0-9]*" })).args(FULL).run();
    let text = content_text(&seen.success().json()["result"]);
    !text.contains(&format!("/proc/{}\n", std::process::id()))
}

/// Three processes in hiding and a moment of work; at its own end the command lets them go.
const MOMENT: &str = "touch begun; mkfifo $F; exec 9<>$F
setsid ./napper -c 'read x <&9' & ( ( ./napper -c 'read x <&9' & ) & ); nohup ./napper -c 'read x <&9' >/dev/null &
echo begun; read -t 0.05 x <&9; printf 'x\\nx\\nx\\n' >&9; echo done";

/// B058 [SHELL-03] Cancelled at any moment, from before its start to after its end, a call leaves nothing, and
/// the next one works. The moments follow from a seed.
#[tokio::test]
async fn a_call_may_be_cancelled_at_any_moment() {
    let world = world();
    let kernel = Kernel::start(&world, FULL);
    let session = kernel.session(&world, &Script::new()).await;
    let (mut cancelled, mut seed) = (0, 20_u64);
    for round in 0..CANCELS {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let moment = Duration::from_micros((seed >> 33) % LATEST_MOMENT_US);
        let command = MOMENT.replace("$F", &format!("f{round}"));
        let arguments = json!({ "command": command });
        let call = session.call("bash", &arguments);
        match tokio::time::timeout(moment, call).await {
            Err(_) => cancelled += 1,
            Ok(called) => assert_eq!(called.unwrap().receipt["end"]["status"], "ok"),
        }
        let next = session.call("bash", &json!({ "command": "echo again" })).await.unwrap();
        assert!(content_text(&next.result).starts_with("again\n"), "after {moment:?}: {next:?}");
        eventually_true("nothing is left", || nappers(&world).is_empty());
    }
    println!("{cancelled} of {CANCELS} were cancelled");
    assert!(cancelled > 0);
    session.close().await.unwrap();
    kernel.process.signal(Signal::SIGTERM);
    drop(kernel.process.finish());
    world.is_quiet();
}
