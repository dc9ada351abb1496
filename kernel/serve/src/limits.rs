//! Every bound of the kernel's own front: unit, and what happens at it.

use std::time::Duration;

/// Connections at once; further ones wait to be accepted.
pub(crate) const CONNECTIONS_MAX: usize = 64;
/// Sessions that are open at once. At a further one the session that is unused for longest is closed
/// (it can be resumed); if all are in use, opening is refused.
pub(crate) const SESSIONS_MAX: usize = 64;
/// Streams of turns and watchers at once; a further one is refused.
pub(crate) const STREAMS_MAX: usize = 256;
/// Calls of clients at once; a further one is refused.
pub(crate) const CALLS_MAX: usize = 64;
/// Events that wait for the client of a turn; when full, the turn waits for the client.
pub(crate) const TURN_EVENTS_WAITING: usize = 64;
/// Events that wait for a watcher; one that is further behind is ended.
pub(crate) const WATCHED_EVENTS_WAITING: usize = 256;
/// Bytes of a user's message.
pub(crate) const PROMPT_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a call's arguments, as the contract says.
pub(crate) const ARGUMENTS_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of a search's arguments; a query is a few words.
pub(crate) const SEARCH_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a request: the largest field and room for the others.
pub(crate) const REQUEST_BYTES_MAX: usize = ARGUMENTS_BYTES_MAX + 64 * 1024;
/// Bytes of a message to the model with a no.
pub(crate) const MESSAGE_BYTES_MAX: usize = 4 * 1024;
/// Bytes of a name: of a tool, a model, a mode.
pub(crate) const NAME_BYTES_MAX: usize = 256;
/// Bytes of a path.
pub(crate) const PATH_BYTES_MAX: usize = 4096;
/// Receipts of one page …
pub(crate) const PAGE_RECEIPTS_MAX: usize = 100;
/// … and bytes of one page, as soon as there is a receipt in it. Below gRPC's usual 4 MiB a message.
pub(crate) const PAGE_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a call's arguments that a receipt is sent with; larger ones stay in the store.
pub(crate) const RECEIPT_ARGUMENTS_BYTES_MAX: u64 = 256 * 1024;
/// Bytes of a snapshot.
pub(crate) const SNAPSHOT_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of it beside the tools: the projection, and their frame.
pub(crate) const SNAPSHOT_REST_BYTES_MAX: usize = tollgate_core::limits::SNAPSHOT_BYTES_MAX + 1024;
/// Bytes of a status's sentence. Percent-encoded it triples and is repeated in the details.
pub(crate) const STATUS_TEXT_BYTES_MAX: usize = 512;
/// How long a turn or call waits for the one before it: its last records are being written.
pub(crate) const BUSY_WITHIN: Duration = Duration::from_millis(250);
/// How long it waits for one that was cancelled: the grace of a call that finishes its atomic part.
pub(crate) const CANCELLED_WITHIN: Duration = Duration::from_secs(15);
/// How long sessions may take to close when the kernel stops.
pub(crate) const DRAIN_WITHIN: Duration = Duration::from_secs(15);
/// How long connections may take to close after that; a silent peer never closes.
pub(crate) const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// Pause after a failed accept (no descriptor left, say).
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long a TLS handshake may take.
pub(crate) const HANDSHAKE_WITHIN: Duration = Duration::from_secs(5);
/// How often a client on another host is asked whether it lives, and …
pub(crate) const KEEPALIVE_EVERY: Duration = Duration::from_secs(30);
/// … how long it may take to say so. On a Unix socket a dead client's connection closes by itself.
pub(crate) const KEEPALIVE_WITHIN: Duration = Duration::from_secs(20);
/// Ancestors of a peer that are looked at; a longer line is no peer's.
pub(crate) const ANCESTORS_MAX: usize = 256;
