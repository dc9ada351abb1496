//! Goal: a person sees all that a patch does before it is done, and the model what was done.

use tollgate_sdk::{Observation, Subject};

use super::*;
use crate::testing::{World, check_schema, text_of};

fn sections(body: &str) -> Vec<Section> {
    patch::parse(&format!("*** Begin Patch\n{body}*** End Patch")).unwrap()
}

async fn prepared(world: &World, body: &str) -> Result<Preparation, Invalid> {
    let patch = format!("*** Begin Patch\n{body}*** End Patch");
    ApplyPatch.prepare(&PatchInput { patch }, &world.context(Vec::new())).await
}

const ALL: &str = "*** Add File: new\n+x\n*** Update File: a\n-1\n+2\n*** Update File: b\n\
                   *** Move to: c\n*** Delete File: d\n";

fn world() -> World {
    World::new().with("a", "1\n").with("b", "1\n").with("d", "1\n")
}

#[tokio::test]
async fn every_file_is_a_subject_with_its_access() {
    let world = world();
    let said = prepared(&world, ALL).await.unwrap();
    let subjects: Vec<(String, PathAccess)> = said
        .subjects
        .iter()
        .map(|subject| {
            let Subject::Path { relative, access, .. } = subject else { panic!("{subject:?}") };
            (relative.as_ref().unwrap().display().to_string(), *access)
        })
        .collect();
    let expected = [
        ("new", PathAccess::Create),
        ("a", PathAccess::Write),
        ("a", PathAccess::Read),
        ("b", PathAccess::Delete),
        ("c", PathAccess::Create),
        ("b", PathAccess::Read),
        ("d", PathAccess::Delete),
    ];
    assert_eq!(subjects, expected.map(|(path, access)| (path.to_owned(), access)));
    assert!(said.safety.destructive && !said.safety.read_only);
    assert_eq!(said.title, "Patch 4 files");
    for part in ["Add new (+1 -0)", "Update a (+1 -1)", "Move b to c", "Delete d (+0 -1)", "-1\n+2"]
    {
        assert!(said.preview.contains(part), "{}", said.preview);
    }
    assert_eq!(world.names(""), ["a", "b", "d"]);
    let said = prepared(&world, "*** Update File: a\n-1\n+2\n").await.unwrap();
    assert!(!said.safety.destructive);
    assert_eq!(said.title, "Update a");
}

/// [FS-07]: a rule for a link and one for the file both see what is done.
#[tokio::test]
async fn links_are_subjects_too() {
    let world = world();
    std::os::unix::fs::symlink("a", world.path("link")).unwrap();
    let said = prepared(&world, "*** Update File: link\n-1\n+2\n").await.unwrap();
    assert_eq!(said.subjects.len(), 4, "written and read: {:?}", said.subjects);
}

#[tokio::test]
async fn faults_are_told_before_anybody_is_asked() {
    let world = world();
    for (body, class) in [("", "invalid_patch"), ("*** Delete File: ../a\n", "outside_roots")] {
        let invalid = prepared(&world, body).await.unwrap_err();
        assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), ("/patch", class));
    }
}

/// B094: why a patch does not apply quotes files; it is judged as a call that reads them, and then told.
#[tokio::test]
async fn what_files_hold_is_told_to_who_may_read_them() {
    let world = world();
    let body = "*** Update File: a\n-9\n+2\n";
    let said = prepared(&world, body).await.unwrap();
    assert!(said.safety.read_only && said.subjects.len() == 1, "{said:?}");
    let reads = Scope { write_roots: Vec::new(), ..world.scope() };
    let run = |body| run(&sections(body), None, &world.context(Vec::new()), &reads);
    assert!(format!("{:?}", run(body).unwrap_err()).contains("no_match"));
    assert!(format!("{:?}", run("*** Update File: a\n-1\n+2\n").unwrap_err()).contains("stale"));
}

#[test]
fn the_result_names_every_file_and_what_the_session_now_knows() {
    let world = world();
    let now = std::time::SystemTime::now();
    let seen = Observation {
        path: world.path("a"),
        sha256: world.text("a", 1, None).unwrap().sha256.unwrap(),
        seen: now,
        modified: now,
    };
    let reply = run(&sections(ALL), None, &world.context(vec![seen]), &world.scope()).unwrap();
    let text = text_of(&reply);
    assert!(text.starts_with("Patched 4 files: +2 -2 lines.\nAdd new (+1 -0)\nUpdate a"), "{text}");
    let told = format!("{reply:?}");
    // Of the file that the session never read it knows no more than before.
    assert_eq!(told.matches("Observation {").count(), 2, "{told}");
    assert!(told.contains(r#""action": String("moved")"#), "{told}");
}

/// What a person approved to delete is what is deleted.
#[tokio::test]
async fn a_file_that_changes_after_the_preview_is_not_deleted() {
    let world = World::new().with("d", "old\n");
    let body = "*** Delete File: d\n";
    prepared(&world, body).await.unwrap();
    world.put("d", "new\n");
    let failure =
        run(&sections(body), None, &world.context(Vec::new()), &world.scope()).unwrap_err();
    assert!(format!("{failure:?}").contains("changed between the preview"), "{failure:?}");
    assert_eq!(world.bytes("d"), b"new\n");
    prepared(&world, body).await.unwrap();
    run(&sections(body), None, &world.context(Vec::new()), &world.scope()).unwrap();
    assert!(!world.path("d").exists());
}

/// A grant that allows no writing is kept to, whatever the session's roots are.
#[test]
fn nothing_is_written_outside_the_grant() {
    let world = world();
    let scope = Scope { write_roots: Vec::new(), ..world.scope() };
    run(&sections(ALL), None, &world.context(Vec::new()), &scope).unwrap_err();
    assert_eq!(world.names(""), ["a", "b", "d"]);
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&ApplyPatch, &["patch"]);
}
