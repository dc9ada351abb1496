//! Places that no allowance opens silently (`[GATE-30]`, `[THR-05]`): one table, compared without regard
//! to case, ignorable characters and trailing dots (FS-06), at every depth, also where nothing is yet.
//!
//! Invariants: every row of the table holds at every depth and in every spelling (tests
//! `every_row_holds_at_every_depth`, `spellings_of_a_name_are_one`); what lies in a place of Tollgate's
//! own is never less than [`Protection::Never`].
//!
//! Not here: which places a call touches (`baseline`), and links, which servers resolve.

mod pattern;
mod place;
mod table;
#[cfg(test)]
mod tests;

use std::{
    cmp::Reverse,
    path::{Path, PathBuf},
    sync::LazyLock,
};

pub(super) use pattern::Patterns;
pub(super) use place::{Place, fold};
use table::ROWS;

/// Places of Tollgate's own: configuration, state (trust, receipts, sessions), cache, sockets.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Absolute folders and files; everything below counts.
    pub places: Vec<PathBuf>,
    /// Of these, what no program of a call may read either: sessions, receipts, sockets.
    pub hidden: Vec<PathBuf>,
}

/// How strongly a place is protected.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Protection {
    /// The workspace-write carve-out does not hold: ordinary approval. (`.env`, private keys)
    NoCarveOut,
    /// A card always, that says what the place is. (`.git/hooks`, `.mcp.json`, `AGENTS.md`)
    Card,
    /// Never: Tollgate's own policy, trust, receipts, sockets.
    Never,
}

/// What a place is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Guarded {
    /// How strongly.
    pub protection: Protection,
    /// For the card: "git hooks: programs that git runs by itself".
    pub what: &'static str,
}

/// What is done with a place that is named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Role {
    /// It is written or made, or it only is named by a command that may do so.
    Named,
    /// It comes to exist with all below it, as what was elsewhere (`mv x .vscode`).
    Made,
    /// It goes, with all below it.
    Removed,
    /// It and anything below it may be written.
    Throughout,
}

/// What protects this absolute path against writing, the strongest of all that apply.
#[must_use]
pub fn guarded(path: &Path, own: &Own) -> Option<Guarded> {
    Guards::new(own).of(&Place::of(path), Role::Named)
}

/// The table and Tollgate's own places, ready to compare many places.
#[derive(Debug)]
pub(super) struct Guards<'a> {
    own: Vec<Place<'a>>,
}

impl<'a> Guards<'a> {
    pub(super) fn new(own: &'a Own) -> Self {
        Self { own: own.places.iter().map(|path| Place::of(path)).collect() }
    }

    /// Whether something of Tollgate's own is in this place, or it is there itself.
    pub(super) fn hold_below(&self, place: &Place<'_>) -> bool {
        self.own.iter().any(|own| own.is_in(place) || place.is_in(own))
    }

    /// What protects a place against what is done with it.
    pub(super) fn of(&self, place: &Place<'_>, role: Role) -> Option<Guarded> {
        let takes_all = matches!(role, Role::Removed | Role::Throughout);
        let is_own = |own: &Place<'_>| place.is_in(own) || (takes_all && own.is_in(place));
        if self.own.iter().any(is_own) {
            let what = "Tollgate's own settings, trust, receipts or sockets";
            return Some(Guarded { protection: Protection::Never, what });
        }
        let rows = PATTERNS.rows_of(place, role).filter_map(|row| Some((row, ROWS.get(row)?)));
        // The stronger, then the earlier one, which is more specific.
        let strongest = rows.max_by_key(|(number, row)| (row.protection, Reverse(*number)));
        strongest.map(|(_, row)| Guarded { protection: row.protection, what: row.what })
    }
}

/// The rows that ask always, as texts that are separated by blanks.
pub(super) fn asking() -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter(|row| row.protection == Protection::Card).map(|row| row.places)
}

static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::new(ROWS.iter().map(|row| row.places)));
