//! Goal: a patch of several files is done whole, or not at all.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use nix::{sys::stat::Mode, unistd::mkfifo};

use super::*;
use crate::{
    patch::parse,
    testing::{Numbers, World},
};

fn planned(world: &World, body: &str) -> Result<Vec<Change>, Failed> {
    planned_seen(world, body, None)
}

fn planned_seen(world: &World, body: &str, seen: Option<[u8; 32]>) -> Result<Vec<Change>, Failed> {
    let sections = parse(&format!("*** Begin Patch\n{body}*** End Patch\n"))?;
    plan(&world.roots(), &sections, &|_| seen)
}

#[track_caller]
fn applied(world: &World, body: &str) -> Vec<Change> {
    let changes = planned(world, body).unwrap();
    let metadata = apply(&changes).unwrap();
    assert_eq!(metadata.len(), changes.len());
    changes
}

#[track_caller]
fn refused(world: &World, body: &str, class: Class, part: &str) {
    let failed = planned(world, body).unwrap_err();
    assert_eq!(failed.class, class, "{}", failed.message);
    assert_eq!(failed.pointer, "/patch");
    assert!(failed.message.contains(part), "{}", failed.message);
}

#[test]
fn files_are_added_updated_moved_and_deleted() {
    let world = World::new().with("a", "1\n2\n").with("gone", "x").with("from", "m\nn\n");
    world.put("run.sh", "echo\n");
    fs::set_permissions(world.path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    let changes = applied(
        &world,
        "*** Add File: new/deep/f\n+x\n*** Update File: a\n-1\n+one\n*** Delete File: gone\n\
         *** Update File: from\n*** Move to: to/there\n-m\n+M\n*** Update File: run.sh\n\
         *** Move to: go.sh\n",
    );
    assert_eq!(world.bytes("new/deep/f"), b"x\n");
    assert_eq!(world.bytes("a"), b"one\n2\n");
    assert_eq!(world.bytes("to/there"), b"M\nn\n");
    assert_eq!((world.bytes("go.sh"), world.mode("go.sh")), (b"echo\n".to_vec(), 0o750));
    assert_eq!(world.names(""), ["a", "go.sh", "new", "to"]);
    let kinds: Vec<Kind> = changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [Kind::Added, Kind::Updated, Kind::Deleted, Kind::Moved, Kind::Moved]);
}

/// All faults of all sections are told together, and nothing is written.
#[test]
fn one_fault_refuses_all() {
    let world = World::new().with("a", "1\n").with("b", "1\n");
    let body = "*** Update File: a\n-1\n+2\n*** Update File: b\n-nope\n+2\n*** Delete File: c\n";
    let failed = planned(&world, body).unwrap_err();
    assert_eq!(failed.class, Class::NoMatch);
    for part in
        ["Nothing was written", "b (line 5 of the patch): Hunk 1", "c (line 8 of the patch)"]
    {
        assert!(failed.message.contains(part), "{}", failed.message);
    }
    assert_eq!(
        (world.bytes("a"), world.names("")),
        (b"1\n".to_vec(), vec!["a".into(), "b".into()])
    );
}

#[test]
fn what_a_section_cannot_do_is_refused() {
    let world = World::new().with("a", "1\n").with("d/f", "1\n").with("bin", b"\0\x01");
    world.put("../outside", "1\n");
    symlink("a", world.path("link")).unwrap();
    symlink("../outside", world.path("out")).unwrap();
    mkfifo(&world.path("fifo"), Mode::from_bits_truncate(0o600)).unwrap();
    let update = |path: &str| format!("*** Update File: {path}\n-1\n+2\n");
    for (body, class, part) in [
        ("*** Add File: a\n+x\n".to_owned(), Class::Exists, "use an update"),
        ("*** Add File: d\n+x\n".to_owned(), Class::IsDirectory, "is a directory"),
        ("*** Add File: a/x\n+x\n".to_owned(), Class::NotFound, "not a directory"),
        (update("missing"), Class::NotFound, "does not exist"),
        (update("d"), Class::IsDirectory, "is a directory"),
        (update("bin"), Class::Binary, "not text"),
        (update("fifo"), Class::SpecialFile, "FIFO"),
        ("*** Delete File: fifo\n".to_owned(), Class::SpecialFile, "FIFO"),
        ("*** Delete File: d\n".to_owned(), Class::IsDirectory, "is a directory"),
        ("*** Delete File: link\n".to_owned(), Class::InvalidPath, "symbolic link"),
        ("*** Update File: link\n*** Move to: x\n".to_owned(), Class::InvalidPath, "symbolic link"),
        ("*** Update File: a\n*** Move to: d/f\n".to_owned(), Class::Exists, "d/f exists"),
        ("*** Update File: a\n*** Move to: a\n".to_owned(), Class::Exists, "a exists"),
        (update("../outside"), Class::OutsideRoots, "outside the roots"),
        (update("d/../../outside"), Class::OutsideRoots, "outside the roots"),
        (update("out"), Class::OutsideRoots, "outside the roots"),
        (update("/etc/passwd"), Class::OutsideRoots, "outside the roots"),
        ("*** Add File: /tmp/x\n+x\n".to_owned(), Class::OutsideRoots, "outside the roots"),
        ("*** Delete File: ../outside\n".to_owned(), Class::OutsideRoots, "outside the roots"),
        ("*** Update File: a\n*** Move to: ../x\n".to_owned(), Class::OutsideRoots, "outside"),
        (update("artifact:x"), Class::InvalidPath, "artifact"),
    ] {
        refused(&world, &body, class, part);
    }
    // An absolute path inside the roots is one like any other; a link is written through.
    applied(&world, &update(&world.path("d/f").display().to_string()));
    applied(&world, &update("link"));
    assert_eq!((world.bytes("d/f"), world.bytes("a")), (b"2\n".to_vec(), b"2\n".to_vec()));
    assert!(world.path("link").is_symlink());
    assert_eq!(world.bytes("../outside"), b"1\n");
}

