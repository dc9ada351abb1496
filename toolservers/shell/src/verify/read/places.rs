//! What verifiers find: lines that begin with a place, or name one after a heading.
//!
//! | as | who |
//! |---|---|
//! | `a.py:3:5: message`, `./a.go:3: message` | ruff, mypy, go vet, and most others |
//! | `a.ts(3,5): message` | tsc |
//! | `warning: message` and then ` --> a.rs:3:5` | rustc, clippy |
//! | `Diff in /x/a.rs:3:` | rustfmt |
//! | a line with a file, then `  3:5  error  message` | eslint |

use std::path::PathBuf;

use super::text::{is_file, number, place};
use crate::verify::report::{Finding, Findings, Place, Reader, Report};

/// Any verifier.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// A message whose place is to come: its kind, and itself.
    heading: Option<(String, String)>,
    /// The file whose lines come.
    file: Option<PathBuf>,
    found: Findings,
}

impl Reader for Places {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if let Some((kind, message)) = heading(line) {
            self.heading = Some((kind.to_owned(), message.to_owned()));
        } else if let Some(rest) = trimmed.strip_prefix("--> ") {
            if let (Some((name, message)), Some((place, _))) = (self.heading.take(), place(rest)) {
                self.found.push(Finding { name, place: Some(place), message });
            }
        } else if let Some(rest) = trimmed.strip_prefix("Diff in ") {
            self.diff(rest);
        } else if let Some((place, message)) = direct(line) {
            let (name, message) = kind_of(message);
            self.found.push(Finding {
                name: name.to_owned(),
                place: Some(place),
                message: message.to_owned(),
            });
        } else if line == trimmed && is_file(line) {
            self.file = Some(PathBuf::from(line));
        } else if trimmed.is_empty() {
            self.file = None;
        } else if let Some(file) = &self.file {
            let Some((at, rest)) = number(trimmed) else { return };
            let Some((column, message)) = rest.strip_prefix(':').and_then(number) else { return };
            let (name, message) =
                message.trim_start().split_once(' ').unwrap_or((message.trim(), ""));
            let place = Place { file: file.clone(), line: at, column: Some(column) };
            let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
            self.found.push(Finding { name: name.to_owned(), place: Some(place), message });
        }
    }

    fn report(&mut self) -> Option<Report> {
        let findings = std::mem::take(&mut self.found);
        Some(Report { format: "verifier", counts: None, findings })
    }
}

impl Places {
    /// "/x/src/lib.rs:3:", or "/x/src/lib.rs at line 3:" of older ones.
    fn diff(&mut self, rest: &str) {
        let rest = rest.replacen(" at line ", ":", 1);
        if let Some((place, _)) = place(&rest) {
            let message = "is not formatted".to_owned();
            self.found.push(Finding { name: "format".into(), place: Some(place), message });
        }
    }
}

/// "warning: unused variable", `error[E0425]: cannot find`, "error: this is an error".
fn heading(line: &str) -> Option<(&str, &str)> {
    let (kind, message) = line.split_once(": ")?;
    let word = kind.split('[').next()?;
    matches!(word, "error" | "warning").then_some((kind, message))
}

/// A line that begins with a place.
fn direct(line: &str) -> Option<(Place, &str)> {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let line = line.strip_prefix("./").unwrap_or(line);
    if let Some((place, rest)) = place(line) {
        let message = rest.strip_prefix(':').or_else(|| rest.strip_prefix(" -"))?;
        return Some((place, message.trim()));
    }
    let (file, rest) = line.split_once('(')?;
    let (at, rest) = number(rest)?;
    let (column, rest) = number(rest.strip_prefix(',')?)?;
    let message = rest.strip_prefix("): ")?;
    let place = Place { file: PathBuf::from(file), line: at, column: Some(column) };
    is_file(file).then_some((place, message))
}

/// "error: message" in two.
fn kind_of(message: &str) -> (&str, &str) {
    match message.split_once(": ") {
        Some((kind @ ("error" | "warning" | "note"), rest)) => (kind, rest),
        Some(_) | None => ("", message),
    }
}
