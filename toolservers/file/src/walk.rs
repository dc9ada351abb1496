//! Goes through a directory and all below it, sorted, by descriptor.
//!
//! Each directory is opened in the one above it without following a link (`openat2`), so that no
//! link and no rename leads a walk out of its root (tests `links_are_told_and_not_followed`,
//! `a_rename_race_does_not_leave_the_root`). Left out and counted: what git would ignore. Left out:
//! where version control keeps its own, and counted: what the grant withholds (test
//! `what_the_grant_withholds_is_neither_seen_nor_entered`). Kernel file systems are not entered.
//!
//! Order: depth first, the entries of a directory by the bytes of their names.
//!
//! Not here: which entries a tool wants.

mod rules;

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata},
    os::{
        fd::OwnedFd,
        unix::{
            ffi::{OsStrExt, OsStringExt},
            fs::MetadataExt,
        },
    },
    path::Path,
    time::{Duration, SystemTime},
};

use nix::{
    dir::{Dir, Type},
    fcntl::{AtFlags, OFlag, readlinkat},
    sys::stat::{SFlag, fstatat},
};

use tollgate_sdk::Withheld;

use crate::{
    failed::{Class, Failed},
    kind,
    limits::{WALK_DEPTH_MAX, WALK_ENTRIES_MAX},
    roots::{Place, open_in},
    twins,
};

use rules::Rules;

/// What an entry is, itself: a link is a link wherever it leads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// By name: "FIFO", "socket", "device".
    Special(&'static str),
}

/// One entry, while the walk is at it.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    /// From the directory where the walk began.
    pub(crate) path: &'a Path,
    pub(crate) kind: Kind,
    /// 1 for the entries of the directory where the walk began.
    pub(crate) depth: usize,
    directory: &'a OwnedFd,
    start: &'a Place,
    withheld: &'a Withheld,
}

impl Entry<'_> {
    /// Its last component.
    pub(crate) fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// Opens the regular file; `None` if it is none by now, or may not be read, by this name or another one
    /// (a hard link, FS-05).
    pub(crate) fn open(&self) -> Option<File> {
        let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
        let file = File::from(open_in(self.directory, Path::new(self.name()), flags).ok()?);
        let metadata = kind::regular(&file, "").ok()?;
        (!self.is_withheld_by_another_name(&metadata)).then_some(file)
    }

    fn is_withheld_by_another_name(&self, file: &Metadata) -> bool {
        if file.nlink() < 2 || self.withheld.is_empty() {
            return false;
        }
        let Ok(root) = self.start.beside(Path::new("")) else { return true };
        let own = self.start.relative.join(self.path);
        let twins = twins::of_open(&root, self.start.root(), &own, file);
        let mut ways = twins.names.iter().flat_map(|name| name.ancestors());
        ways.any(|way| self.withheld.holds(&self.start.root().join(way)))
    }

    /// When it was last changed; the epoch if that cannot be told.
    pub(crate) fn modified(&self) -> SystemTime {
        let stat = fstatat(self.directory, self.name(), AtFlags::AT_SYMLINK_NOFOLLOW);
        let since = stat.ok().and_then(|stat| {
            let nanos = u32::try_from(stat.st_mtime_nsec).ok()?;
            Some(Duration::new(u64::try_from(stat.st_mtime).ok()?, nanos))
        });
        SystemTime::UNIX_EPOCH + since.unwrap_or_default()
    }

    /// Where a link says that it leads.
    pub(crate) fn target(&self) -> Option<OsString> {
        readlinkat(self.directory, self.name()).ok()
    }
}

/// What to do after an entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Next {
    /// Go on, into it if it is a directory.
    Into,
    /// Go on after it.
    Over,
}

/// What a walk left out.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Walked {
    /// Entries that git would ignore; what is in them is not counted.
    pub(crate) ignored: u64,
    /// Entries that the grant withholds; what is in them is not counted.
    pub(crate) withheld: u64,
    /// Directories that could not be opened, or lie deeper than [`WALK_DEPTH_MAX`].
    pub(crate) unopened: u64,
    /// There are more than [`WALK_ENTRIES_MAX`] entries: the rest was not looked at.
    pub(crate) is_cut: bool,
}

impl Walked {
    /// What a reader must know of it.
    pub(crate) fn said(&self) -> Vec<String> {
        let mut said = Vec::new();
        if self.ignored > 0 {
            let entries = counted(self.ignored, "entry", "entries");
            said.push(format!(
                "{entries} that git ignores left out; to look into one, give it as `path`"
            ));
        }
        if self.withheld > 0 {
            let entries = counted(self.withheld, "entry is", "entries are");
            said.push(format!("{entries} withheld by rules of this session, and not looked at"));
        }
        if self.unopened > 0 {
            let directories = counted(self.unopened, "directory", "directories");
            said.push(format!("{directories} could not be opened"));
        }
        if self.is_cut {
            said.push(format!(
                "there are more than {WALK_ENTRIES_MAX} entries here, and the rest was not looked at; \
                 give a directory further down as `path`"
            ));
        }
        said
    }
}

