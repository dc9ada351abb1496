//! Goal: what a file has beside its content goes along, or is told.

use std::fs;

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};

use super::*;
use crate::testing::World;

fn value(world: &World, path: &str, name: &str) -> Option<Vec<u8>> {
    let file = File::open(world.path(path)).unwrap();
    let mut value = Vec::with_capacity(256);
    fgetxattr(&file, name, rustix::buffer::spare_capacity(&mut value)).ok().map(|_| value)
}

/// FS-13: an edit and a write keep attributes of the user.
#[test]
fn attributes_of_the_user_are_kept() {
    let world = World::new().with("f", "a");
    let file = File::open(world.path("f")).unwrap();
    fsetxattr(&file, "user.note", b"kept \xff", XattrFlags::empty()).unwrap();
    world.edit("f", &[("a", "b")]).unwrap();
    assert_eq!(value(&world, "f", "user.note").unwrap(), b"kept \xff");
    world.write("f", "c", None).unwrap();
    assert_eq!(value(&world, "f", "user.note").unwrap(), b"kept \xff");
}

/// An access control list as the kernel writes it: owner, a user 1234 who reads, group, mask, others.
fn list() -> Vec<u8> {
    let entry = |tag: u16, bits: u16, id: u32| {
        [&tag.to_le_bytes()[..], &bits.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    let entries = [
        entry(1, 6, u32::MAX),
        entry(2, 4, 1234),
        entry(4, 0, u32::MAX),
        entry(16, 4, u32::MAX),
        entry(32, 0, u32::MAX),
    ];
    [&2_u32.to_le_bytes()[..], &entries.concat()].concat()
}

/// FS-13: an access control list is kept; and one that a directory gives to new files is not taken on.
#[test]
fn access_control_lists_are_kept() {
    let world = World::new().with("f", "a").with("d/g", "a");
    let file = File::open(world.path("f")).unwrap();
    fsetxattr(&file, ACCESS_LIST, &list(), XattrFlags::empty()).unwrap();
    let mode = world.mode("f");
    world.edit("f", &[("a", "b")]).unwrap();
    assert_eq!((value(&world, "f", ACCESS_LIST).unwrap(), world.mode("f")), (list(), mode));

    let directory = File::open(world.path("d")).unwrap();
    fsetxattr(&directory, "system.posix_acl_default", &list(), XattrFlags::empty()).unwrap();
    world.edit("d/g", &[("a", "b")]).unwrap();
    assert_eq!(value(&world, "d/g", ACCESS_LIST), None);
}

/// Rights that a file lends end with its content, as they do when it is written in place, and that is told.
#[test]
fn lent_rights_end_and_that_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new().with("f", "a");
    fs::set_permissions(world.path("f"), fs::Permissions::from_mode(0o4755)).unwrap();
    let context = world.context(Vec::new());
    let reply = crate::write::run("f", "b", None, &context, &world.scope()).unwrap();
    let told = crate::testing::text_of(&reply);
    assert!(told.contains("set-user-ID and set-group-ID were not kept"), "{told}");
    assert_eq!(world.mode("f"), 0o755);
}

/// A capability, which only root can give, is not kept, and told.
#[test]
fn a_capability_is_told() {
    let world = World::new().with("f", "a");
    let file = File::open(world.path("f")).unwrap();
    // Revision 2, one effective capability (net_bind_service).
    let capability =
        [&0x0200_0001_u32.to_le_bytes()[..], &(1_u32 << 10).to_le_bytes(), &[0; 12]].concat();
    let given = fsetxattr(&file, "security.capability", &capability, XattrFlags::empty());
    assert_eq!(given.is_ok(), nix::unistd::geteuid().is_root());
    let new = World::new().with("g", "b");
    let target = fs::OpenOptions::new().write(true).open(new.path("g")).unwrap();
    let lost = carry(&file, &target);
    assert_eq!(lost.contains(&"security.capability".to_owned()), given.is_ok(), "{lost:?}");
    assert_eq!(value(&new, "g", "security.capability"), None);
}
