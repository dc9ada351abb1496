//! Goal: covers are what leads to a place, and nothing that the call may use or needs.

use std::{fs, os::unix::fs::symlink};

use super::super::tests::Scene;

#[test]
fn what_is_open_is_not_covered() {
    let mut scene = Scene::new(&["conf/**"], &[]);
    scene.file("conf/a", "");
    scene.file("conf/b/c", "");
    scene.file("conf/b/d", "");
    scene.file(".git/hooks/one", "");
    scene.file(".git/hooks/two", "");
    scene.file(".mcp.json", "");
    scene.check(&["conf"], &[".git/hooks", ".mcp.json"]);
    scene.scope.opened = [".mcp.json", "conf/b/c", ".git/hooks/new", ".git/hooks/one"]
        .map(|it| scene.path(it))
        .into();
    scene.check(&["conf/a", "conf/b/d"], &[".git/hooks/two"]);
    scene.scope.opened = vec![scene.path("")];
    scene.check(&[], &[]);
}

/// FS-07.
#[test]
fn links_cover_what_they_lead_to() {
    let scene = Scene::new(&["secret.txt"], &[".ssh/id_*", ".netrc"]);
    scene.file("data/real.txt", "");
    scene.file("data/instructions", "");
    scene.file("keys/id_rsa", "");
    scene.file("keys/other", "");
    symlink("data/real.txt", scene.path("secret.txt")).unwrap();
    symlink("data/instructions", scene.path("AGENTS.md")).unwrap();
    symlink("keys", scene.path(".ssh")).unwrap();
    scene.check(&["data/real.txt", "keys/id_rsa"], &["data/instructions"]);
    for target in ["/dev/null", "/", "..", ".", "/usr/bin/env", "nothing"] {
        fs::create_dir_all(scene.path("x")).unwrap();
        symlink(target, scene.path("x/.netrc")).unwrap();
        let root = scene.path("");
        let found = scene.look();
        assert!(
            !found.masked.iter().any(|it| root.starts_with(it) || it.starts_with("/usr")),
            "{target}"
        );
        let is_told = found.notes.iter().any(|it| it.contains(".netrc leads to is not held"));
        assert_eq!(
            is_told,
            !["/dev/null", ".", "nothing"].contains(&target),
            "{target}: {:?}",
            found.notes
        );
        fs::remove_file(scene.path("x/.netrc")).unwrap();
    }
}

/// FS-05: a file has as many names as it has links.
#[test]
fn other_names_of_a_closed_file_are_closed() {
    let scene = Scene::new(&["secret.txt"], &[]);
    scene.file("secret.txt", "");
    super::super::tests::settle();
    scene.check(&["secret.txt"], &[]);
    fs::create_dir_all(scene.path("a/b")).unwrap();
    fs::hard_link(scene.path("secret.txt"), scene.path("a/b/h")).unwrap();
    fs::hard_link(scene.path("secret.txt"), scene.path("i")).unwrap();
    let found = scene.check(&["a/b/h", "i", "secret.txt"], &[]);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    // Home's are known too; those elsewhere are told.
    fs::create_dir(scene.home().join(".x")).unwrap();
    fs::rename(scene.path("i"), scene.home().join(".x/i")).unwrap();
    assert!(scene.look().masked.contains(&scene.home().join(".x/i")));
    fs::rename(scene.home().join(".x/i"), scene.state().join("i")).unwrap();
    let found = scene.check(&["a/b/h", "secret.txt"], &[]);
    assert!(found.notes.iter().any(|it| it.contains("further names")), "{:?}", found.notes);
}

/// The file that is closed lies outside of the workspace, another name of it inside.
#[test]
fn a_name_inside_of_a_closed_file_outside_is_closed() {
    let mut scene = Scene::new(&[], &[]);
    let outside = scene.state().join("secret.txt");
    fs::write(&outside, "").unwrap();
    fs::hard_link(&outside, scene.path("h")).unwrap();
    scene.scope.withheld = tollgate_sdk::Withheld::new(&[outside.display().to_string()], &[]);
    assert_eq!(scene.look().masked, [outside, scene.path("h")]);
}

#[test]
fn covers_lie_in_no_other() {
    let scene = Scene::new(&["a/**", "a/b/**"], &[".netrc"]);
    scene.file("a/b/.netrc", "");
    scene.file("a/.mcp.json", "");
    scene.file(".tollgate/.netrc", "");
    scene.file(".tollgate/.mcp.json", "");
    scene.check(&[".tollgate/.netrc", "a"], &[".tollgate"]);
}

/// Writing by another name writes the held file.
#[test]
fn other_names_of_a_held_file_are_held() {
    let scene = Scene::new(&[], &[]);
    scene.file("a/AGENTS.md", "");
    fs::hard_link(scene.path("a/AGENTS.md"), scene.path("b")).unwrap();
    fs::hard_link(scene.path("a/AGENTS.md"), scene.state().join("c")).unwrap();
    let found = scene.check(&[], &["a/AGENTS.md", "b"]);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}
