//! Where what is deleted is kept until it is put back, or its room is needed.
//!
//! A folder of this server's alone. Each thing is a folder in it, named by the time:
//! `ID/note.json` says what it is and where it was, `ID/item` is it. The note is there first, so that
//! no thing is without one; a note without its thing is what a killed process left, and is passed over.
//!
//! Invariant: at most [`TRASH_ITEMS_MAX`] things and [`TRASH_BYTES_MAX`] bytes; the oldest go first, and
//! whoever deletes is told before (test `the_oldest_go_first`).
//!
//! Not here: the tools (`delete`, `restore`), what may be deleted (the gate).

mod note;
#[cfg(test)]
mod tests;

use std::{
    fs::{DirBuilder, File, TryLockError},
    os::{fd::OwnedFd, unix::fs::DirBuilderExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use nix::{
    errno::Errno,
    fcntl::{OFlag, open},
    sys::stat::{Mode, mkdirat},
    unistd::fsync,
};

pub(crate) use note::{Note, is_id};

use crate::{
    failed::{Class, Failed},
    itself::Itself,
    limits::{TRASH_BYTES_MAX, TRASH_ITEMS_MAX, TRASH_LOCK_MS_MAX, TRASH_LOCK_STEP_MS},
    roots::open_in,
    transfer::{Spot, Stuck, Way, transfer},
    tree,
};

/// The thing of an entry.
const ITEM: &str = "item";

/// Where things go.
#[derive(Debug)]
pub(crate) struct Trash {
    folder: PathBuf,
    /// How much it holds: a test has less.
    bytes_max: u64,
    items_max: usize,
}

/// The trash while no other server is at it.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    trash: &'a Trash,
    directory: OwnedFd,
    _lock: File,
}

impl Trash {
    /// The trash in a private folder that lasts.
    pub(crate) fn new(state: &Path) -> Self {
        let folder = state.join("trash");
        Self { folder, bytes_max: TRASH_BYTES_MAX, items_max: TRASH_ITEMS_MAX }
    }

    /// What is in it, the newest first; nothing where it cannot be read.
    ///
    /// # Errors
    /// The operating system's error.
    pub(crate) fn notes(&self) -> Result<Vec<Note>, Failed> {
        match self.open() {
            Ok(directory) => note::all(&directory).map_err(|error| no_trash(&error)),
            Err(Errno::ENOENT) => Ok(Vec::new()),
            Err(error) => Err(no_trash(&error)),
        }
    }

    /// What would go for good to make room for so many bytes more: the oldest.
    ///
    /// # Errors
    /// `too_large` if even an empty trash had no room; the operating system's error.
    pub(crate) fn displaced(&self, bytes: u64, shown: &str) -> Result<Vec<Note>, Failed> {
        if bytes > self.bytes_max {
            let message = format!(
                "{shown} has {bytes} bytes, and the trash holds {}; nothing was deleted. If it shall go \
                 for good, use bash",
                self.bytes_max
            );
            return Err(Failed::new(Class::TooLarge, message));
        }
        let mut notes = self.notes()?;
        let mut held: u64 = notes.iter().map(|note| note.bytes).sum();
        let mut gone = Vec::new();
        while notes.len() >= self.items_max || held.saturating_add(bytes) > self.bytes_max {
            let Some(oldest) = notes.pop() else { break };
            held = held.saturating_sub(oldest.bytes);
            gone.push(oldest);
        }
        Ok(gone)
    }

    /// Waits until no other server is at it, and makes it if it is not there.
    ///
    /// # Errors
    /// `io` if another one is at it for long; the operating system's error.
    pub(crate) fn hold(&self) -> Result<Held<'_>, Failed> {
        static WAITING: Mutex<()> = Mutex::new(());
        let _alone = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|error| Failed::io("make", "the trash", &error))?;
        let directory = self.open().map_err(|error| no_trash(&error))?;
        let lock = File::from(self.open().map_err(|error| no_trash(&error))?);
        let until = Instant::now() + Duration::from_millis(TRASH_LOCK_MS_MAX);
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Held { trash: self, directory, _lock: lock }),
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    thread::sleep(Duration::from_millis(TRASH_LOCK_STEP_MS));
                }
                Err(TryLockError::WouldBlock) => {
                    let message = "another session is at the trash just now; try again";
                    return Err(Failed::new(Class::Io, message));
                }
                Err(TryLockError::Error(error)) => {
                    return Err(Failed::io("lock", "the trash", &error));
                }
            }
        }
    }

    fn open(&self) -> nix::Result<OwnedFd> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        open(&self.folder, flags, Mode::empty())
    }
}

impl Held<'_> {
    /// Takes what is at a spot, and gives its note; what must make room for it goes first, for good.
    ///
    /// # Errors
    /// Those of [`Trash::displaced`] and [`transfer`].
    pub(crate) fn take(
        &self,
        from: Spot<'_>,
        expected: &Itself,
        note: Note,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(Note, Way), Stuck> {
        for oldest in self.trash.displaced(note.bytes, from.shown)? {
            self.remove(&oldest.id)?;
        }
        let (id, inner) = self.fresh()?;
        let note = Note { id, deleted: now(), ..note };
        let spot = Spot { directory: &inner, name: Path::new(ITEM), shown: "the trash" };
        let taken = note.write(&inner).map_err(|error| no_trash(&error).into());
        let taken = taken.and_then(|()| {
            fsync(&self.directory).ok();
            transfer(from, spot, expected, stopped)
        });
        match taken {
            Ok(way) => Ok((note, way)),
            Err(stuck) => {
                if matches!(stuck, Stuck::Unmoved(_)) {
                    self.remove(&note.id).ok();
                }
                Err(stuck)
            }
        }
    }

    /// Puts a thing to a spot where nothing is.
    ///
    /// # Errors
    /// `not_found`; those of [`transfer`].
    pub(crate) fn give(
        &self,
        note: &Note,
        to: Spot<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Way, Stuck> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
        let gone = || Failed::new(Class::NotFound, "it is not in the trash any more").at("/id");
        let inner = open_in(&self.directory, Path::new(&note.id), flags).map_err(|_| gone())?;
        let from = Spot { directory: &inner, name: Path::new(ITEM), shown: &note.shown() };
        let item = Itself::look(&inner, Path::new(ITEM)).map_err(|_| gone())?;
        let way = transfer(from, to, &item, stopped)?;
        self.remove(&note.id)?;
        Ok(way)
    }

    fn remove(&self, id: &str) -> Result<(), Failed> {
        tree::remove(&self.directory, Path::new(id), "the trash")
    }

    /// A new folder for a thing, with its name.
    fn fresh(&self) -> Result<(String, OwnedFd), Failed> {
        let mut time = now();
        loop {
            let id = note::id(time);
            match mkdirat(&self.directory, id.as_str(), Mode::from_bits_truncate(0o700)) {
                Err(Errno::EEXIST) => time += 1,
                Err(error) => return Err(no_trash(&error)),
                Ok(()) => {
                    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
                    let inner = open_in(&self.directory, Path::new(&id), flags);
                    let inner = inner.map_err(|error| Failed::io("use", "the trash", &error))?;
                    return Ok((id, inner));
                }
            }
        }
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn no_trash(error: &Errno) -> Failed {
    Failed::io("use", "the trash", &(*error).into())
}
