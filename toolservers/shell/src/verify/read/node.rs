//! `node --test`, as TAP and as spec.

use super::text::{number, place_within};
use crate::verify::report::{Counts, Finding, Findings, Reader, Report, extend};

/// Words of the summary: "# pass 3", "ℹ pass 3".
const WORDS: [&str; 6] = ["tests", "pass", "fail", "cancelled", "skipped", "todo"];

/// `node --test`.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// By `WORDS`.
    told: [Option<u64>; 6],
    failed: Findings,
    /// A failed test of TAP whose facts come.
    current: Option<Finding>,
    /// It only says that something below it failed.
    is_parent: bool,
    /// Its message comes on the next line.
    message_next: bool,
    /// The summary of failed tests in spec, and the place that is told before each.
    spec: bool,
    place: Option<String>,
}

impl Reader for Node {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if let Some(rest) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) {
            self.summary(rest);
        } else if let Some(rest) = trimmed.strip_prefix("not ok ") {
            self.flush();
            let name = number(rest).map_or(rest, |(_, rest)| rest.trim_start_matches(" - "));
            if !is_expected(name) {
                self.current = Some(Finding { name: name.to_owned(), ..Finding::default() });
            }
        } else if line.trim_end() == "✖ failing tests:" {
            self.spec = true;
        } else if self.spec {
            self.in_spec(line);
        } else if self.current.is_some() {
            self.in_facts(trimmed);
        }
    }

    fn report(&mut self) -> Option<Report> {
        self.flush();
        let [tests, passed, failed, cancelled, skipped, todo] = self.told;
        tests?;
        let counts = || {
            Some(Counts {
                passed: passed?,
                failed: failed? + cancelled?,
                skipped: skipped? + todo?,
                errors: 0,
            })
        };
        let findings = std::mem::take(&mut self.failed);
        Some(Report { format: "node --test", counts: counts(), findings })
    }
}

impl Node {
    fn summary(&mut self, rest: &str) {
        let Some((word, value)) = rest.split_once(' ') else { return };
        let at = WORDS.iter().position(|known| *known == word);
        if let (Some(at), Ok(value)) = (at, value.trim().parse())
            && let Some(told) = self.told.get_mut(at)
        {
            *told = Some(value);
        }
    }

    /// The facts of a failed test in TAP: YAML between `---` and `...`.
    fn in_facts(&mut self, fact: &str) {
        let Some(finding) = self.current.as_mut() else { return };
        if fact == "..." {
            self.flush();
        } else if let Some(location) = fact.strip_prefix("location: ") {
            finding.place = place_within(location);
        } else if fact.starts_with("failureType: 'subtestsFailed'") {
            self.is_parent = true;
        } else if let Some(message) = fact.strip_prefix("error: ") {
            self.message_next = message.starts_with('|');
            if !self.message_next {
                extend(&mut finding.message, message.trim_matches(['\'', '"']));
            }
        } else if self.message_next {
            extend(&mut finding.message, fact);
            self.message_next = fact.is_empty();
        }
    }

    /// "test at a.test.js:3:1", "✖ name (1.2ms)", its message.
    fn in_spec(&mut self, line: &str) {
        if let Some(at) = line.trim().strip_prefix("test at ") {
            self.flush();
            self.place = Some(at.to_owned());
        } else if let Some(rest) = line.trim_start().strip_prefix("✖ ") {
            if is_expected(rest) {
                return self.flush();
            }
            let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
            let place = self.place.take().and_then(|at| place_within(&at));
            self.current = Some(Finding { name: name.to_owned(), place, message: String::new() });
        } else if let Some(finding) = self.current.as_mut()
            && finding.message.is_empty()
        {
            extend(&mut finding.message, line);
        }
    }

    fn flush(&mut self) {
        if let Some(finding) = self.current.take()
            && !self.is_parent
        {
            self.failed.push(finding);
        }
        self.is_parent = false;
        self.message_next = false;
    }
}

/// Whether a directive of TAP says that a test need not pass; in any case of letters.
fn is_expected(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["# todo", "# skip"].iter().any(|directive| name.contains(directive))
}
