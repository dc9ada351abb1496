//! Every bound of this server, in one place.

use std::time::Duration;

/// Bytes of `GenerateRequest.request`, as the contract says.
pub(crate) const REQUEST_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of one encoded `GenerateRequest`: the request, its grant and its names.
pub(crate) const MESSAGE_BYTES_MAX: usize = REQUEST_BYTES_MAX + 64 * 1024;
/// Events of one answer that wait for the kernel. When full, the provider's stream is not read on.
pub(crate) const EVENTS_WAITING_MAX: usize = 32;
/// Bytes of text in one event; longer deltas are sent as several.
pub(crate) const DELTA_BYTES_MAX: usize = 64 * 1024;
/// Bytes of `Failed.message` and `Retrying.reason`, as the contract says of the first.
pub(crate) const MESSAGE_TEXT_BYTES_MAX: usize = 4 * 1024;

/// Bytes of one event of a provider's stream.
pub(crate) const SSE_EVENT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of text, reasoning and arguments in one answer.
pub(crate) const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of one call's arguments, and of what is carried back as reasoning. An event stays below
/// the 2 MiB that a stock decoder takes.
pub(crate) const ARGUMENTS_BYTES_MAX: usize = 1024 * 1024;
/// Calls in one answer.
pub(crate) const CALLS_MAX: usize = 128;
/// Bytes of a provider's error body that are read.
pub(crate) const ERROR_BODY_BYTES_MAX: usize = 64 * 1024;

/// Wait for a TCP and TLS connection.
pub(crate) const CONNECT_WAIT: Duration = Duration::from_secs(15);
/// Wait for the head of an answer. Local servers read the whole prompt before they send it.
pub(crate) const HEAD_WAIT: Duration = Duration::from_secs(300);
/// Silence on an open stream. Comments count as a sign of life.
pub(crate) const IDLE_WAIT: Duration = Duration::from_secs(90);
/// Silence after the answer's end was told, while the usage may still come.
pub(crate) const TRAILER_WAIT: Duration = Duration::from_secs(5);
/// Wait for the end of the HTTP body after `[DONE]`, so that the connection can be used again.
pub(crate) const DRAIN_WAIT: Duration = Duration::from_millis(50);
/// An unused connection is closed after this.
pub(crate) const POOL_IDLE_WAIT: Duration = Duration::from_secs(90);

/// Tries of one request, the first included.
pub(crate) const ATTEMPTS_MAX: u32 = 4;
/// Wait before the second try; it doubles from try to try.
pub(crate) const BACKOFF_FIRST: Duration = Duration::from_millis(500);
/// Longest wait that this server chooses.
pub(crate) const BACKOFF_MAX: Duration = Duration::from_secs(8);
/// Longest `Retry-After` that is waited for; a longer one ends the request with a message.
pub(crate) const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

/// Bytes of a script file.
pub(crate) const SCRIPT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes of one line of a session log: the kernel's 64 MiB for a record, and its frame.
pub(crate) const LINE_BYTES_MAX: u64 = 64 * 1024 * 1024 + 1024;
/// Longest `delay_ms` of a script, in ms.
pub(crate) const DELAY_MS_MAX: u64 = 600_000;
/// Pieces in which a scripted text is streamed.
pub(crate) const SCRIPT_PIECES: usize = 4;
/// Bytes of a text after its references were filled in.
pub(crate) const FILLED_BYTES_MAX: usize = ARGUMENTS_BYTES_MAX;

/// Configured providers.
pub(crate) const PROVIDERS_MAX: usize = 64;
