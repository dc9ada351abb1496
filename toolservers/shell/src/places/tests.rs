//! Goal: no closed or held place is missed, whatever a command did to the tree before, and nothing else is covered.

use std::{
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    time::{Duration, SystemTime},
};

use super::*;

mod made;
mod tricks;

/// What the kernel says of every line, in short.
const HELD: &[&str] = &[
    ".git/hooks/**",
    ".git/config",
    ".git/config.worktree",
    ".git/info/attributes",
    ".git/commondir",
    ".git/modules/*/hooks/**",
    ".git/modules/*/config",
    ".tollgate/**",
    ".mcp.json",
    "agents.md",
    ".vscode/tasks.json",
    ".bashrc",
];

/// A root, a home and a place for what is put aside, with a watch.
pub(super) struct Scene {
    folder: tempfile::TempDir,
    pub(super) watch: Watch,
    pub(super) scope: Scope,
}

impl Scene {
    /// `globs` are from the root of the workspace.
    pub(super) fn new(globs: &[&str], names: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["w", "home", "state"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let root = folder.path().canonicalize().unwrap().join("w");
        let globs: Vec<_> = globs.iter().map(|it| format!("{}/{it}", root.display())).collect();
        let scope = Scope {
            withheld: Withheld::new(&globs, &owned(names)),
            held: Withheld::new(&[], &owned(HELD)),
            write_roots: vec![root],
            ..Scope::default()
        };
        Self { folder, watch: Watch::default(), scope }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("w").join(name)
    }

    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("state")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    /// Makes a file with its folders.
    pub(super) fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn ground<'a>(&'a self, home: &'a Path, cwd: &'a Path) -> Ground<'a> {
        Ground { scope: &self.scope, roots: &[], home: Some(home), cwd }
    }

    pub(super) fn look(&self) -> Found {
        let (home, cwd) = (self.home(), self.path(""));
        self.watch.look(&self.ground(&home, &cwd))
    }

    pub(super) fn after(&self, before: &mut Found) -> Vec<Caught> {
        let (home, cwd, state) = (self.home(), self.path(""), self.state());
        self.watch.after(
            &self.ground(&home, &cwd),
            before,
            Then::Aside(Some(&state.join("quarantine"))),
        )
    }

    /// Places below the root, as texts.
    pub(super) fn below(&self, places: &[PathBuf]) -> Vec<String> {
        let root = self.path("");
        let name = |it: &PathBuf| it.strip_prefix(&root).unwrap_or(it).display().to_string();
        places.iter().map(name).collect()
    }

    #[track_caller]
    pub(super) fn check(&self, masked: &[&str], held: &[&str]) -> Found {
        let found = self.look();
        assert_eq!(self.below(&found.masked), masked, "masked");
        assert_eq!(self.below(&found.held), held, "held");
        found
    }
}

pub(super) fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Until a change in this moment has another time: no clock of the test's, the file system's own.
pub(super) fn settle() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let deadline = SystemTime::now() + Duration::from_secs(10);
    while !Entry::of(file.path()).unwrap().stamp.is_settled(SystemTime::now()) {
        assert!(SystemTime::now() < deadline);
        std::thread::yield_now();
    }
}

#[test]
fn places_are_found_at_every_depth_and_in_every_spelling() {
    let scene = Scene::new(&["secrets/**", "**/*.key"], &[".ssh/id_*", ".netrc"]);
    scene.file("src/main.rs", "");
    scene.file("secrets/a/b", "");
    scene.file("a/b/c/d/e/f/g/h/i/.mcp.json", "");
    scene.file("a/b/c/d/e/f/g/h/i/x.key", "");
    scene.file(".GIT/Hooks/pre-commit", "");
    scene.file("sub/.git/config", "");
    scene.file("sub/.git./hooks/x", "");
    scene.file("x/.S\u{200c}SH/id_rsa", "");
    scene.file("x/.ssh/known_hosts", "");
    let masked = ["a/b/c/d/e/f/g/h/i/x.key", "secrets", "x/.S\u{200c}SH/id_rsa"];
    let held = [".GIT/Hooks", "a/b/c/d/e/f/g/h/i/.mcp.json", "sub/.git/config", "sub/.git./hooks"];
    let found = scene.check(&masked, &held);
    assert_eq!(found.notes, [] as [&str; 0]);
    settle();
    scene.check(&masked, &held);
}

