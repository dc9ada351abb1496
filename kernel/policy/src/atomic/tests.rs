//! Goal: a file is replaced whole, or not at all.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::replace;
use crate::testing::World;

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_new_file_is_the_users_alone_and_so_is_its_folder() {
    let world = World::new();
    let path = world.at("new/folder/file");
    assert_eq!(replace(&path, "x", || true), Ok(true));
    assert_eq!(fs::read_to_string(&path).unwrap(), "x");
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&world.at("new/folder")), 0o700);
}

/// Dotfiles are often links: the link stays, its target gets the text.
#[test]
fn a_link_stays_a_link() {
    let world = World::new();
    world.put("dotfiles/file", "old").link(&world.at("dotfiles/file"), "file");
    assert_eq!(replace(&world.at("file"), "new", || true), Ok(true));
    assert!(world.at("file").symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(world.at("dotfiles/file")).unwrap(), "new");
    world.link(&world.at("nothing"), "dangling");
    assert!(replace(&world.at("dangling"), "new", || true).unwrap_err().contains("leads nowhere"));
}

#[test]
fn what_changed_meanwhile_is_not_overwritten() {
    let world = World::new();
    world.put("file", "old");
    assert_eq!(replace(&world.at("file"), "new", || false), Ok(false));
    assert_eq!(fs::read_to_string(world.at("file")).unwrap(), "old");
    let left = fs::read_dir(world.at("")).unwrap().count();
    assert_eq!(left, 4, "nothing is left over");
}
