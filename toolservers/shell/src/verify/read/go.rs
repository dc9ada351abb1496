//! `go test -v`, plain or as JSON (`-json`), whose texts are the plain lines.

use tollgate_sdk::serde_json::{self, Value};

use super::text::place;
use crate::verify::report::{Counts, Finding, Findings, Place, Reader, Report, extend};

/// Bytes of one text of JSON that waits for its line end.
const PARTIAL_BYTES_MAX: usize = 16 * 1024;

/// `go test`.
#[derive(Debug, Default)]
pub(super) struct Go {
    counts: Counts,
    failed: Findings,
    /// The test that runs, where that is told.
    current: Option<String>,
    /// What tests said of places, by their names.
    said: Findings,
    /// Lines that name a package and how it went.
    packages: u64,
    /// A package went well and told no test, though it has some.
    silent: bool,
    tests_of_package: u64,
    /// A text of JSON whose line has no end yet.
    partial: String,
}

impl Reader for Go {
    fn line(&mut self, line: &str) {
        let value =
            line.starts_with('{').then(|| serde_json::from_str::<Value>(line).ok()).flatten();
        let Some(value) = value else { return self.plain(line) };
        let Some(text) = value.get("Output").and_then(Value::as_str) else { return };
        self.partial.push_str(text);
        while let Some((line, rest)) = self.partial.split_once('\n') {
            let (line, rest) = (line.to_owned(), rest.to_owned());
            self.partial = rest;
            self.plain(&line);
        }
        if self.partial.len() > PARTIAL_BYTES_MAX {
            self.partial.clear();
        }
    }

    fn report(&mut self) -> Option<Report> {
        if self.packages == 0 {
            return None;
        }
        let counts = (!self.silent).then_some(self.counts);
        Some(Report { format: "go test", counts, findings: std::mem::take(&mut self.failed) })
    }
}

impl Go {
    fn plain(&mut self, line: &str) {
        let trimmed = line.trim_start();
        let running = line.strip_prefix("=== ").and_then(|rest| rest.split_once(' '));
        if let Some((word, name)) = running {
            let tells = matches!(word, "RUN" | "NAME" | "CONT");
            self.current = tells.then(|| name.trim().to_owned());
        } else if let Some(rest) = trimmed.strip_prefix("--- ") {
            self.test(rest);
        } else if ["ok  \t", "?   \t", "FAIL\t"].iter().any(|begins| line.starts_with(begins)) {
            self.package(line);
        } else if let Some(rest) = line.strip_prefix("panic: ") {
            self.counts.errors += 1;
            self.failed.push(Finding { name: "panic".into(), place: None, message: rest.into() });
        } else if let Some((place, rest)) = place(trimmed.strip_prefix("./").unwrap_or(trimmed))
            && let Some(message) = rest.strip_prefix(": ")
        {
            self.said(place, message, trimmed.len() < line.len());
        }
    }

    /// A line with a place. A compiler's is not indented, a test's is: with `-v` it comes while the test
    /// runs, else after the word on how that went.
    fn said(&mut self, place: Place, message: &str, is_indented: bool) {
        let message = message.to_owned();
        if !is_indented && place.column.is_some() {
            self.failed.push(Finding { name: "build".into(), place: Some(place), message });
        } else if let Some(name) = self.current.clone() {
            if self.said.named(&name).is_none() {
                self.said.push(Finding { name, place: Some(place), message });
            }
        } else if let Some(last) = self.failed.kept.last_mut()
            && last.place.is_none()
        {
            last.place = Some(place);
            extend(&mut last.message, &message);
        }
    }

    /// "FAIL: TestA/b (0.00s)".
    fn test(&mut self, rest: &str) {
        self.current = None;
        let Some((word, name)) = rest.split_once(": ") else { return };
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        match word {
            "PASS" => self.counts.passed += 1,
            "SKIP" => self.counts.skipped += 1,
            "FAIL" => {
                self.counts.failed += 1;
                let said = self.said.named(name).cloned().unwrap_or_default();
                self.failed.push(Finding { name: name.to_owned(), ..said });
            }
            _ => return,
        }
        self.tests_of_package += 1;
    }

    fn package(&mut self, line: &str) {
        self.packages += 1;
        let is_broken = line.ends_with("[build failed]") || line.ends_with("[setup failed]");
        self.counts.errors += u64::from(is_broken);
        let has_none = line.contains("[no test files]") || line.contains("[no tests to run]");
        self.silent |= self.tests_of_package == 0 && !is_broken && !has_none;
        self.tests_of_package = 0;
        self.said = Findings::default();
    }
}
