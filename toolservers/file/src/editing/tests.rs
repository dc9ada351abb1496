//! Goal: an edit changes what it says in the file itself, and not one byte else.

use super::*;
use crate::testing::{Numbers, World};

/// Edits a file; `expected` is its bytes after, or the class of the failure, which changes nothing.
#[track_caller]
fn check(bytes: &[u8], edits: &[(&str, &str)], expected: Result<&[u8], Class>) {
    let world = World::new().with("f", bytes);
    let edited = world.edit("f", edits);
    match expected {
        Ok(after) => {
            edited.unwrap();
            assert_eq!(world.bytes("f"), after, "{:?}", String::from_utf8_lossy(&world.bytes("f")));
        }
        Err(class) => {
            assert_eq!(edited.unwrap_err().class, class);
            assert_eq!(world.bytes("f"), bytes);
        }
    }
    assert_eq!(world.names(""), ["f"]);
}

/// B001, B002, B004, B035 on the file itself.
#[test]
fn line_endings_and_the_last_line_stay() {
    check(
        b"alpha\r\nbeta\r\ngamma\r\n",
        &[("alpha\nbeta", "ALPHA\nBETA")],
        Ok(b"ALPHA\r\nBETA\r\ngamma\r\n"),
    );
    check(b"a=1\nb=2\nc=3", &[("c=3", "c=4")], Ok(b"a=1\nb=2\nc=4"));
    let lines = |ten: &str| -> String {
        (1..=20).map(|k| if k == 10 { ten.to_owned() } else { format!("line{k:02}\r\n") }).collect()
    };
    let (old, new) = (lines("line10\r\n"), lines("ten\r\nten-b\r\n"));
    check(old.as_bytes(), &[("line10", "ten\nten-b")], Ok(new.as_bytes()));
    let world = World::new().with("f", &old);
    let diff = world.edit("f", &[("line10", "ten\nten-b")]).unwrap().diff;
    assert_eq!((diff.added, diff.removed), (2, 1));
}

/// B005: a byte-order mark stays, once.
#[test]
fn a_byte_order_mark_stays() {
    check(b"\xEF\xBB\xBFhello\n", &[("hello", "howdy")], Ok(b"\xEF\xBB\xBFhowdy\n"));
    check(b"\xFF\xFEh\0i\0\r\0\n\0", &[("hi\n", "\u{4e2d}\n")], Ok(b"\xFF\xFE\x2d\x4e\r\0\n\0"));
    check(b"\xFE\xFF\0h\0i", &[("i", "o")], Ok(b"\xFE\xFF\0h\0o"));
}

/// B007, B008: other encodings stay whole, or the edit is refused.
#[test]
fn other_encodings_stay_whole() {
    check(b"caf\xE9\nx=1\n", &[("x=1", "x=2")], Ok(b"caf\xE9\nx=2\n"));
    check(b"caf\xE9\nx=1\n", &[("caf\u{e9}", "th\u{e8}")], Ok(b"th\xE8\nx=1\n"));
    check(b"caf\xE9\nx=1\n", &[("x=1", "x=\u{4e2d}")], Err(Class::Encoding));
    let sjis = b"\x83\x65\x83\x58\x83\x67\nn=1\n";
    check(
        sjis,
        &[("n=1", "n=1 # \u{30e1}\u{30e2}")],
        Ok(b"\x83\x65\x83\x58\x83\x67\nn=1 # \x83\x81\x83\x82\n"),
    );
    check(sjis, &[("n=1", "n=1 # \u{e9}")], Err(Class::Encoding));
    // 0x65 is the second byte of a character there, not the letter e.
    check(sjis, &[("e", "x")], Err(Class::NoMatch));
    // A fault in UTF-8 stays, and its stand-in in read is no text of the file.
    let faulty = b"\xC3\xA9\xC3\xA9\xFF x=1\n";
    check(faulty, &[("x=1", "x=2")], Ok(b"\xC3\xA9\xC3\xA9\xFF x=2\n"));
    check(faulty, &[("\u{fffd} x=1", "y")], Err(Class::NoMatch));
}

#[test]
fn what_is_no_text_is_refused() {
    check(b"\x7fELF\x01\x02", &[("ELF", "FLE")], Err(Class::Binary));
    let world = World::new();
    assert_eq!(world.edit("none", &[("a", "b")]).unwrap_err().class, Class::NotFound);
    assert_eq!(world.edit("", &[("a", "b")]).unwrap_err().class, Class::InvalidPath);
    let none = world.with("f", "a");
    assert_eq!(none.edit("f", &[]).unwrap_err().class, Class::InvalidEdit);
}

/// B020: an edit applies to the file as it is now, and says that it had changed.
#[test]
fn an_edit_keeps_what_others_changed() {
    let world = World::new().with("f", "v1\n");
    let seen = world.text("f", 1, None).unwrap().sha256;
    world.put("f", "v1\nuser line\n");
    let edit = Edit { old: "v1".to_owned(), new: "v2".to_owned(), all: false };
    let editing = world.edit_seen("f", &[edit], seen).unwrap();
    assert_eq!(world.bytes("f"), b"v2\nuser line\n");
    assert!(editing.notes.iter().any(|note| note.contains("had changed")));
    assert!(!editing.is_seen);
}

/// [FILE-21]: any edits leave every other byte, whatever the bytes are.
#[test]
fn edits_leave_every_other_byte() {
    let pieces: [&[u8]; 12] = [
        b"ab",
        b"\n",
        b"\r\n",
        b"\t",
        b"  \n",
        b"\xFF",
        b"\xC3\xA9",
        b"e\xCC\x81",
        b"\r",
        b"\xE4\xB8\xAD",
        b"\xE4",
        b"x",
    ];
    let mut numbers = Numbers::new(21);
    for round in 0..300 {
        let mut bytes: Vec<u8> = Vec::new();
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for k in 0..numbers.below(6) + 1 {
            let noise: Vec<u8> =
                (0..numbers.below(20)).flat_map(|_| pieces[numbers.below(12)].to_vec()).collect();
            bytes.extend(&noise);
            parts.push(noise);
            bytes.extend(format!("<{k}>").bytes());
        }
        // Odd marks are replaced, in any order; the noise between must come out as it went in.
        let olds: Vec<String> = (0..parts.len()).map(|k| format!("<{k}>")).collect();
        let mut edits: Vec<(&str, &str)> =
            olds.iter().skip(1).step_by(2).map(|old| (old.as_str(), "[new]")).collect();
        if edits.is_empty() {
            continue;
        }
        let turn = numbers.below(edits.len());
        edits.rotate_left(turn);
        let expected: Vec<u8> = (0..parts.len())
            .flat_map(|k| {
                let mark = if k % 2 == 1 { "[new]".to_owned() } else { format!("<{k}>") };
                [parts[k].clone(), mark.into_bytes()].concat()
            })
            .collect();
        let world = World::new().with("f", &bytes);
        world.edit("f", &edits).unwrap();
        assert_eq!(world.bytes("f"), expected, "round {round}: {bytes:?}");
    }
}
