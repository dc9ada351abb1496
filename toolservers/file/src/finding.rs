//! The entries below a directory that match best, in bounded memory, and a count of all.
//!
//! Not here: the arguments and the result (`find`).

use std::{cmp::Reverse, collections::BinaryHeap, path::PathBuf};

use tollgate_sdk::Withheld;

use crate::{
    failed::Failed,
    globs::Glob,
    limits::FIND_PATHS_MAX,
    roots::Place,
    walk::{Entry, Kind, Next, Walked, walk},
};

/// What was found.
#[derive(Debug)]
pub(crate) struct Findings {
    /// From the directory that was searched, directories with a final `/`: the best first.
    pub(crate) paths: Vec<PathBuf>,
    /// All that match, as far as was looked.
    pub(crate) matches: usize,
    /// All that were looked at.
    pub(crate) entries: usize,
    pub(crate) walked: Walked,
}

/// Finds the entries that match, the newest first and those of one time by path.
///
/// # Errors
/// Those of [`walk`].
pub(crate) fn find(
    place: &Place,
    glob: &Glob,
    withheld: &Withheld,
    stopped: &dyn Fn() -> bool,
) -> Result<Findings, Failed> {
    best(place, FIND_PATHS_MAX, withheld, stopped, &|entry| {
        let is_kind = (entry.kind == Kind::Directory) == glob.of_directories;
        (is_kind && glob.matches(entry.path)).then(|| Reverse(entry.modified()))
    })
}

/// Finds the entries that have a rank, the lowest rank first and those of one rank by path; keeps at
/// most `max`.
///
/// # Errors
/// Those of [`walk`].
pub(crate) fn best<R: Ord>(
    place: &Place,
    max: usize,
    withheld: &Withheld,
    stopped: &dyn Fn() -> bool,
    rank: &dyn Fn(&Entry<'_>) -> Option<R>,
) -> Result<Findings, Failed> {
    // The worst of those that are kept is at the top.
    let mut kept: BinaryHeap<(R, PathBuf)> = BinaryHeap::new();
    let (mut matches, mut entries) = (0, 0);
    let walked = walk(place, withheld, stopped, &mut |entry| {
        entries += 1;
        if let Some(rank) = rank(entry) {
            matches += 1;
            let is_directory = entry.kind == Kind::Directory;
            let path = if is_directory { entry.path.join("") } else { entry.path.to_path_buf() };
            kept.push((rank, path));
            if kept.len() > max {
                kept.pop();
            }
        }
        Ok(Next::Into)
    })?;
    let paths = kept.into_sorted_vec().into_iter().map(|(_, path)| path).collect();
    Ok(Findings { paths, matches, entries, walked })
}

#[cfg(test)]
mod tests;
