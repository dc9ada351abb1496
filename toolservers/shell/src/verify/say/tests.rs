//! Goal: a summary that claims no more than is known.

use std::time::Duration;

use super::*;
use crate::{
    capture::Capture,
    run::Finished,
    verify::{
        found::Filter,
        read::Family,
        report::{Findings, Place},
    },
};

fn check(name: &str, folder: &Path) -> Check {
    let line = format!("{name} --all");
    Check {
        name: name.into(),
        line,
        folder: folder.into(),
        family: Family::Any,
        filter: Filter::None,
    }
}

fn done(folder: &Path, code: i32, report: Option<Report>, output: &str) -> Done {
    let mut capture = Capture::default();
    capture.push(output.as_bytes());
    let finished = Finished {
        ending: Some(Ending::Code(code)),
        stop: Stop::Itself,
        duration: Duration::from_millis(12),
        passed_on: output.len() as u64,
        output: capture.finish(),
        background: 0,
        survivors: 0,
        last_cwd: None,
        confined: String::new(),
        pipe: None,
    };
    let ran = Ran { finished, cwd: folder.into(), reads: false, notes: vec!["[a note]".into()] };
    Done { check: check("make test", folder), ran, report }
}

fn report(counts: Option<[u64; 4]>, findings: Vec<Finding>) -> Report {
    let counts =
        counts.map(|[passed, failed, skipped, errors]| Counts { passed, failed, skipped, errors });
    Report { format: "pytest", counts, findings: Findings { kept: findings, more: 0 } }
}

fn said(code: i32, report: Option<Report>) -> String {
    let folder = Path::new("/w");
    text(Kind::Tests, &[done(folder, code, report, "the log\n")], &[], &[], folder)
}

#[test]
fn passed_is_said_only_where_words_and_exit_code_agree() {
    for (code, counts, says) in [
        (0, Some([3, 0, 1, 0]), "3 passed, 0 failed, 1 skipped, 0 errors\n"),
        (1, Some([3, 1, 0, 0]), "3 passed, 1 failed, 0 skipped, 0 errors\n"),
        (1, Some([3, 0, 0, 0]), "do not take this as passed"),
        (0, Some([3, 1, 0, 0]), "yet its exit code is 0"),
        (0, Some([0, 0, 0, 0]), "no tests ran"),
        (1, None, "could not be read"),
        (0, None, "could not be read"),
    ] {
        let report = Some(report(counts, Vec::new()));
        let text = said(code, report);
        assert!(text.contains(says), "{code} {counts:?}: {text}");
        assert!(text.ends_with(&format!("[exit code {code} after 12 ms]")), "{text}");
        assert_eq!(text.contains("the log"), code != 0, "{text}");
    }
    assert!(said(0, None).contains("counts could not be read"));
    assert!(said(0, None).contains("[a note]"));
}

/// A runner names a file from its own folder or one above, or by its whole path.
#[test]
fn findings_name_files_as_the_session_sees_them() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let folder = root.join("crates/a");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join("src/lib.rs"), "").unwrap();
    for file in ["src/lib.rs", "crates/a/src/lib.rs", folder.join("src/lib.rs").to_str().unwrap()] {
        let place = Place { file: file.into(), line: 3, column: Some(5) };
        let finding =
            Finding { name: "t::x".into(), place: Some(place), message: "no luck".into() };
        let run = done(&folder, 1, Some(report(Some([0, 1, 0, 0]), vec![finding])), "log\n");
        let text = text(Kind::Tests, std::slice::from_ref(&run), &[], &[], &root);
        assert!(
            text.contains("\nFAILED  t::x  crates/a/src/lib.rs:3:5  no luck\n"),
            "{file}: {text}"
        );
        assert!(text.starts_with("$ make test --all  (in crates/a)\n"), "{text}");
        let facts = facts(&[run], &[], &[], &root);
        assert_eq!(facts["runs"][0]["findings"][0]["file"], "crates/a/src/lib.rs");
        assert_eq!(facts["runs"][0]["counts"]["failed"], 1);
        assert_eq!(facts["runs"][0]["exit_code"], 1);
    }
}

#[test]
fn what_else_there_is_and_what_did_not_run_is_told() {
    let folder = Path::new("/w");
    let (ran, other, left) =
        (check("make test", folder), check("cargo test", folder), check("ruff", folder));
    let found = [ran, other, left.clone()];
    let text = text(Kind::Verifiers, &[done(folder, 0, None, "")], &found, &[left], folder);
    assert!(text.contains("[found too, to be named in 'runner': cargo test]"), "{text}");
    assert!(text.contains("call was stopped: ruff]"), "{text}");
}
