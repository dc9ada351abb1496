//! What a command may try so that the next one can read what is closed.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
};

use nix::unistd::{Uid, geteuid, setfsuid};

use super::{Scene, settle};

/// Runs as a user whom permissions hold, on a thread of its own.
fn as_nobody(act: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let ran = scope.spawn(|| {
            if geteuid().is_root() {
                setfsuid(Uid::from_raw(65_534));
            }
            act();
        });
        ran.join().unwrap();
    });
}

fn give_away(scene: &Scene, names: &[&str]) {
    if geteuid().is_root() {
        for name in names {
            chown(scene.path(name), Some(65_534), None).unwrap();
        }
    }
    let above = scene.path("");
    for folder in above.ancestors().take(3) {
        if folder.starts_with(std::env::temp_dir()) && folder != std::env::temp_dir() {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

/// Its mode can be set back by the next command.
#[test]
fn what_cannot_be_looked_into_is_covered() {
    let scene = Scene::new(&[], &[".netrc"]);
    scene.file("a/b/.netrc", "");
    scene.file("c/d/.netrc", "");
    give_away(&scene, &["a", "c", "c/d"]);
    let mut before = scene.check(&["a/b/.netrc", "c/d/.netrc"], &[]);
    settle();
    fs::set_permissions(scene.path("a"), fs::Permissions::from_mode(0o000)).unwrap();
    // Names can be read, and nothing behind them.
    fs::set_permissions(scene.path("c"), fs::Permissions::from_mode(0o600)).unwrap();
    as_nobody(|| {
        let found = scene.check(&["a", "c"], &[]);
        assert!(
            found.notes.iter().any(|it| it.contains("cannot be looked into")),
            "{:?}",
            found.notes
        );
        let caught = scene.after(&mut before);
        let told: Vec<_> = caught
            .iter()
            .map(|it| scene.below(std::slice::from_ref(&it.place)).remove(0))
            .collect();
        assert_eq!(told[..2], ["a", "c"], "{caught:?}");
        assert!(scene.path("a").exists());
    });
    scene.check(&["a/b/.netrc", "c/d/.netrc"], &[]);
}

/// A mount goes along with a folder that is renamed, and only until its command ends.
#[test]
fn what_was_moved_away_stays_closed() {
    let mut scene = Scene::new(&["conf/secret.txt", "dir/inner/**"], &[]);
    scene.file("conf/secret.txt", "");
    scene.file("dir/inner/a", "");
    let mut before = scene.check(&["conf/secret.txt", "dir/inner"], &[]);
    fs::rename(scene.path("conf"), scene.path("other")).unwrap();
    fs::rename(scene.path("dir"), scene.path("x")).unwrap();
    let caught = scene.after(&mut before);
    assert_eq!(caught.len(), 2, "{caught:?}");
    assert!(caught[0].sentence().contains("stays closed there"));
    scene.check(&["other/secret.txt", "x/inner"], &[]);
    fs::rename(scene.path("other"), scene.path("again")).unwrap();
    scene.check(&["again/secret.txt", "x/inner"], &[]);
    // Where no rule closes it any longer, or the call may have it, it is open.
    scene.scope.opened = vec![scene.path("conf/secret.txt")];
    scene.check(&["x/inner"], &[]);
}

/// Paths are bounded, trees are not.
#[test]
fn what_is_too_deep_to_be_said_is_covered_above() {
    let scene = Scene::new(&[], &[".netrc"]);
    let mut folder = rustix::fs::open(
        scene.path(""),
        rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::RDONLY,
        rustix::fs::Mode::empty(),
    )
    .unwrap();
    let name = "d".repeat(200);
    for _ in 0..30 {
        rustix::fs::mkdirat(&folder, &name, rustix::fs::Mode::RWXU).unwrap();
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::RDONLY;
        folder = rustix::fs::openat(&folder, &name, flags, rustix::fs::Mode::empty()).unwrap();
    }
    let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
    drop(rustix::fs::openat(&folder, ".netrc", flags, rustix::fs::Mode::RUSR).unwrap());
    let found = scene.look();
    assert_eq!(found.masked.len(), 1);
    assert!(found.masked[0].as_os_str().len() < 4096 && found.masked[0].is_dir());
}

#[test]
fn pipes_and_sockets_with_a_closed_name_hold_nobody_up() {
    let scene = Scene::new(&["pipe", "socket"], &[]);
    nix::unistd::mkfifo(&scene.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(scene.path("socket")).unwrap();
    scene.check(&[], &[]);
    drop(socket);
}
