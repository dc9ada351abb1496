//! Goal: a walk sees what is beneath a directory, in one order, and never leaves it.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    sync::atomic::{AtomicBool, Ordering},
};

use nix::{sys::stat::Mode, unistd::mkfifo};

use super::*;
use crate::{names::told_path, testing::World};

/// As a grant says it.
fn withheld(globs: &[String], names: &[&str]) -> Withheld {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    Withheld::new(globs, &names)
}

fn none() -> Withheld {
    Withheld::default()
}

/// The paths of a walk, and what it left out.
#[track_caller]
fn paths(world: &World, path: &str) -> (Vec<String>, Walked) {
    let mut paths = Vec::new();
    let walked = walk(&world.place(path).unwrap(), &none(), &|| false, &mut |entry| {
        paths.push(told_path(entry.path));
        Ok(Next::Into)
    });
    (paths, walked.unwrap())
}

#[track_caller]
fn check(world: &World, path: &str, expected: &[&str], ignored: u64) {
    let (paths, walked) = paths(world, path);
    assert_eq!(paths, expected);
    assert_eq!(walked, Walked { ignored, ..Walked::default() });
}

#[test]
fn entries_come_sorted_and_directories_in_place() {
    let world = World::new().with("b/z", "").with("b/a/x", "").with("a.rs", "").with(".env", "");
    let world = world.with("b.rs", "").with("a/y", "");
    let sorted = [".env", "a", "a/y", "a.rs", "b", "b/a", "b/a/x", "b/z", "b.rs"];
    check(&world, ".", &sorted, 0);
    check(&world, "b", &["a", "a/x", "z"], 0);
}

#[test]
fn what_git_ignores_is_left_out_and_counted() {
    let world = World::new()
        .with(".gitignore", "target/\n*.log\n!keep.log\n/top\n")
        .with("target/x", "")
        .with("a.log", "")
        .with("keep.log", "")
        .with("top", "")
        .with("src/top", "")
        .with("src/.gitignore", "*.tmp\n!b.log\n")
        .with("src/a.tmp", "")
        .with("src/b.log", "")
        .with("src/c.log", "");
    check(
        &world,
        ".",
        &[".gitignore", "keep.log", "src", "src/.gitignore", "src/b.log", "src/top"],
        5,
    );
    // The rules above hold too, but a directory that is asked for is looked into.
    check(&world, "src", &[".gitignore", "b.log", "top"], 2);
    check(&world, "target", &["x"], 0);
}

#[test]
fn a_repository_has_its_own_rules() {
    let world = World::new()
        .with(".gitignore", "*.o\n")
        .with("a.o", "")
        .with(".git/info/exclude", "private\n")
        .with("private", "")
        .with("sub/.git", "gitdir: elsewhere\n")
        .with("sub/b.o", "")
        .with("sub/private", "")
        .with("plain/.ignore", "!c.o\n")
        .with("plain/c.o", "");
    let seen =
        [".gitignore", "plain", "plain/.ignore", "plain/c.o", "sub", "sub/b.o", "sub/private"];
    check(&world, ".", &seen, 2);
    check(&world, ".git/info", &["exclude"], 0);
}

#[test]
fn links_are_told_and_not_followed() {
    let world = World::new().with("d/f", "").with("../outside/secret", "x");
    symlink("../outside", world.path("out")).unwrap();
    symlink("d", world.path("in")).unwrap();
    symlink(".", world.path("d/loop")).unwrap();
    symlink("/etc/passwd", world.path("passwd")).unwrap();
    check(&world, ".", &["d", "d/f", "d/loop", "in", "out", "passwd"], 0);
    // Where a link within the roots is asked for itself, it is where it leads.
    check(&world, "in", &["f", "loop"], 0);
    for path in ["out", "../outside", "/etc", "/"] {
        assert_eq!(world.place(path).unwrap_err().class, Class::OutsideRoots, "{path}");
    }
}

