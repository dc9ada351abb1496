//! Puts a `grpc-status-details-bin` that cannot be read into answers: tonic's client panics on one
//! (grpc-rust#2618), in headers and in trailers.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task,
};

use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::BodyExt as _;
use tonic::body::Body;
use tower::Service;

/// Not base64.
const UNREADABLE: HeaderValue = HeaderValue::from_static("%%%not-base64%%%");

/// Which answers are poisoned. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poison {
    /// The headers of all answers from now on.
    pub(crate) headers: Arc<AtomicBool>,
    /// The trailers of all answers from now on.
    pub(crate) trailers: Arc<AtomicBool>,
}

/// The layer.
#[derive(Clone, Debug)]
pub(crate) struct Poisoned<S> {
    pub(crate) inner: S,
    pub(crate) poison: Poison,
}

impl<S> Service<Request<Body>> for Poisoned<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut task::Context<'_>) -> task::Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.inner.call(request);
        let poison = self.poison.clone();
        Box::pin(async move {
            let (mut head, body) = answer.await?.into_parts();
            if poison.headers.load(Ordering::Relaxed) {
                spoil(&mut head.headers);
            }
            let body = body.map_frame(move |mut frame| {
                if let Some(trailers) = frame.trailers_mut()
                    && poison.trailers.load(Ordering::Relaxed)
                {
                    spoil(trailers);
                }
                frame
            });
            Ok(Response::from_parts(head, Body::new(body)))
        })
    }
}

fn spoil(headers: &mut HeaderMap) {
    headers.insert("grpc-status", HeaderValue::from_static("13"));
    headers.insert("grpc-status-details-bin", UNREADABLE);
}
