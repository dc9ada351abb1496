//! Content that is too large for a frame: fetched after a call, sent before one.

use bytes::{Bytes, BytesMut};
use tokio::time::timeout;
use tollgate_core::digest::Digest;
use tollgate_proto::{
    blob::v1::{ReadRequest, WriteHeader, WriteRequest, blob_service_client::BlobServiceClient},
    limits::{MESSAGE_BYTES_MAX, OUTPUT_BYTES_MAX},
    tool::v1::{BlobRef, Completed, Scope, content_block::Block, media},
};
use tonic::Status;

use super::{connection::Connection, grant::CallClaims, limits::BLOB_WITHIN};

/// Bytes of one blob that the kernel takes; the server's own bound is the same.
const BLOB_BYTES_MAX: u64 = 64 * 1024 * 1024;

impl Connection {
    /// Replaces references in a result by their content, checked against their digests.
    ///
    /// # Errors
    /// A blob that cannot be had, is too large, or is not what its digest says.
    pub async fn fill_in(&self, completed: &mut Completed) -> Result<(), Status> {
        let injected = completed.messages.iter_mut().flat_map(|message| &mut message.content);
        for block in completed.content.iter_mut().chain(injected) {
            match &mut block.block {
                Some(Block::Blob(blob)) => {
                    let data = self.read_blob(blob).await?;
                    let filled = if blob.media_type == "application/json" {
                        Block::Json(data)
                    } else {
                        Block::Text(String::from_utf8_lossy(&data).into_owned())
                    };
                    block.block = Some(filled);
                }
                Some(Block::Image(media) | Block::Audio(media)) => {
                    if let Some(media::Content::Blob(blob)) = &media.content {
                        let data = self.read_blob(blob).await?;
                        media.content = Some(media::Content::Data(data));
                    }
                }
                Some(Block::Text(_) | Block::Json(_) | Block::Resource(_)) | None => {}
            }
        }
        Ok(())
    }

    /// Reads a blob, checked against its digest.
    ///
    /// # Errors
    /// It cannot be had, is too large, or is not what its digest says.
    pub async fn read_blob(&self, blob: &BlobRef) -> Result<Bytes, Status> {
        timeout(BLOB_WITHIN, self.read_whole(blob)).await.unwrap_or_else(|_| Err(too_slow()))
    }

    async fn read_whole(&self, blob: &BlobRef) -> Result<Bytes, Status> {
        if blob.size > BLOB_BYTES_MAX {
            return Err(Status::resource_exhausted(format!("a blob of {} bytes", blob.size)));
        }
        let digest = digest(&blob.sha256)?;
        let grant = self.grant(claims("blob.read", digest)).grant;
        let request = ReadRequest {
            session: self.signer.session.clone(),
            sha256: blob.sha256.clone(),
            offset: 0,
            grant: Some(grant),
        };
        let mut pieces = self.blob_client().read(request).await?.into_inner();
        let mut data = BytesMut::new();
        while let Some(piece) = pieces.message().await? {
            data.extend_from_slice(&piece.data);
            if data.len() as u64 > blob.size {
                return Err(Status::data_loss("more bytes came than the reference says"));
            }
        }
        if Digest::of(&data) != digest {
            return Err(Status::data_loss("the blob is not what its digest says"));
        }
        Ok(data.freeze())
    }

    /// Sends arguments that are too large for a frame.
    ///
    /// # Errors
    /// The server does not take them.
    pub async fn write_blob(&self, data: &Bytes) -> Result<BlobRef, Status> {
        let digest = Digest::of(data);
        let blob = BlobRef {
            sha256: digest.0.to_vec().into(),
            size: data.len() as u64,
            media_type: "application/json".to_owned(),
        };
        let header = WriteHeader {
            session: self.signer.session.clone(),
            blob: Some(blob.clone()),
            grant: Some(self.grant(claims("blob.write", digest)).grant),
        };
        let first = WriteRequest { header: Some(header), data: Bytes::new() };
        let mut rest = data.clone();
        let pieces = std::iter::from_fn(move || {
            let size = rest.len().min(OUTPUT_BYTES_MAX);
            (size > 0).then(|| WriteRequest { header: None, data: rest.split_to(size) })
        });
        let pieces = tokio_stream::iter(std::iter::once(first).chain(pieces));
        let mut client = self.blob_client();
        timeout(BLOB_WITHIN, client.write(pieces)).await.unwrap_or_else(|_| Err(too_slow()))?;
        Ok(blob)
    }

    fn blob_client(&self) -> BlobServiceClient<super::connect::Channel> {
        BlobServiceClient::new(self.channel.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }
}

fn too_slow() -> Status {
    Status::deadline_exceeded(format!("a blob took more than {} s", BLOB_WITHIN.as_secs()))
}

fn claims(tool: &str, digest: Digest) -> CallClaims<'_> {
    CallClaims {
        call_id: "",
        attempt: 1,
        tool,
        schema_sha256: Digest::of(b""),
        arguments_sha256: digest,
        scope: Scope::default(),
    }
}

fn digest(bytes: &[u8]) -> Result<Digest, Status> {
    bytes.try_into().map(Digest).map_err(|_| Status::data_loss("a digest that has not 32 bytes"))
}
