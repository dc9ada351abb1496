//! Goal: what is read of recorded outputs, whole, cut, coloured and of something else. The records are in
//! `tests`; those of Go were written after its documentation.

use super::*;
use crate::{
    clean::Cleaner,
    limits::FINDINGS_MAX,
    verify::report::{Counts, Finding},
};

fn read(family: Family, output: &[u8]) -> Option<Report> {
    let (mut cleaner, mut readers) = (Cleaner::default(), Readers::of(family));
    cleaner.push(output, &mut readers);
    cleaner.finish(&mut readers);
    readers.report()
}

/// `name @ file:line:column = message`, each as far as it is there.
fn told(finding: &Finding) -> String {
    let place = finding.place.as_ref().map(|place| {
        let column = place.column.map(|column| format!(":{column}")).unwrap_or_default();
        format!(" @ {}:{}{column}", place.file.display(), place.line)
    });
    let message = match finding.message.as_str() {
        "" => String::new(),
        message => format!(" = {message}"),
    };
    format!("{}{}{message}", finding.name, place.unwrap_or_default())
}

/// Counts are passed, failed, skipped, errors. Also with colours, and of an unknown family.
#[track_caller]
fn check(family: Family, output: &str, format: &str, counts: [u64; 4], findings: &[&str]) {
    let [passed, failed, skipped, errors] = counts;
    let counts = Counts { passed, failed, skipped, errors };
    let coloured =
        output.lines().map(|line| format!("\x1b[1m\x1b[31m{line}\x1b[0m\r\n")).collect::<String>();
    for (family, output) in [(family, output), (Family::Any, output), (family, coloured.as_str())] {
        let report = read(family, output.as_bytes()).expect("its format is recognised");
        assert_eq!((report.format, report.counts), (format, Some(counts)), "{family:?}");
        let found: Vec<String> = report.findings.kept.iter().map(told).collect();
        assert_eq!(found, findings, "{family:?}");
    }
}

#[test]
fn cargo_test_is_read() {
    check(
        Family::Rust,
        include_str!("tests/cargo-test.txt"),
        "cargo test",
        [3, 2, 1, 0],
        &[
            "tests::gives_an_error",
            "tests::is_wrong @ src/lib.rs:15:9 = assertion `left == right` failed: sums differ left: 3 right: 4",
        ],
    );
    check(Family::Rust, include_str!("tests/cargo-test-ok.txt"), "cargo test", [3, 0, 1, 0], &[]);
}

/// Nothing of it may look as if all had passed.
#[test]
fn a_build_that_fails_and_a_crash_are_errors() {
    check(
        Family::Rust,
        include_str!("tests/cargo-test-build.txt"),
        "cargo test",
        [0, 0, 0, 1],
        &["compile error @ src/lib.rs:17:26 = cannot find function `missing` in this scope"],
    );
    let report = read(Family::Rust, include_bytes!("tests/cargo-test-abort.txt")).unwrap();
    assert_eq!(report.counts, Some(Counts { passed: 2, errors: 1, ..Counts::default() }));
    let told = told(&report.findings.kept[0]);
    assert!(told.contains("ended early") && told.contains("SIGABRT"), "{told}");
}

#[test]
fn cargo_nextest_is_read() {
    check(
        Family::Rust,
        include_str!("tests/nextest.txt"),
        "cargo nextest",
        [2, 2, 1, 0],
        &[
            "sample tests::gives_an_error",
            "sample tests::is_wrong @ src/lib.rs:15:9 = assertion `left == right` failed: sums differ left: 3 \
             right: 4",
        ],
    );
}

#[test]
fn pytest_is_read() {
    for output in [include_str!("tests/pytest.txt"), include_str!("tests/pytest-q.txt")] {
        let report = read(Family::Python, output.as_bytes()).unwrap();
        let expected = Counts { passed: 2, failed: 2, skipped: 2, errors: 1 };
        assert_eq!((report.format, report.counts), ("pytest", Some(expected)));
        let found: Vec<String> = report.findings.kept.iter().map(told).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        let wrong = found.iter().find(|told| told.contains("is_wrong")).unwrap();
        assert!(
            wrong.starts_with("test_sample.py::test_is_wrong @ test_sample.py:9 = "),
            "{wrong}"
        );
        assert!(
            found.iter().any(|told| told
                .starts_with("test_sample.py::TestGroup::test_odd[2] @ test_sample.py:15")),
            "{found:?}"
        );
        assert!(
            found.iter().any(|told| told.contains("test_with_fixture") && told.contains("no luck")),
            "{found:?}"
        );
    }
}

