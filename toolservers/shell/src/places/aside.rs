//! Puts a place aside: out of the workspace into a quarantine, where nothing looks for it.
//!
//! ```text
//! <quarantine>/<ms since the epoch>-<n>/content     what it was, with all below it
//!                                     /was.json    {"place": text, "what": text, "put_aside_unix_ms": int}
//! ```
//!
//! Invariants: no link is followed, not on the way and not at the end (test `links_are_put_aside_as_links`);
//! nothing is lost: what cannot be moved or copied whole stays beside, under a name that means nothing (test
//! `what_is_too_large_to_copy_stays_beside`).

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    io::Write as _,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::DirBuilderExt as _,
    },
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::{
    fs::{RenameFlags, renameat_with},
    io::Errno,
};

use super::entry::{hold_folder, real};

mod copy;
#[cfg(test)]
mod tests;

/// Numbers the places that this process put aside.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// What is put aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Put<'a> {
    /// Where it is, without links before the last name.
    pub(super) real: &'a Path,
    /// As it is told.
    pub(super) place: &'a Path,
    /// What it is, for who finds it.
    pub(super) what: &'a str,
}

/// Puts it below this folder; without one, or where it cannot be, beside. Where it is then; `None`: it has
/// gone by itself.
///
/// # Errors
/// It could not be moved at all.
pub(super) fn put(it: Put<'_>, to: Option<&Path>) -> io::Result<Option<PathBuf>> {
    let (Some(parent), Some(name)) = (it.real.parent(), it.real.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = hold_folder(parent)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis());
    let label = format!("{now}-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let quarantine = to.and_then(|to| Quarantine::make(to, &label, it, now).ok());
    let Some(quarantine) = quarantine else { return beside(&folder, parent, name, &label) };
    match renameat_with(&folder, name, &quarantine.folder, CONTENT, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(Some(quarantine.place.join(CONTENT))),
        Err(Errno::NOENT) => {
            quarantine.remove();
            Ok(None)
        }
        // Another file system, or one that knows no such rename.
        Err(_) => {
            let Some(stays) = beside(&folder, parent, name, &label)? else {
                quarantine.remove();
                return Ok(None);
            };
            let name = stays.file_name().unwrap_or_default();
            if copy::moved(folder.as_fd(), name, quarantine.folder.as_fd()).is_err() {
                quarantine.remove();
                return Ok(Some(stays));
            }
            Ok(Some(quarantine.place.join(CONTENT)))
        }
    }
}

/// Its name in the quarantine.
const CONTENT: &str = "content";

struct Quarantine {
    place: PathBuf,
    folder: OwnedFd,
}

impl Quarantine {
    fn make(to: &Path, label: &str, it: Put<'_>, now: u128) -> io::Result<Self> {
        let private = |recursive: bool| {
            let mut builder = fs::DirBuilder::new();
            builder.mode(0o700).recursive(recursive);
            builder
        };
        private(true).create(to)?;
        let place = real(to).ok_or(io::ErrorKind::NotFound)?.join(label);
        private(false).create(&place)?;
        let was = serde_json::json!({
            "place": it.place.to_string_lossy(),
            "what": it.what,
            "put_aside_unix_ms": u64::try_from(now).unwrap_or(u64::MAX),
        });
        let mut file =
            fs::OpenOptions::new().write(true).create_new(true).open(place.join("was.json"))?;
        writeln!(file, "{was}")?;
        Ok(Self { folder: hold_folder(&place)?, place })
    }

    /// Nothing came of it.
    fn remove(&self) {
        // An empty folder that stays does no harm.
        fs::remove_dir_all(&self.place).ok();
    }
}

/// Renames it in its own folder, to what no pattern says: whole names, beginnings and ends are others.
fn beside(
    folder: &OwnedFd,
    parent: &Path,
    name: &OsStr,
    label: &str,
) -> io::Result<Option<PathBuf>> {
    let mut other = OsString::from(format!("put-aside-{label}-"));
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(name);
    // A name has 255 bytes.
    let kept = bytes.get(..bytes.len().min(NAME_KEPT_BYTES)).unwrap_or_default();
    other.push::<&OsStr>(std::os::unix::ffi::OsStrExt::from_bytes(kept));
    other.push("-aside");
    match renameat_with(folder, name, folder, &other, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(Some(parent.join(other))),
        Err(Errno::NOENT) => Ok(None),
        // The file system knows no such flag; the name is ours alone.
        Err(Errno::INVAL) => {
            rustix::fs::renameat(folder, name, folder, &other)?;
            Ok(Some(parent.join(other)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Bytes of a name that stay in the new one.
const NAME_KEPT_BYTES: usize = 160;
