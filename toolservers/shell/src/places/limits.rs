//! Every number of this module: its unit, where it comes from, and what happens at the bound.

use std::time::Duration;

/// Folders of all roots that are looked through for places which a command must not read or change; the
/// uppermost come first, and a note says that there are more. Looking again costs some 2 µs a folder.
pub(crate) const PLACES_FOLDERS_MAX: usize = 20_000;

/// Entries of one folder that are looked at; a note says that there are more.
pub(crate) const PLACES_ENTRIES_MAX: usize = 100_000;

/// Folders that are remembered for one set of patterns, those of other roots among them.
pub(crate) const PLACES_REMEMBERED_MAX: usize = 2 * PLACES_FOLDERS_MAX;

/// Sets of patterns for which the folders are remembered: a call's depend on what its commands are for.
pub(crate) const PLACES_SETS_MAX: usize = 6;

/// Levels below the user's home, in what begins with a dot, at which places are looked for.
pub(crate) const PLACES_HOME_DEPTH: usize = 3;

/// Entries there that are looked at; a note says that there are more.
pub(crate) const PLACES_HOME_ENTRIES_MAX: usize = 5_000;

/// Folders outside of roots and home where patterns from the root begin; a note says that there are more.
pub(crate) const PLACES_OUTSIDE_FOLDERS_MAX: usize = 2_000;

/// Levels behind a symbolic link to a folder at which places are looked for: the longest name in the
/// kernel's tables has four parts.
pub(crate) const PLACES_LINKED_DEPTH: usize = 4;

/// Places of each kind that are covered for one command: each is two mounts. A note says that there are more.
pub(crate) const PLACES_COVERED_MAX: usize = 256;

/// Places that are found at all; a note says that there are more.
pub(crate) const PLACES_FOUND_MAX: usize = 4_096;

/// Closed places that were moved away and stay closed where they are; the oldest is forgotten first.
pub(crate) const PLACES_MOVED_MAX: usize = 256;

/// How old a folder's last change is when any further one shows: ticks of the kernel's clock for files are
/// 1 to 10 ms.
pub(crate) const PLACES_SETTLED: Duration = Duration::from_millis(20);

/// Places that a note names; the others it counts.
pub(crate) const PLACES_TOLD_MAX: usize = 3;

/// Entries of a held folder that are held one by one, since one of them is open to the call; a folder with
/// more is held whole.
pub(crate) const PLACES_SPLIT_MAX: usize = 256;

/// Bytes of a git index that is read; git's objects are closed for a larger one.
pub(crate) const GIT_INDEX_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Entries of a git index that are read; git's objects are closed for more.
pub(crate) const GIT_INDEX_ENTRIES_MAX: u32 = 1_000_000;

/// Repositories whose index is read for one command; a note says that there are more.
pub(crate) const GIT_REPOSITORIES_MAX: usize = 256;

/// Folders of objects of one repository, its own among them: alternates can name further ones.
pub(crate) const GIT_OBJECTS_MAX: usize = 16;

/// Bytes of a small file of git's own (`.git`, `commondir`, `alternates`).
pub(crate) const GIT_POINTER_BYTES_MAX: u64 = 16 * 1024;

/// Bytes that are copied to put one place aside, if it cannot be renamed; more is renamed where it is.
pub(crate) const ASIDE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Files and folders likewise.
pub(crate) const ASIDE_ENTRIES_MAX: usize = 10_000;

/// Folders inside folders likewise.
pub(crate) const ASIDE_DEPTH_MAX: usize = 64;
