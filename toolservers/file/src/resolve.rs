//! Where a path leads: every symbolic link on its way followed, in text.
//!
//! The answer is advice: between it and the open, anybody may rename. The open ([`crate::roots`])
//! follows no link at all, so a race can make a call fail but not leave a root.

use std::{
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
};

use crate::limits::LINKS_MAX;

/// Where the kernel's own files and magic links are; a root may still lie there (`/dev/shm/x`).
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Where a path leads.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Absolute, without `.`, `..` or links.
    pub(crate) path: PathBuf,
    /// How many of its last components do not exist.
    pub(crate) missing: usize,
    /// By what names it was come by, as far as they differ from `path`: the one asked for, and after
    /// each link the one that it leads to. At most [`LINKS_MAX`] and one; none has `..`.
    pub(crate) names: Vec<PathBuf>,
}

/// What is meant by a path that ends with a link.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Last {
    /// What the link leads to.
    Followed,
    /// The link itself, for what takes it away or puts it elsewhere.
    Itself,
}

/// Why a path leads nowhere.
#[derive(Debug)]
pub(crate) enum DeadEnd {
    /// `..` after a directory that does not exist, or a component below a file.
    NoDirectory(PathBuf),
    /// More than [`LINKS_MAX`] links.
    Links,
    /// It goes through `/proc`, `/sys` or `/dev`, whose links and files are the kernel's.
    Kernel,
    /// The operating system said no at this component.
    Io(PathBuf, io::Error),
}

/// Follows `rest` from `start`, an absolute directory without links on its way.
///
/// # Errors
/// See [`DeadEnd`].
pub(crate) fn resolve(start: &Path, rest: &Path, last: Last) -> Result<Resolved, DeadEnd> {
    let mut done = start.to_path_buf();
    let mut todo: Vec<OsString> = Vec::new();
    push(&mut todo, rest);
    let mut names = vec![by_letters(&done, &todo)];
    let mut links = 0;
    while let Some(part) = todo.pop() {
        if part == ".." {
            done.pop();
            continue;
        }
        let next = done.join(&part);
        if KERNEL.iter().any(|kernel| next.starts_with(kernel) && !start.starts_with(kernel)) {
            return Err(DeadEnd::Kernel);
        }
        match fs::symlink_metadata(&next) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return missing(next, todo, names);
            }
            Err(error) => return Err(DeadEnd::Io(next, error)),
            Ok(metadata)
                if metadata.is_symlink() && (last == Last::Followed || !todo.is_empty()) =>
            {
                links += 1;
                if links > LINKS_MAX {
                    return Err(DeadEnd::Links);
                }
                let target =
                    fs::read_link(&next).map_err(|error| DeadEnd::Io(next.clone(), error))?;
                if target.is_absolute() {
                    done = PathBuf::from("/");
                }
                push(&mut todo, &target);
                names.push(by_letters(&done, &todo));
            }
            Ok(metadata) if !metadata.is_dir() && !todo.is_empty() => {
                return Err(DeadEnd::NoDirectory(next));
            }
            Ok(_) => done = next,
        }
    }
    Ok(resolved(done, 0, names))
}

fn resolved(path: PathBuf, missing: usize, mut names: Vec<PathBuf>) -> Resolved {
    names.retain(|name| *name != path);
    names.dedup();
    Resolved { path, missing, names }
}

/// What is done and what is to do as one path without `..`.
fn by_letters(done: &Path, todo: &[OsString]) -> PathBuf {
    let mut path = done.to_path_buf();
    for part in todo.iter().rev() {
        if part == ".." {
            path.pop();
        } else {
            path.push(part);
        }
    }
    path
}

/// Puts a path's components on the stack, the first on top.
fn push(todo: &mut Vec<OsString>, path: &Path) {
    let parts = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_os_string()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    todo.extend(parts);
}

fn missing(first: PathBuf, todo: Vec<OsString>, names: Vec<PathBuf>) -> Result<Resolved, DeadEnd> {
    if todo.iter().any(|part| part == "..") {
        return Err(DeadEnd::NoDirectory(first));
    }
    let missing = todo.len() + 1;
    let mut path = first;
    path.extend(todo.into_iter().rev());
    Ok(resolved(path, missing, names))
}
