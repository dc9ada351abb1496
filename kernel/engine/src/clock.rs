//! The wall clock and new ids: the only place where the engine asks for either.

use std::time::{SystemTime, UNIX_EPOCH};

use tollgate_core::name::{CallId, SessionId};

/// Now, in ms since the epoch.
#[must_use]
pub fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A new call's id (UUIDv7: sorts by time).
#[must_use]
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a UUID is letters, digits and dashes"
)]
pub fn call_id() -> CallId {
    CallId::try_from(uuid::Uuid::now_v7().to_string()).expect("a UUID is a call id")
}

/// A new session's id (UUIDv7).
#[must_use]
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a UUID is letters, digits and dashes"
)]
pub fn session_id() -> SessionId {
    SessionId::try_from(uuid::Uuid::now_v7().to_string()).expect("a UUID is a session id")
}
