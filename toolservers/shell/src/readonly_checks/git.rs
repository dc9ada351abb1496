//! Commands of git of which the first words say whether they only read.
//!
//! Not here: those that are told by their options alone (`readonly_table`).

use super::{Around, known};
use crate::{
    readonly::{Options, Sorted},
    readonly_table::git::{BRANCH, DIFF, TAG},
    words::{Doubt, Word},
};

/// `git branch`, listing.
pub(crate) fn branch(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    // Not `-l`: for old versions it makes a branch.
    listing(&BRANCH.sort(words)?, &["list"])
}

/// `git tag`, listing.
pub(crate) fn tag(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    listing(&TAG.sort(words)?, &["l", "list"])
}

/// A name that is no pattern of a list is created.
fn listing(sorted: &Sorted<'_>, lists: &[&str]) -> Result<(), Doubt> {
    if sorted.operands.is_empty() || sorted.has(lists) {
        Ok(())
    } else {
        Err("a branch or a tag may be made")
    }
}

/// `git remote`, `git remote -v`, `git remote get-url NAME`.
pub(crate) fn remote(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    match known(words)?.as_slice() {
        [] | ["-v" | "--verbose"] => Ok(()),
        ["get-url", name] if !name.starts_with('-') => Ok(()),
        _ => Err("a remote may be changed or asked"),
    }
}

/// `git stash list`, `git stash show`, as logs and diffs.
pub(crate) fn stash(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    shown_as_log(words, &["list", "show"])
}

/// `git reflog`, `git reflog show`, `git reflog -5`: behind an option no word is a command of it.
pub(crate) fn reflog(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    match words.first().and_then(Word::argument) {
        None if words.is_empty() => Ok(()),
        Some(first) if first.starts_with('-') && first != "--" => DIFF.sort(words).map(drop),
        _ => shown_as_log(words, &["show"]),
    }
}

/// `git notes`, `git notes list`, `git notes show COMMIT`.
pub(crate) fn notes(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    match known(words)?.as_slice() {
        [] | ["list" | "show"] => Ok(()),
        ["list" | "show", commit] if !commit.starts_with('-') => Ok(()),
        _ => Err("a git command is not known to only read"),
    }
}

fn shown_as_log(words: &[Word], names: &[&str]) -> Result<(), Doubt> {
    let (name, rest) = words.split_first().ok_or("a git command is not known to only read")?;
    if !name.argument().is_some_and(|name| names.contains(&name)) {
        return Err("a git command is not known to only read");
    }
    DIFF.sort(rest).map(drop)
}

/// `git worktree list`.
pub(crate) fn list(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    match known(words)?.as_slice() {
        ["list"] | ["list", "--porcelain" | "-v"] => Ok(()),
        _ => Err("a git command is not known to only read"),
    }
}

/// `git config --get NAME`, `git config --list`, `git config SECTION.KEY`.
pub(crate) fn config(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let options = Options::new(
        "lz",
        "",
        "get get-all get-regexp get-urlmatch list show-origin show-scope local global system worktree \
         name-only null bool int includes no-includes",
    );
    let sorted = options.sort(words)?;
    // A single word that is no key may be a command of its own: `git config edit`.
    let reads_key = match sorted.operands.as_slice() {
        [key] => key.argument().is_some_and(|key| key.contains('.')),
        _ => false,
    };
    if reads_key || sorted.has(&["l", "list", "get", "get-all", "get-regexp", "get-urlmatch"]) {
        Ok(())
    } else {
        Err("git's configuration may be changed")
    }
}
