//! What is read out of a runner's output: counts, and what it found where.
//!
//! Invariants: memory is bounded at any output; counts are only what the runner itself said, and `None`
//! is "not known", never "none" (test `what_cannot_be_read_is_not_known` of `read`).
//!
//! Not here: the formats (`read`), the words (`say`).

use std::path::PathBuf;

use crate::limits::{FINDING_CHARS_MAX, FINDINGS_MAX};

/// How many tests did what.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    /// What could not be run at all: a file that does not compile, a process that crashed.
    pub(super) errors: u64,
}

impl Counts {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
            errors: self.errors + other.errors,
        }
    }
}

/// A place in a file, as the runner names it; numbers from 1.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Place {
    pub(super) file: PathBuf,
    pub(super) line: u64,
    pub(super) column: Option<u64>,
}

/// A failed test, or what a verifier says of a place.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Finding {
    /// The test's name, or the kind of finding; may be empty.
    pub(super) name: String,
    pub(super) place: Option<Place>,
    /// Its first line or two.
    pub(super) message: String,
}

/// Findings, as many as are kept.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Findings {
    pub(super) kept: Vec<Finding>,
    /// How many more there were.
    pub(super) more: u64,
}

impl Findings {
    /// Takes one in, and says whether it is new.
    pub(super) fn push(&mut self, finding: Finding) -> bool {
        let finding = Finding {
            name: short(&finding.name),
            message: short(&finding.message),
            place: finding.place,
        };
        if self.kept.contains(&finding) {
            return false;
        }
        if self.kept.len() < FINDINGS_MAX {
            self.kept.push(finding);
        } else {
            self.more += 1;
        }
        true
    }

    /// The one of that name, if it is kept.
    pub(super) fn named(&mut self, name: &str) -> Option<&mut Finding> {
        let name = short(name);
        self.kept.iter_mut().find(|finding| finding.name == name)
    }

    pub(super) fn append(&mut self, other: Self) {
        self.more += other.more;
        for finding in other.kept {
            self.push(finding);
        }
    }
}

/// All that one format tells.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Report {
    /// Whose words they are: "cargo test".
    pub(super) format: &'static str,
    /// `None`: it did not say, or not all of it.
    pub(super) counts: Option<Counts>,
    pub(super) findings: Findings,
}

/// Reads lines of cleaned output.
pub(super) trait Reader: Send {
    /// Takes the next line.
    fn line(&mut self, line: &str);
    /// What it told; `None`: this was not its format.
    fn report(&mut self) -> Option<Report>;
}

/// As much of a text as a finding shows, in one line.
pub(super) fn short(text: &str) -> String {
    let mut short: String = text.trim().chars().take(FINDING_CHARS_MAX).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short.replace('\n', " ")
}

/// Adds to a message that has room: a second line of it, say.
pub(super) fn extend(message: &mut String, line: &str) {
    let line = line.trim();
    if line.is_empty() || message.chars().count() >= FINDING_CHARS_MAX {
        return;
    }
    if !message.is_empty() {
        message.push(' ');
    }
    message.push_str(&short(line));
}