#[test]
fn unittest_is_read() {
    check(
        Family::Python,
        include_str!("tests/unittest.txt"),
        "unittest",
        [1, 1, 2, 1],
        &[
            "test_raises (test_sample.Sample.test_raises) @ /home/user/py/test_sample.py:12 = ValueError: no luck",
            "test_is_wrong (test_sample.Sample.test_is_wrong) @ /home/user/py/test_sample.py:9 = AssertionError: 2 \
             != 3 : sums differ",
        ],
    );
}

#[test]
fn node_is_read_as_tap_and_as_spec() {
    for output in [include_str!("tests/node-tap.txt"), include_str!("tests/node-spec.txt")] {
        let report = read(Family::JavaScript, output.as_bytes()).unwrap();
        let expected = Counts { passed: 2, failed: 3, skipped: 2, errors: 0 };
        assert_eq!((report.format, report.counts), ("node --test", Some(expected)));
        let found: Vec<String> = report.findings.kept.iter().map(told).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[0].contains("a.test.js:5:1") && found[0].contains("strictly equal"),
            "{found:?}"
        );
        assert!(found[1].starts_with("throws @ ") && found[1].contains("no luck"), "{found:?}");
        assert!(found[2].contains("b.test.js"), "{found:?}");
    }
}

#[test]
fn jest_is_read() {
    check(
        Family::JavaScript,
        include_str!("tests/jest.txt"),
        "jest",
        [1, 2, 2, 1],
        &[
            "is wrong @ a.test.js:3:17 = expect(received).toBe(expected) // Object.is equality",
            "a suite › throws @ a.test.js:7:11 = no luck",
            "Test suite failed to run @ b.test.js:1:7 = cannot be loaded",
        ],
    );
}

#[test]
fn vitest_is_read() {
    check(
        Family::JavaScript,
        include_str!("tests/vitest.txt"),
        "vitest",
        [1, 2, 2, 1],
        &[
            "b.test.js [ b.test.js ] @ b.test.js:1:7 = Error: cannot be loaded",
            "a.test.js > is wrong @ a.test.js:4:17 = AssertionError: expected 2 to be 3 // Object.is equality",
            "a.test.js > a suite > throws @ a.test.js:8:11 = Error: no luck",
        ],
    );
}

#[test]
fn mocha_is_read() {
    check(
        Family::JavaScript,
        include_str!("tests/mocha.txt"),
        "mocha",
        [1, 2, 1, 0],
        &[
            "is wrong @ a.js:4:10 = AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
            "a suite throws @ a.js:8:11 = Error: no luck",
        ],
    );
}

#[test]
fn go_is_read() {
    check(
        Family::Go,
        include_str!("tests/go-v.txt"),
        "go test",
        [2, 3, 1, 1],
        &[
            "TestWrong @ sample_test.go:13 = got 2, want 3",
            "TestSub",
            "TestSub/two @ sample_test.go:22 = no luck",
            "build @ broken/broken_test.go:6:2 = undefined: missing",
        ],
    );
    let report = read(Family::Go, include_bytes!("tests/go-json.txt")).unwrap();
    assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ..Counts::default() }));
    assert_eq!(told(&report.findings.kept[0]), "TestWrong @ sample_test.go:13 = got 2, want 3");
    // Without `-v`, what passed is not told.
    let report = read(Family::Go, include_bytes!("tests/go-plain.txt")).unwrap();
    assert_eq!(report.counts, None);
    assert_eq!(told(&report.findings.kept[0]), "TestWrong @ sample_test.go:13 = got 2, want 3");
}

#[test]
fn verifiers_are_read() {
    for (output, findings) in [
        (
            include_str!("tests/clippy.txt"),
            &["warning @ src/lib.rs:4:41 = unused variable: `unused`"][..],
        ),
        (
            include_str!("tests/fmt.txt"),
            &["format @ /home/user/rsok/src/lib.rs:1 = is not formatted"],
        ),
        (
            include_str!("tests/ruff.txt"),
            &[
                " @ a.py:1:1 = I001 [*] Import block is un-sorted or un-formatted",
                " @ a.py:1:8 = F401 [*] `os` imported but unused",
            ],
        ),
        (
            include_str!("tests/mypy.txt"),
            &[
                "error @ a.py:3 = Incompatible return value type (got \"int\", expected \"str\")  [return-value]",
            ],
        ),
        (
            include_str!("tests/eslint.txt"),
            &[
                "error @ /home/user/jst/lint/x.js:1:7 = 'a' is assigned a value but never used no-unused-vars",
                "warning @ /home/user/jst/lint/x.js:1:14 = 'b' is not defined no-undef",
            ],
        ),
        (
            include_str!("tests/tsc.txt"),
            &[" @ x.ts:1:14 = error TS2322: Type 'string' is not assignable to type 'number'."],
        ),
        (
            include_str!("tests/go-vet.txt"),
            &[
                " @ sample.go:9:2 = fmt.Printf format %d has arg \"x\" of wrong type string",
                " @ broken/broken.go:6:2 = undefined: missing",
            ],
        ),
    ] {
        let report = read(Family::Verifier, output.as_bytes()).unwrap();
        let found: Vec<String> = report.findings.kept.iter().map(told).collect();
        assert_eq!(found, findings);
    }
}

