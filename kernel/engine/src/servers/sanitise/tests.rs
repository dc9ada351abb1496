//! Goal: details that tonic's client would panic on are gone, in the head and in the trailers; good
//! ones stay.

use http::{HeaderMap, HeaderValue, Response};
use http_body_util::{BodyExt, Full, StreamBody};
use tonic::body::Body;

use super::{DETAILS, response};

fn headers(value: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(DETAILS, HeaderValue::from_static(value));
    headers
}

#[track_caller]
fn head(value: &'static str, stays: bool) {
    let mut answer = Response::new(Body::new(Full::new(bytes::Bytes::new())));
    *answer.headers_mut() = headers(value);
    assert_eq!(response(answer).headers().contains_key(DETAILS), stays, "{value}");
}

#[test]
fn malformed_details_of_a_head_are_stripped() {
    head("!!not base64!!", false);
    head("a", false);
    head("CAUSA29r", true);
    head("", true);
}

#[tokio::test]
async fn malformed_details_of_trailers_are_stripped() {
    for (value, stays) in [("***", false), ("CAU", true), ("CAU=", true)] {
        let trailers = http_body::Frame::<bytes::Bytes>::trailers(headers(value));
        let frames = futures::stream::iter([Ok::<_, tonic::Status>(trailers)]);
        let body = Body::new(StreamBody::new(frames));
        let collected = response(Response::new(body)).into_body().collect().await.unwrap();
        let kept = collected.trailers().is_some_and(|all| all.contains_key(DETAILS));
        assert_eq!(kept, stays, "{value}");
    }
}