/// [B017]: two spellings of one file are one file.
#[test]
fn a_file_has_one_section() {
    let world = World::new().with("a", "1\n2\n");
    symlink("a", world.path("link")).unwrap();
    for other in ["a", "./a", "link", "x/../a"] {
        fs::create_dir_all(world.path("x")).unwrap();
        let body = format!("*** Update File: a\n-1\n+x\n*** Update File: {other}\n-2\n+y\n");
        refused(&world, &body, Class::InvalidPatch, "is in another section too");
    }
    let body = "*** Add File: n\n+x\n*** Update File: a\n*** Move to: n\n";
    refused(&world, body, Class::InvalidPatch, "n is in another section too");
    assert_eq!(world.bytes("a"), b"1\n2\n");
}

/// [FILE-23, B020]: an update applies to the file as it is now and says so; what is deleted must be
/// what was seen.
#[test]
fn a_file_that_changed_since_it_was_read_is_not_deleted() {
    let world = World::new().with("a", "1\n2\n");
    let other = Some([7; 32]);
    let failed = planned_seen(&world, "*** Delete File: a\n", other).unwrap_err();
    assert_eq!(failed.class, Class::Stale);
    let changes = planned_seen(&world, "*** Update File: a\n-1\n+x\n", other).unwrap();
    assert!(changes[0].notes[0].contains("had changed since") && !changes[0].is_seen);
    let failed = planned_seen(&world, "*** Update File: a\n-3\n+x\n", other).unwrap_err();
    assert!(failed.message.contains("read it again"), "{}", failed.message);
}

/// A change by another program between the plan and the writes is noticed before anything is written.
#[test]
fn a_concurrent_change_refuses_all() {
    let body = "*** Update File: a\n-1\n+2\n*** Update File: b\n-1\n+2\n*** Delete File: c\n\
                *** Add File: d\n+x\n*** Update File: e\n*** Move to: f\n";
    for (path, content) in
        [("b", "other\n"), ("c", "other\n"), ("d", "other\n"), ("e", "other\n"), ("f", "other\n")]
    {
        let world =
            World::new().with("a", "1\n").with("b", "1\n").with("c", "1\n").with("e", "1\n");
        let changes = planned(&world, body).unwrap();
        world.put(path, content);
        let names = world.names("");
        let broken = apply(&changes).unwrap_err();
        assert_eq!((broken.failed.class, broken.left), (Class::Stale, Vec::new()), "{path}");
        assert_eq!((world.bytes("a"), world.names("")), (b"1\n".to_vec(), names), "{path}");
        assert_eq!(world.bytes(path), content.as_bytes());
    }
}

/// What was done is undone, with its mode, where a later change fails after all.
#[test]
fn changes_are_undone() {
    let world = World::new().with("a", "1\n").with("b", "1\n").with("c", "1\n");
    fs::set_permissions(world.path("a"), fs::Permissions::from_mode(0o640)).unwrap();
    let body = "*** Update File: a\n-1\n+2\n*** Delete File: b\n*** Update File: c\n\
                *** Move to: d\n-1\n+2\n*** Add File: e\n+x\n";
    let changes = applied(&world, body);
    assert_eq!(undo::undo(&changes), Vec::<String>::new());
    assert_eq!(world.names(""), ["a", "b", "c"]);
    for path in ["a", "b", "c"] {
        assert_eq!(world.bytes(path), b"1\n");
    }
    assert_eq!(world.mode("a"), 0o640);

    let changes = applied(&world, body);
    world.put("a", "theirs\n");
    let left = undo::undo(&changes);
    assert!(left.len() == 1 && left[0].contains("a was updated and stays so"), "{left:?}");
    assert_eq!(world.bytes("a"), b"theirs\n");
}

