//! Goal: no change of a file goes unseen, and unchanged files are not read again.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use super::Stamps;
use crate::testing::World;

/// Stamps of some names, taken `later` than now.
fn stamps(world: &World, later: Duration) -> Stamps {
    let mut stamps = Stamps::new(SystemTime::now() + later);
    for name in ["work", "work/file", "work/link", "work/absent"] {
        stamps.look(&world.at(name));
    }
    stamps
}

fn world() -> World {
    let world = World::new();
    world.put("work/file", "one").link(&world.at("work/file"), "work/link");
    world
}

const LATER: Duration = Duration::from_secs(60);

#[test]
fn unchanged_files_look_unchanged() {
    let world = world();
    let stamps = stamps(&world, LATER);
    assert!(stamps.still_hold());
    world.put("work/other", "");
    assert!(stamps.still_hold(), "a folder's content has its own stamps");
}

#[test]
fn every_kind_of_change_is_seen() {
    type Change = fn(&World);
    let changes: [Change; 8] = [
        |world| _ = world.put("work/file", "two"),
        |world| _ = world.put("work/absent", ""),
        |world| fs::remove_file(world.at("work/file")).unwrap(),
        |world| _ = world.mode("work/file", 0o644),
        |world| _ = world.mode("work", 0o711),
        |world| {
            world.put("new", "one");
            fs::rename(world.at("new"), world.at("work/file")).unwrap();
        },
        |world| {
            fs::remove_file(world.at("work/link")).unwrap();
            world.put("other", "one").link(&world.at("other"), "work/link");
        },
        |world| {
            // The time of modification is anybody's to set; the time of change is not.
            let before = fs::metadata(world.at("work/file")).unwrap().modified().unwrap();
            world.put("work/file", "two");
            let file = fs::File::options().write(true).open(world.at("work/file")).unwrap();
            file.set_modified(before).unwrap();
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let world = world();
        let stamps = stamps(&world, LATER);
        change(&world);
        assert!(!stamps.still_hold(), "change {number}");
    }
}

/// A second change in the same step of the clock leaves size and times as they are.
#[test]
fn a_change_in_the_same_step_of_the_clock_is_seen() {
    let world = world();
    assert!(!stamps(&world, Duration::ZERO).still_hold());
}
