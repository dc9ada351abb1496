//! pytest and unittest.

use std::path::PathBuf;

use super::text::{counted, is_file, number, place};
use crate::verify::report::{Counts, Finding, Findings, Place, Reader, Report, extend};

/// pytest, with or without `-q`.
#[derive(Debug, Default)]
pub(super) struct Pytest {
    /// The test whose traceback comes, as its heading has it.
    section: String,
    /// Places of failures by heading.
    places: Findings,
    failed: Findings,
    counts: Option<Counts>,
}

impl Reader for Pytest {
    fn line(&mut self, line: &str) {
        if let Some(name) = heading(line) {
            name.clone_into(&mut self.section);
        } else if let Some((place, rest)) = place(line)
            && rest.starts_with(':')
            && !self.section.is_empty()
        {
            // "tests/test_a.py:12: AssertionError"; the last one is where it was raised.
            let name = self.section.clone();
            if let Some(known) = self.places.named(&name) {
                known.place = Some(place);
            } else {
                self.places.push(Finding { name, place: Some(place), ..Finding::default() });
            }
        } else if let Some(rest) =
            line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))
        {
            let (id, message) = rest.split_once(" - ").unwrap_or((rest, ""));
            if id.contains("::") || is_file(id) {
                let message = message.to_owned();
                self.failed.push(Finding { name: id.to_owned(), place: None, message });
            }
        } else if let Some(counts) = summary(line) {
            self.counts = Some(counts);
        }
    }

    fn report(&mut self) -> Option<Report> {
        self.counts?;
        let mut findings = Findings { kept: Vec::new(), more: self.failed.more };
        for failed in std::mem::take(&mut self.failed).kept {
            let heading =
                failed.name.split_once("::").map_or("", |(_, test)| test).replace("::", ".");
            let place = self.places.named(&heading).and_then(|known| known.place.clone());
            let file = failed.name.split("::").next().unwrap_or_default();
            let file = || Some(Place { file: PathBuf::from(file), line: 1, column: None });
            findings.push(Finding { place: place.or_else(file), ..failed });
        }
        Some(Report { format: "pytest", counts: self.counts, findings })
    }
}

/// `____ TestA.test_b ____`.
fn heading(line: &str) -> Option<&str> {
    let name = line.strip_prefix("__")?.trim_matches('_').trim();
    (line.ends_with("__") && !name.is_empty()).then_some(name)
}

/// "=== 1 failed, 2 passed in 0.12s ===", also without its bars.
fn summary(line: &str) -> Option<Counts> {
    let line = line.trim_matches('=').trim();
    let (told, time) = line.rsplit_once(" in ")?;
    let (_, rest) = number(time)?;
    let is_time = rest.starts_with('.') && rest.contains('s');
    if !is_time {
        return None;
    }
    if told == "no tests ran" {
        return Some(Counts::default());
    }
    let known = |part: &str| {
        number(part.trim()).is_some_and(|(_, word)| {
            matches!(
                word.trim(),
                "passed"
                    | "failed"
                    | "skipped"
                    | "error"
                    | "errors"
                    | "xfailed"
                    | "xpassed"
                    | "deselected"
                    | "warning"
                    | "warnings"
                    | "rerun"
                    | "subtests passed"
            )
        })
    };
    if !told.split(',').all(known) {
        return None;
    }
    Some(Counts {
        passed: counted(told, "passed") + counted(told, "xpassed"),
        failed: counted(told, "failed"),
        skipped: counted(told, "skipped") + counted(told, "xfailed") + counted(told, "deselected"),
        errors: counted(told, "error") + counted(told, "errors"),
    })
}

/// unittest.
#[derive(Debug, Default)]
pub(super) struct Unittest {
    ran: Option<u64>,
    counts: Option<Counts>,
    failed: Findings,
    /// A traceback is being read.
    inside: bool,
}

impl Reader for Unittest {
    fn line(&mut self, line: &str) {
        let name = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
        if let Some(name) = name {
            self.failed.push(Finding { name: name.to_owned(), ..Finding::default() });
            self.inside = true;
        } else if let Some((ran, rest)) = line.strip_prefix("Ran ").and_then(number)
            && rest.starts_with(" test")
        {
            self.ran = Some(ran);
            self.inside = false;
        } else if let (Some(ran), Some(counts)) = (self.ran, verdict(line)) {
            let bad = counts.failed + counts.errors + counts.skipped;
            self.counts = Some(Counts { passed: ran.saturating_sub(bad), ..counts });
        } else if self.inside
            && let Some(finding) = self.failed.kept.last_mut()
        {
            in_traceback(finding, line);
        }
    }

    fn report(&mut self) -> Option<Report> {
        self.ran?;
        let findings = std::mem::take(&mut self.failed);
        Some(Report { format: "unittest", counts: self.counts, findings })
    }
}

/// `  File "/x/a.py", line 12, in test_b`: the last one that is no part of Python's own. The first line
/// after it that is not indented is the message.
fn in_traceback(finding: &mut Finding, line: &str) {
    if let Some(rest) = line.strip_prefix("  File \"") {
        let Some((file, rest)) = rest.split_once("\", line ") else { return };
        if let Some((line, _)) = number(rest)
            && !file.contains("/unittest/")
        {
            finding.place = Some(Place { file: PathBuf::from(file), line, column: None });
        }
    } else if finding.message.is_empty()
        && !line.starts_with([' ', '-', '='])
        && !line.starts_with("Traceback")
    {
        extend(&mut finding.message, line);
    }
}

/// "OK (skipped=1)" or "FAILED (failures=1, errors=2)"; "NO TESTS RAN" of Python 3.12.
fn verdict(line: &str) -> Option<Counts> {
    let (word, rest) = line.split_once(" (").unwrap_or((line, ""));
    if !matches!(word, "OK" | "FAILED" | "NO TESTS RAN") {
        return None;
    }
    let value = |name: &str| {
        let parts = rest.trim_end_matches(')').split(", ");
        parts
            .filter_map(|part| part.split_once('='))
            .find(|(key, _)| *key == name)
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(0)
    };
    Some(Counts {
        passed: 0,
        failed: value("failures") + value("unexpected successes"),
        skipped: value("skipped") + value("expected failures"),
        errors: value("errors"),
    })
}
