//! What a folder's project runs as tests and as verifiers, read from its files.
//!
//! | file | tests | verifiers |
//! |---|---|---|
//! | `Cargo.toml` | `cargo nextest run` (with `.config/nextest.toml`), `cargo test` | `cargo fmt --check`, `cargo clippy` |
//! | `package.json` | its script `test` | its scripts `lint`, `typecheck` and the like |
//! | `pyproject.toml`, `setup.cfg`, … | pytest where it is named, else unittest where there are tests | ruff, mypy where they are set up |
//! | `go.mod` | `go test -v ./...` | `go vet ./...` |
//! | a makefile | target `test` or `check` | target `lint` |
//!
//! The nearest folder comes first, from the one that is asked for up to the root.
//!
//! Invariant: nothing of a file's content becomes part of a line but names of this table (test
//! `no_content_becomes_part_of_a_line`).
//!
//! Not here: running them (`verify`).

mod python;
mod scripts;

#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::read::Family;
use crate::limits::{CHECKS_MAX, PROJECT_FILE_BYTES_MAX};

/// One runner or verifier of a project.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Check {
    /// "cargo test": how it is asked for.
    pub(super) name: String,
    /// The line without a filter.
    pub(super) line: String,
    /// The folder that it runs in.
    pub(super) folder: PathBuf,
    pub(super) family: Family,
    /// How it is told which tests.
    pub(super) filter: Filter,
}

/// What is put before a filter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Filter {
    /// It takes none that is known.
    None,
    /// Words after the line, before the quoted filter, which may follow them without a blank.
    After(&'static str),
}

/// Tests or verifiers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Tests,
    Verifiers,
}

/// What there is from a folder up to its root, the nearest first.
pub(super) fn find(kind: Kind, folder: &Path, root: &Path) -> Vec<Check> {
    let mut found: Vec<Check> = Vec::new();
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(root)) {
        let project = Project { folder: folder.to_owned() };
        for check in project.checks(kind) {
            // One of the same name further up is the whole of what is nearer.
            if found.len() < CHECKS_MAX && !found.iter().any(|known| known.name == check.name) {
                found.push(check);
            }
        }
    }
    found
}

/// A folder that may hold a project.
struct Project {
    folder: PathBuf,
}

impl Project {
    fn checks(&self, kind: Kind) -> Vec<Check> {
        let mut checks = self.cargo(kind);
        checks.extend(scripts::checks(self, kind));
        checks.extend(python::checks(self, kind));
        checks.extend(self.go(kind));
        checks.extend(self.make(kind));
        checks
    }

    fn check(&self, name: &str, line: &str, family: Family, filter: Filter) -> Check {
        let (name, line) = (name.to_owned(), line.to_owned());
        Check { name, line, folder: self.folder.clone(), family, filter }
    }

    fn verifier(&self, line: &str) -> Check {
        let name = line.split_once(" --").map_or(line, |(name, _)| name);
        self.check(name.trim_end_matches([' ', '.', '/']), line, Family::Verifier, Filter::None)
    }

    fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// A small file's text; nothing if it is large, none or no text.
    fn text(&self, name: &str) -> Option<String> {
        let file = File::open(self.folder.join(name)).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut text = String::new();
        file.take(PROJECT_FILE_BYTES_MAX + 1).read_to_string(&mut text).ok()?;
        (text.len() as u64 <= PROJECT_FILE_BYTES_MAX).then_some(text)
    }

    fn cargo(&self, kind: Kind) -> Vec<Check> {
        if !self.has("Cargo.toml") {
            return Vec::new();
        }
        match kind {
            Kind::Tests => {
                let test = self.check(
                    "cargo test",
                    "cargo test --no-fail-fast",
                    Family::Rust,
                    Filter::After("--"),
                );
                let nextest = self.check(
                    "cargo nextest",
                    "cargo nextest run --no-fail-fast",
                    Family::Rust,
                    Filter::After("--"),
                );
                if self.has(".config/nextest.toml") { vec![nextest, test] } else { vec![test] }
            }
            Kind::Verifiers => {
                vec![
                    self.verifier("cargo fmt --check"),
                    self.verifier("cargo clippy --all-targets"),
                ]
            }
        }
    }

    fn go(&self, kind: Kind) -> Option<Check> {
        self.has("go.mod").then(|| match kind {
            Kind::Tests => {
                self.check("go test", "go test -v ./...", Family::Go, Filter::After("-run"))
            }
            Kind::Verifiers => self.verifier("go vet ./..."),
        })
    }

    fn make(&self, kind: Kind) -> Option<Check> {
        let names = ["GNUmakefile", "makefile", "Makefile"];
        let text = names.iter().find_map(|name| self.text(name))?;
        let targets: &[&str] = match kind {
            Kind::Tests => &["test", "check"],
            Kind::Verifiers => &["lint"],
        };
        let has = |target: &&&str| text.lines().any(|line| is_rule(line, target));
        let line = format!("make {}", targets.iter().find(has)?);
        let family = match kind {
            Kind::Tests => Family::Any,
            Kind::Verifiers => Family::Verifier,
        };
        Some(self.check(&line, &line, family, Filter::None))
    }
}

/// Whether a line of a makefile begins the rule of a target.
fn is_rule(line: &str, target: &str) -> bool {
    let Some((targets, rest)) = line.split_once(':') else { return false };
    !rest.starts_with('=')
        && !line.starts_with('\t')
        && targets.split_whitespace().any(|name| name == target)
}
