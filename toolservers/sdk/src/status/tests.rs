//! Goal: a status reaches its reader whole, whatever is said in it.

use tollgate_proto::limits::STATUS_BYTES_MAX;
use tonic::Code;
use tonic_types::StatusExt;

use super::status;

/// [PROTO-04]: longer trailers are lost on the way, and the reason with them.
#[test]
fn a_status_stays_under_its_bound_however_long_its_text() {
    for text in ["x".repeat(100_000), "ü".repeat(100_000)] {
        let long = status(Code::InvalidArgument, "FRAME_ORDER", text);
        // In the trailers the text is percent-encoded, the details are base64.
        let bytes = 3 * long.message().len() + long.details().len().div_ceil(3) * 4;
        assert!(bytes < STATUS_BYTES_MAX, "{bytes}");
    }
}

#[test]
fn a_status_carries_a_reason_to_branch_on() {
    let info =
        status(Code::Unavailable, "DRAINING", "the server is stopping").get_details_error_info();
    let info = info.unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("DRAINING", "tollgate"));
}
