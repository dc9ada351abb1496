//! Goal: what git holds of a closed file is closed with it, whatever git calls the file's place, and git works where nothing is.

use std::{fs, path::Path, process::Command};

use super::super::tests::{Scene, settle};

#[track_caller]
fn git(scene: &Scene, folder: &str, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(scene.path(folder)).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", scene.home());
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]
    {
        command.env(who, "x");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository in `folder` that tracks these.
fn tracking(scene: &Scene, folder: &str, init: &[&str], names: &[&str]) {
    fs::create_dir_all(scene.path(folder)).unwrap();
    git(scene, folder, &[&["init", "-q"], init].concat());
    for name in names {
        scene.file(&Path::new(folder).join(name).display().to_string(), name);
        git(scene, folder, &["add", "-f", name]);
    }
    git(scene, folder, &["commit", "-q", "--allow-empty", "-m", "x"]);
}

/// Places named "objects" that are closed.
fn closed(scene: &Scene) -> Vec<String> {
    let found = scene.look();
    let all = scene.below(&found.masked);
    let objects: Vec<_> = all.into_iter().filter(|it| it.ends_with("objects")).collect();
    let told = found.git.iter().filter(|it| it.starts_with("git's objects of ")).count();
    assert!(objects.is_empty() == (told == 0), "{:?}", found.git);
    objects
}

#[test]
fn objects_are_closed_where_a_closed_file_is_tracked() {
    let scene = Scene::new(&["secret.txt", "one/deep/**"], &[".netrc"]);
    tracking(&scene, "", &[], &["a", "secret.txt", "z"]);
    tracking(&scene, "one", &[], &["a/b", "deep/down/x"]);
    tracking(&scene, "two", &[], &["a/b/.NETRC"]);
    tracking(&scene, "free", &[], &["a/b", "secret.txt"]);
    let expected = [".git/objects", "one/.git/objects", "two/.git/objects"];
    assert_eq!(closed(&scene), expected);
    let note = "a rule denies reading";
    assert!(scene.look().git.iter().any(|it| it.contains(note) && it.contains("secret.txt")));
    settle();
    assert_eq!(closed(&scene), expected, "from memory");
    // It is tracked, though it is not there.
    fs::remove_file(scene.path("secret.txt")).unwrap();
    assert_eq!(closed(&scene), expected);
}

/// A file that is closed and not tracked costs nothing.
#[test]
fn git_works_where_no_closed_file_is_tracked() {
    let scene = Scene::new(&["secret.txt"], &[".netrc"]);
    tracking(&scene, "", &[], &["a", "b/secret.txt"]);
    scene.file("secret.txt", "");
    scene.file(".netrc", "");
    fs::create_dir(scene.path("new")).unwrap();
    git(&scene, "new", &["init", "-q"]);
    assert_eq!(closed(&scene), [] as [&str; 0]);
}

#[test]
fn what_is_open_to_the_call_closes_nothing() {
    let mut scene = Scene::new(&["secret.txt", "other.txt"], &[]);
    tracking(&scene, "", &[], &["secret.txt", "other.txt"]);
    scene.scope.opened = vec![scene.path("secret.txt")];
    assert_eq!(closed(&scene), [".git/objects"]);
    scene.scope.opened.push(scene.path("other.txt"));
    assert_eq!(closed(&scene), [] as [&str; 0]);
}

/// A command can write the index, and could read the objects with the next one.
#[test]
fn what_was_once_tracked_stays_closed() {
    let scene = Scene::new(&["secret.txt"], &[]);
    tracking(&scene, "", &[], &["a", "secret.txt"]);
    assert_eq!(closed(&scene), [".git/objects"]);
    git(&scene, "", &["rm", "-q", "--cached", "secret.txt"]);
    assert_eq!(closed(&scene), [".git/objects"]);
    fs::remove_file(scene.path(".git/index")).unwrap();
    assert_eq!(closed(&scene), [".git/objects"]);
}

#[test]
fn every_version_and_both_hashes_are_read() {
    for (number, init) in [&[][..], &["--object-format=sha256"]].into_iter().enumerate() {
        for version in ["2", "3", "4"] {
            let scene = Scene::new(&["x/m/secret.txt"], &[]);
            let names: Vec<_> = (0..50).map(|it| format!("m/{}{it}", "a".repeat(it))).collect();
            let names: Vec<_> =
                names.iter().map(String::as_str).chain(["m/secret.txt", "z"]).collect();
            tracking(&scene, "x", init, &names);
            if version == "3" {
                scene.file("x/later", "");
                git(&scene, "x", &["add", "-N", "later"]);
            }
            git(&scene, "x", &["update-index", "--index-version", version]);
            assert_eq!(closed(&scene), ["x/.git/objects"], "version {version}, hash {number}");
        }
    }
}

#[test]
fn worktrees_submodules_and_alternates_are_followed() {
    let scene = Scene::new(&["tree/secret.txt", "two/sub/secret.txt", "shared/secret.txt"], &[]);
    tracking(&scene, "one", &[], &["secret.txt"]);
    git(&scene, "one", &["worktree", "add", "-q", "../tree"]);
    tracking(&scene, "two", &[], &[]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../one", "sub"];
    git(&scene, "two", &add);
    git(
        &scene,
        "",
        &["clone", "-q", "--shared", "free", "shared"]
            .map(|it| if it == "free" { "one" } else { it }),
    );
    assert_eq!(
        closed(&scene),
        ["one/.git/objects", "shared/.git/objects", "two/.git/modules/sub/objects"]
    );
}

/// The repository of the working directory may lie above the roots.
#[test]
fn the_repository_around_the_workspace_counts() {
    let mut scene = Scene::new(&["inner/secret.txt"], &[]);
    tracking(&scene, "", &[], &["inner/secret.txt"]);
    scene.scope.write_roots = vec![scene.path("inner")];
    let (home, cwd) = (scene.home(), scene.path("inner"));
    let found = scene.watch.look(&scene.ground(&home, &cwd));
    assert_eq!(scene.below(&found.masked), [".git/objects", "inner/secret.txt"]);
}

/// What may hold more names than were read is closed where a closed place may be in it, and only there.
#[test]
fn an_index_that_is_not_understood_closes() {
    let scene = Scene::new(&["x/secret.txt"], &[".netrc"]);
    tracking(&scene, "x", &[], &["a"]);
    tracking(&scene, "other", &[], &["a"]);
    assert_eq!(closed(&scene), [] as [&str; 0]);
    for folder in ["x", "other"] {
        git(&scene, folder, &["update-index", "--split-index"]);
    }
    assert_eq!(closed(&scene), ["x/.git/objects"], "a split index");
    for garbage in ["", "DIRC", "DIRC\0\0\0\u{2}\0\0\0\u{1}"] {
        fs::write(scene.path("x/.git/index"), garbage).unwrap();
        assert_eq!(closed(&scene), ["x/.git/objects"], "{garbage:?}");
    }
    fs::remove_file(scene.path("x/.git/index")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", scene.path("x/.git/index")).unwrap();
    assert_eq!(closed(&scene), ["x/.git/objects"], "a link");
    scene.file("other/.netrc", "");
    assert_eq!(closed(&scene), ["other/.git/objects", "x/.git/objects"], "a closed file is there");
}

#[test]
fn pointers_that_lead_nowhere_or_around_are_none() {
    let scene = Scene::new(&["a/secret.txt", "b/secret.txt", "c/secret.txt"], &[]);
    scene.file("a/.git", "gitdir: .git\n");
    scene.file("b/.git", "gitdir: /\n");
    scene.file("c/.git/HEAD", "");
    scene.file("c/.git/commondir", "../../d\n");
    scene.file("c/.git/index", "?");
    scene.file("d/objects/info/alternates", "\n# x\n../objects\n../../e\n/none\n");
    scene.file("e/info/alternates", "../d/objects\n");
    assert_eq!(closed(&scene), ["d/objects"]);
    assert!(scene.look().masked.contains(&scene.path("e")));
}

/// Under another name it is a repository for `git --git-dir`, and for no walk.
#[test]
fn objects_that_were_moved_away_stay_closed() {
    let scene = Scene::new(&["secret.txt"], &[]);
    tracking(&scene, "", &[], &["secret.txt"]);
    let mut before = scene.look();
    fs::rename(scene.path(".git"), scene.path("other")).unwrap();
    assert_eq!(closed_quietly(&scene), [] as [&str; 0], "nobody knows yet");
    scene.after(&mut before);
    assert_eq!(closed_quietly(&scene), ["other/objects"]);
    // A new repository in its place holds nothing of it.
    git(&scene, "", &["init", "-q"]);
    assert_eq!(closed_quietly(&scene), ["other/objects"]);
}

fn closed_quietly(scene: &Scene) -> Vec<String> {
    let all = scene.below(&scene.look().masked);
    all.into_iter().filter(|it| it.ends_with("objects")).collect()
}
