//! Results that are too large for a frame, and one that is not what its digest says.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use tokio_stream::Stream;
use tollgate_proto::{
    blob::v1::{
        ReadRequest, ReadResponse, StatRequest, StatResponse, WriteRequest, WriteResponse,
        blob_service_server::BlobService,
    },
    grant::sha256,
    limits::OUTPUT_BYTES_MAX,
    tool::v1::BlobRef,
};
use tonic::{Request, Response, Status, Streaming};

/// Content by digest. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blobs(Arc<Mutex<HashMap<Bytes, Bytes>>>);

impl Blobs {
    /// Keeps content under the digest of `named`, its own or another's.
    pub(crate) fn keep(&self, data: Bytes, named: &[u8]) -> BlobRef {
        let id = Bytes::copy_from_slice(&sha256(named));
        let size = data.len() as u64;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), data);
        BlobRef { sha256: id, size, media_type: "text/plain; charset=utf-8".into() }
    }
}

#[tonic::async_trait]
impl BlobService for Blobs {
    type ReadStream = Pin<Box<dyn Stream<Item = Result<ReadResponse, Status>> + Send>>;

    async fn stat(&self, _: Request<StatRequest>) -> Result<Response<StatResponse>, Status> {
        Ok(Response::new(StatResponse::default()))
    }

    async fn read(
        &self,
        request: Request<ReadRequest>,
    ) -> Result<Response<Self::ReadStream>, Status> {
        let id = request.into_inner().sha256;
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        let mut rest = kept.ok_or_else(|| Status::not_found("no such blob"))?;
        let pieces = std::iter::from_fn(move || {
            let size = rest.len().min(OUTPUT_BYTES_MAX);
            (size > 0).then(|| Ok(ReadResponse { data: rest.split_to(size) }))
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(pieces))))
    }

    async fn write(
        &self,
        _: Request<Streaming<WriteRequest>>,
    ) -> Result<Response<WriteResponse>, Status> {
        Err(Status::unimplemented("nothing is taken here"))
    }
}
