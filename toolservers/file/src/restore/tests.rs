//! Goal: what was deleted comes back to where it was, and replaces nothing.

use std::{fs, os::unix::fs::symlink};

use super::*;
use crate::{
    delete::tests::Yard,
    testing::{World, check_schema, text_of},
};

fn run_in(yard: &Yard, id: &str) -> Result<String, String> {
    let (context, scope) = (yard.world.context(Vec::new()), yard.world.scope());
    let done = run(&yard.trash, id, &context, &scope, &|| false);
    done.map(|reply| text_of(&reply)).map_err(|failure| format!("{failure:?}"))
}

fn listed(yard: &Yard, world: &World) -> String {
    text_of(&list(&yard.trash, &world.context(Vec::new()), &world.scope()).unwrap())
}

#[tokio::test]
async fn it_comes_back_as_it_was() {
    let yard = Yard::new();
    yard.world.put("d/e/f", "22");
    yard.world.put("d/a", "1");
    symlink("e/f", yard.world.path("d/l")).unwrap();
    let (file, _) = yard.delete("d/a").await.unwrap();
    let (folder, _) = yard.delete("d").await.unwrap();
    let text = listed(&yard, &yard.world);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with(&folder) && lines[0].ends_with("/w/d"), "{text}");
    assert!(lines[1].starts_with(&file) && lines[1].contains("  file  1 byte  "), "{text}");
    // Its folder is made anew for the file, and then is in the way of the old one.
    assert!(run_in(&yard, &file).unwrap().starts_with("Restored "));
    assert_eq!(yard.world.bytes("d/a"), b"1");
    let failed = run_in(&yard, &folder).unwrap_err();
    assert!(failed.contains("exists") && failed.contains("a directory by now"), "{failed}");
    fs::remove_dir_all(yard.world.path("d")).unwrap();
    run_in(&yard, &folder).unwrap();
    assert_eq!(
        (yard.world.names("d"), yard.world.bytes("d/l")),
        (vec!["e".into(), "l".to_owned()], b"22".to_vec())
    );
    assert!(listed(&yard, &yard.world).starts_with("[nothing"));
    let again = run_in(&yard, &folder).unwrap_err();
    assert!(again.contains("not_found"), "{again}");
}

/// Of another workspace nothing is told or given; nor by an id that is a path.
#[tokio::test]
async fn a_workspace_sees_its_own_alone() {
    let yard = Yard::new();
    yard.world.put("a", "1");
    let (id, _) = yard.delete("a").await.unwrap();
    let other = World::new();
    assert!(listed(&yard, &other).starts_with("[nothing"));
    let roots = other.roots();
    let failed = plan(&yard.trash, &id, &roots).unwrap_err();
    assert_eq!((failed.class, failed.pointer), (Class::NotFound, "/id"));
    for id in ["", "..", "../x", "a/b/c/d", "Aaaaaaaa", "aaaaaaaa"] {
        assert_eq!(plan(&yard.trash, id, &yard.world.roots()).unwrap_err().class, Class::NotFound);
    }
}

/// FS-02, FS-09: a link that was put on the way since leads nothing elsewhere.
#[tokio::test]
async fn the_way_back_has_no_links() {
    let yard = Yard::new();
    yard.world.put("d/a", "1");
    yard.world.put("e/x", "2");
    yard.world.put("../o/x", "3");
    let (id, _) = yard.delete("d/a").await.unwrap();
    fs::remove_dir(yard.world.path("d")).unwrap();
    for target in ["e", "../o"] {
        symlink(target, yard.world.path("d")).unwrap();
        let failed = run_in(&yard, &id).unwrap_err();
        assert!(failed.contains("outside_roots") || failed.contains("not_found"), "{failed}");
        fs::remove_file(yard.world.path("d")).unwrap();
    }
    assert_eq!(
        (yard.world.names("e"), yard.world.names("../o")),
        (vec!["x".to_owned()], vec!["x".to_owned()])
    );
    run_in(&yard, &id).unwrap();
    assert_eq!(yard.world.bytes("d/a"), b"1");
}

#[tokio::test]
async fn a_call_is_judged_by_what_it_does() {
    let yard = Yard::new();
    yard.world.put("d/a", "1");
    let (id, _) = yard.delete("d").await.unwrap();
    let tool = Restore(Some(yard.trash.clone()));
    let context = yard.world.context(Vec::new());
    let prepared = tool.prepare(&RestoreInput { id: None }, &context).await.unwrap();
    assert!(prepared.safety.read_only && prepared.subjects.is_empty());
    let prepared = tool.prepare(&RestoreInput { id: Some(id) }, &context).await.unwrap();
    assert_eq!(prepared.safety, Safety::WRITE);
    let subject = format!("{:?}", prepared.subjects);
    assert!(subject.contains("Create") && subject.contains("Tree"), "{subject}");
    assert!(!yard.world.path("d").exists());
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&Restore(None), &["id"]);
}
