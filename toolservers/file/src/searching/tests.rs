//! Goal: what matches is found in every encoding that `read` knows by its mark, bounded and in linear
//! time, and what was not searched is counted.

use std::{os::unix::fs::symlink, time::Instant};

use nix::{sys::stat::Mode, unistd::mkfifo};

use super::*;
use crate::{
    limits::{GREP_HEAP_BYTES_MAX, GREP_LINE_BYTES_MAX},
    testing::World,
};

fn terms(pattern: &str) -> Terms {
    Terms { pattern: pattern.to_owned(), ..Terms::default() }
}

#[track_caller]
fn found(world: &World, path: &str, terms: &Terms) -> (Hits, Searched) {
    search(&world.place(path).unwrap(), &Query::new(terms).unwrap(), &Withheld::default(), &|| {
        false
    })
    .unwrap()
}

/// The lines as `path:number:text`.
#[track_caller]
fn check(world: &World, path: &str, terms: &Terms, expected: &[&str]) {
    let (hits, _) = found(world, path, terms);
    let mut lines = Vec::new();
    for file in &hits.files {
        for row in &file.rows {
            lines.push(match row {
                Row::Line { number, text, is_match } => {
                    let mark = if *is_match { ':' } else { '-' };
                    format!("{}{mark}{number}{mark}{text}", file.path.display())
                }
                Row::Gap => "--".to_owned(),
            });
        }
    }
    assert_eq!(lines, expected);
}

#[test]
fn lines_are_found_in_the_order_of_paths() {
    let world = World::new().with("b", "one\ntwo\n").with("a/x", "two one\n").with("c", "three");
    check(&world, ".", &terms("one"), &["a/x:1:two one", "b:1:one"]);
    check(&world, "b", &terms("o"), &[":1:one", ":2:two"]);
    check(&world, ".", &terms("^THREE$"), &[]);
    check(&world, ".", &terms("(?i)^THREE$"), &["c:1:three"]);
    check(&world, ".", &Terms { ignore_case: true, ..terms("TWO$") }, &["b:2:two"]);
}

#[test]
fn context_joins_and_parts() {
    let world = World::new().with("f", "1\n2\nx\n4\n5\n6\n7\nx\n9\n");
    let terms = Terms { context: 1, ..terms("x") };
    let lines = ["f-2-2", "f:3:x", "f-4-4", "--", "f-7-7", "f:8:x", "f-9-9"];
    check(&world, ".", &terms, &lines);
}

#[test]
fn files_are_chosen_by_glob_and_type() {
    let world = World::new().with("a.rs", "x").with("b.py", "x").with("t/c.rs", "x");
    let globs = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
    let rs = Terms { globs: globs(&["*.rs"]), ..terms("x") };
    check(&world, ".", &rs, &["a.rs:1:x", "t/c.rs:1:x"]);
    let not_rs = Terms { globs: globs(&["!*.rs"]), ..terms("x") };
    check(&world, ".", &not_rs, &["b.py:1:x"]);
    let python = Terms { file_type: Some("py".to_owned()), ..terms("x") };
    check(&world, ".", &python, &["b.py:1:x"]);
    let left_out = Terms { left_out: globs(&["t/"]), ..rs };
    check(&world, ".", &left_out, &["a.rs:1:x"]);
}

/// [B001]: the end of a line is found before CRLF too, and lines come without it.
#[test]
fn crlf_utf16_and_faulty_utf8_are_searched() {
    let mut utf16 = vec![0xFF, 0xFE];
    utf16.extend("héllo x\r\nnext".encode_utf16().flat_map(u16::to_le_bytes));
    let world = World::new().with("crlf", "a x\r\nb\r\n").with("faulty", b"caf\xE9 x\n");
    let world = world.with("utf16", utf16).with("bom", "\u{feff}x\n");
    let lines = ["bom:1:x", "crlf:1:a x", "faulty:1:caf\u{FFFD} x", "utf16:1:héllo x"];
    check(&world, ".", &terms("x$"), &lines);
    check(&world, ".", &terms("^x"), &["bom:1:x"]);
}

#[test]
fn matches_may_span_lines_if_asked() {
    let world = World::new().with("f", "fn a(\n  b,\n) {}\nend\n");
    let spanning = Terms { multiline: true, ..terms(r"fn a\(.*?\)") };
    check(&world, ".", &spanning, &["f:1:fn a(", "f:2:  b,", "f:3:) {}"]);
    assert_eq!(found(&world, ".", &spanning).0.matches, 1);
    check(&world, ".", &terms(r"fn a\(.*\)"), &[]);
}

/// Binary and special files are left out; links are not followed.
#[test]
fn what_is_no_text_is_skipped_and_counted() {
    let mut late = b"x\n".repeat(200_000);
    late.push(0);
    let world = World::new().with("bin", b"x\0x").with("late", late).with("text", "x");
    mkfifo(&world.path("fifo"), Mode::from_bits_truncate(0o600)).unwrap();
    world.put("../outside", "x secret");
    symlink("../outside", world.path("link")).unwrap();
    symlink("/dev/zero", world.path("zero")).unwrap();
    check(&world, ".", &terms("x"), &["text:1:x"]);
    let (hits, searched) = found(&world, ".", &terms("x"));
    assert_eq!((hits.matches, searched.files, searched.binary), (1, 1, 2));
    for path in ["fifo", "zero", "link"] {
        let query = Query::new(&terms("x")).unwrap();
        let failed = world
            .place(path)
            .and_then(|place| search(&place, &query, &Withheld::default(), &|| false));
        let class = failed.unwrap_err().class;
        assert!(matches!(class, Class::SpecialFile | Class::OutsideRoots), "{path}: {class:?}");
    }
}

