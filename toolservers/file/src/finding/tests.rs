//! Goal: the newest files that match come first, all are counted, and memory is bounded.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
    time::{Duration, SystemTime},
};

use super::*;
use crate::testing::World;

/// Files in this order of change, the oldest first.
fn world(paths: &[&str]) -> World {
    let world = World::new();
    for (age, path) in paths.iter().enumerate() {
        world.put(path, "");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 + age as u64);
        File::options().write(true).open(world.path(path)).unwrap().set_modified(time).unwrap();
    }
    world
}

#[track_caller]
fn check(world: &World, path: &str, pattern: &str, expected: &[&str]) {
    let glob = Glob::new(pattern).unwrap();
    let findings =
        find(&world.place(path).unwrap(), &glob, &Withheld::default(), &|| false).unwrap();
    let paths: Vec<&str> = findings.paths.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(paths, expected);
    assert_eq!(findings.matches, expected.len());
}

#[test]
fn the_newest_come_first() {
    let world = world(&["b.rs", "src/old.rs", "src/new.rs", "a.py"]);
    check(&world, ".", "*.rs", &["src/new.rs", "src/old.rs", "b.rs"]);
    check(&world, "src", "*.rs", &["new.rs", "old.rs"]);
    check(&world, ".", "src/*.rs", &["src/new.rs", "src/old.rs"]);
    check(&world, ".", "*", &["a.py", "src/new.rs", "src/old.rs", "b.rs"]);
    check(&world, ".", "src/", &["src/"]);
    check(&world, ".", "*.c", &[]);
}

#[test]
fn links_are_found_and_not_followed() {
    let world = world(&["../outside/secret.rs"]);
    symlink("../outside", world.path("dir")).unwrap();
    symlink("../outside/secret.rs", world.path("file.rs")).unwrap();
    check(&world, ".", "*.rs", &["file.rs"]);
    check(&world, ".", "secret*", &[]);
}

/// More matches than are kept: the newest are kept, the rest is counted.
#[test]
fn many_matches_are_counted_and_the_newest_kept() {
    let world = World::new();
    fs::create_dir(world.path("d")).unwrap();
    for k in 0..2_000 {
        fs::write(world.path(&format!("d/{k:04}")), "").unwrap();
    }
    let time = SystemTime::now() + Duration::from_secs(60);
    File::options().write(true).open(world.path("d/0777")).unwrap().set_modified(time).unwrap();
    let glob = Glob::new("*").unwrap();
    let findings =
        find(&world.place(".").unwrap(), &glob, &Withheld::default(), &|| false).unwrap();
    assert_eq!((findings.matches, findings.paths.len()), (2_000, FIND_PATHS_MAX));
    assert_eq!(findings.paths[0], Path::new("d/0777"));
}
