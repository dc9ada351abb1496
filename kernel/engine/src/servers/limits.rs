//! Bounds of the kernel's side of a server: unit, and what happens at it.

use std::time::Duration;

/// Frames waiting to be sent to one server. A full queue makes calls to that server wait.
pub(super) const OUTGOING_FRAMES: usize = 256;
/// Silence after which a server ends this kernel's session; renewed each third of it.
pub(super) const LEASE: Duration = Duration::from_secs(30);
/// Missed heartbeats after which a server counts as dead.
pub(super) const HEARTBEATS_MISSED: u32 = 3;
/// How long a server may take to say what a call would do; its own bound is 1 s.
pub(super) const PREPARE_WITHIN: Duration = Duration::from_secs(2);
/// How long `Describe` may take, all pages together.
pub(super) const DESCRIBE_WITHIN: Duration = Duration::from_secs(10);
/// Pages of a manifest.
pub(super) const DESCRIBE_PAGES_MAX: usize = 1024;
/// How long a server may take to end by itself when the kernel stops.
pub(super) const STOP_WITHIN: Duration = Duration::from_millis(1500);
/// How long the end of a process whose connection broke before it was greeted is waited for.
pub(super) const EXIT_SEEN_WITHIN: Duration = Duration::from_millis(300);
/// How long a frame may wait for room in the queue to a server. One that answers and does not read is
/// given up: its link ends.
pub(super) const SEND_WITHIN: Duration = Duration::from_secs(10);
/// How long one blob may take, either way.
pub(super) const BLOB_WITHIN: Duration = Duration::from_secs(60);
/// How long a server may take to say what became of a call.
pub(super) const EXECUTION_WITHIN: Duration = Duration::from_secs(5);
/// Bytes of a manifest, all pages together.
pub(super) const DESCRIBE_BYTES_MAX: usize = 128 * 1024 * 1024;
/// Deaths within [`DEATHS_WITHIN`] that put a server into quarantine (`[PROTO-08]`).
pub(super) const DEATHS_MAX: usize = 5;
/// See [`DEATHS_MAX`].
pub(super) const DEATHS_WITHIN: Duration = Duration::from_secs(180);
/// First wait before a restart; doubles with each death.
pub(super) const BACKOFF_MIN: Duration = Duration::from_millis(100);
/// Longest wait before a restart.
pub(super) const BACKOFF_MAX: Duration = Duration::from_secs(10);
/// First and longest wait between tries to connect to a socket that a server binds itself.
pub(super) const DIAL_EVERY_MIN: Duration = Duration::from_millis(2);
/// See [`DIAL_EVERY_MIN`].
pub(super) const DIAL_EVERY_MAX: Duration = Duration::from_millis(100);
/// How long a grant may wait to be used: a call that has not begun by then is stopped by the start
/// clock anyway. A server remembers each grant for as long.
pub(super) const GRANT_FOR: Duration = Duration::from_secs(15);
/// Characters of a dying server's last words that an error quotes.
pub(super) const LAST_WORDS_CHARS: usize = 2000;
/// Sources that a server may name, as the contract says.
pub(super) const SOURCES_MAX: usize = 1024;
/// Bytes of a file of the manifest cache: a manifest, its server's part and the lengths between. A larger
/// one is not read.
pub(super) const CACHE_BYTES_MAX: u64 = DESCRIBE_BYTES_MAX as u64 + 1024 * 1024;
/// Bytes of a file with a digest in hex digits.
pub(super) const BUILD_BYTES_MAX: u64 = 64;
/// Files of one server beside the one in use: other settings, other builds. Older ones are removed.
pub(super) const CACHE_OTHERS_MAX: usize = 3;
/// Servers whose manifests are asked for side by side when none is kept.
pub(super) const LEARNT_AT_ONCE: usize = 8;
/// Sources that one `Discover` names, as the contract says; more are asked for one after the other.
pub(super) const DISCOVER_SOURCES_MAX: usize = 64;
/// Time between two looks at a manifest that its server says has changed, however often it says so.
pub(super) const CHANGED_EVERY: Duration = Duration::from_millis(500);
/// How long a server that was started again may take to connect the sources that it had.
pub(super) const DISCOVER_AGAIN_WITHIN: Duration = Duration::from_secs(5);
/// Bytes of a source's reason for not being connected, as the contract says.
pub(super) const DETAIL_BYTES_MAX: usize = 512;
/// Calls that a server runs at once, whatever it says; further ones wait.
pub(super) const CALLS_AT_ONCE_MAX: u32 = 256;