#[test]
fn what_is_not_text_is_a_name_too() {
    let scene = Scene::new(&[], &[".netrc"]);
    let odd = scene.path("").join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join(".netrc"), "").unwrap();
    fs::write(odd.join(std::ffi::OsStr::from_bytes(b".mcp.json\xff")), "").unwrap();
    let found = scene.look();
    assert_eq!((found.masked, found.held), (vec![odd.join(".netrc")], vec![]));
}

#[test]
fn what_comes_and_goes_is_seen_in_the_next_look() {
    let scene = Scene::new(&[], &[".netrc"]);
    scene.file("a/b/x", "");
    settle();
    scene.check(&[], &[]);
    scene.file("a/b/.netrc", "");
    scene.check(&["a/b/.netrc"], &[]);
    settle();
    fs::rename(scene.path("a"), scene.path("c")).unwrap();
    scene.check(&["c/b/.netrc"], &[]);
    settle();
    fs::remove_file(scene.path("c/b/.netrc")).unwrap();
    scene.check(&[], &[]);
}

/// The change time cannot be set, the others can.
#[test]
fn times_that_are_set_back_hide_nothing() {
    let scene = Scene::new(&[], &[".netrc"]);
    scene.file("a/x", "");
    settle();
    scene.check(&[], &[]);
    let folder = fs::File::open(scene.path("a")).unwrap();
    let old = folder.metadata().unwrap().modified().unwrap();
    scene.file("a/.netrc", "");
    folder.set_times(fs::FileTimes::new().set_modified(old).set_accessed(old)).unwrap();
    assert_eq!(folder.metadata().unwrap().modified().unwrap(), old);
    scene.check(&["a/.netrc"], &[]);
}

/// Within one tick of the kernel's clock a folder may change twice with one time.
#[test]
fn what_follows_a_look_at_once_is_seen() {
    let scene = Scene::new(&[], &[".netrc"]);
    for number in 0..200 {
        fs::create_dir(scene.path(&number.to_string())).unwrap();
        scene.look();
        scene.file(&format!("{number}/.netrc"), "");
        assert_eq!(scene.look().masked.len(), number + 1);
    }
}

#[test]
fn what_is_known_is_not_read_again() {
    let scene = Scene::new(&[], &[".netrc"]);
    for number in 0..20 {
        scene.file(&format!("{number}/x"), "");
    }
    settle();
    let reads = |scene: &Scene| {
        scene.look();
        scene.watch.state().sets.first().unwrap().memory.reads
    };
    let first = reads(&scene);
    assert_eq!(reads(&scene), first);
    scene.file("7/y", "");
    assert_eq!(reads(&scene), first + 1);
}

#[test]
fn a_tree_of_many_folders_is_looked_through() {
    let scene = Scene::new(&[], &[".netrc"]);
    for number in 0..5_000 {
        fs::create_dir_all(scene.path(&format!("{}/{}/{}", number % 10, number % 100, number)))
            .unwrap();
    }
    scene.file("9/99/4999/.netrc", "");
    let found = scene.check(&["9/99/4999/.netrc"], &[]);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    settle();
    scene.check(&["9/99/4999/.netrc"], &[]);
}

#[test]
fn more_places_than_can_be_covered_are_told() {
    let scene = Scene::new(&[], &[".netrc"]);
    for number in 0..300 {
        scene.file(&format!("{number}/.netrc"), "");
    }
    let found = scene.look();
    assert_eq!(found.masked.len(), limits::PLACES_COVERED_MAX);
    assert!(
        found.notes.iter().any(|it| it.contains("more than 256 of a kind")),
        "{:?}",
        found.notes
    );
}

#[test]
fn links_in_circles_end() {
    let scene = Scene::new(&[], &[".ssh/id_*", ".config/op/**"]);
    scene.file("a/.netrc", "");
    symlink(scene.path("a"), scene.path("a/loop")).unwrap();
    symlink(scene.path("a"), scene.path("a/.config")).unwrap();
    symlink(scene.path(""), scene.path("a/.ssh")).unwrap();
    symlink("x", scene.path("x")).unwrap();
    symlink(".git", scene.path(".git")).unwrap();
    scene.check(&[], &[]);
}

#[test]
fn home_is_looked_through_where_it_begins_with_a_dot() {
    let scene = Scene::new(&[], &[".ssh/id_*", ".netrc", ".config/op/**"]);
    let home = scene.home();
    for name in
        [".ssh/id_rsa", ".netrc", ".config/op/x", "work/.netrc", ".a/b/.netrc", ".a/b/c/.netrc"]
    {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), "").unwrap();
    }
    let masked = scene.look().masked;
    let expected = [".a/b/.netrc", ".config/op", ".netrc", ".ssh/id_rsa"];
    assert_eq!(masked, expected.map(|name| home.join(name)));
}

