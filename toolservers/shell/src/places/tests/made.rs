//! What a command made in held places, and what git may make there (GT-05, FS-08).

use std::{fs, os::unix::fs::symlink, path::PathBuf, process::Command};

use super::{super::Caught, Scene, settle};

const PLAIN: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
const EVIL: &str = "[core]\n\tfsmonitor = touch CANARY\n";

/// Where the workspace's part of each is, and whether it was put aside.
fn told(scene: &Scene, caught: &[Caught]) -> Vec<(String, bool)> {
    let place = |it: &Caught| scene.below(std::slice::from_ref(&it.place)).remove(0);
    caught.iter().map(|it| (place(it), it.moved_to.is_some())).collect()
}

/// What is made is put aside, whole, and where it says.
#[track_caller]
fn caught(scene: &Scene, made: impl FnOnce(&Scene), expected: &[&str]) -> Vec<Caught> {
    let mut before = scene.look();
    made(scene);
    let all = scene.after(&mut before);
    let expected: Vec<_> = expected.iter().map(|it| ((*it).to_owned(), true)).collect();
    assert_eq!(told(scene, &all), expected);
    for it in &all {
        assert!(it.place.symlink_metadata().is_err(), "{} is still there", it.place.display());
        let moved = it.moved_to.as_ref().unwrap();
        assert!(
            moved.symlink_metadata().is_ok() && moved.starts_with(scene.state().join("quarantine"))
        );
        let was = fs::read_to_string(moved.with_file_name("was.json")).unwrap();
        let was: serde_json::Value = serde_json::from_str(&was).unwrap();
        assert_eq!(was["place"], it.place.display().to_string());
        assert_eq!(was["what"], it.what);
    }
    assert_eq!(told(scene, &scene.after(&mut before)), [], "a second time");
    all
}

#[test]
fn files_and_folders_that_were_not_there_are_put_aside() {
    let scene = Scene::new(&[], &[]);
    let all = caught(
        &scene,
        |scene| {
            scene.file(".mcp.json", "evil");
            scene.file("a/b/c/d/e/f/g/h/i/.vscode/tasks.json", "evil");
            scene.file("x/.tollgate/hooks/y", "evil");
            scene.file("x/ordinary", "");
            scene.file("Agents.MD", "evil");
        },
        &[".mcp.json", "Agents.MD", "a/b/c/d/e/f/g/h/i/.vscode/tasks.json", "x/.tollgate"],
    );
    assert_eq!(fs::read_to_string(all[0].moved_to.as_ref().unwrap()).unwrap(), "evil");
    assert_eq!(
        fs::read_to_string(all[3].moved_to.as_ref().unwrap().join("hooks/y")).unwrap(),
        "evil"
    );
    assert!(all[0].sentence().contains("is a new file in a place that programs and agents act on"));
    assert!(scene.path("x/ordinary").exists());
}

#[test]
fn what_was_there_before_stays() {
    let scene = Scene::new(&[], &[]);
    scene.file(".mcp.json", "");
    scene.file(".git/hooks/pre-commit", "");
    caught(&scene, |scene| scene.file(".git/index", ""), &[]);
    assert!(scene.path(".mcp.json").exists() && scene.path(".git/hooks/pre-commit").exists());
}

#[test]
fn what_the_call_may_change_stays() {
    let mut scene = Scene::new(&[], &[]);
    scene.scope.opened = vec![scene.path(".tollgate/law.toml"), scene.path("x")];
    caught(
        &scene,
        |scene| {
            scene.file(".tollgate/law.toml", "");
            scene.file(".tollgate/other", "");
            scene.file("x/.mcp.json", "");
        },
        &[".tollgate/other"],
    );
    assert!(scene.path(".tollgate/law.toml").exists() && scene.path("x/.mcp.json").exists());
}

#[test]
fn another_in_its_place_is_put_aside() {
    let scene = Scene::new(&[], &[]);
    scene.file(".mcp.json", "good");
    scene.file("good", "");
    symlink("good", scene.path("AGENTS.md")).unwrap();
    let all = caught(
        &scene,
        |scene| {
            fs::remove_file(scene.path(".mcp.json")).unwrap();
            scene.file(".mcp.json", "evil");
            fs::remove_file(scene.path("AGENTS.md")).unwrap();
            symlink("evil", scene.path("AGENTS.md")).unwrap();
        },
        &[".mcp.json", "AGENTS.md"],
    );
    assert_eq!(all[1].what, "is another symbolic link than before");
}

/// A mount holds `.git/hooks`, and not `.git` against another name.
#[test]
fn a_repository_moved_aside_and_a_new_one_in_its_place_is_caught() {
    let scene = Scene::new(&[], &[]);
    scene.file(".git/hooks/pre-commit", "good");
    scene.file(".git/config", PLAIN);
    caught(
        &scene,
        |scene| {
            fs::rename(scene.path(".git"), scene.path("aside")).unwrap();
            scene.file(".git/hooks/pre-commit", "evil");
            scene.file(".git/config", EVIL);
        },
        &[".git/config", ".git/hooks"],
    );
    let mut before = scene.look();
    scene.file(".mcp.json", "");
    let mut with_it = scene.look();
    fs::remove_file(scene.path(".mcp.json")).unwrap();
    assert_eq!(told(&scene, &scene.after(&mut before)), []);
    assert_eq!(
        told(&scene, &scene.after(&mut with_it)),
        [(".mcp.json".to_owned(), false)],
        "it is gone"
    );
}

