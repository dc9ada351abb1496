//! Strips a malformed `grpc-status-details-bin` from answers: tonic's client panics on one, in headers
//! and in trailers (grpc-rust#2618), and a server must not be able to do that.

use base64::Engine;
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use tonic::body::Body;

const DETAILS: &str = "grpc-status-details-bin";

/// An answer whose status details, if any, can be read.
pub(super) fn response(response: Response<Body>) -> Response<Body> {
    let (mut head, body) = response.into_parts();
    strip(&mut head.headers);
    let body = body.map_frame(|mut frame| {
        if let Some(trailers) = frame.trailers_mut() {
            strip(trailers);
        }
        frame
    });
    Response::from_parts(head, Body::new(body))
}

fn strip(headers: &mut HeaderMap) {
    let engine = base64::engine::general_purpose::GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        base64::engine::GeneralPurposeConfig::new()
            .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent),
    );
    let bad = headers.get_all(DETAILS).iter().any(|value| engine.decode(value.as_bytes()).is_err());
    if bad {
        headers.remove(DETAILS);
    }
}

#[cfg(test)]
mod tests;