/// A directory that may not be written to fails before anything is written.
#[test]
fn what_cannot_be_staged_refuses_all() {
    let world = World::new().with("a", "1\n").with("x", "f\n");
    // The second file needs a directory where the first one is a file by then.
    let body = "*** Update File: a\n-1\n+2\n*** Add File: n\n+x\n*** Add File: n/m\n+x\n";
    let changes = planned(&world, body).unwrap();
    let broken = apply(&changes).unwrap_err();
    assert!(broken.left.is_empty(), "{broken:?}");
    assert_eq!(world.bytes("a"), b"1\n");
}

#[test]
fn crlf_and_encodings_are_kept() {
    let world = World::new().with("crlf", "a\r\nb\r\n").with("latin", b"caf\xE9\nx\n");
    let mut utf16 = vec![0xFF, 0xFE];
    utf16.extend("a\nb\n".encode_utf16().flat_map(u16::to_le_bytes));
    world.put("utf16", &utf16);
    let body = "*** Update File: crlf\n a\n-b\n+c\n*** Update File: latin\n-x\n+\u{e9}\n\
                *** Update File: utf16\n-b\n+\u{4e2d}\n";
    applied(&world, body);
    assert_eq!(world.bytes("crlf"), b"a\r\nc\r\n");
    assert_eq!(world.bytes("latin"), b"caf\xE9\n\xE9\n");
    let mut expected = vec![0xFF, 0xFE];
    expected.extend("a\n\u{4e2d}\n".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(world.bytes("utf16"), expected);
    refused(
        &world,
        "*** Update File: latin\n-\u{e9}\n+\u{4e2d}\n",
        Class::Encoding,
        "windows-1252",
    );
}

/// A diff that `similar` made of two texts leads from one to the other; its hunks alone, without the
/// numbers, lead there too or are refused.
#[test]
fn diffs_of_other_programs_apply() {
    let mut numbers = Numbers::new(11);
    let (mut same, mut refused) = (0, 0);
    for _ in 0..400 {
        let old: Vec<String> = (0..numbers.below(60)).map(|_| line(&mut numbers)).collect();
        let mut new = old.clone();
        for _ in 0..=numbers.below(4) {
            match (numbers.below(3), new.len()) {
                (0, 1..) => drop(new.remove(numbers.below(new.len()))),
                (1, 1..) => *new.last_mut().unwrap() = line(&mut numbers),
                _ => new.insert(numbers.below(new.len() + 1), line(&mut numbers)),
            }
        }
        let (old, new) = (old.concat(), new.concat());
        if old == new {
            continue;
        }
        let diff = Diff::new("f", old.as_bytes(), new.as_bytes()).text;
        let world = World::new().with("f", &old);
        let changes = plan(&world.roots(), &parse(&diff).unwrap(), &|_| None).unwrap();
        assert_eq!(String::from_utf8_lossy(&changes[0].bytes), new, "{diff}");

        let hunks =
            diff.lines().skip(2).map(|line| if line.starts_with("@@") { "@@" } else { line });
        let hunks: String = hunks.map(|line| format!("{line}\n")).collect();
        match planned(&world, &format!("*** Update File: f\n{hunks}")) {
            Ok(changes) => {
                assert_eq!(String::from_utf8_lossy(&changes[0].bytes), new, "{hunks}");
                same += 1;
            }
            Err(failed) => {
                assert_eq!(failed.class, Class::Ambiguous, "{hunks}\n{}", failed.message);
                refused += 1;
            }
        }
    }
    assert!(same > 100 && refused > 0, "{same} {refused}");
}

/// Few different lines, so that many places look alike.
fn line(numbers: &mut Numbers) -> String {
    format!("{}\n", ["a", "b", "\tb", "--", ""][numbers.below(5)])
}

/// No text that is given as a patch does harm.
#[test]
fn garbage_is_refused() {
    let pieces = [
        "*** Begin Patch\n",
        "*** End Patch\n",
        "*** Update File: f\n",
        "*** Add File: g\n",
        "*** Delete File: f\n",
        "*** Move to: h\n",
        "*** End of File\n",
        "@@\n",
        "@@ a\n",
        "@@ -1,2 +3 @@\n",
        "--- a/f\n",
        "+++ b/f\n",
        "-a\n",
        "+b\n",
        " c\n",
        "\n",
        "\u{4e2d}\n",
        "-",
        "+",
        "rename from f\n",
        "rename to g\n",
        "--- /dev/null\n",
        "+++ /dev/null\n",
        "\r\n",
        "@@ -",
    ];
    let mut numbers = Numbers::new(3);
    let world = World::new().with("f", "a\nb\nc\n");
    for _ in 0..20_000 {
        let text: String =
            (0..numbers.below(14)).map(|_| pieces[numbers.below(pieces.len())]).collect();
        if let Ok(sections) = parse(&text) {
            plan(&world.roots(), &sections, &|_| None).ok();
        }
    }
    assert_eq!((world.bytes("f"), world.names("")), (b"a\nb\nc\n".to_vec(), vec!["f".to_owned()]));
}
