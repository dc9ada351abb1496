//! `cargo test` (libtest) and `cargo nextest run`, with the errors of a build that came to no test.

use super::text::{counted, number, place};
use crate::verify::report::{Counts, Finding, Findings, Reader, Report, extend};

/// Errors of the compiler, and panics of tests: the same in both.
#[derive(Debug, Default)]
struct Compiler {
    /// The message of an error whose place is to come.
    error: Option<String>,
    errors: u64,
    findings: Findings,
}

impl Compiler {
    fn line(&mut self, line: &str) {
        if let Some(message) = error(line) {
            self.error = Some(message.to_owned());
            return;
        }
        if line.starts_with("warning") {
            self.error = None;
        }
        let Some(rest) = line.trim_start().strip_prefix("--> ") else { return };
        if let (Some(message), Some((place, _))) = (self.error.take(), place(rest)) {
            let finding = Finding { name: "compile error".into(), place: Some(place), message };
            // A library is compiled alone and as its tests.
            self.errors += u64::from(self.findings.push(finding));
        }
    }
}

/// `error[E0425]: cannot find x` or "error: expected ;", without its first word.
fn error(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("error")?;
    let rest = match rest.strip_prefix('[') {
        Some(code) => code.split_once(']')?.1,
        None => rest,
    };
    rest.strip_prefix(": ")
}

/// `thread 'a::b' (12) panicked at src/lib.rs:3:5:`: the test, and what follows "panicked at ".
fn panic(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("thread '")?;
    let (name, rest) = rest.split_once('\'')?;
    Some((name, rest.split_once("panicked at ")?.1))
}

/// Panics: the place, and the line after it, which is the message.
#[derive(Debug, Default)]
struct Panics {
    /// Tests that panicked, with place and message.
    told: Findings,
    waits: bool,
}

impl Panics {
    fn line(&mut self, line: &str) {
        if let Some((name, rest)) = panic(line) {
            let place = place(rest).map(|(place, _)| place);
            self.told.push(Finding { name: name.to_owned(), place, message: String::new() });
            self.waits = true;
        } else if self.waits {
            if let Some(finding) = self.told.kept.last_mut() {
                extend(&mut finding.message, line);
            }
            // "assertion `left == right` failed" has two more lines that matter.
            let line = line.trim_start();
            let goes_on = line.starts_with("assertion") || line.starts_with("left:");
            self.waits = goes_on;
        }
    }

    /// The failed test with what it panicked of.
    fn of(&mut self, name: &str) -> Finding {
        let panicked = self.told.kept.iter().find(|told| {
            name == told.name
                || name.strip_suffix(told.name.as_str()).is_some_and(|before| before.ends_with(' '))
        });
        let (place, message) =
            panicked.map(|told| (told.place.clone(), told.message.clone())).unwrap_or_default();
        Finding { name: name.to_owned(), place, message }
    }
}

/// `cargo test`.
#[derive(Debug, Default)]
pub(super) struct Libtest {
    compiler: Compiler,
    panics: Panics,
    failed: Findings,
    counts: Counts,
    begun: u64,
    ended: u64,
    /// Why a test program ended before it said its result.
    crash: String,
}

impl Reader for Libtest {
    fn line(&mut self, line: &str) {
        self.compiler.line(line);
        self.panics.line(line);
        if let Some(rest) = line.strip_prefix("running ") {
            self.begun +=
                u64::from(number(rest).is_some_and(|(_, rest)| matches!(rest, " tests" | " test")));
        } else if let Some(rest) = line.strip_prefix("test result: ") {
            self.ended += 1;
            self.counts = self.counts.and(Counts {
                passed: counted(rest, "passed"),
                failed: counted(rest, "failed"),
                skipped: counted(rest, "ignored"),
                errors: 0,
            });
        } else if let Some(rest) = line.strip_prefix("test ") {
            let name = rest.strip_suffix(" ... FAILED");
            if let Some(name) = name {
                self.failed.push(Finding { name: name.to_owned(), ..Finding::default() });
            }
        } else if line.trim_start().starts_with("process didn't exit successfully")
            && self.begun > self.ended
        {
            self.crash = line.trim().to_owned();
        }
    }

    fn report(&mut self) -> Option<Report> {
        if self.begun + self.ended + self.compiler.errors == 0 {
            return None;
        }
        let crashed = self.begun.saturating_sub(self.ended);
        let mut findings = std::mem::take(&mut self.compiler.findings);
        findings.more += self.failed.more;
        for failed in std::mem::take(&mut self.failed).kept {
            findings.push(self.panics.of(&failed.name));
        }
        if crashed > 0 {
            let message = std::mem::take(&mut self.crash);
            findings.push(Finding {
                name: "a test program ended early".into(),
                place: None,
                message,
            });
        }
        let errors = self.compiler.errors + crashed;
        Some(Report {
            format: "cargo test",
            counts: Some(Counts { errors, ..self.counts }),
            findings,
        })
    }
}

/// `cargo nextest run`.
#[derive(Debug, Default)]
pub(super) struct Nextest {
    compiler: Compiler,
    panics: Panics,
    failed: Findings,
    counts: Option<Counts>,
    seen: bool,
}

/// Words before the name of a test that did not pass.
const BAD: &[&str] = &["FAIL", "TIMEOUT", "ABORT", "LEAK-FAIL", "XFAIL"];

impl Reader for Nextest {
    fn line(&mut self, line: &str) {
        self.compiler.line(line);
        self.panics.line(line);
        let trimmed = line.trim_start();
        let Some((word, rest)) = trimmed.split_once(" [") else { return };
        if word.trim_end() == "Summary" {
            let Some((_, told)) = rest.split_once("] ") else { return };
            if !told.contains(" run:") {
                return;
            }
            let (_, told) = told.split_once(':').unwrap_or_default();
            self.counts = Some(Counts {
                passed: counted(told, "passed"),
                failed: counted(told, "failed") + counted_timed_out(told),
                skipped: counted(told, "skipped"),
                errors: counted(told, "exec"),
            });
        } else {
            let word = word.trim_end();
            let bad = BAD.contains(&word) || word.starts_with("SIG");
            self.seen |= bad || word == "PASS";
            if let (true, Some((_, name))) = (bad, rest.split_once("] ")) {
                // "(3/12) package module::test".
                let name = name
                    .strip_prefix('(')
                    .and_then(|name| name.split_once(") "))
                    .map_or(name, |(_, name)| name);
                self.failed.push(Finding { name: name.trim().to_owned(), ..Finding::default() });
            }
        }
    }

    fn report(&mut self) -> Option<Report> {
        // Without a summary and a test it may be libtest, whose build fails alike.
        if self.counts.is_none() && !self.seen {
            return None;
        }
        let mut findings = std::mem::take(&mut self.compiler.findings);
        findings.more += self.failed.more;
        for failed in std::mem::take(&mut self.failed).kept {
            findings.push(self.panics.of(&failed.name));
        }
        let errors = self.compiler.errors;
        let counts = self.counts.map(|counts| Counts { errors: counts.errors + errors, ..counts });
        Some(Report { format: "cargo nextest", counts, findings })
    }
}

/// "1 timed out".
fn counted_timed_out(text: &str) -> u64 {
    if text.contains("timed out") { counted(text, "timed") } else { 0 }
}
