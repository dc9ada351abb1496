//! Goal: a tree of any size is shown in whole levels, and what is not shown is counted exactly.

use std::{fs, os::unix::fs::symlink};

use super::*;
use crate::testing::World;

fn listing(world: &World, path: &str, depth: usize, left_out: &[&str]) -> Listing {
    let left_out: Vec<String> = left_out.iter().map(|glob| (*glob).to_owned()).collect();
    let left_out = LeftOut::new(&left_out).unwrap();
    list(&world.place(path).unwrap(), depth, &left_out, &Withheld::default(), &|| false).unwrap()
}

#[test]
fn a_tree_shows_kinds_and_levels() {
    let world = World::new().with("src/main.rs", "").with("src/a/b/c", "").with("README", "");
    fs::create_dir(world.path("empty")).unwrap();
    symlink("src/main.rs", world.path("link")).unwrap();
    let shown = listing(&world, ".", 2, &[]);
    assert_eq!(shown.text, "README\nempty/\nlink -> src/main.rs\nsrc/\n  a/\n  main.rs\n");
    assert_eq!((shown.entries, shown.shown, shown.depth, shown.unexplored), (6, 6, 2, 1));
    assert_eq!(listing(&world, ".", 1, &[]).text, "README\nempty/\nlink -> src/main.rs\nsrc/\n");
    assert_eq!(listing(&world, "src", 9, &["*.rs"]).text, "a/\n  b/\n    c\n");
    assert_eq!(listing(&world, "empty", 2, &[]).text, "");
}

#[test]
fn levels_that_do_not_fit_are_counted_at_their_directory() {
    let world = World::new().with("z", "");
    for k in 0..LIST_ENTRIES_MAX {
        world.put(&format!("many/{k}"), "");
    }
    world.put("few/x", "");
    let shown = listing(&world, ".", 2, &[]);
    assert_eq!(shown.text, format!("few/ (1 inside)\nmany/ ({LIST_ENTRIES_MAX} inside)\nz\n"));
    assert_eq!((shown.entries, shown.shown, shown.depth), (LIST_ENTRIES_MAX + 4, 3, 1));
}

/// 20,000 files in one directory: bounded, exact.
#[test]
fn a_huge_directory_is_cut_at_whole_lines() {
    let world = World::new();
    fs::create_dir(world.path("d")).unwrap();
    let target = world.path("d/0");
    fs::write(&target, "").unwrap();
    for k in 1..20_000 {
        fs::hard_link(&target, world.path(&format!("d/{k}")))
            .or_else(|_| fs::write(world.path(&format!("d/{k}")), ""))
            .unwrap();
    }
    let shown = listing(&world, "d", 1, &[]);
    assert_eq!((shown.entries, shown.shown), (20_000, LIST_ENTRIES_MAX));
    assert_eq!(shown.text.lines().count(), LIST_ENTRIES_MAX);
    assert!(shown.text.starts_with("0\n1\n10\n100\n1000\n10000\n"), "{}", shown.text);
}

#[test]
fn long_names_are_bounded_by_bytes() {
    let world = World::new();
    for k in 0..500 {
        world.put(&format!("{k:03}{}", "x".repeat(200)), "");
    }
    let shown = listing(&world, ".", 1, &[]);
    assert!(shown.text.len() <= FOUND_BYTES_MAX && shown.text.ends_with('\n'));
    assert!(shown.shown < 500 && shown.entries == 500);
}