/// What `make test` ran in turn is added up; of one that is not known to its end, nothing is said.
#[test]
fn several_runners_are_added_up() {
    let output =
        [include_str!("tests/cargo-test-ok.txt"), include_str!("tests/unittest.txt")].concat();
    let report = read(Family::Any, output.as_bytes()).unwrap();
    let expected = Counts { passed: 4, failed: 1, skipped: 3, errors: 1 };
    assert_eq!((report.format, report.counts), ("several runners", Some(expected)));
    let output =
        [include_str!("tests/cargo-test-ok.txt"), include_str!("tests/go-plain.txt")].concat();
    let report = read(Family::Any, output.as_bytes()).unwrap();
    assert_eq!((report.counts, report.findings.kept.len()), (None, 1));
}

#[test]
fn what_cannot_be_read_is_not_known() {
    for output in [
        "",
        "all good\n",
        "3 passed, really\n",
        "tests passed in a jiffy\n",
        "I ran 5 tests in 3.2s\n",
        "OK\n",
        "test result: who knows\n\x1b",
        "running late\n",
        "sh: 1: jest: not found\n",
        "\u{0}\u{1}\u{ff}\n",
    ] {
        let report = read(Family::Any, output.as_bytes());
        let known = report.as_ref().and_then(|report| report.counts);
        assert!(known.is_none_or(|counts| counts == Counts::default()), "{output:?}: {report:?}");
    }
}

/// Each record cut after each line: never more passed than in the whole, and never "passed alone" where
/// the whole has failures, but in formats that count as they go on, whose exit code says the rest.
#[test]
fn a_cut_output_claims_nothing_that_the_whole_does_not() {
    for (family, output) in [
        (Family::Rust, include_str!("tests/nextest.txt")),
        (Family::Python, include_str!("tests/pytest.txt")),
        (Family::Python, include_str!("tests/unittest.txt")),
        (Family::JavaScript, include_str!("tests/node-tap.txt")),
        (Family::JavaScript, include_str!("tests/node-spec.txt")),
        (Family::JavaScript, include_str!("tests/jest.txt")),
        (Family::JavaScript, include_str!("tests/vitest.txt")),
        (Family::Rust, include_str!("tests/cargo-test.txt")),
        (Family::Rust, include_str!("tests/cargo-test-abort.txt")),
        (Family::Go, include_str!("tests/go-v.txt")),
    ] {
        let whole = read(family, output.as_bytes()).unwrap().counts.unwrap();
        let lines: Vec<&str> = output.split_inclusive('\n').collect();
        for end in 0..lines.len() {
            let Some(report) = read(family, lines[..end].concat().as_bytes()) else { continue };
            let Some(counts) = report.counts else { continue };
            assert!(counts.passed <= whole.passed, "{counts:?} of {whole:?} after {end} lines");
        }
    }
}

#[test]
fn memory_is_bounded_at_any_output() {
    let name = "x".repeat(5_000);
    let (mut cleaner, mut readers) = (Cleaner::default(), Readers::of(Family::Any));
    for number in 0..1000 {
        let lines = format!(
            "test {number}{name} ... FAILED\nFAILED a.py::{number} - {name}\n--- FAIL: T{number} (0s)\n"
        );
        cleaner.push(lines.as_bytes(), &mut readers);
    }
    cleaner.push(b"test result: FAILED. 0 passed; 1000 failed; 0 ignored\n", &mut readers);
    let report = readers.report().unwrap();
    assert_eq!(report.findings.kept.len(), FINDINGS_MAX);
    assert_eq!(report.findings.more, 1000 - FINDINGS_MAX as u64);
    assert!(report.findings.kept.iter().all(|finding| finding.name.chars().count() < 300));
}
