//! Goal: what is deleted can be had again, and nothing else goes.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use tollgate_sdk::{PathReach, Subject};

use super::*;
use crate::{
    restore::Restore,
    testing::{World, check_schema, text_of},
};

/// A workspace, and a trash beside it.
pub(crate) struct Yard {
    pub(crate) world: World,
    _state: TempDir,
    pub(crate) trash: Arc<Trash>,
}

impl Yard {
    pub(crate) fn new() -> Self {
        let state = tempfile::tempdir().unwrap();
        let trash = Arc::new(Trash::new(state.path()));
        Self { world: World::new(), _state: state, trash }
    }

    pub(crate) async fn prepare(&self, path: &str) -> Result<Preparation, (String, String)> {
        let input = DeleteInput { path: path.to_owned() };
        let tool = Delete(Some(self.trash.clone()));
        let prepared = tool.prepare(&input, &self.world.context(Vec::new())).await;
        prepared.map_err(|invalid| (invalid.class, invalid.pointer))
    }

    /// Prepares and deletes; gives the id and what the model reads.
    pub(crate) async fn delete(&self, path: &str) -> Result<(String, String), (String, String)> {
        self.prepare(path).await?;
        let (context, scope) = (self.world.context(Vec::new()), self.world.scope());
        let reply = run(&self.trash, path, &context, &scope, &|| false).unwrap();
        let told = text_of(&reply);
        let id = told.split("with id ").nth(1).unwrap().split('.').next().unwrap().to_owned();
        Ok((id, told))
    }
}

#[tokio::test]
async fn what_is_deleted_is_in_the_trash() {
    let yard = Yard::new();
    yard.world.put("a", "1");
    yard.world.put("d/e/f", "22");
    symlink("d/e/f", yard.world.path("l")).unwrap();
    let prepared = yard.prepare("d").await.unwrap();
    assert!(!prepared.safety.destructive, "it can be had again");
    assert!(prepared.preview.contains("a directory with 2 entries, 1 file among them, 2 bytes"));
    assert!(prepared.preview.contains("  e/"), "{}", prepared.preview);
    let (_, told) = yard.delete("a").await.unwrap();
    assert!(told.starts_with("Deleted a: a file, 1 byte. It is in the trash"), "{told}");
    // A link goes itself.
    yard.delete("l").await.unwrap();
    assert_eq!(yard.world.names(""), ["d"]);
    yard.delete("d").await.unwrap();
    assert!(yard.world.names("").is_empty());
    let notes = yard.trash.notes().unwrap();
    let kept: Vec<(PathBuf, &str)> =
        notes.iter().map(|note| (note.path.clone(), note.kind.as_str())).collect();
    let expected = [("d", "directory"), ("l", "link"), ("a", "file")];
    assert_eq!(kept, expected.map(|(path, kind)| (yard.world.path(path), kind)));
}

#[tokio::test]
async fn what_is_no_ordinary_thing_is_refused() {
    let yard = Yard::new();
    yard.world.put("d/f", "1");
    yard.world.put("../o/f", "SECRET");
    symlink("../o", yard.world.path("out")).unwrap();
    nix::unistd::mkfifo(&yard.world.path("p"), nix::sys::stat::Mode::from_bits_truncate(0o600))
        .unwrap();
    let root = yard.world.root().display().to_string();
    for (path, class) in [
        (".", "invalid_path"),
        (root.as_str(), "invalid_path"),
        ("d/..", "invalid_path"),
        ("..", "outside_roots"),
        ("out/f", "outside_roots"),
        ("../o/f", "outside_roots"),
        ("p", "special_file"),
        ("none", "not_found"),
        ("/proc/self/environ", "special_file"),
        ("", "invalid_path"),
    ] {
        let refused = yard.delete(path).await.unwrap_err();
        assert_eq!(refused, (class.to_owned(), "/path".to_owned()), "{path}");
    }
    assert_eq!(yard.world.names(""), ["d", "out", "p"]);
    assert!(yard.trash.notes().unwrap().is_empty());
}

/// Rules see the whole tree.
#[tokio::test]
async fn a_directory_is_judged_with_all_below_it() {
    let yard = Yard::new();
    yard.world.put("d/f", "1");
    for (path, reach) in [("d", PathReach::Tree), ("d/f", PathReach::Itself)] {
        let subjects = yard.prepare(path).await.unwrap().subjects;
        let expected = Subject::Path {
            absolute: yard.world.path(path),
            relative: Some(path.into()),
            access: PathAccess::Delete,
            reach,
        };
        assert_eq!(subjects, [expected]);
    }
}

/// What took the place of what was judged stays.
#[tokio::test]
async fn what_was_judged_is_what_goes() {
    let yard = Yard::new();
    yard.world.put("a", "1");
    yard.world.put("d/f", "2");
    yard.prepare("a").await.unwrap();
    fs::remove_file(yard.world.path("a")).unwrap();
    fs::rename(yard.world.path("d"), yard.world.path("a")).unwrap();
    let (context, scope) = (yard.world.context(Vec::new()), yard.world.scope());
    for _ in 0..2 {
        let failed = run(&yard.trash, "a", &context, &scope, &|| false).unwrap_err();
        assert!(format!("{failed:?}").contains("stale"));
    }
    let failed = run(&yard.trash, "a/f", &context, &Scope::default(), &|| false).unwrap_err();
    assert!(format!("{failed:?}").contains("outside_roots"));
    assert_eq!(yard.world.bytes("a/f"), b"2");
}

/// Without a folder that lasts there is no trash, and that is said.
#[tokio::test]
async fn without_a_trash_nothing_is_deleted() {
    let world = World::new().with("a", "1");
    let context = world.context(Vec::new());
    let invalid =
        Delete(None).prepare(&DeleteInput { path: "a".into() }, &context).await.unwrap_err();
    assert!(invalid.class == "unavailable" && invalid.message.contains("--state"), "{invalid:?}");
    let input = serde_json::from_value(Value::Object(serde_json::Map::new())).unwrap();
    let invalid = Restore(None).prepare(&input, &context).await.unwrap_err();
    assert_eq!(invalid.class, "unavailable");
    assert_eq!(world.names(""), ["a"]);
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&Delete(None), &["path"]);
}
