//! What a program has and is: rights, descriptors, signals, limits, mounts, terminals.

use std::{ffi::OsStr, fs, path::Path};

use nix::{
    mount::{MsFlags, mount},
    sched::{CloneFlags, unshare},
    unistd::{getegid, geteuid},
};
use tollgate_confine::child::{Ended, Plan};

use super::{super::LENT, world::World};

/// Rights, descriptors, signals and limits as a program should find them.
pub(crate) fn process() {
    let world = World::new();
    let status = world.sh(&world.plan(), "exec cat /proc/self/status").well().output;
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        line.unwrap().split_once(':').unwrap().1.trim().to_owned()
    };
    // Two signals are the C library's own.
    let own = 3_u64 << 31;
    for none in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:", "SigBlk:", "SigIgn:", "SigCgt:"] {
        let bits = u64::from_str_radix(&field(none), 16).unwrap();
        let own = if none == "SigIgn:" { own } else { 0 };
        assert_eq!(bits & !own, 0, "{none} of {status}");
    }
    assert_eq!((field("NoNewPrivs:").as_str(), field("Seccomp:").as_str()), ("1", "2"));
    let descriptors = world.sh(&world.plan(), "ls /proc/self/fd").well().output;
    // The last is the listing's own.
    assert_eq!(descriptors.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
    assert_eq!(world.sh(&world.plan(), "ulimit -c").well().output, "0\n");
    let ran = world.sh(&world.plan(), "kill -SEGV $$");
    let ended = ran.report.ended.is_none_or(|ended| ended == Ended::Signal(11));
    assert!(ended && (ran.code.is_none() || world.has_namespaces()), "{ran:?}");
    let ran = world.sh(&world.plan(), "exit 7");
    assert_eq!(ran.code, Some(7));
    let words = ran.report.confined.unwrap();
    let expected: &[_] = if world.has_namespaces() {
        &["namespaces", "places", "net:none"]
    } else {
        &["namespaces:none", "places:none", "net:none"]
    };
    for word in expected {
        assert!(words.split(' ').any(|it| it == *word), "{word} is not in {words}");
    }
}

/// A file that lends root, run inside; and one that a program makes.
pub(crate) fn lent() {
    let world = World::new();
    let lent = std::env::var(LENT).unwrap();
    let status = world.sh(&world.plan(), &format!("exec {lent} /proc/self/status")).well().output;
    let user = geteuid().to_string();
    let users = status.lines().find(|line| line.starts_with("Uid:")).unwrap();
    assert!(users.split_whitespace().skip(1).all(|it| it == user), "{status}");
    for set in ["CapPrm:\t0000000000000000", "CapEff:\t0000000000000000"] {
        assert!(status.contains(set), "{status}");
    }
    let script = "cp /bin/cat made; for mode in u+s g+s 4755 2755; do chmod $mode made && echo LENT; done
                  install -m 6755 /bin/cat other && echo LENT; test -u other -o -g other && echo LENT; echo end";
    let ran = world.sh(&world.plan(), script);
    assert!(ran.output.ends_with("end\n") && !ran.output.contains("LENT"), "{}", ran.output);
}

/// A small limit, and the holder goes on.
pub(crate) fn bomb() {
    const MOST: u64 = 40;
    let world = World::new();
    let plan = Plan { processes: MOST, ..world.plan() };
    let limit = world.sh(&plan, "cat /proc/sys/kernel/pid_max").well().output;
    let held_for_root = limit.trim() == (MOST + 300).to_string();
    for _ in 0..2 {
        let ran = world.act(&plan, "spawn", &[]).well().output;
        let spawned: u64 = ran.trim().strip_prefix("spawned ").unwrap().parse().unwrap();
        if !geteuid().is_root() {
            assert!((10..=MOST).contains(&spawned), "{spawned}");
        } else if held_for_root {
            assert!((10..=MOST + 300).contains(&spawned), "{spawned}");
        }
    }
    world.sh(&world.plan(), "echo on").well();
}

/// Every mount that is writable is one of its folders, and none can be made so.
pub(crate) fn mounts() {
    let world = World::new();
    let told = [world.outside.as_os_str(), world.work.as_os_str()];
    check_mounts(&world, &told);
}

fn check_mounts(world: &World, told: &[&OsStr]) {
    let ran = world.act(&world.plan(), "try mounts", told);
    let work = world.work.to_str().unwrap();
    for place in ran.output.lines().filter_map(|line| line.strip_prefix("writable ")) {
        assert!([work, "/dev/shm", "/dev/pts"].contains(&place), "{place} is writable");
    }
    ran.only_worked(&[], 7);
}

/// In a container part of `/proc` is covered, and Linux then gives no new one; another mount covers one.
pub(crate) fn covered_proc() {
    let (user, group) = (geteuid(), getegid());
    if !user.is_root() {
        unshare(CloneFlags::CLONE_NEWUSER).unwrap();
        fs::write("/proc/self/setgroups", "deny").unwrap();
        fs::write("/proc/self/uid_map", format!("{user} {user} 1")).unwrap();
        fs::write("/proc/self/gid_map", format!("{group} {group} 1")).unwrap();
    }
    unshare(CloneFlags::CLONE_NEWNS).unwrap();
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, private, None::<&str>).unwrap();
    let cover = |place: &Path| {
        mount(Some("cover"), place, Some("tmpfs"), MsFlags::empty(), None::<&str>).unwrap();
    };
    cover(Path::new("/proc/sys/kernel"));
    let world = World::new();
    let below = world.outside.join("folder/below");
    fs::create_dir(&below).unwrap();
    cover(&below);
    cover(&world.outside.join("folder"));
    check_mounts(&world, &[world.outside.as_os_str(), world.work.as_os_str()]);
    let own = std::process::id().to_string();
    // It is seen there, and not reached.
    let ran = world.sh(&world.plan(), &format!("test -d /proc/{own} && echo seen"));
    assert_eq!(ran.output, "seen\n");
    let told = [world.outside.as_os_str(), OsStr::new(&own)];
    world.act(&world.plan(), "try processes", &told).only_worked(&[], 30);
    nix::mount::umount(&world.outside.join("folder")).unwrap();
    nix::mount::umount(&below).unwrap();
}

/// Those of the host are not there, and new ones can be made.
pub(crate) fn terminals() {
    let world = World::new();
    let _other = nix::pty::openpty(None, None).unwrap();
    let ran = world.sh(&world.plan(), "ls /dev/pts; : <> /dev/ptmx && echo made").well();
    assert_eq!(ran.output.lines().collect::<Vec<_>>(), ["ptmx", "made"]);
}

/// A program that listens, and one that dials it.
pub(crate) fn loopback() {
    let world = World::new();
    let mut listening = world.start_act(&world.plan(), "listen", &[]);
    let port = listening.line().unwrap();
    world.act(&world.plan(), "dial", &[OsStr::new(&port)]).well();
    assert_eq!(listening.line().as_deref(), Some("accepted"));
    listening.end().well();
}
