//! jest, vitest and mocha.

use super::text::{counted, number, place_within};
use crate::verify::report::{Counts, Finding, Findings, Reader, Report, extend};

/// A failed test as its message and its place come after its name.
#[derive(Debug, Default)]
struct Failed {
    all: Findings,
    current: Option<Finding>,
}

impl Failed {
    fn begin(&mut self, name: &str) {
        self.end();
        self.current = Some(Finding { name: name.trim().to_owned(), ..Finding::default() });
    }

    /// The first line is the message; the first place outside of packages is the place.
    fn line(&mut self, line: &str) {
        let Some(finding) = self.current.as_mut() else { return };
        let trimmed = line.trim_start();
        let is_place = trimmed.starts_with("at ") || trimmed.starts_with("❯ ");
        if is_place {
            if finding.place.is_none()
                && !trimmed.contains("node_modules")
                && !trimmed.contains("node:")
            {
                finding.place = place_within(trimmed);
            }
        } else if finding.message.is_empty() {
            extend(&mut finding.message, trimmed);
        }
    }

    fn end(&mut self) {
        if let Some(finding) = self.current.take() {
            self.all.push(finding);
        }
    }

    fn take(&mut self) -> Findings {
        self.end();
        std::mem::take(&mut self.all)
    }
}

/// jest.
#[derive(Debug, Default)]
pub(super) struct Jest {
    failed: Failed,
    counts: Option<Counts>,
    /// Files that could not be run at all.
    broken: u64,
    /// Failures are told once more at the end.
    repeats: bool,
}

impl Reader for Jest {
    fn line(&mut self, line: &str) {
        if line.starts_with("Summary of all failing tests") {
            self.failed.end();
            self.repeats = true;
        } else if let Some(rest) = line.strip_prefix("Tests:") {
            self.failed.end();
            if rest.contains(" total") {
                self.counts = Some(Counts {
                    passed: counted(rest, "passed"),
                    failed: counted(rest, "failed"),
                    skipped: counted(rest, "skipped") + counted(rest, "todo"),
                    errors: 0,
                });
            }
        } else if let Some(name) = line.strip_prefix("  ● ") {
            // "Console" is a heading of its own.
            let counts = !self.repeats && name != "Console";
            self.broken += u64::from(counts && name == "Test suite failed to run");
            if counts {
                self.failed.begin(name);
            } else {
                self.failed.end();
            }
        } else if line.starts_with("Test Suites:") {
            self.failed.end();
        } else {
            self.failed.line(line);
        }
    }

    fn report(&mut self) -> Option<Report> {
        let counts = self.counts?;
        let counts = Some(Counts { errors: self.broken, ..counts });
        Some(Report { format: "jest", counts, findings: self.failed.take() })
    }
}

/// vitest.
#[derive(Debug, Default)]
pub(super) struct Vitest {
    failed: Failed,
    files: bool,
    counts: Option<Counts>,
    errors: u64,
    /// Files that failed; with more of them than failed tests say, some could not be run.
    broken: u64,
}

impl Reader for Vitest {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("Test Files  ") {
            self.failed.end();
            self.files = rest.contains('(');
        } else if let Some(rest) = trimmed.strip_prefix("Tests  ")
            && self.files
        {
            self.counts = Some(Counts {
                passed: counted(rest, "passed"),
                failed: counted(rest, "failed"),
                skipped: counted(rest, "skipped") + counted(rest, "todo"),
                errors: 0,
            });
            // A file that could not be run has no tests.
            if rest.trim() == "no tests" {
                self.counts = Some(Counts::default());
            }
        } else if let Some(rest) = trimmed.strip_prefix("Errors  ") {
            self.errors = counted(rest, "error") + counted(rest, "errors");
        } else if let Some(name) = trimmed.strip_prefix("FAIL  ") {
            self.broken += u64::from(!name.contains(" > "));
            self.failed.begin(name);
        } else if trimmed.starts_with("⎯⎯") {
            self.failed.end();
        } else {
            self.failed.line(line);
        }
    }

    fn report(&mut self) -> Option<Report> {
        let counts = self.counts?;
        let counts = Some(Counts { errors: self.errors + self.broken, ..counts });
        Some(Report { format: "vitest", counts, findings: self.failed.take() })
    }
}

/// mocha.
#[derive(Debug, Default)]
pub(super) struct Mocha {
    failed: Failed,
    passing: Option<u64>,
    failing: u64,
    pending: u64,
    /// The name of a failed test goes on over lines until one ends in a colon.
    name: Option<String>,
}

impl Reader for Mocha {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim_start();
        let told = number(trimmed).map(|(count, rest)| (count, rest.trim()));
        if let Some((count, rest)) = told
            && line.starts_with("  ")
        {
            match rest.split(' ').next() {
                Some("passing") => self.passing = Some(count),
                Some("pending") => self.pending = count,
                Some("failing") => self.failing = count,
                Some(_) | None => {}
            }
            let numbered =
                rest.strip_prefix(") ").or_else(|| trimmed.split_once(") ").map(|(_, name)| name));
            if let (Some(name), true) = (numbered, self.passing.is_some() && self.failing > 0) {
                self.failed.end();
                self.name = Some(name.to_owned());
                self.name_ends(name);
            }
        } else if self.name.is_some() {
            if let Some(name) = self.name.as_mut() {
                extend(name, trimmed);
            }
            self.name_ends(trimmed);
        } else {
            self.failed.line(line);
        }
    }

    fn report(&mut self) -> Option<Report> {
        let counts = Counts {
            passed: self.passing?,
            failed: self.failing,
            skipped: self.pending,
            errors: 0,
        };
        Some(Report { format: "mocha", counts: Some(counts), findings: self.failed.take() })
    }
}

impl Mocha {
    fn name_ends(&mut self, part: &str) {
        if part.trim_end().ends_with(':') || part.trim().is_empty() {
            let name = self.name.take().unwrap_or_default();
            self.failed.begin(name.trim_end().trim_end_matches(':'));
        }
    }
}
