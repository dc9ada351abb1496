//! [`Stamps`]: how files looked before they were read, so that a look tells whether one has changed.
//!
//! Invariant: what could have changed without a trace counts as changed: within one step of the file
//! system's clock a second change has the same time (test
//! `a_change_in_the_same_step_of_the_clock_is_seen`).

use std::{
    fs::{self, Metadata},
    io::ErrorKind,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::limits::SETTLED_MS;

#[cfg(test)]
mod tests;

/// How files looked.
#[derive(Clone, Debug)]
pub(super) struct Stamps {
    all: Vec<(PathBuf, Stamp)>,
    /// No file changed so shortly before that a second change could look the same.
    settled: bool,
    now: SystemTime,
}

/// The name itself, and what it leads to.
type Stamp = (Result<Look, ErrorKind>, Result<Look, ErrorKind>);

#[derive(Clone, Debug, Eq, PartialEq)]
struct Look {
    device: u64,
    inode: u64,
    mode: u32,
    owner: u32,
    /// A folder has none: what matters in it has its own stamp.
    content: Option<Content>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
struct Content {
    size: u64,
    modified: (i64, i64),
    /// Seconds and nanoseconds; nobody sets it at will.
    changed: (i64, i64),
}

impl Stamps {
    /// None yet. `now`: not later than it is.
    pub(super) fn new(now: SystemTime) -> Self {
        Self { all: Vec::new(), settled: true, now }
    }

    /// Looks at a name before it is read.
    pub(super) fn look(&mut self, path: &Path) {
        let stamp = stamp_of(path);
        let looks = [&stamp.0, &stamp.1].into_iter().flatten();
        self.settled &= looks.into_iter().all(|look| look.is_older_than(self.now));
        self.all.push((path.to_owned(), stamp));
    }

    /// Whether nothing has changed since.
    pub(super) fn still_hold(&self) -> bool {
        self.settled && self.all.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
    }
}

impl Look {
    fn is_older_than(&self, now: SystemTime) -> bool {
        let Some(content) = &self.content else { return true };
        let (seconds, nanoseconds) = content.changed;
        let since = u64::try_from(seconds).ok().zip(u32::try_from(nanoseconds).ok());
        let changed = since.map(|(seconds, rest)| Duration::new(seconds, rest));
        let changed = changed.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
        let age = changed.and_then(|changed| now.duration_since(changed).ok());
        age.is_some_and(|age| age >= Duration::from_millis(SETTLED_MS))
    }
}

fn stamp_of(path: &Path) -> Stamp {
    let look = |found: std::io::Result<Metadata>| found.map(|it| look(&it)).map_err(|it| it.kind());
    (look(fs::symlink_metadata(path)), look(fs::metadata(path)))
}

fn look(found: &Metadata) -> Look {
    let content = Content {
        size: found.size(),
        modified: (found.mtime(), found.mtime_nsec()),
        changed: (found.ctime(), found.ctime_nsec()),
    };
    Look {
        device: found.dev(),
        inode: found.ino(),
        mode: found.mode(),
        owner: found.uid(),
        content: (!found.is_dir()).then_some(content),
    }
}
