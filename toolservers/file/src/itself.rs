//! [`Itself`]: what an entry of a directory is, a link being a link wherever it leads.
//!
//! What is moved or deleted is judged by it before, and looked at again after the rename: should
//! another one have been there by then, it is put back (tests `what_is_moved_is_what_was_shown`).

use std::{os::fd::OwnedFd, path::Path};

use nix::{
    errno::Errno,
    fcntl::AtFlags,
    sys::stat::{FileStat, SFlag, fstatat},
};
use sha2::{Digest, Sha256};

use crate::{failed::Failed, nearest, roots::Place};

/// What an entry is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sort {
    File,
    Directory,
    Link,
    /// A FIFO, socket or device.
    Special,
}

impl Sort {
    /// With its article.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Special => "a special file",
        }
    }

    /// For metadata.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Link => "link",
            Self::Special => "special",
        }
    }
}

/// One entry of a directory as it was.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Itself {
    pub(crate) sort: Sort,
    /// Device and inode.
    pub(crate) inode: (u64, u64),
    /// Bytes of its content.
    pub(crate) bytes: u64,
    /// Names that it has.
    pub(crate) links: u64,
}

impl Itself {
    /// Looks at an entry of a directory.
    ///
    /// # Errors
    /// The operating system's error.
    pub(crate) fn look(directory: &OwnedFd, name: &Path) -> nix::Result<Self> {
        fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW).map(|stat| Self::of(&stat))
    }

    /// Looks at what is at a place.
    ///
    /// # Errors
    /// `not_found` with the nearest names; the operating system's error.
    pub(crate) fn at(place: &Place) -> Result<Self, Failed> {
        if !place.exists() {
            return Err(nearest::not_found(place));
        }
        Self::look(&place.parent(false)?, place.name()).map_err(|error| {
            if error == Errno::ENOENT {
                return nearest::not_found(place);
            }
            Failed::io("look at", &place.shown, &error.into())
        })
    }

    /// Of what the operating system says.
    pub(crate) fn of(stat: &FileStat) -> Self {
        let format = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
        let sort = if format == SFlag::S_IFREG {
            Sort::File
        } else if format == SFlag::S_IFDIR {
            Sort::Directory
        } else if format == SFlag::S_IFLNK {
            Sort::Link
        } else {
            Sort::Special
        };
        let bytes = if sort == Sort::File { u64::try_from(stat.st_size).unwrap_or(0) } else { 0 };
        Self { sort, inode: (stat.st_dev, stat.st_ino), bytes, links: stat.st_nlink }
    }

    /// Whether it is a directory.
    pub(crate) fn is_directory(&self) -> bool {
        self.sort == Sort::Directory
    }

    /// A digest of which entry it is, for the memory of previews.
    pub(crate) fn digest(&self) -> [u8; 32] {
        Sha256::digest(format!("{} {:?}", self.sort.word(), self.inode)).into()
    }
}
