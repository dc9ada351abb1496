//! Goal: a write puts there what it says, in the form of what was there, and never over a change
//! that the session did not see. [FILE-10]

use super::*;
use crate::testing::World;

/// Writes over a file; `expected` is its bytes after.
#[track_caller]
fn check(old: &[u8], content: &str, expected: &[u8]) {
    let world = World::new().with("f", old);
    world.write("f", content, None).unwrap();
    assert_eq!(world.bytes("f"), expected);
}

/// B011, B031, B032: a new file holds the content to the letter, also none.
#[test]
fn a_new_file_is_the_content() {
    for content in [
        "",
        "a",
        "say(\"don\u{2019}t\")\n\u{201C}q\u{201D}\n",
        "{\"a\":[1,2]}",
        "\u{feff}x",
        "a\r\n",
    ] {
        let world = World::new();
        let writing = world.write("new/deep/f", content, None).unwrap();
        assert_eq!(world.bytes("new/deep/f"), content.as_bytes());
        assert!(writing.before.is_none() && !writing.is_unread);
        assert_eq!(world.names("new/deep"), ["f"]);
    }
}

#[test]
fn the_form_of_the_old_file_is_kept() {
    check(b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n");
    check(b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n");
    check(b"a\nb\n", "x\r\n", b"x\r\n");
    check(b"\xEF\xBB\xBFa\n", "x\n", b"\xEF\xBB\xBFx\n");
    check(b"\xEF\xBB\xBFa\n", "\u{feff}x\n", b"\xEF\xBB\xBFx\n");
    check(b"a\n", "\u{feff}x\n", b"\xEF\xBB\xBFx\n");
    check(b"\xFF\xFEa\0\n\0", "\u{4e2d}\n", b"\xFF\xFE\x2d\x4e\n\0");
    check(b"caf\xE9\n", "th\u{e8}\n", b"th\xE8\n");
    check(b"\x7fELF\0\0", "now text\n", b"now text\n");
    check(b"x\n", "", b"");
}

#[test]
fn what_does_not_fit_the_encoding_is_refused() {
    let world = World::new().with("f", b"caf\xE9\n").with("g", b"\xC3\xA9\xC3\xA9\xFF\n");
    assert_eq!(world.write("f", "\u{4e2d}", None).unwrap_err().class, Class::Encoding);
    assert_eq!(
        world.write("g", "\u{e9}\u{e9}\u{fffd}\n", None).unwrap_err().class,
        Class::Encoding
    );
    assert_eq!(world.bytes("g"), b"\xC3\xA9\xC3\xA9\xFF\n");
}

/// B020, FS-11: what changed since it was read is not replaced; what was never read is, and told.
#[test]
fn a_change_that_was_not_seen_is_not_replaced() {
    let world = World::new().with("f", "v1\n");
    let seen = world.text("f", 1, None).unwrap().sha256;
    assert!(seen.is_some());
    assert!(!world.write("f", "v2\n", seen).unwrap().is_unread);
    let failed = world.write("f", "v3\n", seen).unwrap_err();
    assert_eq!(failed.class, Class::Stale);
    assert!(failed.message.contains("Read it again"), "{}", failed.message);
    assert_eq!(world.bytes("f"), b"v2\n");
    assert!(world.write("f", "v3\n", None).unwrap().is_unread);
    // What was read and is gone is made anew.
    std::fs::remove_file(world.path("f")).unwrap();
    assert!(world.write("f", "v4\n", seen).unwrap().before.is_none());
}
