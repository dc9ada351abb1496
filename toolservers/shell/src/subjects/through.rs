//! What the words of a line lead to by symbolic links: `cp a.txt docs/x` where `docs` is a link to
//! `.git/hooks`. The words alone say nothing of it, and a repository can bring such links along.
//!
//! Advice for rules and for the gate's table of places, as of now: a line can make its own links, and
//! whoever runs beside it can change them. What holds then is the sandbox.
//!
//! Not here: redirections, whose files are told whether or not a link is on the way.

use std::path::{Path, PathBuf};

use tollgate_sdk::Subject;

use super::{moves, of_names, opaque};
use crate::{
    limits::{LINK_LOOKUPS_MAX, LINKED_FOLDERS_MAX},
    links,
    parse::{Command, Parsed},
};

/// Where the system's own links lead: `/bin/sh`, `/dev/stdin`. Nothing there is the user's.
const SYSTEM: &[&str] =
    &["/usr", "/dev", "/proc", "/sys", "/run", "/bin", "/sbin", "/lib", "/lib64"];

/// Where a line goes, and whether a link was on the way.
struct Folder {
    path: PathBuf,
    linked: bool,
}

/// What a command does with the places that it names.
#[derive(Clone, Copy)]
struct Place {
    /// What follows runs there.
    goes: bool,
    /// It may be changed.
    writes: bool,
}

/// What is found on the way through a line.
struct Walk<'a> {
    folders: Vec<Folder>,
    roots: &'a [PathBuf],
    lookups: usize,
    found: Vec<Subject>,
}

/// The files and folders behind links that a line names: those of commands that only read as read.
pub(super) fn subjects(
    parsed: &Parsed,
    reads: &[bool],
    line_reads: bool,
    cwd: &Path,
    roots: &[PathBuf],
) -> Vec<Subject> {
    // A working directory that is itself behind a link makes no link of every name.
    let own = links::names(cwd).and_then(|names| names.into_iter().next());
    let here = Folder { path: own.unwrap_or_else(|| cwd.to_owned()), linked: false };
    let mut walk = Walk { folders: vec![here], roots, lookups: 0, found: Vec::new() };
    let reads = reads.iter().copied().chain(std::iter::repeat(false));
    for (command, reads) in parsed.commands.iter().zip(reads) {
        let goes = moves(command);
        let place = Place { goes, writes: !reads || (goes && !line_reads) };
        names(command).for_each(|name| walk.name(name, place));
    }
    // Which command a redirection belongs to is not known here: it may be in any of the folders.
    let targets = parsed.targets.iter().filter(|target| target.write);
    let written = Place { goes: false, writes: true };
    targets.filter_map(|target| target.word.argument()).for_each(|name| walk.name(name, written));
    if walk.lookups > LINK_LOOKUPS_MAX {
        walk.found.push(opaque(vec!["(more names)".to_owned()], String::new()));
    }
    walk.found
}

impl Walk<'_> {
    /// Looks up a name from every folder that the line goes to.
    fn name(&mut self, name: &str, place: Place) {
        for number in 0..self.folders.len() {
            self.lookups += 1;
            let Some(folder) = self.folders.get(number) else { return };
            if self.lookups > LINK_LOOKUPS_MAX {
                return;
            }
            let Some(names) = links::names(&folder.path.join(name)) else { continue };
            let linked = is_through_a_link(&names) || (folder.linked && !name.starts_with('/'));
            if place.goes
                && self.folders.len() < LINKED_FOLDERS_MAX
                && let Some(path) = names.first().cloned()
            {
                self.folders.push(Folder { path, linked });
            }
            if linked {
                self.found.extend(of_names(names, place.writes, self.roots));
            }
        }
    }
}

/// The words that may name something, and what stands behind a `=` in them.
fn names(command: &Command) -> impl Iterator<Item = &str> {
    let words = command.words.iter().skip(1).filter_map(|word| word.argument());
    let names = words.flat_map(|word| [Some(word), word.split_once('=').map(|(_, value)| value)]);
    names.flatten().filter(|name| !name.is_empty())
}

/// Whether the file is another than its name says, and none of the system's.
fn is_through_a_link(names: &[PathBuf]) -> bool {
    let system = |path: &PathBuf| SYSTEM.iter().any(|folder| path.starts_with(folder));
    names.len() > 1 && !names.first().is_some_and(system)
}
