//! What the file system says of one entry, without following a link.

use std::{
    ffi::OsStr,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Statx, StatxFlags},
    io::Errno,
};

use super::limits::PLACES_SETTLED;

/// Which entry it is: no other has the same, also not one that was made where it had been.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Identity {
    pub(super) device: (u32, u32),
    pub(super) inode: u64,
    pub(super) kind: FileType,
    /// When it was made, where the file system knows: inode numbers are used again.
    made: (i64, u32),
}

/// An entry as it is now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) identity: Identity,
    pub(super) links: u32,
    pub(super) stamp: Stamp,
}

/// A content: two alike are of one entry that did not change in between, if the first is
/// [settled](Stamp::is_settled). The change time is the kernel's, and nobody can set it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Stamp {
    device: (u32, u32),
    inode: u64,
    bytes: u64,
    changed: (i64, u32),
    written: (i64, u32),
}

impl Entry {
    /// Of a path, whose last name may be a link.
    ///
    /// # Errors
    /// There is nothing, or it cannot be told.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        Self::at(CWD, path.as_os_str())
    }

    /// Of an open file or folder.
    ///
    /// # Errors
    /// It cannot be told.
    pub(super) fn of_open(file: impl AsFd) -> io::Result<Self> {
        let found = rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, wanted())?;
        Ok(Self::from(&found))
    }

    /// Of a name in an open folder.
    ///
    /// # Errors
    /// As [`Entry::of`].
    pub(super) fn at(folder: impl AsFd, name: &OsStr) -> io::Result<Self> {
        let found =
            rustix::fs::statx(folder, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW, wanted())?;
        Ok(Self::from(&found))
    }

    pub(super) fn is_folder(&self) -> bool {
        self.identity.kind == FileType::Directory
    }

    pub(super) fn is_file(&self) -> bool {
        self.identity.kind == FileType::RegularFile
    }

    pub(super) fn is_link(&self) -> bool {
        self.identity.kind == FileType::Symlink
    }
}

fn wanted() -> StatxFlags {
    StatxFlags::BASIC_STATS | StatxFlags::BTIME
}

impl From<&Statx> for Entry {
    fn from(found: &Statx) -> Self {
        let device = (found.stx_dev_major, found.stx_dev_minor);
        let made = if StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME) {
            (found.stx_btime.tv_sec, found.stx_btime.tv_nsec)
        } else {
            (0, 0)
        };
        let kind = FileType::from_raw_mode(u32::from(found.stx_mode));
        Self {
            identity: Identity { device, inode: found.stx_ino, kind, made },
            links: found.stx_nlink,
            stamp: Stamp {
                device,
                inode: found.stx_ino,
                bytes: found.stx_size,
                changed: (found.stx_ctime.tv_sec, found.stx_ctime.tv_nsec),
                written: (found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec),
            },
        }
    }
}

impl Stamp {
    pub(super) fn device(&self) -> (u32, u32) {
        self.device
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether any later change shows: the kernel's clock for files is coarse, and what changes twice within
    /// one of its ticks has the same time twice.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        let (Ok(now), Ok(seconds)) =
            (now.duration_since(UNIX_EPOCH), u64::try_from(self.changed.0))
        else {
            return false;
        };
        now > Duration::new(seconds, self.changed.1) + PLACES_SETTLED
    }
}

/// Opens an existing folder at an absolute path without links, to read it; a link anywhere on the way is an
/// error.
///
/// # Errors
/// That, or it is no folder, or may not be read.
pub(super) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW)
}

/// The same to act in it by names, which needs no right to read it.
///
/// # Errors
/// As [`open_folder`].
pub(super) fn hold_folder(path: &Path) -> io::Result<OwnedFd> {
    open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW)
}

/// Opens an existing file at an absolute path without links; never waits.
///
/// # Errors
/// As [`open_folder`].
pub(super) fn open_file(path: &Path) -> io::Result<OwnedFd> {
    open(path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY)
}

fn open(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve) {
        // A kernel before 5.6, or a container that does not let it through.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(path, flags),
        opened => Ok(opened?),
    }
}

/// What `openat2` does, one name at a time.
fn step_by_step(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open("/", way, Mode::empty())?;
    for name in path.parent().into_iter().flatten().skip(1) {
        folder = rustix::fs::openat(&folder, name, way, Mode::empty())?;
    }
    let name = path.file_name().unwrap_or(OsStr::new("."));
    Ok(rustix::fs::openat(&folder, name, flags, Mode::empty())?)
}

/// Whether nothing is there, as opposed to something that cannot be told.
pub(super) fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A path with all links followed, if there is something.
pub(super) fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// The kind that a folder's listing tells, or the entry itself.
pub(super) fn kind_of(folder: impl AsFd, name: &OsStr, listed: FileType) -> FileType {
    if listed != FileType::Unknown {
        return listed;
    }
    Entry::at(folder, name).map_or(FileType::Unknown, |entry| entry.identity.kind)
}
