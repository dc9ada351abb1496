//! What the trash notes of a thing.

use std::{
    fs::File,
    io::{Read, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use nix::{
    dir::Dir,
    errno::Errno,
    fcntl::{OFlag, openat},
    sys::stat::Mode,
};
use serde_json::{Value, json};

use super::ITEM;
use crate::{
    itself::Itself,
    limits::{TRASH_ITEMS_MAX, TRASH_NOTE_BYTES_MAX},
    names,
    roots::open_in,
};

const NOTE: &str = "note.json";

/// What a thing is, and where it was.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Note {
    /// By which it is put back; empty until it is in the trash.
    pub(crate) id: String,
    /// Where it was: absolute, links resolved.
    pub(crate) path: PathBuf,
    /// "file", "directory", "link".
    pub(crate) kind: String,
    /// It, and all below it.
    pub(crate) entries: u64,
    /// Bytes of content.
    pub(crate) bytes: u64,
    /// Milliseconds since 1970.
    pub(crate) deleted: u64,
}

impl Note {
    /// Its path on one line.
    pub(super) fn shown(&self) -> String {
        names::told_path(&self.path)
    }

    /// Writes it into the folder of its thing.
    pub(super) fn write(&self, folder: &OwnedFd) -> nix::Result<()> {
        let text = json!({
            "path": self.path.to_str().ok_or(Errno::EILSEQ)?,
            "kind": self.kind,
            "entries": self.entries,
            "bytes": self.bytes,
            "deleted_unix_ms": self.deleted,
        })
        .to_string();
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
        let mut file = File::from(openat(folder, NOTE, flags, Mode::from_bits_truncate(0o600))?);
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| error.raw_os_error().map_or(Errno::EIO, Errno::from_raw))
    }

    /// Reads the note in a folder; `None` if there is none that can be read, or no thing with it.
    fn read(trash: &OwnedFd, id: &str) -> Option<Self> {
        let folder = open_in(trash, Path::new(id), OFlag::O_RDONLY | OFlag::O_DIRECTORY).ok()?;
        Itself::look(&folder, Path::new(ITEM)).ok()?;
        let file = File::from(open_in(&folder, Path::new(NOTE), OFlag::O_RDONLY).ok()?);
        let mut bytes = Vec::new();
        file.take(TRASH_NOTE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        let note: Value = serde_json::from_slice(&bytes).ok()?;
        let number = |key: &str| note.get(key).and_then(Value::as_u64);
        let text = |key: &str| note.get(key).and_then(Value::as_str);
        Some(Self {
            id: id.to_owned(),
            path: PathBuf::from(text("path")?),
            kind: text("kind")?.to_owned(),
            entries: number("entries")?,
            bytes: number("bytes")?,
            deleted: number("deleted_unix_ms")?,
        })
    }
}

/// The notes of all things, the newest first. What a killed process left without a thing is none.
pub(super) fn all(trash: &OwnedFd) -> nix::Result<Vec<Note>> {
    let copy = trash.try_clone().map_err(|_| Errno::EMFILE)?;
    let mut ids = Vec::new();
    for entry in Dir::from_fd(copy)?.iter() {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if is_id(&name) {
            ids.push(name);
        }
    }
    // Times of one length sort as they follow one another.
    ids.sort_by(|a, b| (b.len(), b).cmp(&(a.len(), a)));
    Ok(ids.iter().filter_map(|id| Note::read(trash, id)).take(2 * TRASH_ITEMS_MAX).collect())
}

/// The name of a thing that is deleted at a time, in milliseconds: its digits, of 36.
pub(super) fn id(mut time: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(u32::try_from(time % 36).unwrap_or(0), 36));
        time /= 36;
        if time == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}

/// Whether a text could be such a name.
pub(crate) fn is_id(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    (6..=13).contains(&text.len()) && text.bytes().all(digit)
}
