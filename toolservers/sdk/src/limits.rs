//! Every bound of a server: unit, and what happens at it.

use std::time::Duration;

/// Calls that a server runs at once; a further one is rejected as overloaded (the kernel queues).
pub(crate) const CALLS_MAX: u32 = 256;
/// Sessions (kernels) at once.
pub(crate) const SESSIONS_MAX: usize = 64;
/// Frames waiting to be written to a kernel. A full queue makes calls wait; the kernel always reads.
pub(crate) const OUTGOING_FRAMES: usize = 256;
/// How long a kernel may take for its first frame; a silent one must not hold a session.
pub(crate) const ATTACH_WITHIN: Duration = Duration::from_secs(5);
/// Answers of a session that wait to be thought out or written: to `Prepare`, and refusals of `Start`.
/// At a further question the session ends: that kernel asks without reading.
pub(crate) const ANSWERS_MAX: usize = 512;
/// Bytes of a call's id.
pub(crate) const CALL_ID_BYTES_MAX: usize = 64;
/// Bytes of the name of a tool that a call asks for; no tool's is longer, and a frame has its bound.
pub(crate) const CALLED_NAME_BYTES_MAX: usize = 256;
/// How long a tool may think about what a call would do.
pub(crate) const PREPARE_WITHIN: Duration = Duration::from_secs(1);
/// Ended calls that are remembered for `GetExecution` and replay, at least this long …
pub(crate) const EXECUTION_KEPT: Duration = Duration::from_secs(600);
/// … but no more than this many; the oldest go first.
pub(crate) const EXECUTIONS_MAX: usize = 1024;
/// … and no more than this many bytes of results.
pub(crate) const EXECUTIONS_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Nonces of unexpired grants. When full, calls are refused: fail closed.
/// A kernel's grants last 15 s, so this is 30,000 calls a second, and at most 30 MiB.
pub(crate) const NONCES_MAX: usize = 500_000;
/// How far in the future a grant may expire; a longer one is refused.
pub(crate) const GRANT_AHEAD: Duration = Duration::from_secs(600);
/// How long running calls may finish after the server was told to stop.
pub(crate) const DRAIN_WITHIN: Duration = Duration::from_secs(10);
/// How long connections may take to close after that; a silent peer never closes.
pub(crate) const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// How long a cancelled call may clean up when the kernel that could have said is gone.
pub(crate) const ABANDONED_GRACE: Duration = Duration::from_secs(2);
/// Least time between two `Progress` frames of a call; those between are dropped.
pub(crate) const PROGRESS_EVERY: Duration = Duration::from_millis(50);
/// Bytes of blobs that one session may keep here.
pub(crate) const SESSION_BLOB_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Digests of one `Stat`; further ones are not looked at.
pub(crate) const BLOBS_STAT_MAX: usize = 256;
/// Bytes of an image in a result; a larger one becomes a blob.
pub(crate) const IMAGE_INLINE_BYTES_MAX: usize = 192 * 1024;
/// Blocks of content in a result, and in a message that is injected.
pub(crate) const CONTENT_BLOCKS_MAX: usize = 64;
/// Injected messages of a result.
pub(crate) const MESSAGES_MAX: usize = 8;
/// Observed files of a result; further ones are left out.
pub(crate) const OBSERVATIONS_MAX: usize = 64;
/// Bytes of a result's metadata.
pub(crate) const METADATA_BYTES_MAX: usize = 64 * 1024;
/// Old names of one tool, each variant counted; a server with more does not start.
pub(crate) const HIDDEN_NAMES_MAX: usize = 16;
/// Subjects of a call; a call with more cannot be shown to a person and is invalid.
pub(crate) const SUBJECTS_MAX: usize = 256;
/// Bytes of a sentence for the model about arguments that do not fit.
pub(crate) const INVALID_BYTES_MAX: usize = 4 * 1024;
/// Bytes of a wish's justification; what is longer is cut, as a card would cut it.
pub(crate) const JUSTIFICATION_BYTES_MAX: usize = 1024;
/// Bytes of a status's text. Percent-encoded it triples and is repeated in the details, which are
/// base64: together under the wire's 3 KiB.
pub(crate) const STATUS_TEXT_BYTES_MAX: usize = 512;
/// Bytes of one page of `Describe`.
pub(crate) const PAGE_BYTES: usize = 256 * 1024;