#[test]
fn patterns_from_the_root_are_looked_for_where_they_begin() {
    let mut scene = Scene::new(&[], &[]);
    let elsewhere = tempfile::tempdir().unwrap();
    let place = elsewhere.path().canonicalize().unwrap();
    for name in ["keys/a/x.key", "keys/y.key", "whole/a/b", "one.txt", "z.key"] {
        fs::create_dir_all(place.join(name).parent().unwrap()).unwrap();
        fs::write(place.join(name), "").unwrap();
    }
    let globs = ["keys/**/*.key", "whole/**", "one.txt", "none.txt"]
        .map(|it| format!("{}/{it}", place.display()));
    scene.scope.withheld = Withheld::new(&globs, &[]);
    let expected = ["keys/a/x.key", "keys/y.key", "one.txt", "whole"];
    assert_eq!(scene.look().masked, expected.map(|name| place.join(name)));
}

#[test]
fn a_root_in_a_closed_or_held_folder_is_covered_whole() {
    let mut scene = Scene::new(&["**"], &[]);
    scene.file("a", "");
    assert_eq!(scene.look().masked, [scene.path("").components().collect::<PathBuf>()]);
    scene.scope.withheld = Withheld::new(&owned(&["["]), &[]);
    assert!(scene.look().masked.contains(&scene.path("").components().collect()));
    scene.scope.withheld = Withheld::default();
    scene.scope.write_roots = vec![scene.path(".tollgate/x")];
    scene.file(".tollgate/x/y", "");
    assert_eq!(scene.look().held, [scene.path(".tollgate/x")]);
}

#[test]
fn nothing_to_look_for_costs_nothing() {
    let mut scene = Scene::new(&[], &[]);
    scene.scope.held = Withheld::default();
    scene.file(".mcp.json", "");
    scene.check(&[], &[]);
    assert!(scene.watch.state().sets.is_empty());
}

/// The kernel says other patterns for `git push` than for `ls`, and the same again for the next `ls`.
#[test]
fn patterns_that_take_turns_are_all_remembered() {
    let mut scene = Scene::new(&[], &[".netrc"]);
    scene.file("a/.netrc", "");
    scene.file("a/.mcp.json", "");
    settle();
    let both = scene.scope.clone();
    scene.check(&["a/.netrc"], &["a/.mcp.json"]);
    scene.scope.withheld = Withheld::default();
    scene.check(&[], &["a/.mcp.json"]);
    scene.scope = both;
    scene.check(&["a/.netrc"], &["a/.mcp.json"]);
    assert_eq!(scene.watch.state().sets.len(), 2);
    let reads: Vec<_> = scene.watch.state().sets.iter().map(|set| set.memory.reads).collect();
    assert_eq!(reads, [3, 2], "each folder once; home only where something is closed");
}

/// The uppermost folders come first.
#[test]
fn folders_beyond_the_bound_are_told() {
    let mut scene = Scene::new(&[], &[]);
    let elsewhere = tempfile::tempdir().unwrap();
    let place = elsewhere.path().canonicalize().unwrap();
    for number in 0..limits::PLACES_OUTSIDE_FOLDERS_MAX {
        fs::create_dir_all(place.join(format!("{number}/x"))).unwrap();
    }
    fs::write(place.join("7/x.key"), "").unwrap();
    scene.scope.withheld = Withheld::new(&[format!("{}/**/*.key", place.display())], &[]);
    let found = scene.look();
    assert_eq!(found.masked, [place.join("7/x.key")]);
    assert!(found.notes[0].contains("were not looked at"), "{:?}", found.notes);
}

#[test]
fn entries_of_home_beyond_the_bound_are_told() {
    let scene = Scene::new(&[], &[".netrc"]);
    let home = scene.home();
    fs::create_dir_all(home.join(".a/b")).unwrap();
    fs::create_dir_all(home.join(".b")).unwrap();
    for number in 0..=limits::PLACES_HOME_ENTRIES_MAX {
        fs::write(home.join(format!(".a/{number}")), "").unwrap();
    }
    fs::write(home.join(".netrc"), "").unwrap();
    let found = scene.look();
    assert_eq!(found.masked, [home.join(".netrc")]);
    assert!(found.notes[0].contains("places of the home folder are not held"), "{:?}", found.notes);
}
