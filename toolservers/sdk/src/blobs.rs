//! Content that is too large for a frame: results moved out of `Completed`, arguments sent before a
//! `Start`. Kept in memory, per session, until the session ends.
//!
//! Not here: which parts of a result are moved ([`crate::fit`]).

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::{Bytes, BytesMut};
use tokio_stream::{Stream, StreamExt};
use tollgate_proto::{
    blob::v1::{
        ReadRequest, ReadResponse, StatRequest, StatResponse, WriteHeader, WriteRequest,
        WriteResponse, blob_service_server::BlobService,
    },
    grant::sha256,
    limits::OUTPUT_BYTES_MAX,
    tool::v1::{BlobRef, SignedGrant},
};
use tonic::{Code, Request, Response, Status, Streaming};

use crate::{
    grants::{Asked, GrantGate, Refused},
    limits::{BLOBS_STAT_MAX, SESSION_BLOB_BYTES_MAX},
    status::status,
};

/// The blobs of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Blobs(Mutex<HashMap<String, Kept>>);

#[derive(Debug, Default)]
struct Kept {
    bytes: u64,
    blobs: HashMap<Bytes, Blob>,
    /// Of the next blob: the lowest is the oldest.
    next: u64,
}

#[derive(Debug)]
struct Blob {
    data: Bytes,
    /// How many wait for it; nobody: it goes when room is needed.
    wanted: u32,
    number: u64,
}

impl Blobs {
    pub(crate) fn get(&self, session: &str, sha256: &[u8]) -> Option<Bytes> {
        self.lock().get(session)?.blobs.get(sha256).map(|blob| blob.data.clone())
    }

    /// Gives the content to one of those that it was kept for; the last one takes it away.
    pub(crate) fn take(&self, session: &str, sha256: &[u8]) -> Option<Bytes> {
        let mut all = self.lock();
        let kept = all.get_mut(session)?;
        let blob = kept.blobs.get_mut(sha256)?;
        blob.wanted = blob.wanted.saturating_sub(1);
        let data = blob.data.clone();
        if blob.wanted == 0 {
            kept.blobs.remove(sha256);
            kept.bytes -= data.len() as u64;
        }
        Some(data)
    }

    pub(crate) fn forget_session(&self, session: &str) {
        self.lock().remove(session);
    }

    /// Keeps content for one [`Blobs::take`] more; `None` when the session's room is used up.
    pub(crate) fn put(&self, session: &str, data: Bytes, media_type: &str) -> Option<BlobRef> {
        self.keep(session, data, media_type, 1)
    }

    /// Keeps content that is read when somebody likes, until its room is needed.
    pub(crate) fn offer(&self, session: &str, data: Bytes, media_type: &str) -> Option<BlobRef> {
        self.keep(session, data, media_type, 0)
    }

    fn keep(&self, session: &str, data: Bytes, media_type: &str, wanted: u32) -> Option<BlobRef> {
        let id = Bytes::copy_from_slice(&sha256(&data));
        let size = data.len() as u64;
        let mut all = self.lock();
        let kept = all.entry(session.to_owned()).or_default();
        if let Some(blob) = kept.blobs.get_mut(&id) {
            blob.wanted += wanted;
        } else {
            kept.make_room(size)?;
            kept.next += 1;
            kept.bytes += size;
            kept.blobs.insert(id.clone(), Blob { data, wanted, number: kept.next });
        }
        Some(BlobRef { sha256: id, size, media_type: media_type.to_owned() })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Room for so many bytes: the oldest blobs that nobody waits for go.
    fn make_room(&mut self, size: u64) -> Option<()> {
        while self.bytes + size > SESSION_BLOB_BYTES_MAX {
            let unwanted = self.blobs.iter().filter(|(_, blob)| blob.wanted == 0);
            let (id, _) = unwanted.min_by_key(|(_, blob)| blob.number)?;
            let id = id.clone();
            self.bytes -= self.blobs.remove(&id)?.data.len() as u64;
        }
        Some(())
    }
}

/// The blob service of a server.
#[derive(Clone, Debug)]
pub(crate) struct BlobFront {
    pub(crate) blobs: Arc<Blobs>,
    pub(crate) grants: GrantGate,
}

impl BlobFront {
    fn check(
        &self,
        grant: Option<&SignedGrant>,
        session: &str,
        tool: &str,
        digest: &[u8],
    ) -> Result<(), Status> {
        let digest: [u8; 32] = digest.try_into().map_err(|_| invalid("a digest has 32 bytes"))?;
        let asked = Asked {
            session,
            call_id: "",
            attempt: 1,
            tool,
            schema_sha256: &sha256(b""),
            arguments_sha256: &digest,
        };
        self.grants.pass(grant, asked).map(drop).map_err(Refused::status)
    }
}

fn invalid(why: &str) -> Status {
    status(Code::InvalidArgument, "BLOB_HEADER", why)
}

fn data_loss(why: &str) -> Status {
    status(Code::DataLoss, "BLOB_BYTES", why)
}

fn no_room(why: &str) -> Status {
    status(Code::ResourceExhausted, "BLOB_ROOM", why)
}

#[tonic::async_trait]
impl BlobService for BlobFront {
    type ReadStream = Pin<Box<dyn Stream<Item = Result<ReadResponse, Status>> + Send>>;

