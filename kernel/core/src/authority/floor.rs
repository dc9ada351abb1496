//! Layer 8, first half: the built-in floor (`[GATE-31]`). Deterministic, never judged by a model: what a
//! call meets here only a person may let through.
//!
//! The rows are data ([`table`]); what words alone cannot tell is a named check beside them. Rows for
//! work without a person hold only where nobody could be asked. An ordinary `rm -r target` or a push of
//! a named branch meets nothing here: that is the guardian's.
//!
//! Invariant: every row has a call that meets it and a near one that does not (test
//! `every_row_is_met_and_nearly_met`).
//!
//! Not here: the guardian (`engine::guardian`), protected places (`protected`).

pub(super) mod credentials;
mod git;
mod piped;
mod system;
mod table;
#[cfg(test)]
mod tests;
mod trees;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Deref,
    path::PathBuf,
    sync::LazyLock,
};

use super::{
    Circumstances,
    words::{Command, listed},
};
use crate::call::Classified;
use table::{Form, ROWS, Row, When, Words};

/// A row of the floor that a call meets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FloorHit {
    /// The row's stable name: "`publish`", "`rm_root`", "`pipe_to_shell`".
    pub row: &'static str,
    /// For people and the model.
    pub reason: String,
    /// It holds in posture `full-access` too.
    pub catastrophic: bool,
}

/// The first row that a call meets; a catastrophic one before others.
#[must_use]
pub fn meets(call: &Classified, at: &Circumstances<'_>) -> Option<FloorHit> {
    let line = Line::of(call, at);
    let met = ROWS.iter().enumerate().filter(|(number, row)| line.meets(*number, row));
    let mut rows = met.map(|(_, row)| row);
    let first = rows.next()?;
    let row =
        if first.catastrophic { first } else { rows.find(|it| it.catastrophic).unwrap_or(first) };
    Some(hit(row))
}

/// All rows as they would be met, in their order; for `permissions list`.
pub fn rows() -> impl Iterator<Item = FloorHit> {
    ROWS.iter().map(hit)
}

fn hit(row: &Row) -> FloorHit {
    FloorHit { row: row.name, reason: row.reason.to_owned(), catastrophic: row.catastrophic }
}

/// A call as the checks see it.
struct Line<'a> {
    call: &'a Classified,
    at: &'a Circumstances<'a>,
    /// Its commands, and those that a runner (`npx`, `python -m`) runs, behind the runner.
    commands: Vec<Step<'a>>,
    /// Where the line goes, the working directory first.
    folders: Vec<PathBuf>,
    background: bool,
    /// Rows of which some words are met.
    by_words: BTreeSet<usize>,
}

/// One command of a line.
struct Step<'a> {
    command: Command<'a>,
    /// The folder that it runs in, if that is known for certain.
    folder: Option<usize>,
}

impl<'a> Deref for Step<'a> {
    type Target = Command<'a>;

    fn deref(&self) -> &Command<'a> {
        &self.command
    }
}

/// Forms of words by their program, each with the number of its row.
static BY_PROGRAM: LazyLock<BTreeMap<&'static str, Vec<(usize, &'static Words)>>> =
    LazyLock::new(|| {
        let mut found: BTreeMap<&'static str, Vec<_>> = BTreeMap::new();
        for (number, row) in ROWS.iter().enumerate() {
            for form in row.forms {
                let Form::Words(words) = form else { continue };
                for program in words.programs.split_ascii_whitespace() {
                    found.entry(program).or_default().push((number, words));
                }
            }
        }
        found
    });

impl<'a> Line<'a> {
    fn of(call: &'a Classified, at: &'a Circumstances<'a>) -> Self {
        let own = call.subjects().iter().filter_map(Command::of);
        let commands = own.flat_map(|it| std::iter::once(it).chain(it.run_by_it())).collect();
        let (commands, folders) = trees::with_folders(commands, at.cwd);
        let background = piped::is_background(&commands, call.preview());
        let by_words = BTreeSet::new();
        let mut line = Self { call, at, commands, folders, background, by_words };
        let rows = line.changing().flat_map(|command| {
            let forms = BY_PROGRAM.get(command.program).into_iter().flatten();
            forms.filter(|(_, words)| words.are_in(command)).map(|(number, _)| *number)
        });
        line.by_words = rows.collect();
        line
    }

    fn meets(&self, number: usize, row: &Row) -> bool {
        let applies = match row.when {
            When::Always => true,
            When::Headless => !self.at.can_ask,
            When::Background => self.background,
        };
        applies && self.holds(number, row)
    }

    /// Whether a row's forms are there, whenever the row holds.
    fn holds(&self, number: usize, row: &Row) -> bool {
        self.by_words.contains(&number)
            || row.forms.iter().any(|form| match form {
                // Looked up for all rows at once.
                Form::Words(_) => false,
                Form::Command(check) => self.changing().any(|command| check(command, self)),
                Form::Line(check) => check(self),
                Form::Rows(names) => {
                    let mut rows = ROWS.iter().enumerate();
                    rows.any(|(number, row)| listed(names, row.name) && self.holds(number, row))
                }
            })
    }

    /// Commands that are not proven to only read.
    fn changing(&self) -> impl Iterator<Item = &Step<'a>> {
        self.commands.iter().filter(|command| !command.read_only)
    }
}
