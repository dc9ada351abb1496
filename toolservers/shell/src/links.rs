//! Where a file name leads: every symbolic link on its way followed, also one to what is not there yet.
//!
//! The answer is advice for rules: between it and the command anybody may change a link.

use std::{
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
};

use crate::limits::LINKS_MAX;

#[cfg(test)]
mod tests;

/// The file that an absolute path leads to, and after it the other names by which links led there;
/// all without `..`. `None`: too many links, or one cannot be read.
pub(crate) fn names(path: &Path) -> Option<Vec<PathBuf>> {
    let mut done = PathBuf::from("/");
    let mut todo = Vec::new();
    push(&mut todo, path);
    let mut names = vec![by_letters(&done, &todo)];
    let mut links = 0;
    while let Some(part) = todo.pop() {
        if part == ".." {
            done.pop();
            continue;
        }
        let next = done.join(&part);
        match fs::read_link(&next) {
            Ok(target) => {
                links += 1;
                if links > LINKS_MAX {
                    return None;
                }
                if target.is_absolute() {
                    done = PathBuf::from("/");
                }
                push(&mut todo, &target);
                names.push(by_letters(&done, &todo));
            }
            // No link, or nothing at all.
            Err(error) if is_no_link(&error) => done = next,
            Err(_) => return None,
        }
    }
    names.retain(|name| *name != done);
    names.dedup();
    names.insert(0, done);
    Some(names)
}

fn is_no_link(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, NotADirectory, NotFound};
    matches!(error.kind(), InvalidInput | NotFound | NotADirectory)
}

/// Puts a path's parts on the stack, the first on top.
fn push(todo: &mut Vec<OsString>, path: &Path) {
    let parts = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_os_string()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    todo.extend(parts);
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
