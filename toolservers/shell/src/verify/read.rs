//! The formats of runners' output.
//!
//! | family | formats, the first that is recognised counts |
//! |---|---|
//! | Rust | `cargo nextest`, `cargo test` (nextest prints what libtest said) |
//! | Python | pytest, unittest |
//! | JavaScript | vitest, jest, `node --test` (TAP and spec), mocha |
//! | Go | `go test -v`, also as JSON |
//!
//! Where it is not known what runs (`make test`), all families read, and what several tell is added up.
//!
//! Not here: detecting the project (`found`).

mod go;
mod javascript;
mod node;
mod places;
mod python;
mod rust;
#[cfg(test)]
mod tests;
mod text;

use super::report::{Findings, Reader, Report};
use crate::clean::Lines;

/// Whose output it may be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Family {
    Rust,
    Python,
    JavaScript,
    Go,
    /// Tests of nobody knows what.
    Any,
    /// What verifiers find.
    Verifier,
}

/// All readers of a family, each at every line.
pub(super) struct Readers(Vec<Vec<Box<dyn Reader>>>);

impl Readers {
    pub(super) fn of(family: Family) -> Self {
        let rust: fn() -> Vec<Box<dyn Reader>> =
            || vec![Box::<rust::Nextest>::default(), Box::<rust::Libtest>::default()];
        let python: fn() -> Vec<Box<dyn Reader>> =
            || vec![Box::<python::Pytest>::default(), Box::<python::Unittest>::default()];
        let javascript: fn() -> Vec<Box<dyn Reader>> = || {
            vec![
                Box::<javascript::Vitest>::default(),
                Box::<javascript::Jest>::default(),
                Box::<node::Node>::default(),
                Box::<javascript::Mocha>::default(),
            ]
        };
        let go: fn() -> Vec<Box<dyn Reader>> = || vec![Box::<go::Go>::default()];
        Self(match family {
            Family::Rust => vec![rust()],
            Family::Python => vec![python()],
            Family::JavaScript => vec![javascript()],
            Family::Go => vec![go()],
            Family::Any => vec![rust(), python(), javascript(), go()],
            Family::Verifier => vec![vec![Box::<places::Places>::default()]],
        })
    }

    /// What they read, added up; `None`: no format was recognised.
    pub(super) fn report(&mut self) -> Option<Report> {
        let told =
            self.0.iter_mut().filter_map(|family| family.iter_mut().find_map(|r| r.report()));
        told.reduce(|first, second| {
            let mut findings = Findings::default();
            findings.append(first.findings);
            findings.append(second.findings);
            // Of one alone, they would be said to be all.
            let counts = first.counts.zip(second.counts).map(|(one, other)| one.and(other));
            Report { format: "several runners", counts, findings }
        })
    }
}

impl Lines for Readers {
    fn line(&mut self, text: &str, _: u64) {
        self.0.iter_mut().flatten().for_each(|reader| reader.line(text));
    }
}
