//! Every bound of the store: unit, source, and what happens at it.

use std::time::Duration;

/// Mode of the state directory and of those in it (`[CLI-06]`).
pub const DIR_MODE: u32 = 0o700;
/// Mode of every file in it (`[CLI-06]`).
pub const FILE_MODE: u32 = 0o600;

/// Bytes of one record. A larger one is refused when written; a longer line is damage when read.
pub const RECORD_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of a line beside its record: length, checksum, braces, newline. Measured 57 for the largest.
pub const FRAME_BYTES_MAX: usize = 64;
/// Bytes of one line with its newline; what a reader holds at most.
pub const LINE_BYTES_MAX: usize = RECORD_BYTES_MAX + FRAME_BYTES_MAX;
/// Levels of JSON in one record. `serde_json` reads 127; a record that could not be read back is
/// refused when written.
pub const RECORD_DEPTH_MAX: usize = 120;
/// Bytes of line buffer kept between records; a larger one is given back.
pub const LINE_BUFFER_KEPT_BYTES: usize = 1024 * 1024;
/// Bytes of a log read at once.
pub const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Damaged lines listed one by one; more are counted.
pub const DAMAGE_LISTED_MAX: usize = 1000;
/// Copies of torn last lines kept beside one log; over it opening fails and says so.
pub const TORN_COPIES_MAX: u32 = 1000;

/// Bytes read back from the end of a session's log for its last prompt; beyond it: not known.
pub const PROMPT_SEARCH_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes of one step of that search. Two steps are held at once, and the line that is found.
pub const PROMPT_SEARCH_STEP_BYTES: usize = 64 * 1024;
/// Characters of a prompt in a list of sessions.
pub const PROMPT_CHARS_MAX: usize = 200;

/// Calls named when a prefix fits several.
pub const MATCHES_NAMED_MAX: usize = 3;

/// Bytes that an artifact's writer gathers before it writes.
pub const ARTIFACT_BUFFER_BYTES: usize = 64 * 1024;
/// Age at which an unfinished artifact is nobody's any more and is removed. A call lasts at most
/// minutes; only `kill -9` leaves one.
pub const PARTIAL_KEPT: Duration = Duration::from_secs(24 * 60 * 60);
