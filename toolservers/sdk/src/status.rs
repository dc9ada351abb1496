//! The gRPC statuses of a server: of the stream or the contract, never of a tool.

use std::collections::HashMap;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::{limits::STATUS_TEXT_BYTES_MAX, wire::bounded};

/// What every `ErrorInfo` of ours says of its origin.
const DOMAIN: &str = "tollgate";

/// A status with a sentence for people and a reason to branch on, in a `google.rpc.ErrorInfo`.
pub(crate) fn status(code: Code, reason: &'static str, text: impl Into<String>) -> Status {
    let details = ErrorDetails::with_error_info(reason, DOMAIN, HashMap::new());
    Status::with_error_details(code, bounded(text.into(), STATUS_TEXT_BYTES_MAX), details)
}

#[cfg(test)]
mod tests;
