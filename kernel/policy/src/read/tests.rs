//! Goal: whatever lies where a policy file is looked for, it is taken whole, or refused with a reason;
//! only what is not there is absent.

use std::{fs, path::Path};

use super::{Content, file, user_file};
use crate::{limits::FILE_BYTES_MAX, testing::World};

#[track_caller]
fn check(path: &Path, expected: &str) {
    let taken = match file(path, |_| Ok(())) {
        Content::Absent => "absent".to_owned(),
        Content::Text(text) => format!("text {text}"),
        Content::Unusable(why) => why,
    };
    assert!(taken.contains(expected), "{taken}");
}

/// `[THR-03]` G-07
#[test]
fn a_file_that_cannot_be_taken_is_not_absent() {
    let world = World::new();
    world
        .put("good", "a = 1\n")
        .put("bom", b"\xef\xbb\xbfa = 1\n")
        .put("bytes", b"a = 1\nb = \xff");
    world.put("long", vec![b'#'; usize::try_from(FILE_BYTES_MAX).unwrap() + 1]);
    world.link(&world.at("nothing"), "dangling").link(&world.at("good"), "link");
    world.link(&world.at("loop"), "loop");
    nix::unistd::mkfifo(&world.at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    check(&world.at("good"), "text a = 1\n");
    check(&world.at("link"), "text a = 1\n");
    check(&world.at("nothing"), "absent");
    check(&world.at("nowhere/nothing"), "absent");
    check(&world.at("bom"), "byte order mark");
    check(&world.at("bytes"), "is not UTF-8 (line 2)");
    check(&world.at("long"), "is longer than 4194304 bytes");
    check(&world.at("dangling"), "is a link to a file that is not there");
    check(&world.at("loop"), "cannot be read");
    check(&world.at("pipe"), "is no regular file");
    check(&world.at("home"), "is no regular file");
    check(Path::new("/dev/zero"), "is no regular file");
    check(&world.at("good/below"), "cannot be read");
}

/// A file that any other user of the machine may write to holds nobody's word.
#[test]
fn a_file_that_everybody_may_write_to_is_refused() {
    let world = World::new();
    world.put("file", "a = 1").mode("file", 0o666);
    let Content::Unusable(why) = user_file(&world.at("file")) else { panic!("taken") };
    assert!(why.contains("everybody may write"), "{why}");
    fs::remove_file(world.at("file")).unwrap();
    assert_eq!(user_file(&world.at("file")), Content::Absent);
}
