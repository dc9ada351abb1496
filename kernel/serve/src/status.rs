//! Errors as gRPC statuses: a sentence for people, and a reason to branch on in a
//! `google.rpc.ErrorInfo`.

use std::collections::HashMap;

use tollgate_engine::{
    error::KernelError,
    store::{StoreError, lock::LockError, session::SessionError},
};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::limits::STATUS_TEXT_BYTES_MAX;

#[cfg(test)]
mod tests;

/// What every `ErrorInfo` of ours says of its origin.
const DOMAIN: &str = "tollgate";

/// A status with a reason in capitals.
pub(crate) fn status(code: Code, reason: &'static str, text: impl Into<String>) -> Status {
    let details = ErrorDetails::with_error_info(reason, DOMAIN, HashMap::new());
    Status::with_error_details(code, bounded(text.into()), details)
}

/// A field is wrong.
pub(crate) fn invalid(text: impl Into<String>) -> Status {
    status(Code::InvalidArgument, "INVALID", text)
}

/// A bound was met.
pub(crate) fn exhausted(text: impl Into<String>) -> Status {
    status(Code::ResourceExhausted, "LIMIT", text)
}

/// The session is used by another turn or call.
pub(crate) fn busy() -> Status {
    let text = "a turn or a call runs in this session; wait for its end, or cancel it by dropping its \
                stream";
    status(Code::FailedPrecondition, "BUSY", text)
}

/// The kernel is being stopped.
pub(crate) fn stopping() -> Status {
    status(Code::Unavailable, "STOPPING", "this kernel is stopping; its sessions can be resumed")
}

/// No such session is open.
pub(crate) fn not_open(session: &str) -> Status {
    let shown: String = session.chars().take(80).flat_map(char::escape_default).collect();
    let text = format!(
        "no session '{shown}' is open here; OpenSession opens one, or resumes one by its id"
    );
    status(Code::NotFound, "NOT_OPEN", text)
}

/// Why the kernel could not do it.
pub(crate) fn of_kernel(error: &KernelError) -> Status {
    let (code, reason) = match error {
        KernelError::Store(StoreError::Session(SessionError::Unknown { .. })) => {
            (Code::NotFound, "UNKNOWN_SESSION")
        }
        KernelError::Store(StoreError::Session(SessionError::Ambiguous { .. })) => {
            (Code::InvalidArgument, "AMBIGUOUS")
        }
        KernelError::Store(StoreError::Session(SessionError::Lock(LockError::Held { .. }))) => {
            (Code::FailedPrecondition, "IN_USE")
        }
        KernelError::Store(_) => (Code::Internal, "STORE"),
        KernelError::Io { .. } => (Code::Internal, "IO"),
        KernelError::Server { .. } => (Code::Unavailable, "SERVER"),
        KernelError::NoModel(_) => (Code::FailedPrecondition, "NO_MODEL"),
        KernelError::Policy(_) => (Code::FailedPrecondition, "POLICY"),
        KernelError::Posture(_) => (Code::FailedPrecondition, "POSTURE"),
        KernelError::Model { retryable: true, .. } => (Code::Unavailable, "MODEL"),
        KernelError::Model { .. } => (Code::FailedPrecondition, "MODEL"),
    };
    status(code, reason, chain(error))
}

/// An error with all its causes as one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let said = next.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = next.source();
    }
    text
}

/// Cut at a character.
fn bounded(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(STATUS_TEXT_BYTES_MAX));
    text
}
