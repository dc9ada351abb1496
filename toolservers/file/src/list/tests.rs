//! Goal: a model learns what is there, what is not shown, and how to see it.

use tollgate_sdk::{PathAccess, PathReach, Subject};

use super::*;
use crate::testing::{World, check_schema, text_of};

fn list(world: &World, input: &ListInput) -> String {
    text_of(&run(&input.asked(), &world.context(Vec::new()), &world.scope(), &|| false).unwrap())
}

#[test]
fn what_is_left_out_is_said_with_how_to_see_it() {
    let world = World::new().with("a/b/c/d", "").with(".gitignore", "x\n").with("x", "");
    assert_eq!(
        list(&world, &ListInput::default()),
        ".gitignore\na/\n  b/\n[1 directory at level 2 not looked into; to go deeper give `depth` or \
         `path`]\n[1 entry that git ignores left out; to look into one, give it as `path`]"
    );
    let input = ListInput { path: Some("a/b/c".to_owned()), ..ListInput::default() };
    assert_eq!(list(&world, &input), "d\n");
    let input = ListInput { ignore: Some(vec!["*".to_owned()]), ..ListInput::default() };
    assert!(list(&world, &input).starts_with("[nothing is to be listed here]"));
}

#[test]
fn a_cut_tree_says_how_many_there_are() {
    let world = World::new();
    for k in 0..1_200 {
        world.put(&format!("d/{k}"), "");
    }
    let text = list(&world, &ListInput::default());
    assert!(
        text.starts_with("d/ (1200 inside)\n[1201 entries in 2 levels, 1 shown, of 1 level;"),
        "{text}"
    );
    let input = ListInput { path: Some("d".to_owned()), ..ListInput::default() };
    assert!(list(&world, &input).contains("[1200 entries in 2 levels, 1000 shown, of 1 level;"));
}

#[tokio::test]
async fn a_list_is_judged_before_it_runs() {
    let world = World::new().with("d/f", "");
    let input = ListInput { path: Some("d".to_owned()), ..ListInput::default() };
    let prepared = List.prepare(&input, &world.context(Vec::new())).await.unwrap();
    assert_eq!((prepared.title.as_str(), prepared.safety), ("List d", Safety::READ));
    let [Subject::Path { absolute, access: PathAccess::Read, reach, .. }] = &prepared.subjects[..]
    else {
        panic!("{:?}", prepared.subjects);
    };
    assert_eq!((absolute, *reach), (&world.path("d"), PathReach::GrantedTree));
    for (path, ignore, pointer, class) in [
        ("../x", "a", "/path", "outside_roots"),
        ("/etc", "a", "/path", "outside_roots"),
        (".", "[", "/ignore", "invalid_pattern"),
    ] {
        let (path, ignore) = (Some(path.to_owned()), Some(vec![ignore.to_owned()]));
        let input = ListInput { path, ignore, depth: None };
        let invalid = List.prepare(&input, &world.context(Vec::new())).await.unwrap_err();
        assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), (pointer, class));
    }
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&List, &["depth", "ignore", "path"]);
}
