//! Who ends with whom.

use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, dup},
};
use tollgate_confine::child::{ENTER, Ended};

use super::world::{Unusual, World, start};

/// Tries to outlive everybody.
const STAYS: &str = "setsid sh -c 'trap \"\" HUP TERM INT; (setsid sh -c \"echo detached; sleep 1000\" &); sleep 1000' & sleep 0";

/// Runs a program that says "up", and one that it detached, until this process is killed.
pub(crate) fn live() {
    let world = World::new();
    let output = Some(dup(std::io::stdout()).unwrap());
    let unusual = Unusual { output, ..Unusual::default() };
    let script = if world.has_namespaces() {
        format!("echo up; {STAYS}; sleep 1000")
    } else {
        "echo up; exec sleep 1000".to_owned()
    };
    let plan = world.plan().to_bytes();
    let running = start(ENTER, &plan, &["/bin/sh", "-c", script.as_str()], &[], unusual);
    running.code();
}

/// Three programs, one of which detached another.
pub(crate) fn kill_the_holder() {
    let world = World::new();
    let mut all = Vec::new();
    for _ in 0..3 {
        let mut running =
            world.start(&world.plan(), &["/bin/sh", "-c", &format!("{STAYS}; sleep 1000")]);
        assert_eq!(running.line().as_deref(), Some("detached"));
        all.push(running);
    }
    kill(world.holder.unwrap().started, Signal::SIGKILL).unwrap();
    for running in all {
        let ran = running.end();
        assert_eq!(ran.report.ended, Some(Ended::Signal(9)), "{ran:?}");
    }
}

/// It is told as ended when it has, and what it left behind ends with the namespaces.
pub(crate) fn left_behind() {
    let world = World::new();
    let mut running = world.start(&world.plan(), &["/bin/sh", "-c", &format!("{STAYS}; exit 3")]);
    assert_eq!(running.line().as_deref(), Some("detached"));
    assert_eq!(running.code(), Some(3));
    // It is still there for another program of the same namespaces.
    let all = world.sh(&world.plan(), "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").output;
    assert!(all.contains("sleep 1000") && all.contains("__confine reap"), "{all}");
    kill(Pid::from_raw(world.holder.unwrap().first), Signal::SIGKILL).unwrap();
    // At its end nobody has it open.
    assert_eq!(running.line(), None);
}
