//! Goal: a file of any size shows its window at the cost of that window. [FILE-01], [FILE-03]

use std::{fs::OpenOptions, os::unix::fs::FileExt};

use super::*;
use crate::{limits::READ_BYTES_MAX, testing::World};

#[track_caller]
fn fails(world: &World, path: &str, offset: u64, class: Class, part: &str) {
    let failed = world.text(path, offset, None).unwrap_err();
    assert_eq!(failed.class, class);
    assert!(failed.message.contains(part), "{}", failed.message);
}

/// B028.
#[test]
fn a_window_past_the_end_is_told_with_the_count() {
    let world = World::new().with("f", "a\nb\nc\n").with("empty", "");
    fails(&world, "f", 4, Class::PastEnd, "offset 4 is past the end: f has 3 lines");
    fails(&world, "empty", 2, Class::PastEnd, "0 lines");
    let empty = world.text("empty", 1, None).unwrap();
    assert_eq!((empty.shown.text.as_str(), empty.total), ("", Some(0)));
    let whole = world.text("f", 1, Some(3)).unwrap();
    assert_eq!(
        (whole.shown.text.as_str(), whole.total, whole.shown.cut),
        ("a\nb\nc\n", Some(3), None)
    );
}

#[test]
fn what_is_no_text_is_refused_with_kind_and_size() {
    let world = World::new().with("f.pdf", b"%PDF-1.7 \0").with("g", b"a\0b");
    fails(&world, "f.pdf", 1, Class::Binary, "a PDF document, 10 bytes");
    fails(&world, "g", 1, Class::Binary, "NUL bytes), 3 bytes");
}

#[test]
fn images_are_shown_up_to_a_bound() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03".to_vec();
    let world = World::new()
        .with("i.png", &png)
        .with("big.png", [png.clone(), vec![0; 200 * 1024]].concat());
    let wanted = Wanted { offset: 1, limit: None };
    match world.view("i.png", wanted).unwrap() {
        View::Image { media_type, data, pixels } => {
            assert_eq!((media_type, data, pixels), ("image/png", png, Some((2, 3))));
        }
        View::Text(_) => panic!("text"),
    }
    let failed = world.view("big.png", wanted).unwrap_err();
    assert_eq!(failed.class, Class::TooLarge);
    assert!(failed.message.contains("196608"), "{}", failed.message);
}

#[test]
fn encodings_are_decoded() {
    let world = World::new()
        .with("le", b"\xFF\xFEa\0\r\0\n\0\x2d\x4e")
        .with("be", b"\xFE\xFF\0a\0\n")
        .with("bom", b"\xEF\xBB\xBFa\n")
        .with("latin", b"caf\xE9\n");
    for (path, text, said) in [
        ("le", "a\n中", Some("UTF-16LE")),
        ("be", "a\n", Some("UTF-16BE")),
        ("bom", "a\n", None),
        ("latin", "caf\u{e9}\n", Some("windows-1252 (detected")),
    ] {
        let view = world.text(path, 1, None).unwrap();
        assert_eq!(view.shown.text, text, "{path}");
        assert_eq!(view.form.said().is_some(), said.is_some(), "{path}");
        assert!(view.form.said().unwrap_or_default().contains(said.unwrap_or_default()), "{path}");
    }
    assert_eq!(world.text("le", 2, None).unwrap().shown.text, "中");
    assert_eq!(world.text("le", 1, None).unwrap().endings.word(), "crlf");
}

/// A sparse file of 10 GB, its text at the far end of a few lines: only the window is kept, and a
/// second deep read starts from the index.
#[test]
fn a_huge_file_costs_its_window() {
    let world = World::new().with("huge", "first\nsecond\n".repeat(2_000));
    let file = OpenOptions::new().write(true).open(world.path("huge")).unwrap();
    // Lines in each 4 MiB, so that the index has marks; holes of NULs between are one long line each.
    for k in 1..=10_u64 {
        file.write_all_at(b"\nmark\n", k * 8 * 1024 * 1024).unwrap();
    }
    file.set_len(10 * 1024 * 1024 * 1024).unwrap();
    let start = world.text("huge", 1, Some(2)).unwrap();
    assert_eq!((start.shown.text.as_str(), start.total), ("first\nsecond\n", None));
    assert_eq!(start.sha256, None);
    assert!(start.shown.cut.is_some());
    // Line 4002 is the first mark: 4000 lines, one hole, the mark.
    let deep = world.text("huge", 4_002, Some(1)).unwrap();
    assert_eq!(deep.shown.text, "mark\n");
    let deep = world.text("huge", 4_020, Some(1)).unwrap();
    assert_eq!(deep.shown.text, "mark\n");
    let version = Version::of(&std::fs::metadata(world.path("huge")).unwrap());
    assert!(index::recall(version).before(4_020).0 > 4_000);
    let hole = world.text("huge", 4_001, Some(1)).unwrap();
    assert!(hole.shown.text.len() <= READ_BYTES_MAX);
    // A call that is stopped ends at the next block.
    let place = world.place("huge").unwrap();
    let stopped = view(&place, Wanted { offset: 1 << 40, limit: None }, &|| true);
    assert_eq!(stopped.unwrap_err().class, Class::Cancelled);
}

/// A character that a block's end cuts, or a line too long to keep whole, is no fault of the file.
#[test]
fn a_cut_character_is_no_fault() {
    let line = format!("{}\n", "中".repeat(1_000_000));
    let world = World::new().with("f", line.repeat(12));
    for offset in [1, 7] {
        let view = world.text("f", offset, Some(1)).unwrap();
        assert_eq!(view.form, Form::NEW, "{offset}");
        assert!(view.shown.text.starts_with("中"));
    }
}
