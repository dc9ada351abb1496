//! Every number of the file server: its unit, its reason, and what happens at it.
//!
//! Not here: the kernel's bounds on a whole result (the SDK enforces them).

/// Lines that one `read` shows at most; a notice names the next offset.
pub(crate) const READ_LINES_MAX: u64 = 2_000;

/// Bytes of text that one `read` shows at most, notices apart; whole lines, unless one line is
/// longer than this.
pub(crate) const READ_BYTES_MAX: usize = 50 * 1024;

/// Bytes of a file that is held in memory whole: what `write` and `edit` replace, and what a `read`
/// hashes so that a later write can tell a change. A larger file is read by windows only.
pub(crate) const WHOLE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Bytes of a file in another encoding than UTF-8 that `edit` takes: it needs an offset for each
/// byte of the decoded text.
pub(crate) const DECODED_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Bytes of an image that fits a result (the SDK's bound).
pub(crate) const IMAGE_BYTES_MAX: u64 = 192 * 1024;

/// Bytes read from a file at once.
pub(crate) const BLOCK_BYTES: usize = 64 * 1024;

/// Bytes at the start of a file that tell its kind: as many as `git` looks at.
pub(crate) const HEAD_BYTES: usize = 8 * 1024;

/// Bytes that are not ASCII-only, in blocks, from which an encoding is guessed; more makes the guess
/// slower, hardly better.
pub(crate) const GUESS_BYTES_MAX: usize = 256 * 1024;

/// Bytes between two marks of a line index: a deep window starts at most this far before its line.
pub(crate) const INDEX_STEP_BYTES: u64 = 4 * 1024 * 1024;

/// Marks of one line index; a larger file has its later part scanned.
pub(crate) const INDEX_MARKS_MAX: usize = 65_536;

/// Files with a line index; the one unused for longest makes room.
pub(crate) const INDEX_FILES_MAX: usize = 16;

/// Edits of one call.
pub(crate) const EDITS_MAX: usize = 256;

/// Places of one edit with `all`.
pub(crate) const PLACES_MAX: usize = 100_000;

/// Line numbers that a message lists; the rest is counted.
pub(crate) const LINES_TOLD_MAX: usize = 12;

/// Bytes of text in which a near miss is looked for; a larger file gets the plain answer.
pub(crate) const NEAR_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Near misses of one `old` that are looked for; that there are several is what counts.
pub(crate) const NEAR_PLACES_MAX: usize = 100;

/// Pairs of bytes of a line by which its likeness to another is judged.
pub(crate) const LIKENESS_PAIRS_MAX: usize = 400;

/// Bytes of a file's text that a message about a near miss quotes.
pub(crate) const QUOTE_BYTES_MAX: usize = 1_500;

/// Faults of one `edit` that its message tells; the rest is counted.
pub(crate) const FAULTS_TOLD_MAX: usize = 12;

/// Bytes of a message about a call that cannot work (the SDK's bound).
pub(crate) const INVALID_BYTES_MAX: usize = 4 * 1024;

/// Bytes of a diff in an approval card (the SDK's bound is 64 KiB, a card's header needs some).
pub(crate) const PREVIEW_BYTES_MAX: usize = 60 * 1024;

/// Bytes of a diff in the result that the model reads; it wrote the edit itself.
pub(crate) const DIFF_BYTES_MAX: usize = 8 * 1024;

/// Bytes of a diff in metadata, as JSON text (the whole object has 64 KiB).
pub(crate) const DIFF_JSON_BYTES_MAX: usize = 48 * 1024;

/// Milliseconds for the lines of a diff; after it, what is left is shown as replaced.
pub(crate) const DIFF_MS_MAX: u64 = 300;

/// Unchanged lines around a change in a diff.
pub(crate) const DIFF_CONTEXT_LINES: usize = 3;

/// Symbolic links on the way to one file, as many as Linux follows.
pub(crate) const LINKS_MAX: usize = 40;

/// Names of a directory that are looked at for a message or for strays.
pub(crate) const NAMES_MAX: usize = 10_000;

/// Names that a message proposes for one that does not exist.
pub(crate) const NEAREST_MAX: usize = 3;

/// Names that a message shows of a directory.
pub(crate) const NAMES_TOLD_MAX: usize = 20;

/// Bytes of a path in an argument: `PATH_MAX` of Linux.
pub(crate) const PATH_BYTES_MAX: usize = 4_096;

/// Tries for a temporary name before the write is given up.
pub(crate) const TEMPORARY_TRIES_MAX: u32 = 8;

/// Directories remembered as free of strays; past it the memory starts anew.
pub(crate) const SWEPT_MAX: usize = 1_024;

/// Calls whose preview is remembered until they run; the oldest makes room.
pub(crate) const PREVIEWS_MAX: usize = 256;
