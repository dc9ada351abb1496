//! Goal: which runners and verifiers a folder's files mean.

use std::fs;

use tempfile::TempDir;

use super::*;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// Lines of what is found.
#[track_caller]
fn check(kind: Kind, files: &[(&str, &str)], expected: &[&str]) {
    let folder = folder(files);
    let found = find(kind, folder.path(), folder.path());
    let lines: Vec<&str> = found.iter().map(|check| check.line.as_str()).collect();
    assert_eq!(lines, expected, "{files:?}");
}

#[test]
fn runners_are_found_by_their_files() {
    let tests = |files: &[(&str, &str)], expected: &[&str]| check(Kind::Tests, files, expected);
    tests(&[("Cargo.toml", "")], &["cargo test --no-fail-fast"]);
    tests(
        &[("Cargo.toml", ""), (".config/nextest.toml", "")],
        &["cargo nextest run --no-fail-fast", "cargo test --no-fail-fast"],
    );
    let script = r#"{"scripts": {"test": "node --test", "lint": "eslint ."}}"#;
    tests(&[("package.json", script)], &["npm test"]);
    tests(&[("package.json", script), ("pnpm-lock.yaml", "")], &["pnpm test"]);
    tests(&[("package.json", script), ("yarn.lock", "")], &["yarn test"]);
    let named = r#"{"packageManager": "pnpm@9.1.0", "scripts": {"test": "jest"}}"#;
    tests(&[("package.json", named), ("yarn.lock", "")], &["pnpm test"]);
    let python = ("test_a.py", "");
    tests(&[python], &["python3 -m unittest discover -v"]);
    tests(&[("tests/test_a.py", "")], &["python3 -m unittest discover -v -s tests"]);
    tests(
        &[("tests/test_a.py", ""), ("tests/__init__.py", "")],
        &["python3 -m unittest discover -v"],
    );
    tests(&[python, ("pytest.ini", "")], &["python3 -m pytest -ra"]);
    tests(
        &[("pyproject.toml", "[tool.pytest.ini_options]"), (".venv/bin/python", "")],
        &[".venv/bin/python -m pytest -ra"],
    );
    tests(&[("go.mod", "module x")], &["go test -v ./..."]);
    tests(&[("Makefile", "all:\n\ttrue\ncheck: all\n\ttrue\n")], &["make check"]);
    tests(
        &[("Makefile", "lint test:\n\ttrue\n"), ("Cargo.toml", "")],
        &["cargo test --no-fail-fast", "make test"],
    );
}

#[test]
fn verifiers_are_found_by_their_files() {
    let verifiers =
        |files: &[(&str, &str)], expected: &[&str]| check(Kind::Verifiers, files, expected);
    verifiers(&[("Cargo.toml", "")], &["cargo fmt --check", "cargo clippy --all-targets"]);
    let scripts = r#"{"scripts": {"lint": "eslint .", "typecheck": "tsc", "build": "x"}}"#;
    verifiers(&[("package.json", scripts)], &["npm run lint", "npm run typecheck"]);
    verifiers(
        &[("pyproject.toml", "[tool.ruff]\n[tool.mypy]\n"), (".venv/bin/mypy", "")],
        &["ruff check --output-format concise .", ".venv/bin/mypy ."],
    );
    verifiers(&[("go.mod", "")], &["go vet ./..."]);
    verifiers(&[("Makefile", "lint:\n\ttrue\n")], &["make lint"]);
}

#[test]
fn what_means_nothing_is_not_found() {
    let no_tests = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    check(Kind::Tests, &[("package.json", no_tests)], &[]);
    check(Kind::Tests, &[("package.json", "{")], &[]);
    check(Kind::Tests, &[("package.json", r#"{"scripts": {"test": 5}}"#)], &[]);
    check(Kind::Tests, &[("Makefile", "test := 1\nTEST=x\n\ttest: x\nretest:\n")], &[]);
    check(Kind::Tests, &[("pyproject.toml", "[project]"), ("a.py", "")], &[]);
    check(Kind::Tests, &[], &[]);
    let large = "x".repeat(usize::try_from(PROJECT_FILE_BYTES_MAX).unwrap()) + "\ntest:\n";
    check(Kind::Tests, &[("Makefile", &large)], &[]);
}

#[test]
fn the_nearest_comes_first_and_the_root_last() {
    let folder = folder(&[
        ("Makefile", "test:\n"),
        ("web/package.json", r#"{"scripts": {"test": "jest"}}"#),
        ("web/src/deep/x.js", ""),
        ("Cargo.toml", ""),
    ]);
    let found = find(Kind::Tests, &folder.path().join("web/src/deep"), folder.path());
    let names: Vec<&str> = found.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["npm test", "cargo test", "make test"]);
    assert_eq!(found[0].folder, folder.path().join("web"));
    // Nothing above the root.
    let web = folder.path().join("web");
    assert_eq!(find(Kind::Tests, &web, &web).len(), 1);
}

#[test]
fn no_content_becomes_part_of_a_line() {
    let evil = r#"{"packageManager": "x; rm -rf /@1", "name": "$(rm)", "scripts": {"test": "jest; rm -rf /", "lint": "`rm`"}}"#;
    check(
        Kind::Tests,
        &[("package.json", evil), ("Makefile", "test $(rm):\n")],
        &["npm test", "make test"],
    );
    check(Kind::Verifiers, &[("package.json", evil)], &["npm run lint"]);
}

/// A file that is none would never end.
#[test]
fn what_is_no_file_is_passed_over() {
    let folder = folder(&[]);
    fs::create_dir(folder.path().join("package.json")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("Makefile")).unwrap();
    assert_eq!(find(Kind::Tests, folder.path(), folder.path()), []);
}
