//! A step that fails: its reason is reported, and the program does not run.

use std::{fs, path::PathBuf};

use nix::{
    sys::{
        signal::{Signal, kill},
        wait::waitpid,
    },
    unistd::Pid,
};
use tollgate_confine::{
    Requirement,
    child::{ENTER, FAILED, Plan},
};

use super::world::{Ran, Unusual, World, start};

/// The program would write this file.
const CANARY: &str = "ran";

#[track_caller]
fn check(world: &World, ran: Ran, words: &str) {
    let failed = ran.report.failed.as_deref().unwrap_or_default();
    assert!(failed.contains(words), "{words} is not in {ran:?}");
    assert_eq!(ran.code, Some(FAILED.into()), "{ran:?}");
    assert!(!world.work.join(CANARY).exists(), "it ran: {ran:?}");
}

fn failing(world: &World, plan: &Plan, words: &str) {
    let script = format!("echo x > {}", world.work.join(CANARY).display());
    check(world, world.sh(plan, &script), words);
}

/// Each step that can fail.
pub(crate) fn all() {
    let world = World::new();
    let plan = || world.plan();
    let missing = || world.path().join("missing");
    failing(&world, &Plan { cwd: missing(), ..plan() }, "enter the working directory");
    failing(&world, &Plan { cwd: PathBuf::new(), ..plan() }, "enter the working directory");
    failing(&world, &Plan { requirement: Requirement::Off, ..plan() }, "needs no launcher");
    if world.has_namespaces() {
        let masked = world.work.join("secret");
        fs::write(&masked, "secret").unwrap();
        let plan = Plan { masked: vec![masked], blank_file: missing(), ..plan() };
        failing(&world, &plan, "cannot close");
        let plan = Plan { masked: vec![world.outside.clone()], blank_folder: missing(), ..plan };
        failing(&world, &plan, "cannot close");
    } else {
        let plan = Plan { requirement: Requirement::Required, ..plan() };
        failing(&world, &plan, "namespaces cannot be had here");
    }
    let words = ["/bin/sh", "-c", "echo x > ran"];
    let whole = world.plan().to_bytes();
    let cut = &whole[..whole.len() - 1];
    for broken in [cut, b"", b"zwhat\0", b"c\0", b"jx\0"] {
        check(&world, start(ENTER, broken, &words, &[], Unusual::default()).end(), "");
    }
    let none: [&str; 0] = [];
    check(&world, start(ENTER, &whole, &none, &[], Unusual::default()).end(), "it has no name");
    check(
        &world,
        start(ENTER, &whole, &["/missing"], &[], Unusual::default()).end(),
        "/missing: No such file",
    );
    check(
        &world,
        start("elsewhere", &whole, &words, &[], Unusual::default()).end(),
        "there is no 'elsewhere'",
    );
    // Nobody hears that it is confined.
    let unheard = Unusual { unheard: true, ..Unusual::default() };
    let ran = start(ENTER, &whole, &words, &[], unheard).end();
    assert_eq!(ran.code, Some(FAILED.into()), "{ran:?}");
    assert!(!world.work.join(CANARY).exists());
}

/// Its namespaces went with it.
pub(crate) fn holder_is_gone() {
    let mut world = World::new();
    let holder = world.holder.take().unwrap();
    // Also what it started last ends with it, however early it is killed; this process is who waits for it.
    nix::sys::prctl::set_child_subreaper(true).unwrap();
    kill(holder.started, Signal::SIGKILL).unwrap();
    waitpid(holder.started, None).unwrap();
    waitpid(Pid::from_raw(holder.first), None).unwrap();
    for gone in [holder.first, i32::MAX, 1, std::process::id().cast_signed()] {
        let plan = Plan { holder: Some(gone), ..world.plan() };
        failing(&world, &plan, "join the namespaces");
    }
}
