//! Goal: whatever a path says, the file opened lies beneath a root, and is a regular file.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use nix::{fcntl::RenameFlags, sys::stat::Mode};

use super::*;
use crate::testing::World;

/// Opens a path; `expected` is the content or the class of the failure.
#[track_caller]
fn check(world: &World, path: &str, expected: &str) {
    let opened = world.place(path).and_then(|place| place.open());
    let found = match opened {
        Ok((file, _)) => io::read_to_string(file).unwrap(),
        Err(failed) => failed.class.word().to_owned(),
    };
    assert_eq!(found, expected, "{path}");
}

/// A workspace with a file, links inside it, and a secret beside it.
fn world() -> World {
    let world = World::new().with("d/f", "inside").with("../secret", "SECRET");
    world.put("../w-evil/f", "SECRET");
    symlink("d/f", world.path("relative")).unwrap();
    symlink(world.path("d"), world.path("absolute")).unwrap();
    symlink("../secret", world.path("out")).unwrap();
    symlink(world.path("../w-evil"), world.path("out-dir")).unwrap();
    symlink("loop", world.path("loop")).unwrap();
    symlink("/dev/zero", world.path("zero")).unwrap();
    symlink("/proc/self/cwd", world.path("magic")).unwrap();
    world
}

/// [FILE-30], FS-01, FS-02, FS-04.
#[test]
fn links_and_dots_do_not_leave_the_roots() {
    let world = world();
    let root = world.root().display().to_string();
    check(&world, "d/f", "inside");
    check(&world, "./d/../d//f", "inside");
    check(&world, &format!("{root}/d/f"), "inside");
    check(&world, &format!("{root}/../w/d/f"), "inside");
    check(&world, "relative", "inside");
    check(&world, "absolute/f", "inside");
    check(&world, "absolute/../d/f", "inside");
    check(&world, "../secret", "outside_roots");
    check(&world, "../w-evil/f", "outside_roots");
    check(&world, &format!("{root}-evil/f"), "outside_roots");
    check(&world, "d/../../secret", "outside_roots");
    check(&world, "out", "outside_roots");
    check(&world, "out-dir/f", "outside_roots");
    check(&world, "/etc/passwd", "outside_roots");
    check(&world, "loop", "invalid_path");
    check(&world, "magic/d/f", "special_file");
    check(&world, "/proc/self/environ", "special_file");
    check(&world, "/dev/zero", "special_file");
    check(&world, "", "invalid_path");
    check(&world, "a\0b", "invalid_path");
    check(&world, "d/f/g", "not_found");
    check(&world, "nothing/../d/f", "not_found");
}

/// [FILE-02], B026: the kind is told, and nothing waits for a writer.
#[test]
fn special_files_are_refused_at_once() {
    let world = world();
    nix::unistd::mkfifo(&world.path("pipe"), Mode::from_bits_truncate(0o600)).unwrap();
    let _socket = UnixListener::bind(world.path("socket")).unwrap();
    check(&world, "pipe", "special_file");
    check(&world, "socket", "special_file");
    check(&world, "zero", "special_file");
    check(&world, "d", "is_directory");
    check(&world, ".", "is_directory");
    let told = world.place("pipe").and_then(|place| place.open()).unwrap_err().message;
    assert!(told.contains("FIFO"), "{told}");
    assert_eq!(world.edit("pipe", &[("a", "b")]).unwrap_err().class.word(), "special_file");
    assert_eq!(world.write("pipe", "a", None).unwrap_err().class.word(), "special_file");
}

/// [FILE-30]: another root is as good; what lies in none is not.
#[test]
fn every_root_counts() {
    let world = world();
    let evil = world.path("../w-evil");
    let roots = Roots::new(&[world.root(), fs::canonicalize(&evil).unwrap()], &world.root());
    let place = roots.locate("out-dir/f").unwrap();
    assert_eq!(io::read_to_string(place.open().unwrap().0).unwrap(), "SECRET");
    assert_eq!(place.relative, Path::new("f"));
    let none = Roots::new(&[], &world.root());
    assert_eq!(none.locate("d/f").unwrap_err().class, Class::OutsideRoots);
}

/// FS-03: while a directory and a link to the outside change places, nothing of the outside is read.
#[test]
fn a_rename_race_does_not_leave_the_root() {
    let world = World::new().with("d/f", "inside").with("../o/f", "SECRET");
    symlink(world.path("../o"), world.path("l")).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let (d, l) = (world.path("d"), world.path("l"));
                let here = nix::fcntl::AT_FDCWD;
                nix::fcntl::renameat2(here, &d, here, &l, RenameFlags::RENAME_EXCHANGE).unwrap();
            }
        });
        let mut read = 0;
        for k in 0..5_000 {
            let opened = world.place("d/f").and_then(|place| place.open());
            if let Ok((file, _)) = opened {
                assert_eq!(io::read_to_string(file).unwrap(), "inside");
                read += 1;
            }
            if k % 50 == 0 {
                world.write("d/f", "inside", None).ok();
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert!(read > 0, "never saw the directory in its place");
    });
    assert_eq!(fs::read(world.path("../o/f")).unwrap(), b"SECRET");
}

/// FS-07: every link on the way can be named by a rule, not only the first and the target.
#[test]
fn every_name_that_leads_there_is_told() {
    let world = world();
    symlink("absolute", world.path("second")).unwrap();
    symlink("second/../d/f", world.path("third")).unwrap();
    symlink(world.path("d/new"), world.path("dangling")).unwrap();
    let told = |path: &str| {
        let place = world.place(path).unwrap();
        let named = place.names.iter().map(|(absolute, relative)| {
            let relative = relative.clone().unwrap();
            assert_eq!(*absolute, world.path(relative.to_str().unwrap()));
            relative.display().to_string()
        });
        (place.relative.display().to_string(), named.collect::<Vec<_>>())
    };
    let to = |path: &str, names: &[&str]| {
        (path.to_owned(), names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(told("d/f"), to("d/f", &[]));
    assert_eq!(told("./d/../d/f"), to("d/f", &[]));
    assert_eq!(told("relative"), to("d/f", &["relative"]));
    assert_eq!(told("absolute/f"), to("d/f", &["absolute/f"]));
    assert_eq!(told("second/f"), to("d/f", &["second/f", "absolute/f"]));
    assert_eq!(told("third"), to("d/f", &["third"]));
    assert_eq!(told("dangling"), to("d/new", &["dangling"]));
}

/// A link in one root to a file in another is told with its place in its own root.
#[test]
fn a_name_in_another_root_has_its_place_there() {
    let world = world();
    let evil = fs::canonicalize(world.path("../w-evil")).unwrap();
    let place = Roots::new(&[world.root(), evil], &world.root()).locate("out-dir/f").unwrap();
    let link = (world.path("out-dir/f"), Some(PathBuf::from("out-dir/f")));
    assert_eq!((place.relative.as_path(), place.names), (Path::new("f"), vec![link]));
}

/// FS-16: names with control characters stay on one line of a message.
#[test]
fn names_are_shown_escaped() {
    assert_eq!(shown("a\nb\u{1b}[2J\u{202e}"), r"a\nb\u{1b}[2J\u{202e}");
    assert_eq!(shown(&"x".repeat(300)).chars().count(), 201);
}
