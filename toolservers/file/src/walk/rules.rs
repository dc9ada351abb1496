//! What git would ignore: the rules of each directory on the way to the one that is walked.
//!
//! Rules of a deeper directory win, the last line of a file wins, and those above a repository's own
//! directory do not reach into it. Ignore files are read beneath the directory's descriptor; those
//! above the roots, and the user's own (`core.excludesFile`), are not read.
//!
//! Not here: what a tool leaves out on top of it (`globs`).

use std::{
    ffi::OsStr,
    fs::File,
    io::Read,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use nix::fcntl::OFlag;

use crate::{kind, limits::IGNORE_BYTES_MAX, roots::open_in};

/// Files of rules, the weakest first.
const FILES: [&str; 3] = [".git/info/exclude", ".gitignore", ".ignore"];

/// The rules that hold at one place of a walk.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    matcher: Gitignore,
    /// What is above holds no further.
    is_repository: bool,
}

impl Rules {
    /// With the rules of one more directory, which has this absolute path.
    pub(crate) fn enter(&mut self, directory: &OwnedFd, at: &Path) {
        let mut builder = GitignoreBuilder::new(at);
        let mut lines = 0_usize;
        for name in FILES {
            let text = read(directory, Path::new(name)).unwrap_or_default();
            for line in text.lines() {
                // A line that is no pattern is no rule, as for git.
                builder.add_line(None, line).ok();
                lines += 1;
            }
        }
        let matcher = if lines == 0 { None } else { builder.build().ok() };
        let is_repository = open_in(directory, Path::new(".git"), OFlag::O_PATH).is_ok();
        let matcher = matcher.unwrap_or_else(Gitignore::empty);
        self.levels.push(Level { matcher, is_repository });
    }

    /// Without the rules of the directory that was entered last.
    pub(crate) fn leave(&mut self) {
        self.levels.pop();
    }

    /// Whether an entry of the directory that was entered last is to be left out.
    pub(crate) fn hide(&self, absolute: &Path, is_directory: bool) -> bool {
        for level in self.levels.iter().rev() {
            match level.matcher.matched(absolute, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None if level.is_repository => return false,
                Match::None => {}
            }
        }
        false
    }
}

/// Whether a directory's name is one in which a version control system keeps its own.
pub(crate) fn is_version_control(name: &OsStr) -> bool {
    [".git", ".hg", ".svn", ".jj", ".bzr"].iter().any(|own| name == *own)
}

/// The start of a rule file; of one that is longer, its whole lines.
fn read(directory: &OwnedFd, name: &Path) -> Option<String> {
    let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = File::from(open_in(directory, name, flags).ok()?);
    kind::regular(&file, "").ok()?;
    let mut bytes = Vec::new();
    file.take(IGNORE_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if bytes.len() as u64 > IGNORE_BYTES_MAX {
        text.truncate(text.rfind('\n').unwrap_or(0));
    }
    Some(text.trim_start_matches('\u{feff}').to_owned())
}

/// The directories from a root down to, and without, the one at `relative`: each relative.
pub(crate) fn above(relative: &Path) -> Vec<PathBuf> {
    let mut above: Vec<PathBuf> = relative.ancestors().skip(1).map(Path::to_path_buf).collect();
    above.reverse();
    above
}