/// [FILE-30]: a directory that becomes a link while the walk goes by is not entered.
#[test]
fn a_rename_race_does_not_leave_the_root() {
    let world = World::new().with("d/f", "").with("../outside/secret", "x");
    let (d, aside, outside) = (world.path("d"), world.path("aside"), world.path("../outside"));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::rename(&d, &aside).unwrap();
                symlink(&outside, &d).unwrap();
                fs::remove_file(&d).unwrap();
                fs::rename(&aside, &d).unwrap();
            }
        });
        for _ in 0..2_000 {
            let (paths, _) = paths(&world, ".");
            assert!(!paths.iter().any(|path| path.contains("secret")), "{paths:?}");
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn special_files_and_odd_names_are_only_named() {
    let world = World::new();
    mkfifo(&world.path("fifo"), Mode::from_bits_truncate(0o600)).unwrap();
    fs::write(world.root().join(OsStr::from_bytes(b"caf\xE9\n")), "").unwrap();
    let mut kinds = Vec::new();
    let walked = walk(&world.place(".").unwrap(), &none(), &|| false, &mut |entry| {
        kinds.push((told_path(entry.path), entry.kind, entry.open().is_some()));
        Ok(Next::Into)
    });
    walked.unwrap();
    let cafe = ("caf\\xe9\\n".to_owned(), Kind::File, true);
    assert_eq!(kinds, [cafe, ("fifo".to_owned(), Kind::Special("FIFO"), false)]);
}

#[test]
fn a_start_that_is_no_directory_is_refused() {
    let world = World::new().with("file", "x");
    for (path, class, part) in [
        ("file", Class::NotADirectory, "use read"),
        ("fiel", Class::NotFound, "file"),
        ("file/x", Class::NotFound, "not a directory"),
        ("", Class::InvalidPath, "must name"),
        ("/proc/self", Class::SpecialFile, "kernel"),
    ] {
        let failed = world
            .place(path)
            .and_then(|place| walk(&place, &none(), &|| false, &mut |_| Ok(Next::Into)))
            .unwrap_err();
        assert_eq!(failed.class, class, "{path}");
        assert!(failed.message.contains(part), "{}", failed.message);
    }
}

#[test]
fn a_walk_stops_when_the_call_is_stopped() {
    let world = World::new().with("a/b/c", "");
    let failed =
        walk(&world.place(".").unwrap(), &none(), &|| true, &mut |_| Ok(Next::Into)).unwrap_err();
    assert_eq!(failed.class, Class::Cancelled);
}

#[test]
fn directories_too_deep_are_counted_and_not_entered() {
    let world = World::new();
    let deep = "d/".repeat(WALK_DEPTH_MAX + 3);
    fs::create_dir_all(world.path(&deep)).unwrap();
    let (paths, walked) = paths(&world, ".");
    assert_eq!((paths.len(), walked.unopened), (WALK_DEPTH_MAX, 1));
    assert_eq!(walked.said(), ["1 directory could not be opened"]);
}

/// A file of ignore rules is a regular file of bounded size, or none.
#[test]
fn hostile_ignore_files_do_no_harm() {
    let world = World::new().with("a.log", "").with("d/a.log", "").with("e/a.log", "");
    mkfifo(&world.path(".gitignore"), Mode::from_bits_truncate(0o600)).unwrap();
    let long = format!("*.log\n{}", "#".repeat(200 * 1024));
    world.put("d/.gitignore", long);
    world.put("e/.gitignore", b"[\n{a,b\n\\\n\xFF\xFE*\n**/**/**/x\n");
    let (paths, walked) = paths(&world, ".");
    assert!(paths.contains(&"a.log".to_owned()) && paths.contains(&"e/a.log".to_owned()));
    assert_eq!(walked.ignored, 1);
}

/// A tree without end is looked at up to a bound, and that is said.
#[test]
fn a_walk_is_bounded() {
    let world = World::new();
    for k in 0..10 {
        world.put(&format!("{k}/f"), "");
    }
    let mut seen = 0;
    let walked = bounded(&world.place(".").unwrap(), 15, &none(), &|| false, &mut |_| {
        seen += 1;
        Ok(Next::Into)
    });
    let walked = walked.unwrap();
    assert_eq!((seen, walked.is_cut), (15, true));
    assert!(walked.said()[0].contains("the rest was not looked at"), "{:?}", walked.said());
}

/// [GATE-20] FS-07: neither a place nor what is below it, by no name by which a link leads there.
#[test]
fn what_the_grant_withholds_is_neither_seen_nor_entered() {
    let world = World::new()
        .with("secrets/deep/x", "")
        .with("a/secrets/y", "")
        .with("b.key", "")
        .with(".ssh/id_rsa", "")
        .with(".ssh/config", "");
    symlink(".", world.path("here")).unwrap();
    symlink("secrets", world.path("way")).unwrap();
    let walked = |path: &str, globs: &[&str], names: &[&str]| {
        let globs: Vec<String> =
            globs.iter().map(|glob| world.path(glob).display().to_string()).collect();
        let mut paths = Vec::new();
        let walked =
            walk(&world.place(path).unwrap(), &withheld(&globs, names), &|| false, &mut |entry| {
                paths.push(told_path(entry.path));
                Ok(Next::Into)
            });
        (paths.join(" "), walked.unwrap())
    };
    let (paths, all) = walked(".", &["secrets/**", "**/*.key"], &[".ssh/id_*"]);
    assert_eq!(paths, ".ssh .ssh/config a a/secrets a/secrets/y here way");
    assert_eq!(all, Walked { withheld: 3, ..Walked::default() });
    assert_eq!(all.said(), ["3 entries are withheld by rules of this session, and not looked at"]);
    for (path, glob) in [("here", "secrets/**"), ("here", "here/secrets/**"), (".", "secrets/**")] {
        let (paths, left) = walked(path, &[glob], &[]);
        assert!(!paths.contains("deep") && left.withheld == 1, "{path} {glob}: {paths}");
    }
    for (path, glob) in [("way", "secrets/**"), ("way", "way/**"), ("secrets/deep", "secrets/**")] {
        let nothing = (String::new(), Walked { withheld: 1, ..Walked::default() });
        assert_eq!(walked(path, &[glob], &[]), nothing, "{path} {glob}");
    }
}
