//! Goal: a model sees where something is, how much more there is, and what was not searched.

use tollgate_sdk::Withheld;

use super::*;
use crate::testing::{World, check_schema, text_of};

fn input(json: serde_json::Value) -> GrepInput {
    serde_json::from_value(json).unwrap()
}

#[track_caller]
fn check(world: &World, arguments: serde_json::Value, expected: &str) {
    let input = input(arguments);
    let reply = run(
        &input.terms(),
        input.path.as_deref(),
        &world.context(Vec::new()),
        &world.scope(),
        &|| false,
    );
    assert_eq!(text_of(&reply.unwrap()), expected);
}

#[test]
fn lines_stand_below_their_file() {
    let world = World::new().with("src/a.rs", "fn a\nb\nfn c\n").with("src/b.rs", "fn d\n");
    let text = "src/a.rs\n1:fn a\n3:fn c\n\nsrc/b.rs\n1:fn d\n[3 matches in 2 files]";
    check(&world, json!({"pattern": "fn"}), text);
    check(
        &world,
        json!({"pattern": "fn", "path": "src/b.rs"}),
        "src/b.rs\n1:fn d\n[1 match in 1 file]",
    );
    let text = "src/a.rs\n1-fn a\n2:b\n3-fn c\n[1 match in 1 file]";
    check(&world, json!({"pattern": "b", "context": 1}), text);
    let text = "src/a.rs\nsrc/b.rs\n[3 matches in 2 files]";
    check(&world, json!({"pattern": "fn", "output": "files"}), text);
    let text = "src/a.rs: 2\nsrc/b.rs: 1\n[3 matches in 2 files]";
    check(&world, json!({"pattern": "fn", "output": "count"}), text);
    let text = "src/a.rs\n1:fn a\n[3 matches in 2 files; 1 in 1 file shown. Narrow it by `path`, \
                `glob` or `type`, raise `limit`, or ask for `output` files]";
    check(&world, json!({"pattern": "fn", "limit": 1}), text);
    let text = "src/a.rs\n[2 files match, 1 shown. Narrow it by `path`, `glob` or `type`, or raise \
                `limit`]";
    check(&world, json!({"pattern": "fn", "limit": 1, "output": "files"}), text);
}

#[test]
fn what_was_not_searched_is_said() {
    let world = World::new().with("bin", b"x\0").with(".gitignore", "log\n").with("log", "x");
    let text = "[no match in .: 1 file searched]\n[1 binary file not searched]\n[1 entry that git \
                ignores left out; to look into one, give it as `path`]";
    check(&world, json!({"pattern": "x"}), text);
    check(&world, json!({"pattern": "x", "path": "log"}), "log\n1:x\n[1 match in 1 file]");
}

/// [GATE-20] What is withheld is not searched, also where it is all that was asked for.
#[test]
fn what_is_withheld_is_not_searched() {
    let world = World::new().with("a", "needle\n").with("secrets/b", "needle\n");
    let glob = world.path("secrets/**").display().to_string();
    let scope = Scope { withheld: Withheld::new(&[glob], &[]), ..world.scope() };
    let text = |path: &str| {
        let terms = input(json!({"pattern": "needle"})).terms();
        let reply = run(&terms, Some(path), &world.context(Vec::new()), &scope, &|| false).unwrap();
        text_of(&reply)
    };
    let said = "[1 entry is withheld by rules of this session, and not looked at]";
    assert_eq!(text("."), format!("a\n1:needle\n[1 match in 1 file]\n{said}"));
    for path in ["secrets", "secrets/b"] {
        assert_eq!(text(path), format!("[no match in {path}: 0 files searched]\n{said}"));
    }
}

#[tokio::test]
async fn faults_are_told_before_anybody_is_asked() {
    let world = World::new().with("f", "x");
    let context = world.context(Vec::new());
    for (arguments, pointer, class) in [
        (json!({"pattern": "("}), "/pattern", "invalid_pattern"),
        (json!({"pattern": "x", "type": "nonsense"}), "/type", "invalid_pattern"),
        (json!({"pattern": "x", "glob": "["}), "/glob", "invalid_pattern"),
        (json!({"pattern": "x", "path": "../f"}), "/path", "outside_roots"),
        (json!({"pattern": "x", "path": "/etc/passwd"}), "/path", "outside_roots"),
    ] {
        let invalid = Grep.prepare(&input(arguments), &context).await.unwrap_err();
        assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), (pointer, class));
    }
    let prepared = Grep.prepare(&input(json!({"pattern": "a\u{1b}b"})), &context).await.unwrap();
    assert_eq!(prepared.title, "Search . for a\\u{1b}b");
    assert_eq!(prepared.safety, Safety::READ);
}

#[test]
fn the_schema_is_closed_and_described() {
    let properties = ["context", "glob", "limit", "multiline", "output", "path", "pattern", "type"];
    check_schema(&Grep, &properties);
}
