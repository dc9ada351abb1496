//! Paths beneath the roots, opened by descriptor.
//!
//! [`Roots::locate`] says where an argument leads; every open then starts at the root's descriptor
//! and follows no symbolic link (`openat2` with `RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS`,
//! `RESOLVE_NO_MAGICLINKS`). Links inside the roots work because they are resolved before.
//!
//! Invariant: no link, `..` or rename leaves a root (tests `links_and_dots_do_not_leave_the_roots`,
//! `a_rename_race_does_not_leave_the_root`).
//!
//! Not here: whether a call may run (the gate), what a file holds.

use std::{
    fs::File,
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use nix::{
    errno::Errno,
    fcntl::{OFlag, OpenHow, ResolveFlag, open, openat2},
    sys::stat::{Mode, mkdirat},
};

use crate::{
    artifact::ArtifactId,
    failed::{Class, Failed},
    kind,
    limits::PATH_BYTES_MAX,
    names, nearest,
    resolve::{DeadEnd, Last, resolve},
};

/// The directories below which a call may reach files.
#[derive(Debug)]
pub(crate) struct Roots {
    /// As given and without links; both absolute.
    roots: Vec<(PathBuf, PathBuf)>,
    cwd: PathBuf,
}

/// Where an argument leads, inside a root.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Absolute, links resolved.
    pub(crate) absolute: PathBuf,
    /// The argument, control characters escaped, for messages.
    pub(crate) shown: String,
    /// Relative to `root`.
    pub(crate) relative: PathBuf,
    /// The other names by which links led there, each with its place in the root that holds it:
    /// rules may name any of them.
    pub(crate) names: Vec<(PathBuf, Option<PathBuf>)>,
    root: PathBuf,
    missing: usize,
}

impl Roots {
    /// These roots; those that do not exist, or lie beneath another, are left out. A path argument
    /// that is not absolute starts at `cwd`.
    pub(crate) fn new<'a>(roots: impl IntoIterator<Item = &'a PathBuf>, cwd: &Path) -> Self {
        let given: Vec<&PathBuf> = roots.into_iter().collect();
        let outermost = given.iter().filter(|root| {
            root.is_absolute()
                && !given.iter().any(|other| *other != **root && root.starts_with(other))
        });
        let roots = outermost
            .filter_map(|root| Some(((**root).clone(), std::fs::canonicalize(root).ok()?)))
            .collect();
        let cwd =
            if cwd.is_absolute() { Some(cwd) } else { given.first().map(|root| root.as_path()) };
        Self { roots, cwd: cwd.unwrap_or(Path::new("/")).to_path_buf() }
    }

    /// Says where a path argument leads. Nothing need exist there.
    ///
    /// # Errors
    /// `invalid_path` (also for an artifact), `outside_roots`, `special_file`, `not_found` for a way
    /// through what is no directory.
    pub(crate) fn locate(&self, argument: &str) -> Result<Place, Failed> {
        self.led(argument, Last::Followed)
    }

    /// The same, but a path that ends with a link means the link, not what it leads to.
    ///
    /// # Errors
    /// Those of [`Roots::locate`]; `invalid_path` for a root, or what holds one.
    pub(crate) fn locate_itself(&self, argument: &str) -> Result<Place, Failed> {
        let place = self.led(argument, Last::Itself)?;
        if self.roots.iter().any(|(_, real)| real.starts_with(&place.absolute)) {
            let message = format!(
                "{} is a root of this session; it stays where it is. Name something in it",
                place.shown
            );
            return Err(Failed::new(Class::InvalidPath, message));
        }
        Ok(place)
    }

    fn led(&self, argument: &str, last: Last) -> Result<Place, Failed> {
        let shown = shown(argument);
        if ArtifactId::of_path(argument)?.is_some() {
            let message = format!("{shown} is an artifact, which can be read only");
            return Err(Failed::new(Class::InvalidPath, message));
        }
        if argument.is_empty() || argument.contains('\0') || argument.len() > PATH_BYTES_MAX {
            let message =
                format!("path must name a file, in 1 to {PATH_BYTES_MAX} bytes without NUL");
            return Err(Failed::new(Class::InvalidPath, message));
        }
        let wanted = self.cwd.join(argument);
        let start = self.roots.iter().find_map(|(given, real)| {
            let rest = wanted.strip_prefix(given).or_else(|_| wanted.strip_prefix(real)).ok()?;
            Some((real.as_path(), rest))
        });
        let (start, rest) = start.unwrap_or((Path::new("/"), &wanted));
        let resolved = resolve(start, rest, last).map_err(|end| self.dead_end(end, &shown))?;
        let root = self.roots.iter().find(|(_, real)| resolved.path.starts_with(real));
        let Some((_, root)) = root else { return Err(self.outside(&shown)) };
        if resolved.missing > 0 && argument.ends_with('/') {
            let message = format!("{shown} names a directory that does not exist; name a file");
            return Err(Failed::new(Class::NotFound, message));
        }
        let relative = resolved.path.strip_prefix(root).unwrap_or(Path::new("")).to_path_buf();
        let with_relative = |name: PathBuf| {
            let relative = self.relative(&name);
            (name, relative)
        };
        let names = resolved.names.into_iter().map(with_relative);
        let (root, missing, names) = (root.clone(), resolved.missing, names.collect());
        Ok(Place { absolute: resolved.path, shown, relative, names, root, missing })
    }

    /// Whether an absolute path without links lies beneath a root, by its letters.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        self.relative(path).is_some()
    }

    fn relative(&self, path: &Path) -> Option<PathBuf> {
        let within = self.roots.iter().find_map(|(_, real)| path.strip_prefix(real).ok());
        within.map(Path::to_path_buf)
    }

    /// A path as an argument of this session is best given: from the working directory if it lies
    /// there, else absolute.
    pub(crate) fn argument(&self, absolute: &Path) -> PathBuf {
        let cwd = std::fs::canonicalize(&self.cwd);
        let within = cwd.ok().and_then(|cwd| Some(absolute.strip_prefix(cwd).ok()?.to_path_buf()));
        within.unwrap_or_else(|| absolute.to_path_buf())
    }

    fn outside(&self, shown: &str) -> Failed {
        let names = self.roots.iter().map(|(given, _)| given.display().to_string());
        let roots = names.collect::<Vec<_>>().join(", ");
        let message = if roots.is_empty() {
            format!("{shown} cannot be reached: this call has no root for it")
        } else {
            format!("{shown} leads outside the roots of this session ({roots}); name a file in one")
        };
        Failed::new(Class::OutsideRoots, message)
    }

    /// What stands in the way is told only inside the roots.
    fn dead_end(&self, end: DeadEnd, shown: &str) -> Failed {
        let inside = |path: &Path| self.roots.iter().any(|(_, real)| path.starts_with(real));
        match end {
            DeadEnd::Links => {
                Failed::new(Class::InvalidPath, format!("{shown} is a loop of symbolic links"))
            }
            DeadEnd::Kernel => kind::special(shown, "in a kernel file system"),
            DeadEnd::NoDirectory(path) if inside(&path) => Failed::new(
                Class::NotFound,
                format!("{shown} does not exist: a part of it before the end is not a directory"),
            ),
            DeadEnd::Io(path, error) if inside(&path) => Failed::io("reach", shown, &error),
            DeadEnd::NoDirectory(_) | DeadEnd::Io(..) => self.outside(shown),
        }
    }
}