/// [B029, B034]: a long line is cut at characters, around what matches.
#[test]
fn long_lines_are_cut_around_the_match() {
    let line = format!("{}needle{}\n", "中".repeat(100_000), "文".repeat(100_000));
    let world = World::new().with("f", &line).with("g", format!("needle{}", "x".repeat(9_000)));
    let (hits, _) = found(&world, ".", &terms("needle"));
    let texts: Vec<&str> = hits.files.iter().map(|file| text(&file.rows[0])).collect();
    assert!(texts[0].starts_with("…中") && texts[0].contains("中needle文"), "{}", texts[0]);
    assert!(texts[0].ends_with("文… [of a line of 600006 bytes]"), "{}", texts[0]);
    assert!(texts[1].starts_with("needlex") && texts[1].ends_with("x… [of a line of 9006 bytes]"));
    assert!(texts.iter().all(|text| text.len() < GREP_LINE_BYTES_MAX + 64));
    assert!(!texts[0].contains('\u{FFFD}'));
}

fn text(row: &Row) -> &str {
    match row {
        Row::Line { text, .. } => text,
        Row::Gap => "--",
    }
}

/// A line longer than the memory for one is not searched, and that is counted.
#[test]
fn a_line_beyond_all_bounds_is_not_searched() {
    let world = World::new().with("ok", "x");
    let file = File::create(world.path("huge")).unwrap();
    let block = vec![b'x'; 1 << 20];
    for _ in 0..=GREP_HEAP_BYTES_MAX >> 20 {
        io::Write::write_all(&mut &file, &block).unwrap();
    }
    let (hits, searched) = found(&world, ".", &terms("x"));
    assert_eq!((hits.matches, searched.files, searched.unread), (1, 1, 1));
}

#[test]
fn everything_is_counted_and_a_part_is_shown() {
    let world = World::new().with("a", "x\n".repeat(5_000)).with("b", "x\n".repeat(10));
    let (hits, _) = found(&world, ".", &Terms { limit: Some(7), ..terms("x") });
    assert_eq!((hits.matches, hits.files_matching, hits.shown), (5_010, 2, 7));
    assert_eq!((hits.files.len(), hits.files[0].rows.len()), (1, 7));
    let by_bytes = Terms { limit: Some(1_000), ..terms("y") };
    world.put("c", format!("{}y\n", "z".repeat(300)).repeat(2_000));
    let (hits, _) = found(&world, ".", &by_bytes);
    assert_eq!(hits.matches, 2_000);
    assert!(hits.shown < 140, "{}", hits.shown);
    for output in [Output::Files, Output::Count] {
        let (hits, _) = found(&world, ".", &Terms { output, limit: Some(1), ..terms("x") });
        assert_eq!((hits.files.len(), hits.files[0].matches, hits.files_matching), (1, 5_000, 2));
        assert!(hits.files[0].rows.is_empty());
    }
}

/// The classic blow-ups of backtracking take no longer than other expressions.
#[test]
fn catastrophic_expressions_are_linear() {
    let world = World::new().with("f", format!("{}b\n", "a".repeat(50_000)));
    let start = Instant::now();
    for pattern in ["(a+)+$", "(a|aa)+$", "(a|a?)+$", "^(([a-z])+.)+[A-Z]$", "(.*a){12}$"] {
        found(&world, ".", &terms(pattern));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn what_is_no_expression_is_refused_with_help() {
    let with = |change: fn(&mut Terms)| {
        let mut terms = terms("x");
        change(&mut terms);
        terms
    };
    for (terms, pointer, part) in [
        (terms("("), "/pattern", "backslash before it"),
        (terms("a{2,1}"), "/pattern", "backslash before it"),
        (terms("(?=x)"), "/pattern", "look-around"),
        (terms(r"(a)\1"), "/pattern", "back-references"),
        (terms(r"a\nb"), "/pattern", "`multiline`"),
        (terms("a\nb"), "/pattern", "`multiline`"),
        (terms(""), "/pattern", "1 to"),
        (terms(&"x".repeat(5_000)), "/pattern", "1 to"),
        (terms(r"(\w{1000}){1000}"), "/pattern", "size limit"),
        (terms(&"(".repeat(2_000)), "/pattern", "regular expression"),
        (with(|terms| terms.file_type = Some("rsut".to_owned())), "/type", "nearest: r"),
        (with(|terms| terms.globs = vec!["[".to_owned()]), "/glob", "not a glob"),
    ] {
        let failed = Query::new(&terms).unwrap_err();
        assert_eq!((failed.class, failed.pointer), (Class::InvalidPattern, pointer));
        assert!(failed.message.contains(part), "{}", failed.message);
    }
}

#[test]
fn a_stopped_search_ends_in_the_middle_of_a_file() {
    let world = World::new().with("f", "y\n".repeat(4_000_000));
    let asked = std::cell::Cell::new(0);
    let stopped = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let query = Query::new(&terms("x")).unwrap();
    let failed =
        search(&world.place(".").unwrap(), &query, &Withheld::default(), &stopped).unwrap_err();
    assert_eq!(failed.class, Class::Cancelled);
    assert!(asked.get() < 10);
}
