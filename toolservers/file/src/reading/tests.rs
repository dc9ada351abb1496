//! Goal: a file of any size shows its window at the cost of that window. [FILE-01], [FILE-03]

use std::{fs::OpenOptions, os::unix::fs::FileExt};

use super::*;
use crate::{
    limits::READ_BYTES_MAX,
    testing::{World, drawn, pdf},
};

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

/// [FILE-03]
#[test]
fn what_is_no_text_is_refused_with_kind_and_size() {
    let world = World::new().with("f.txt", b"\x7fELF\x02\0\0").with("g", b"a\0b");
    fails(&world, "f.txt", 1, Class::Binary, "an ELF program or library, 7 bytes");
    fails(&world, "g", 1, Class::Binary, "NUL bytes), 3 bytes");
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

/// B007, and others like it: what a file is written in is told, and its characters are right.
#[test]
fn other_encodings_are_detected() {
    let text = "数据库连接失败，请检查网络设置后重试。\n第二行文字内容，用于检测编码是否正确。\n";
    let (gb18030, ..) = encoding_rs::GB18030.encode(text);
    let (shift_jis, ..) = encoding_rs::SHIFT_JIS
        .encode("設定ファイルを読み込めませんでした。\nもう一度お試しください。\n");
    let world = World::new()
        .with("gb", &gb18030)
        .with("sjis", &shift_jis)
        .with("mostly", "h\u{e9}llo \u{4e2d}\u{6587}\n".repeat(50).into_bytes())
        .with("faults", [b"\xC3\xA9\n".repeat(50), b"a\xFFb\xC3\n".to_vec()].concat());
    let gb = world.text("gb", 1, None).unwrap();
    assert_eq!(gb.shown.text, text);
    assert_eq!(gb.form.name(), "GBK", "which is decoded as GB18030");
    let sjis = world.text("sjis", 2, None).unwrap();
    assert_eq!(
        (sjis.shown.text.as_str(), sjis.form.name()),
        ("もう一度お試しください。\n", "Shift_JIS")
    );
    assert_eq!(world.text("mostly", 1, Some(1)).unwrap().form.said(), None);
    let faults = world.text("faults", 51, None).unwrap();
    assert_eq!(faults.shown.text, "a\u{fffd}b\u{fffd}\n");
    assert!(faults.form.said().unwrap().contains("2 invalid byte sequences"));
}

/// [FILE-03]: the first bytes decide, not the name; images and documents have a bound.
#[test]
fn kinds_are_told_by_content() {
    let world = World::new()
        .with("picture.txt", drawn(20, 10))
        .with("text.png", "only text\n")
        .with("icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n")
        .with("report.bin", pdf(&["words of a page"]))
        .with("about.pdf", "%PDF-1.4 is how a document begins\n");
    let whole = Wanted { offset: 1, limit: None };
    match world.view("picture.txt", whole).unwrap() {
        View::Image(picture) => {
            assert_eq!((picture.media_type, picture.size), ("image/png", (20, 10)));
        }
        View::Text(_) => panic!("text"),
    }
    for (path, text) in [
        ("text.png", "only text\n"),
        ("icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"),
        ("report.bin", "[page 1 of 1]\nwords of a page\n"),
        ("about.pdf", "%PDF-1.4 is how a document begins\n"),
    ] {
        assert_eq!(world.text(path, 1, None).unwrap().shown.text, text, "{path}");
    }
    for (path, head) in [("big.png", drawn(9, 9)), ("big.pdf", pdf(&["a"]))] {
        world.put(path, head);
        let file = OpenOptions::new().write(true).open(world.path(path)).unwrap();
        file.set_len(WHOLE_BYTES_MAX + 1).unwrap();
        let failed = world.view(path, whole).unwrap_err();
        assert_eq!(failed.class, Class::TooLarge);
        assert!(failed.message.contains("33554432 bytes can be read"), "{}", failed.message);
    }
}

/// A document is parsed once while its file is the same, and again when it is another.
#[test]
fn a_document_is_windowed_as_a_text() {
    let world = World::new().with("f.pdf", pdf(&["one\ntwo", "three"]));
    let digest = Sha256::digest(world.bytes("f.pdf")).into();
    for _ in 0..2 {
        let view = world.text("f.pdf", 4, None).unwrap();
        assert_eq!(view.shown.text, "[page 2 of 2]\nthree\n");
        assert_eq!((view.sha256, view.total, view.made.is_some()), (Some(digest), Some(5), true));
    }
    fails(&world, "f.pdf", 6, Class::PastEnd, "f.pdf has 5 lines");
    world.put("f.pdf", pdf(&["other words"]));
    assert_eq!(world.text("f.pdf", 2, None).unwrap().shown.text, "other words\n");
}

#[test]
fn a_notebook_is_shown_as_cells_or_as_the_text_that_it_is() {
    let cells = r#"{"cells": [{"cell_type": "code", "source": "1 + 1"}], "nbformat": 4}"#;
    let world = World::new()
        .with("n.ipynb", cells)
        .with("broken.ipynb", "{\"cells\": [\n")
        .with("n.json", cells);
    assert_eq!(world.text("n.ipynb", 1, None).unwrap().shown.text, "[cell 1 of 1: code]\n1 + 1\n");
    assert_eq!(world.text("n.json", 1, None).unwrap().shown.text, cells);
    let broken = world.text("broken.ipynb", 1, None).unwrap();
    assert_eq!(broken.shown.text, "{\"cells\": [\n");
    assert!(broken.notice.unwrap().contains("its JSON is broken"));
}

/// Looks at a file while another program does this to it after the first block.
fn meanwhile(world: &World, path: &str, offset: u64, change: impl Fn()) -> TextView {
    let place = world.place(path).unwrap();
    let is_first = std::cell::Cell::new(true);
    let stopped = || {
        if is_first.replace(false) {
            change();
        }
        false
    };
    match view(&place, Wanted { offset, limit: Some(2) }, &stopped).unwrap().0 {
        View::Text(text) => text,
        View::Image(_) => panic!("an image"),
    }
}

/// A file that shrinks or grows while it is read has an end, is told, and is not taken as seen.
#[test]
fn a_file_that_changes_while_it_is_read_is_told() {
    let lines = "0123456789abcde\n".repeat(40_000);
    for (length, total) in [(100_000_u64, 6_250), (5_000_000, 40_000), (640_000, 40_000)] {
        let world = World::new().with("f", &lines);
        let file = OpenOptions::new().write(true).open(world.path("f")).unwrap();
        let seen = meanwhile(&world, "f", 1, || {
            file.write_all_at(b"changed", 0).unwrap();
            file.set_len(length).unwrap();
        });
        assert_eq!(seen.shown.text, "0123456789abcde\n".repeat(2), "{length}");
        assert!(
            seen.is_torn && seen.sha256.is_none() && seen.total == Some(total),
            "{:?}",
            seen.total
        );
    }
    // Replaced: the one that was opened is read to its end.
    let world = World::new().with("f", &lines).with("g", "other\n");
    let seen = meanwhile(&world, "f", 39_999, || {
        std::fs::rename(world.path("g"), world.path("f")).unwrap();
    });
    assert_eq!(
        (seen.shown.text.as_str(), seen.total),
        ("0123456789abcde\n0123456789abcde\n", Some(40_000))
    );
}

/// [FILE-01]: holes cost nothing, so that the end of a file of 10 GiB, or 1 TiB, is there at once.
#[test]
fn holes_are_passed_over() {
    for gib in [10_u64, 1024] {
        let world = World::new().with("sparse", "first\n");
        let file = OpenOptions::new().write(true).open(world.path("sparse")).unwrap();
        // As text: no NUL in the first block.
        file.write_all_at("x\n".repeat(5_000).as_bytes(), 6).unwrap();
        let end = gib * 1024 * 1024 * 1024;
        if file.set_len(end).is_err() {
            // A file system with a lower bound than that.
            continue;
        }
        file.write_all_at(b"\nlast but one\nlast\n", end - 19).unwrap();
        let blocks = std::cell::Cell::new(0);
        let stopped = || {
            blocks.set(blocks.get() + 1);
            false
        };
        let place = world.place("sparse").unwrap();
        let wanted = Wanted { offset: 5_003, limit: None };
        let View::Text(seen) = view(&place, wanted, &stopped).unwrap().0 else {
            panic!("an image")
        };
        assert_eq!(
            (seen.shown.text.as_str(), seen.total),
            ("last but one\nlast\n", Some(5_004)),
            "{gib}"
        );
        assert!(blocks.get() < 20, "{gib}: {} blocks", blocks.get());
        fails(&world, "sparse", 6_000, Class::PastEnd, "5004 lines");
        let hole = world.text("sparse", 5_002, Some(1)).unwrap();
        assert!(
            matches!(hole.shown.cut, Some(crate::window::Cut::Line { .. })),
            "{:?}",
            hole.shown.cut
        );
    }
}

/// [PERF-12]: the second look at the end of a large file reads what lies between two marks of its index.
#[test]
fn a_second_deep_window_reads_little() {
    let world = World::new().with("large", "0123456789abcde\n".repeat(4 * 1024 * 1024));
    let place = world.place("large").unwrap();
    let blocks = std::cell::Cell::new(0_u64);
    let stopped = || {
        blocks.set(blocks.get() + 1);
        false
    };
    let wanted = Wanted { offset: 4 * 1024 * 1024 - 1, limit: None };
    for most in [1_024, crate::limits::INDEX_STEP_BYTES / BLOCK_BYTES as u64 + 2] {
        blocks.set(0);
        let View::Text(seen) = view(&place, wanted, &stopped).unwrap().0 else {
            panic!("an image")
        };
        assert_eq!(seen.shown.text, "0123456789abcde\n".repeat(2));
        assert_eq!(seen.total, Some(4 * 1024 * 1024));
        assert!(blocks.get() <= most, "{} blocks", blocks.get());
    }
    // A call that is stopped leaves what it has learnt.
    let world = World::new().with("other", "0123456789abcde\n".repeat(4 * 1024 * 1024));
    let place = world.place("other").unwrap();
    blocks.set(0);
    let stopped = || {
        blocks.set(blocks.get() + 1);
        blocks.get() > 500
    };
    assert_eq!(view(&place, wanted, &stopped).unwrap_err().class, Class::Cancelled);
    let version = Version::of(&std::fs::metadata(world.path("other")).unwrap());
    assert!(index::recall(version).before(u64::MAX).1 > 20 * 1024 * 1024);
}

/// B029: a line of 50 MB is no more than its start.
#[test]
fn an_enormous_line_shows_its_start() {
    let world = World::new().with("f", format!("{}\nnext\n", "x".repeat(50 * 1024 * 1024)));
    let first = world.text("f", 1, None).unwrap();
    assert_eq!(first.shown.text.len(), READ_BYTES_MAX);
    assert!(matches!(first.shown.cut, Some(crate::window::Cut::Line { .. })));
    assert_eq!(world.text("f", 2, None).unwrap().shown.text, "next\n");
}

/// A name of other bytes than UTF-8 can be reached by a link, and is told on one line.
#[test]
fn names_of_any_bytes_are_read_through_a_link() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff\n\x1b[31m name");
    std::fs::write(world.root().join(odd), "y".repeat(60_000)).unwrap();
    std::os::unix::fs::symlink(odd, world.path("link")).unwrap();
    let seen = world.text("link", 1, None).unwrap();
    let place = world.place("link").unwrap();
    let told = crate::notices::notices(crate::notices::Source::File(&place), &seen).join("\n");
    assert!(
        !told.contains(|character: char| character.is_control())
            && told.contains(r"odd\xff\x0a\x1b[31m name'"),
        "{told}"
    );
    let failed = world.text("odd\n\u{1b}[31m", 1, None).unwrap_err();
    assert!(
        !failed.message.contains('\u{1b}') && !failed.message.contains('\n'),
        "{}",
        failed.message
    );
}
