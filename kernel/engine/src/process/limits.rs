//! Every number of the process module: its unit, its source, and what happens at the limit.

use std::time::Duration;

/// Spawns that wait for the spawner thread. A spawn takes about 1 ms; more callers wait in `spawn`.
pub(super) const SPAWN_QUEUE_MAX: usize = 16;

/// Longest time that the reaper spends on ending orphans before it looks at other exits. What is then
/// left is stuck inside the operating system and is tried again at the next exit.
pub(super) const SWEEP_MAX: Duration = Duration::from_secs(2);

/// How much of a server's output is kept for the message that says why it ended, in bytes
/// ([PROTO-10]). Older output is forgotten.
pub(super) const LOG_TAIL_BYTES_MAX: usize = 64 * 1024;

/// Longest line of a server's output, in bytes; the rest of a longer line is dropped.
pub(super) const LOG_LINE_BYTES_MAX: usize = 64 * 1024;

/// How much is read from one stream of a server at once, in bytes: the size of a pipe.
pub(super) const LOG_READ_BYTES: usize = 64 * 1024;

/// Size of a log file, in bytes, at which it becomes the old one (`.1`) and a new one is begun. A
/// server thus keeps at most twice as much on disk.
pub(super) const LOG_FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How long the last output of a server that has ended is waited for. Everything that could still
/// write is dead by then, so the wait ends at end-of-file.
pub(super) const LAST_WORDS_MAX: Duration = Duration::from_millis(500);

/// Longest path of a Unix socket, in bytes. Linux takes 107, other systems 103; longer ones fail only
/// when the server starts, with a message that helps nobody (hashicorp/terraform#22198).
pub(super) const SOCKET_PATH_BYTES_MAX: usize = 100;

/// Age at which a runtime directory that was never finished is taken for abandoned.
pub(super) const UNFINISHED_AGE_MAX: Duration = Duration::from_secs(60);

/// Names tried for a runtime directory; each has 32 random bits.
pub(super) const RUNTIME_DIR_TRIES: u32 = 4;

/// Largest record of a server in a runtime directory, in bytes; a longer file is not one of ours.
pub(super) const RECORD_BYTES_MAX: u64 = 4096;

/// How long the end of a program that was told to end is waited for. Its warden kills what is below it
/// in a few milliseconds; what takes longer is left to the reaper.
pub(super) const ENDED_WITHIN: Duration = Duration::from_millis(150);
