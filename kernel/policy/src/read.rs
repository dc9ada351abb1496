//! Takes a policy file as it is now: bounded, a regular file, UTF-8, no byte order mark.
//!
//! Invariants: a file that is there and cannot be taken is never the same as a file that is not there
//! (test `a_file_that_cannot_be_taken_is_not_absent`); no kind of file makes the reader wait.
//!
//! Not here: what the text means ([`table`] and the readers of each file), who may own a managed file
//! ([`crate::managed`]).

pub(crate) mod table;

use std::{
    fs::{File, Metadata, OpenOptions},
    io::{ErrorKind, Read as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::Path,
};

use crate::{PolicyError, limits::FILE_BYTES_MAX};

#[cfg(test)]
mod tests;

/// What was found where a file is looked for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Content {
    /// There is none.
    Absent,
    /// Its text.
    Text(String),
    /// It is there, or could be, and cannot be used: why.
    Unusable(String),
}

impl Content {
    /// The text, if there is a file.
    ///
    /// # Errors
    /// The file cannot be used.
    pub(crate) fn text(&self, path: &Path) -> Result<Option<&str>, PolicyError> {
        match self {
            Self::Absent => Ok(None),
            Self::Text(text) => Ok(Some(text)),
            Self::Unusable(why) => Err(PolicyError::of_file(path, why)),
        }
    }
}

/// Takes a file of the user's. One that anybody may write to is not the user's.
pub(crate) fn user_file(path: &Path) -> Content {
    file(path, |found| {
        if found.mode() & 0o002 == 0 {
            return Ok(());
        }
        Err("everybody may write to it, so nobody knows whose word it is; run `chmod 600` on it"
            .to_owned())
    })
}

/// Takes a file that must also pass `fits`, which sees the file that is read and no other.
pub(crate) fn file(path: &Path, fits: impl FnOnce(&Metadata) -> Result<(), String>) -> Content {
    match take(path, fits) {
        Ok(Some(bytes)) => decode(bytes).map_or_else(Content::Unusable, Content::Text),
        Ok(None) => Content::Absent,
        Err(why) => Content::Unusable(why),
    }
}

/// The bytes of a regular file, at most [`FILE_BYTES_MAX`]. `None`: there is no such name.
///
/// # Errors
/// Why they cannot be had, as a clause.
pub(crate) fn take(
    path: &Path,
    fits: impl FnOnce(&Metadata) -> Result<(), String>,
) -> Result<Option<Vec<u8>>, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match path.symlink_metadata() {
                Ok(_) => Err("is a link to a file that is not there".to_owned()),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(unreadable(error)),
    };
    let found = file.metadata().map_err(unreadable)?;
    if !found.is_file() {
        return Err("is no regular file".to_owned());
    }
    fits(&found)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(format!("is longer than {FILE_BYTES_MAX} bytes"));
    }
    Ok(Some(bytes))
}

/// Opens without waiting for the other end of a pipe, or for a device.
fn open(path: &Path) -> std::io::Result<File> {
    let flags = nix::fcntl::OFlag::O_NONBLOCK | nix::fcntl::OFlag::O_NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)
}

fn decode(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err("begins with a byte order mark; save it as UTF-8 without one".to_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("is not UTF-8 (line {line}); save it as UTF-8")
    })
}