    async fn stat(&self, request: Request<StatRequest>) -> Result<Response<StatResponse>, Status> {
        let request = request.into_inner();
        let known = |id: &Bytes| {
            let data = self.blobs.get(&request.session, id)?;
            let size = data.len() as u64;
            Some(BlobRef { sha256: id.clone(), size, media_type: String::new() })
        };
        let present = request.sha256.iter().take(BLOBS_STAT_MAX).filter_map(known).collect();
        Ok(Response::new(StatResponse { present }))
    }

    async fn read(
        &self,
        request: Request<ReadRequest>,
    ) -> Result<Response<Self::ReadStream>, Status> {
        let request = request.into_inner();
        self.check(request.grant.as_ref(), &request.session, "blob.read", &request.sha256)?;
        let data = self.blobs.get(&request.session, &request.sha256).ok_or_else(|| {
            status(Code::NotFound, "BLOB_UNKNOWN", "no such blob in this session")
        })?;
        let offset = usize::try_from(request.offset).unwrap_or(usize::MAX);
        if offset > data.len() {
            let why = format!("the blob has {} bytes", data.len());
            return Err(status(Code::OutOfRange, "BLOB_OFFSET", why));
        }
        let mut rest = data.slice(offset..);
        let pieces = std::iter::from_fn(move || {
            let size = rest.len().min(OUTPUT_BYTES_MAX);
            (size > 0).then(|| Ok(ReadResponse { data: rest.split_to(size) }))
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(pieces))))
    }

    async fn write(
        &self,
        request: Request<Streaming<WriteRequest>>,
    ) -> Result<Response<WriteResponse>, Status> {
        let mut pieces = request.into_inner();
        let first = pieces.message().await?.unwrap_or_default();
        let WriteHeader { session, blob, grant } =
            first.header.ok_or_else(|| invalid("the first piece has a header"))?;
        let blob = blob.ok_or_else(|| invalid("the header names the blob"))?;
        self.check(grant.as_ref(), &session, "blob.write", &blob.sha256)?;
        if blob.size > SESSION_BLOB_BYTES_MAX {
            return Err(no_room("the blob is larger than what is kept here"));
        }
        let mut data = BytesMut::from(&first.data[..]);
        while let Some(piece) = pieces.next().await {
            data.extend_from_slice(&piece?.data);
            if data.len() as u64 > blob.size {
                return Err(data_loss("more bytes came than the header says"));
            }
        }
        let data = data.freeze();
        if data.len() as u64 != blob.size || blob.sha256[..] != sha256(&data) {
            return Err(data_loss("the bytes that came are not those of the digest"));
        }
        let kept = self.blobs.put(&session, data, &blob.media_type);
        let blob = kept.ok_or_else(|| no_room("no room left for blobs"))?;
        Ok(Response::new(WriteResponse { blob: Some(blob) }))
    }
}

#[cfg(test)]
mod tests;