#[test]
fn links_that_lead_to_what_would_be_held_are_put_aside() {
    let scene = Scene::new(&[], &[]);
    scene.file("evil/tasks.json", "mine");
    scene.file("evil/hooks/pre-commit", "");
    caught(
        &scene,
        |scene| {
            symlink("evil", scene.path(".vscode")).unwrap();
            symlink(scene.path("evil"), scene.path(".git")).unwrap();
        },
        &[".git", ".vscode"],
    );
    assert_eq!(fs::read_to_string(scene.path("evil/tasks.json")).unwrap(), "mine");
    // One that was there before: what is new behind it goes.
    symlink("good", scene.path(".vscode")).unwrap();
    fs::create_dir(scene.path("good")).unwrap();
    caught(&scene, |scene| scene.file("good/tasks.json", "evil"), &[".vscode/tasks.json"]);
    assert!(scene.path(".vscode").symlink_metadata().is_ok());
}

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

#[test]
fn git_may_make_repositories() {
    let scene = Scene::new(&[], &[]);
    caught(
        &scene,
        |scene| {
            git(scene, "", &["init", "-q", "one"]);
            scene.file("one/x", "");
            git(scene, "one", &["add", "x"]);
            git(scene, "one", &["commit", "-qm", "x"]);
            git(scene, "", &["clone", "-q", "one", "two"]);
            git(
                scene,
                "",
                &[
                    "clone",
                    "-q",
                    "--no-local",
                    "--depth=1",
                    &format!("file://{}", scene.path("one").display()),
                    "three",
                ],
            );
            let allowed = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
            git(scene, "two", &[&allowed[..], &["../one", "sub"]].concat());
            git(scene, "one", &["worktree", "add", "-q", "../four"]);
        },
        &[],
    );
    assert!(scene.path("two/.git/config").exists() && scene.path("one/.git/hooks").exists());
}

#[test]
fn a_new_repository_that_runs_something_is_caught() {
    let scene = Scene::new(&[], &[]);
    caught(
        &scene,
        |scene| {
            scene.file("nested/.git/hooks/pre-commit.sample", "");
            scene.file("nested/.git/hooks/post-checkout", "evil");
            scene.file("nested/.git/config", PLAIN);
            scene.file("evil/.git/hooks/pre-commit.sample", "");
            scene.file("evil/.git/config", EVIL);
            scene.file("gc/.git/config", "[gc]\n\tRecentObjectsHook = touch CANARY\n");
            scene.file("linked/.git/config", PLAIN);
            fs::create_dir(scene.path("linked/.git/hooks")).unwrap();
            symlink("/bin/sh", scene.path("linked/.git/hooks/x.sample")).unwrap();
            scene.file("sub/.git/modules/a/config", "[core]\n\tworktree = ../../..\n");
            scene.file("sub/.git/modules/b/config", EVIL);
            scene.file("sub/.git/commondir", "/evil");
        },
        &[
            "evil/.git/config",
            "gc/.git/config",
            "linked/.git/hooks",
            "nested/.git/hooks",
            "sub/.git/commondir",
            "sub/.git/modules/b/config",
        ],
    );
    assert!(scene.path("nested/.git/config").exists());
}

/// One that went on in the background is asked about again.
#[test]
fn what_comes_later_is_caught_later() {
    let scene = Scene::new(&[], &[]);
    let mut before = scene.look();
    scene.file("x/.git/config", PLAIN);
    assert_eq!(told(&scene, &scene.after(&mut before)), []);
    settle();
    let mut next = scene.look();
    fs::write(scene.path("x/.git/config"), EVIL).unwrap();
    assert_eq!(told(&scene, &scene.after(&mut next)), [], "it was there before the next command");
    assert_eq!(told(&scene, &scene.after(&mut before)), [("x/.git/config".to_owned(), true)]);
}

#[test]
fn without_a_quarantine_it_is_put_beside() {
    let scene = Scene::new(&[], &[]);
    let mut before = scene.look();
    scene.file("x/.mcp.json", "evil");
    let (home, cwd) = (scene.home(), scene.path(""));
    let all = scene.watch.after(
        &scene.ground(&home, &cwd),
        &mut before,
        crate::places::Then::Aside(None),
    );
    let moved: PathBuf = all[0].moved_to.clone().unwrap();
    assert_eq!(moved.parent(), Some(scene.path("x").as_path()));
    assert_eq!(fs::read_to_string(moved).unwrap(), "evil");
    assert_eq!(told(&scene, &scene.after(&mut before)), []);
}
