//! The tree of a directory as text, in as many levels as fit.
//!
//! All entries to the wanted depth are looked at and counted; shown are the deepest whole levels that
//! fit, so that a large directory deep down does not push out what stands beside its parents. What is
//! not shown is counted at its directory.
//!
//! Not here: the arguments and the result (`list`).

use tollgate_sdk::Withheld;

use crate::{
    failed::Failed,
    globs::LeftOut,
    limits::{FOUND_BYTES_MAX, LIST_ENTRIES_MAX},
    names::told,
    roots::Place,
    walk::{Entry, Kind, Next, Walked, walk},
};

/// A directory's tree, to be shown.
#[derive(Debug)]
pub(crate) struct Listing {
    /// One entry a line, each level indented by two blanks.
    pub(crate) text: String,
    /// Entries to the wanted depth, as far as they were looked at.
    pub(crate) entries: usize,
    pub(crate) shown: usize,
    /// Levels that are shown.
    pub(crate) depth: usize,
    /// Directories at the wanted depth, which were not looked into.
    pub(crate) unexplored: usize,
    pub(crate) walked: Walked,
}

/// One entry to the wanted depth, in the order of the walk.
struct Item {
    depth: usize,
    is_directory: bool,
    /// With its mark: `name/`, `name -> target`.
    text: String,
}

/// Lists a directory `depth` levels deep, without what is left out or withheld.
///
/// # Errors
/// Those of [`walk`].
pub(crate) fn list(
    place: &Place,
    depth: usize,
    left_out: &LeftOut,
    withheld: &Withheld,
    stopped: &dyn Fn() -> bool,
) -> Result<Listing, Failed> {
    let (mut items, mut unexplored) = (Vec::new(), 0);
    let walked = walk(place, withheld, stopped, &mut |entry| {
        let is_directory = entry.kind == Kind::Directory;
        if left_out.has(entry.path, is_directory) {
            return Ok(Next::Over);
        }
        items.push(Item { depth: entry.depth, is_directory, text: line(entry) });
        if entry.depth < depth {
            return Ok(Next::Into);
        }
        unexplored += usize::from(is_directory);
        Ok(Next::Over)
    })?;
    let levels = levels_that_fit(&items);
    let (text, shown) = rendered(&items, levels.max(1));
    Ok(Listing { text, entries: items.len(), shown, depth: levels.max(1), unexplored, walked })
}

fn line(entry: &Entry<'_>) -> String {
    let name = told(entry.name());
    match entry.kind {
        Kind::File => name,
        Kind::Directory => format!("{name}/"),
        Kind::Link => match entry.target() {
            Some(target) => format!("{name} -> {}", told(&target)),
            None => format!("{name} -> ?"),
        },
        Kind::Special(kind) => format!("{name} ({kind})"),
    }
}

/// How many whole levels fit the result; 0: not even the first.
fn levels_that_fit(items: &[Item]) -> usize {
    let deepest = items.iter().map(|item| item.depth).max().unwrap_or(0);
    let mut levels = vec![(0_usize, 0_usize); deepest];
    for item in items {
        if let Some((entries, bytes)) = levels.get_mut(item.depth - 1) {
            *entries += 1;
            // The line feed, and the note of what a directory holds.
            *bytes += item.text.len() + 2 * item.depth + if item.is_directory { 20 } else { 1 };
        }
    }
    let (mut entries, mut bytes) = (0, 0);
    let fitting = levels.iter().take_while(|(more, more_bytes)| {
        entries += more;
        bytes += more_bytes;
        entries <= LIST_ENTRIES_MAX && bytes <= FOUND_BYTES_MAX
    });
    fitting.count()
}

/// The first levels as text, within the bounds, and how many entries that shows.
fn rendered(items: &[Item], levels: usize) -> (String, usize) {
    let (mut text, mut shown) = (String::new(), 0);
    let mut rest = items;
    while let Some((item, after)) = rest.split_first() {
        let inside = after.iter().take_while(|inner| inner.depth > item.depth).count();
        let is_last_level = item.depth == levels;
        let indent = "  ".repeat(item.depth - 1);
        let mut line = format!("{indent}{}", item.text);
        if is_last_level && inside > 0 {
            line = format!("{line} ({inside} inside)");
        }
        if shown == LIST_ENTRIES_MAX || text.len() + line.len() >= FOUND_BYTES_MAX {
            break;
        }
        text.push_str(&line);
        text.push('\n');
        shown += 1;
        rest = if is_last_level { after.get(inside..).unwrap_or_default() } else { after };
    }
    (text, shown)
}

#[cfg(test)]
mod tests;
