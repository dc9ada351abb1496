//! The tool `Run`: real projects, made on the spot, whose tests need nothing that is not there.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tollgate_tests::{World, events::content_text};

/// Runs it with all allowed; gives the result and its text.
#[track_caller]
fn run(world: &World, arguments: &Value, code: i32) -> (Value, String) {
    let command = world.call("Run", arguments).args(["--posture", "full-access"]);
    // The toolchain itself: what stands before it in a home is not in this one.
    let toolchain = std::env::var_os("CARGO").map(PathBuf::from);
    let folder = toolchain.as_deref().and_then(Path::parent).unwrap_or_else(|| Path::new("/"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [folder.to_owned()].into_iter().chain(std::env::split_paths(&path));
    let command = command.env("PATH", std::env::join_paths(path).unwrap());
    let result = command.run().code(code).json()["result"].clone();
    let text = content_text(&result);
    (result, text)
}

/// The counts of the one run of a result.
#[track_caller]
fn counts(result: &Value) -> [u64; 4] {
    let runs = result["metadata"]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "{result}");
    let counts = &runs[0]["counts"];
    assert!(counts.is_object(), "{}", content_text(result));
    ["passed", "failed", "skipped", "errors"].map(|name| counts[name].as_u64().unwrap())
}

const CARGO: &str =
    "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

/// A library with a test that passes and one that fails.
#[test]
fn tests_of_cargo_are_counted_and_failures_placed() {
    let world = World::new();
    world.write("Cargo.toml", CARGO);
    world.write(
        "src/lib.rs",
        "#[test]\nfn adds() {}\n\n#[test]\nfn is_wrong() {\n    assert_eq!(1 + 1, 3, \"sums differ\");\n}\n",
    );
    let (result, text) = run(&world, &json!({ "action": "tests" }), 1);
    assert_eq!(counts(&result), [1, 1, 0, 0], "{text}");
    assert!(text.contains("FAILED  is_wrong  src/lib.rs:6:5  assertion"), "{text}");
    assert!(text.contains("sums differ") && text.contains("[exit code 101 after"), "{text}");
    let (result, text) = run(&world, &json!({ "action": "tests", "filter": "adds" }), 0);
    assert_eq!(counts(&result), [1, 0, 0, 0], "{text}");
    world.write("src/lib.rs", "fn broken() -> i32 { missing() }\n");
    let (result, text) = run(&world, &json!({ "action": "tests" }), 1);
    assert_eq!(counts(&result), [0, 0, 0, 1], "{text}");
    assert!(text.contains("FAILED  compile error  src/lib.rs:1:22"), "{text}");
    world.is_quiet();
}

#[test]
fn tests_of_node_are_counted_and_failures_placed() {
    let world = World::new();
    world.write("package.json", r#"{"name": "sample", "scripts": {"test": "node --test"}}"#);
    world.write(
        "a.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\n\
         test('adds', () => {});\ntest('is wrong', () => assert.strictEqual(1 + 1, 3));\n\
         test('later', { skip: true }, () => {});\n",
    );
    let (result, text) = run(&world, &json!({ "action": "tests" }), 1);
    assert_eq!(counts(&result), [1, 1, 1, 0], "{text}");
    assert!(text.contains("FAILED  is wrong  a.test.js:4:1  Expected values"), "{text}");
    let (result, text) = run(&world, &json!({ "action": "tests", "filter": "adds" }), 0);
    assert_eq!(counts(&result)[..2], [1, 0], "{text}");
}

#[test]
fn tests_of_python_are_counted_and_failures_placed() {
    let world = World::new();
    world.write(
        "app/tests/test_sample.py",
        "import unittest\n\n\nclass Sample(unittest.TestCase):\n    def test_adds(self):\n        pass\n\n    \
         def test_is_wrong(self):\n        self.assertEqual(1 + 1, 3, 'sums differ')\n\n    \
         def test_raises(self):\n        raise ValueError('no luck')\n",
    );
    let (result, text) = run(&world, &json!({ "action": "tests", "path": "app" }), 1);
    assert_eq!(counts(&result), [1, 1, 0, 1], "{text}");
    assert!(text.contains("app/tests/test_sample.py:9  AssertionError: 2 != 3"), "{text}");
    assert!(text.contains("app/tests/test_sample.py:12  ValueError: no luck"), "{text}");
    assert_eq!(
        result["metadata"]["runs"][0]["command"],
        "python3 -m unittest discover -v -s tests"
    );
}

/// The nearest runs, the others are named; the log is the call's output; a runner that only says that it
/// is well is not believed.
#[test]
fn what_cannot_be_read_is_said_and_others_are_named() {
    let world = World::new();
    world.write("Makefile", "test:\n\t@echo all good\ncheck:\n\tfalse\n");
    world.write("Cargo.toml", CARGO);
    let (result, text) = run(&world, &json!({ "action": "tests", "runner": "make test" }), 0);
    assert!(text.contains("counts could not be read") && text.contains("[exit code 0"), "{text}");
    assert!(text.contains("found too, to be named in 'runner': cargo test"), "{text}");
    assert_eq!(result["metadata"]["runs"][0]["counts"], Value::Null);
    world.write("Makefile", "test:\n\t@seq 1 100000; echo the reason; exit 3\n");
    let (result, text) = run(&world, &json!({ "action": "tests", "runner": "make test" }), 1);
    assert!(text.contains("the reason") && text.len() < 3000, "{text}");
    let log = result["truncated"]["spill"].as_str().unwrap_or_default();
    assert!(log.starts_with("artifact:"), "the log is kept: {result}");
}

#[test]
fn verifiers_run_one_after_the_other() {
    let world = World::new();
    world.write("Cargo.toml", CARGO);
    world.write("src/lib.rs", "pub fn f() -> i32 {\nlet unused = 1;\n    2\n}\n");
    let (result, text) = run(&world, &json!({ "action": "verifiers" }), 1);
    let runs = result["metadata"]["runs"].as_array().unwrap();
    let ran: Vec<_> = runs
        .iter()
        .map(|run| (run["runner"].as_str().unwrap(), run["exit_code"].as_i64()))
        .collect();
    assert_eq!(ran, [("cargo fmt", Some(1)), ("cargo clippy", Some(0))], "{text}");
    assert!(text.contains("src/lib.rs:2:5  warning  unused variable"), "{text}");
    assert!(text.contains("src/lib.rs:1  format  is not formatted"), "{text}");
}

/// [GATE-22] It asks as `bash` asks for the same line, and rules on the line hold; no project, no call.
#[test]
fn it_is_judged_by_its_line() {
    let world = World::new();
    let none = world.call("Run", &json!({ "action": "tests" })).run();
    assert!(none.code != 0 && none.to_string().contains("looked for: cargo"), "{none}");
    world.write("Makefile", "test:\n\ttouch ran\n");
    let tests = json!({ "action": "tests" });
    let asked = world.call("Run", &tests).run().code(3);
    assert_eq!(asked.json()["receipt"]["end"]["status"], "refused");
    assert_eq!(asked.json()["receipt"]["subjects"][0]["argv"], json!(["make", "test"]), "{asked}");
    world.call("Run", &tests).args(["--mode", "plan"]).run().code(3);
    assert!(!world.has("ran"));
}
