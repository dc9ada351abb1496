//! Goal: a rule for any name of a file is asked, however the file is named.

use std::{fs, os::unix::fs::symlink};

use tollgate_sdk::{Context, PathAccess, Safety, Subject, Tool};

use super::*;
use crate::{outcome::prepared, read::Read, testing::World};

#[track_caller]
fn check(world: &World, path: &str, names: &[&str], missing: u64) {
    let mut twins = of(&world.place(path).unwrap());
    twins.names.sort();
    let names = names.iter().map(PathBuf::from).collect();
    assert_eq!(twins, Twins { names, missing }, "{path}");
}

fn link(world: &World, from: &str, to: &str) {
    fs::create_dir_all(world.path(to).parent().unwrap()).unwrap();
    fs::hard_link(world.path(from), world.path(to)).unwrap();
}

/// FS-05: names beneath the root are found, in folders that git ignores too; those beside it are missed.
#[test]
fn other_names_are_found() {
    let world = World::new().with("a", "1").with("d/b", "2").with("../o/s", "SECRET");
    check(&world, "a", &[], 0);
    check(&world, "d", &[], 0);
    check(&world, "none", &[], 0);
    link(&world, "a", "d/.git/a");
    check(&world, "a", &["d/.git/a"], 0);
    check(&world, "d/.git/a", &["a"], 0);
    // A new name counts at once, though a search was just made.
    link(&world, "d/b", "b");
    check(&world, "b", &["d/b"], 0);
    link(&world, "d/b", "c");
    check(&world, "b", &["c", "d/b"], 0);
    fs::rename(world.path("c"), world.path("e")).unwrap();
    check(&world, "b", &["d/b", "e"], 0);
    fs::rename(world.path("d"), world.path("g")).unwrap();
    check(&world, "b", &["e", "g/b"], 0);
    fs::rename(world.path("g"), world.path("d")).unwrap();
    link(&world, "../o/s", "h");
    check(&world, "h", &[], 1);
    symlink("h", world.path("way")).unwrap();
    check(&world, "way", &[], 1);
}

fn subjects(prepared: &tollgate_sdk::Preparation) -> Vec<(String, PathAccess)> {
    let each = prepared.subjects.iter().map(|subject| {
        let Subject::Path { relative, access, .. } = subject else { panic!("{subject:?}") };
        (relative.as_ref().unwrap().display().to_string(), *access)
    });
    each.collect()
}

async fn read(world: &World, path: &str) -> tollgate_sdk::Preparation {
    let context: Context = world.context(Vec::new());
    let input = serde_json::from_value(serde_json::json!({ "path": path })).unwrap();
    Read.prepare(&input, &context).await.unwrap()
}

/// FS-05: a denied name holds for the other one; where a name is not known, somebody is asked.
#[tokio::test]
async fn a_call_says_all_names() {
    let world = World::new().with("secret", "s").with("../o/s", "SECRET");
    link(&world, "secret", "h");
    let prepared = read(&world, "h").await;
    let expected = [("h".to_owned(), PathAccess::Read), ("secret".to_owned(), PathAccess::Read)];
    assert_eq!((subjects(&prepared).as_slice(), prepared.safety), (&expected[..], Safety::READ));
    link(&world, "../o/s", "x");
    let prepared = read(&world, "x").await;
    assert!(
        !prepared.safety.read_only && prepared.preview.contains("1 other name"),
        "{prepared:?}"
    );
    assert_eq!(read(&world, "h").await.safety, Safety::READ);
}

/// What is written shows what it replaces: the other names are read.
#[test]
fn a_change_reads_the_other_names() {
    let world = World::new().with("secret", "s");
    link(&world, "secret", "h");
    let said = prepared(Safety::WRITE, &world.place("h").unwrap(), PathAccess::Write);
    let expected = [("h".to_owned(), PathAccess::Write), ("secret".to_owned(), PathAccess::Read)];
    assert_eq!(subjects(&said), expected);
}

/// FS-05: a search passes over a file that is withheld by another name.
#[test]
fn a_search_is_held_by_all_names() {
    use crate::searching::{Query, Terms, search};
    let world = World::new().with("secrets/key", "CANARY").with("open/a", "CANARY");
    link(&world, "secrets/key", "open/h");
    let glob = format!("{}/secrets/**", world.root().display());
    let terms = Terms { pattern: "CANARY".to_owned(), ..Terms::default() };
    let found = |globs: &[String]| {
        let withheld = tollgate_sdk::Withheld::new(globs, &[]);
        let query = Query::new(&terms).unwrap();
        let (hits, _) =
            search(&world.place("open").unwrap(), &query, &withheld, &|| false).unwrap();
        hits.files.iter().map(|file| file.path.display().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]), ["a", "h"]);
    assert_eq!(found(&[glob]), ["a"]);
}

/// Many names are bounded; those that are not told count as missing.
#[test]
fn names_are_bounded() {
    let world = World::new().with("a", "1");
    for number in 0..TWINS_TOLD_MAX + 5 {
        link(&world, "a", &format!("n{number}"));
    }
    let twins = of(&world.place("a").unwrap());
    assert_eq!((twins.names.len(), twins.missing), (TWINS_TOLD_MAX, 5));
}
