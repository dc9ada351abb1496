//! Goal: which line a call means.

use std::fs;

use tempfile::TempDir;
use tollgate_sdk::serde_json::{self, Value, json};

use super::*;
use crate::line::tests::context;

fn project(package: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "").unwrap();
    fs::write(folder.path().join("Makefile"), "test:\n").unwrap();
    fs::create_dir(folder.path().join("web")).unwrap();
    fs::write(folder.path().join("web/package.json"), package).unwrap();
    folder
}

fn asked(folder: &TempDir, arguments: Value) -> Result<Asked, Invalid> {
    let input: Input = serde_json::from_value(arguments).unwrap();
    input.asked(&context(folder.path()))
}

#[track_caller]
fn check(arguments: Value, expected: &str) {
    let folder = project(r#"{"scripts": {"test": "node --test", "lint": "eslint ."}}"#);
    let line = asked(&folder, arguments.clone()).unwrap().all_lines();
    assert_eq!(line.command, expected, "{arguments}");
}

#[test]
fn a_call_means_one_line() {
    check(json!({"action": "tests"}), "cargo test --no-fail-fast");
    check(json!({"action": "tests", "path": "web"}), "npm test");
    check(json!({"action": "tests", "path": "web/package.json"}), "npm test");
    check(json!({"action": "tests", "runner": "make test"}), "make test");
    check(json!({"action": "tests", "filter": "a b"}), "cargo test --no-fail-fast -- 'a b'");
    check(
        json!({"action": "tests", "path": "web", "filter": "it's $(x)"}),
        r"npm test -- --test-name-pattern 'it'\''s $(x)'",
    );
    check(json!({"action": "verifiers"}), "cargo fmt --check\ncargo clippy --all-targets");
    check(json!({"action": "verifiers", "runner": "cargo clippy"}), "cargo clippy --all-targets");
    check(json!({"action": "verifiers", "path": "web"}), "npm run lint");
}

#[test]
fn what_is_wrong_is_said() {
    let folder = project(r#"{"scripts": {"test": "./own-runner"}}"#);
    for (arguments, pointer, says) in [
        (json!({"action": "verifiers", "filter": "x"}), "/filter", "belongs to tests"),
        (json!({"action": "tests", "filter": "-x"}), "/filter", "option"),
        (json!({"action": "tests", "filter": "a\nb"}), "/filter", "control"),
        (json!({"action": "tests", "filter": ""}), "/filter", "1 to"),
        (json!({"action": "tests", "path": "web", "filter": "x"}), "/filter", "'bash'"),
        (json!({"action": "tests", "path": "/"}), "/path", "outside the workspace"),
        (json!({"action": "tests", "path": "none"}), "/path", "does not exist"),
        (
            json!({"action": "tests", "runner": "jest"}),
            "/runner",
            "there are: cargo test, make test",
        ),
    ] {
        let invalid = asked(&folder, arguments.clone()).unwrap_err();
        assert_eq!(invalid.pointer, pointer, "{arguments}");
        assert!(invalid.message.contains(says), "{arguments}: {}", invalid.message);
    }
    let empty = tempfile::tempdir().unwrap();
    let invalid = asked(&empty, json!({"action": "tests"})).unwrap_err();
    assert!(invalid.message.contains("looked for: cargo"), "{}", invalid.message);
}

#[test]
fn what_else_there_is_is_kept_for_the_answer() {
    let folder = project(r#"{"scripts": {"test": "node --test"}}"#);
    let asked = asked(&folder, json!({"action": "tests", "path": "web", "timeout": 5})).unwrap();
    let names: Vec<&str> = asked.found.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["npm test", "cargo test", "make test"]);
    assert_eq!((asked.checks.len(), asked.seconds), (1, 5));
    assert!(asked.folder.ends_with("web"));
}