impl Place {
    /// Whether something was there when it was located.
    pub(crate) fn exists(&self) -> bool {
        self.missing == 0
    }

    /// Opens the regular file for reading.
    ///
    /// # Errors
    /// `not_found` with the nearest names, `is_directory` with what it holds, `special_file`, or the
    /// operating system's error.
    pub(crate) fn open(&self) -> Result<(File, std::fs::Metadata), Failed> {
        if !self.exists() {
            return Err(nearest::not_found(self));
        }
        self.open_now()
    }

    /// The same, for a file that may have come to exist since it was located.
    ///
    /// # Errors
    /// Those of [`Place::open`].
    pub(crate) fn open_now(&self) -> Result<(File, std::fs::Metadata), Failed> {
        // First a look without an open that could wait or wind a tape, then the open.
        let look = File::from(self.beneath(&self.relative, OFlag::O_PATH)?);
        if look.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(nearest::directory(self));
        }
        kind::regular(&look, &self.shown)?;
        let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
        let file = File::from(self.beneath(&self.relative, flags)?);
        let metadata = kind::regular(&file, &self.shown)?;
        Ok((file, metadata))
    }

    /// Opens the directory at the place.
    ///
    /// # Errors
    /// `not_found` with the nearest names, `not_a_directory`, or the operating system's error.
    pub(crate) fn directory(&self) -> Result<OwnedFd, Failed> {
        if !self.exists() {
            return Err(nearest::not_found(self));
        }
        if !self.is_directory()? {
            let message = format!("{} is not a directory; to see a file use read", self.shown);
            return Err(Failed::new(Class::NotADirectory, message));
        }
        self.beside(&self.relative)
    }

    /// Whether a directory is there; nothing is opened that could wait.
    ///
    /// # Errors
    /// The operating system's error.
    pub(crate) fn is_directory(&self) -> Result<bool, Failed> {
        if !self.exists() {
            return Ok(false);
        }
        let look = File::from(self.beneath(&self.relative, OFlag::O_PATH)?);
        Ok(look.metadata().is_ok_and(|metadata| metadata.is_dir()))
    }

    /// Opens a directory of the same root.
    ///
    /// # Errors
    /// The operating system's error.
    pub(crate) fn beside(&self, relative: &Path) -> Result<OwnedFd, Failed> {
        self.beneath(relative, OFlag::O_RDONLY | OFlag::O_DIRECTORY)
    }

    /// The root that holds the place: absolute, without links.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Opens the directory that holds, or will hold, the file; makes it and its parents if `create`.
    ///
    /// # Errors
    /// `invalid_path` for a root itself, or the operating system's error.
    pub(crate) fn parent(&self, create: bool) -> Result<OwnedFd, Failed> {
        let Some(parent) = self.relative.parent() else {
            return Err(Failed::new(Class::IsDirectory, format!("{} is a root", self.shown)));
        };
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
        if self.missing <= 1 || !create {
            return self.beneath(parent, flags);
        }
        let depth = parent.components().count() + 1 - self.missing;
        let existing: PathBuf = parent.components().take(depth).collect();
        let mut directory = self.beneath(&existing, flags)?;
        for name in parent.components().skip(depth) {
            let name = Path::new(name.as_os_str());
            match mkdirat(&directory, name, Mode::from_bits_truncate(0o777)) {
                Ok(()) | Err(Errno::EEXIST) => {}
                Err(error) => return Err(Failed::io("create", &self.shown, &error.into())),
            }
            directory = open_in(&directory, name, flags)
                .map_err(|error| Failed::io("create", &self.shown, &error))?;
        }
        Ok(directory)
    }

    /// The file's name in its directory.
    pub(crate) fn name(&self) -> &Path {
        self.relative.file_name().map_or(Path::new("."), Path::new)
    }

    /// The deepest directory on the way that exists, and the first name that does not.
    pub(crate) fn first_missing(&self) -> (PathBuf, String) {
        let depth = self.relative.components().count().saturating_sub(self.missing);
        let existing = self.relative.components().take(depth).collect();
        let name = self.relative.components().nth(depth);
        let name = name.map(|part| part.as_os_str().to_string_lossy().into_owned());
        (existing, name.unwrap_or_default())
    }

    /// The names in a directory beneath the root, at most `max` of them.
    pub(crate) fn names(&self, directory: &Path, max: usize) -> Vec<String> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
        let Ok(directory) = self.beneath(directory, flags) else { return Vec::new() };
        let Ok(mut directory) = nix::dir::Dir::from_fd(directory) else { return Vec::new() };
        let entries = directory.iter().flatten().map(|entry| {
            let slash = if entry.file_type() == Some(nix::dir::Type::Directory) { "/" } else { "" };
            format!("{}{slash}", entry.file_name().to_string_lossy())
        });
        entries.filter(|name| name != "./" && name != "../").take(max).collect()
    }

    fn beneath(&self, relative: &Path, flags: OFlag) -> Result<OwnedFd, Failed> {
        // The root has no links on its way either: it was resolved when the call began.
        let from_top = self.root.strip_prefix("/").unwrap_or(&self.root);
        let opened =
            open("/", OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty())
                .map_err(io::Error::from)
                .and_then(|top| open_in(&top, from_top, OFlag::O_PATH | OFlag::O_DIRECTORY))
                .and_then(|root| open_in(&root, relative, flags));
        opened.map_err(|error| match error.raw_os_error().map(Errno::from_raw) {
            // A link appeared on the way since it was resolved.
            Some(Errno::ELOOP | Errno::EXDEV) => Failed::new(
                Class::OutsideRoots,
                format!("{} was moved or linked elsewhere while it was opened", self.shown),
            ),
            Some(Errno::ENXIO) => kind::special(&self.shown, "a socket or a FIFO"),
            _ => Failed::io("open", &self.shown, &error),
        })
    }
}

/// Opens a path beneath a directory without following any link.
pub(crate) fn open_in(directory: &OwnedFd, path: &Path, flags: OFlag) -> io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let resolve = ResolveFlag::RESOLVE_BENEATH
        | ResolveFlag::RESOLVE_NO_SYMLINKS
        | ResolveFlag::RESOLVE_NO_MAGICLINKS;
    let how = OpenHow::new().flags(flags | OFlag::O_CLOEXEC).resolve(resolve);
    openat2(directory, path, how).map_err(io::Error::from)
}

/// An argument as a message shows it: one line, control and invisible characters escaped, at most
/// 200 characters.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars().take(200) {
        if names::is_plain(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_default());
        }
    }
    if text.chars().nth(200).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
