//! Goal: paths that are found can be given to `read` as they are.

use super::*;
use crate::testing::{World, check_schema, text_of};

fn find(world: &World, pattern: &str, path: Option<&str>) -> Result<String, Failed> {
    let input = FindInput { pattern: pattern.to_owned(), path: path.map(str::to_owned) };
    let reply = run(&input, &world.context(Vec::new()), &world.scope(), &|| false);
    Ok(text_of(&reply?))
}

#[test]
fn paths_are_arguments_of_this_session() {
    let world = World::new().with("a/b/x.rs", "").with(".gitignore", "y.rs\n").with("y.rs", "");
    let ignored = "[1 entry that git ignores left out; to look into one, give it as `path`]";
    assert_eq!(find(&world, "*.rs", None).unwrap(), format!("a/b/x.rs\n{ignored}"));
    assert_eq!(find(&world, "*.rs", Some("a/b")).unwrap(), "a/b/x.rs\n");
    let absolute = world.path("a").display().to_string();
    assert_eq!(find(&world, "*.rs", Some(&absolute)).unwrap(), "a/b/x.rs\n");
    assert_eq!(
        find(&world, "*.py", Some("a")).unwrap(),
        "[nothing matches *.py in a: 2 entries looked at]"
    );
}

#[test]
fn what_is_not_shown_is_counted() {
    let world = World::new();
    for k in 0..700 {
        world.put(&format!("{k}"), "");
    }
    let text = find(&world, "*", None).unwrap();
    assert!(text.ends_with("[700 match, the first 500 are shown; make `pattern` narrower or give a directory as `path`]"), "{text}");
}

#[tokio::test]
async fn faults_are_told_before_anybody_is_asked() {
    let world = World::new();
    let context = world.context(Vec::new());
    for (pattern, path, pointer, class) in [
        ("[", ".", "/pattern", "invalid_pattern"),
        ("*", "/etc", "/path", "outside_roots"),
        ("*", "..", "/path", "outside_roots"),
    ] {
        let input = FindInput { pattern: pattern.to_owned(), path: Some(path.to_owned()) };
        let invalid = Find.prepare(&input, &context).await.unwrap_err();
        assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), (pointer, class));
    }
    assert_eq!(find(&world, "*", Some("nope")).unwrap_err().class.word(), "not_found");
    let input = FindInput { pattern: "*.rs".to_owned(), path: None };
    let prepared = Find.prepare(&input, &context).await.unwrap();
    assert_eq!((prepared.title.as_str(), prepared.safety), ("Find *.rs in .", Safety::READ));
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&Find, &["path", "pattern"]);
}
