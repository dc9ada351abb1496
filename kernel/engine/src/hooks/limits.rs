//! Every bound of hooks: its unit, its source, and what happens at the limit.

use std::time::Duration;

/// Bytes of what a hook is told on standard input (`[GATE-40]`). What is too large in it is replaced
/// by its size and digest; a strict hook that could not see all of a call's arguments lets nothing
/// through by itself.
pub(super) const INPUT_BYTES_MAX: usize = 32 * 1024;

/// Bytes of a hook's standard output. One more is a fault of the hook, and ends it.
pub(super) const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// Bytes of a hook's standard error that are kept, from its beginning.
pub(super) const STDERR_BYTES_MAX: usize = 16 * 1024;

/// Bytes of a reason, or of standard error, in a refusal. The rest is cut.
pub(super) const REASON_BYTES_MAX: usize = 2 * 1024;

/// Bytes of what all hooks of one call or message add for the model (`[GATE-40]`). The rest is cut.
pub(super) const CONTEXT_BYTES_MAX: usize = 8 * 1024;

/// Hooks of one session that run in the background at once. One more is not started, and told so.
pub(super) const BACKGROUND_MAX: usize = 8;

/// How long hooks in the background may go on after their session was closed.
pub(super) const BACKGROUND_GRACE: Duration = Duration::from_secs(2);

/// How long an observing hook may go on after its call was cancelled.
pub(super) const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// How deep hooks may stand in hooks: one that runs `tollgate` runs that `tollgate`'s hooks, which may
/// be itself. A deeper one is not started, which is a fault of the hook.
pub(super) const DEPTH_MAX: u32 = 3;
