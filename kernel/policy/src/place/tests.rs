//! Goal: a folder has one spelling, whether it exists or not.

use std::path::Path;

use super::{absolute, resolved};
use crate::testing::World;

#[test]
fn links_are_followed_as_far_as_there_is_something() {
    let world = World::new();
    world.link(&world.at("work"), "link");
    assert_eq!(resolved(&world.at("link")), world.at("work"));
    assert_eq!(resolved(&world.at("link/new/file")), world.at("work/new/file"));
    assert_eq!(resolved(&world.at("work/new/../file")), world.at("work/file"));
    assert_eq!(resolved(Path::new("/")), Path::new("/"));
}

#[test]
fn a_relative_folder_is_a_fault() {
    let home = Some(Path::new("/home/ada/"));
    assert_eq!(absolute("~/x", home).unwrap(), Path::new("/home/ada/x"));
    assert_eq!(absolute("~", home).unwrap(), Path::new("/home/ada"));
    for (text, home) in [("x", home), ("./x", home), ("~bob", home), ("~/x", None)] {
        absolute(text, home).unwrap_err();
    }
}