/// A number with its noun.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// Walks the directory at a place, past what is withheld; `stopped` is asked at every directory.
///
/// # Errors
/// `not_found`, `not_a_directory`, `special_file` for the start; `cancelled`; what `visit` says.
pub(crate) fn walk(
    start: &Place,
    withheld: &Withheld,
    stopped: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(&Entry<'_>) -> Result<Next, Failed>,
) -> Result<Walked, Failed> {
    bounded(start, WALK_ENTRIES_MAX, withheld, stopped, visit)
}

fn bounded(
    start: &Place,
    entries_max: usize,
    withheld: &Withheld,
    stopped: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(&Entry<'_>) -> Result<Next, Failed>,
) -> Result<Walked, Failed> {
    if withholds(withheld, start) {
        return Ok(Walked { withheld: 1, ..Walked::default() });
    }
    let directory = start.directory()?;
    if kind::is_kernel(&directory) {
        return Err(kind::special(&start.shown, "a kernel file system"));
    }
    let mut rules = Rules::default();
    for above in rules::above(&start.relative) {
        if let Ok(directory) = start.beside(&above) {
            rules.enter(&directory, &start.root().join(above));
        }
    }
    let (left, walked) = (entries_max, Walked::default());
    let names = names(start).collect();
    let mut walker = Walker { start, names, rules, left, walked, withheld, stopped, visit };
    walker.directory(&directory, Path::new(""), 1)?;
    Ok(walker.walked)
}

/// Whether a place is withheld itself, by any of its names.
pub(crate) fn withholds(withheld: &Withheld, place: &Place) -> bool {
    names(place).any(|name| withheld.holds(name))
}

/// By which names links led to a place, and its own: rules may name any of them.
fn names(place: &Place) -> impl Iterator<Item = &Path> {
    let others = place.names.iter().map(|(name, _)| name.as_path());
    others.chain([place.absolute.as_path()])
}

struct Walker<'a> {
    start: &'a Place,
    /// All names of the top.
    names: Vec<&'a Path>,
    rules: Rules,
    /// Entries that may still be looked at.
    left: usize,
    walked: Walked,
    withheld: &'a Withheld,
    stopped: &'a dyn Fn() -> bool,
    visit: &'a mut dyn FnMut(&Entry<'_>) -> Result<Next, Failed>,
}

impl Walker<'_> {
    fn directory(&mut self, directory: &OwnedFd, path: &Path, depth: usize) -> Result<(), Failed> {
        if (self.stopped)() {
            return Err(Failed::new(Class::Cancelled, "the call was stopped"));
        }
        let Some(names) = self.names(directory) else {
            self.walked.unopened += 1;
            return Ok(());
        };
        self.rules.enter(directory, &self.start.absolute.join(path));
        for (name, listed) in names {
            let path = path.join(&name);
            let Some(kind) = listed.map(known).or_else(|| looked_at(directory, &name)) else {
                continue;
            };
            let (start, withheld) = (self.start, self.withheld);
            self.entry(&Entry { path: &path, kind, depth, directory, start, withheld })?;
        }
        self.rules.leave();
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), Failed> {
        let is_directory = entry.kind == Kind::Directory;
        if rules::is_version_control(entry.name()) {
            return Ok(());
        }
        if self.names.iter().any(|name| self.withheld.holds(&name.join(entry.path))) {
            self.walked.withheld += 1;
            return Ok(());
        }
        if self.rules.hide(&self.start.absolute.join(entry.path), is_directory) {
            self.walked.ignored += 1;
            return Ok(());
        }
        if (self.visit)(entry)? == Next::Over || !is_directory {
            return Ok(());
        }
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
        let inner = open_in(entry.directory, Path::new(entry.name()), flags);
        match inner.ok().filter(|inner| entry.depth < WALK_DEPTH_MAX && !kind::is_kernel(inner)) {
            Some(inner) => self.directory(&inner, entry.path, entry.depth + 1),
            None => {
                self.walked.unopened += 1;
                Ok(())
            }
        }
    }

    /// The names in a directory, sorted; as many as may still be looked at.
    fn names(&mut self, directory: &OwnedFd) -> Option<Vec<(OsString, Option<Type>)>> {
        let mut listed = Dir::from_fd(directory.try_clone().ok()?).ok()?;
        let mut names = Vec::new();
        for entry in listed.iter().flatten() {
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            if self.left == 0 {
                self.walked.is_cut = true;
                break;
            }
            self.left -= 1;
            names.push((OsString::from_vec(name.to_vec()), entry.file_type()));
        }
        names.sort_by(|(a, _), (b, _)| a.as_bytes().cmp(b.as_bytes()));
        Some(names)
    }
}

fn known(listed: Type) -> Kind {
    match listed {
        Type::File => Kind::File,
        Type::Directory => Kind::Directory,
        Type::Symlink => Kind::Link,
        Type::Fifo => Kind::Special("FIFO"),
        Type::Socket => Kind::Special("socket"),
        Type::CharacterDevice | Type::BlockDevice => Kind::Special("device"),
    }
}

/// The kind of an entry where the file system's list does not tell it; `None`: it is gone.
fn looked_at(directory: &OwnedFd, name: &OsStr) -> Option<Kind> {
    let stat = fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW).ok()?;
    let format = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
    Some(if format == SFlag::S_IFREG {
        Kind::File
    } else if format == SFlag::S_IFDIR {
        Kind::Directory
    } else if format == SFlag::S_IFLNK {
        Kind::Link
    } else if format == SFlag::S_IFIFO {
        Kind::Special("FIFO")
    } else if format == SFlag::S_IFSOCK {
        Kind::Special("socket")
    } else {
        Kind::Special("device")
    })
}

#[cfg(test)]
mod tests;
