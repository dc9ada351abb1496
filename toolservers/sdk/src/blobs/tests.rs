//! Goal: content of any size reaches the other side whole or not at all, under a grant, and a session
//! cannot use up the server's memory.

use prost::Message;
use tollgate_proto::{
    blob::v1::{
        ReadRequest, StatRequest, WriteHeader, WriteRequest, blob_service_client::BlobServiceClient,
    },
    grant::sha256,
    tool::v1::{BlobRef, GrantClaims, SignedGrant, Start},
};
use tonic::Code;

use super::Blobs;
use crate::{
    limits::SESSION_BLOB_BYTES_MAX,
    testing::{SESSION, World, arguments, signed},
};

#[test]
fn a_blob_is_kept_for_its_session() {
    let blobs = Blobs::default();
    let blob = blobs.put("one", "content".into(), "text/plain").unwrap();
    assert_eq!((blob.size, blob.media_type.as_str()), (7, "text/plain"));
    assert_eq!(blob.sha256[..], sha256(b"content"));
    assert_eq!(blobs.get("one", &blob.sha256).unwrap(), "content");
    assert_eq!(blobs.get("two", &blob.sha256), None);
    blobs.forget_session("one");
    assert_eq!(blobs.get("one", &blob.sha256), None);
}

#[test]
fn a_session_has_so_much_room() {
    let blobs = Blobs::default();
    let half = vec![1; usize::try_from(SESSION_BLOB_BYTES_MAX / 2).unwrap()];
    let put = |session, data: &[u8]| blobs.put(session, data.to_vec().into(), "").is_some();
    assert!(put("one", &half) && put("one", &half[1..]));
    assert!(!put("one", b"xx"), "there is room for one byte more");
    // The same content takes no room again, and another session has its own.
    assert!(put("one", &half) && put("two", &half));
    blobs.forget_session("one");
    assert!(put("one", b"xx"));
}

impl World {
    fn blob_grant(&self, tool: &str, digest: &[u8]) -> Option<SignedGrant> {
        let claims = GrantClaims {
            tool: tool.into(),
            schema_sha256: sha256(b"").to_vec().into(),
            arguments_sha256: digest.to_vec().into(),
            ..self.claims("", "")
        };
        Some(signed(&claims))
    }

    fn blobs(&self) -> BlobServiceClient<tonic::transport::Channel> {
        BlobServiceClient::new(self.channel.clone())
    }

    /// Reads a blob, piece by piece.
    async fn read(&self, request: ReadRequest) -> Result<Vec<u8>, Code> {
        let pieces = self.blobs().read(request).await.map_err(|status| status.code())?;
        let mut pieces = pieces.into_inner();
        let mut data = Vec::new();
        while let Some(piece) = pieces.message().await.map_err(|status| status.code())? {
            assert!(!piece.data.is_empty() && piece.data.len() <= 64 * 1024);
            data.extend(piece.data);
        }
        Ok(data)
    }

    async fn write(
        &self,
        said: BlobRef,
        data: &[u8],
        grant: Option<SignedGrant>,
    ) -> Result<(), Code> {
        let header = WriteHeader { session: SESSION.into(), blob: Some(said), grant };
        let mut pieces: Vec<_> = data
            .chunks(64 * 1024)
            .map(|data| WriteRequest { header: None, data: data.to_vec().into() })
            .collect();
        pieces.insert(0, WriteRequest { header: Some(header), data: Vec::new().into() });
        let written = self.blobs().write(tokio_stream::iter(pieces)).await;
        written.map(drop).map_err(|status| status.code())
    }
}

fn blob(data: &[u8]) -> BlobRef {
    let size = u64::try_from(data.len()).unwrap();
    BlobRef { sha256: sha256(data).to_vec().into(), size, media_type: "text/plain".into() }
}

#[tokio::test]
async fn a_large_result_is_read_back_whole_and_from_an_offset() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let (_, completed) = kernel.call(world.call("call-1", "answer", 1_000_000)).await;
    assert!(completed.encoded_len() < 1_000);
    let digest = sha256("x".repeat(1_000_000).as_bytes());
    let request = |offset| ReadRequest {
        session: SESSION.into(),
        sha256: digest.to_vec().into(),
        offset,
        grant: world.blob_grant("blob.read", &digest),
    };
    assert_eq!(world.read(request(0)).await.unwrap().len(), 1_000_000);
    assert_eq!(world.read(request(999_999)).await.unwrap(), b"x");
    assert_eq!(world.read(request(1_000_000)).await.unwrap(), b"");
    assert_eq!(world.read(request(1_000_001)).await, Err(Code::OutOfRange));
    assert_eq!(world.read(request(u64::MAX)).await, Err(Code::OutOfRange));

    let request = StatRequest {
        session: SESSION.into(),
        sha256: vec![digest.to_vec().into(), vec![0; 32].into()],
    };
    let present = world.blobs().stat(request).await.unwrap().into_inner().present;
    assert_eq!(present.iter().map(|blob| blob.size).collect::<Vec<_>>(), [1_000_000]);
}

#[tokio::test]
async fn a_blob_is_read_under_its_own_grant_only() {
    let world = World::start().await;
    let digest = sha256(b"content");
    let request = |grant, digest: &[u8]| ReadRequest {
        session: SESSION.into(),
        sha256: digest.to_vec().into(),
        offset: 0,
        grant,
    };
    let denied = Err(Code::PermissionDenied);
    assert_eq!(world.read(request(None, &digest)).await, denied);
    let other = world.blob_grant("blob.read", &sha256(b"other"));
    assert_eq!(world.read(request(other, &digest)).await, denied);
    let write = world.blob_grant("blob.write", &digest);
    assert_eq!(world.read(request(write, &digest)).await, denied);
    let unknown = world.blob_grant("blob.read", &digest);
    assert_eq!(world.read(request(unknown.clone(), &digest)).await, Err(Code::NotFound));
    assert_eq!(world.read(request(unknown, &digest)).await, denied, "replayed");
    assert_eq!(world.read(request(None, b"short")).await, Err(Code::InvalidArgument));
}

#[tokio::test]
async fn what_was_written_is_what_the_digest_says() {
    let world = World::start().await;
    let data = vec![b'd'; 200_000];
    let grant = || world.blob_grant("blob.write", &sha256(&data));
    assert_eq!(world.write(blob(&data), &data, None).await, Err(Code::PermissionDenied));
    assert_eq!(world.write(blob(&data), &data[1..], grant()).await, Err(Code::DataLoss));
    let more = [&data[..], b"d"].concat();
    assert_eq!(world.write(blob(&data), &more, grant()).await, Err(Code::DataLoss));
    let mut other = data.clone();
    other[7] = b'e';
    assert_eq!(world.write(blob(&data), &other, grant()).await, Err(Code::DataLoss));
    let huge = BlobRef { size: SESSION_BLOB_BYTES_MAX + 1, ..blob(&data) };
    assert_eq!(world.write(huge, &data, grant()).await, Err(Code::ResourceExhausted));
    let none = WriteRequest { header: None, data: "x".into() };
    let status = world.blobs().write(tokio_stream::iter([none])).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(world.write(blob(&data), &data, grant()).await, Ok(()));
}

/// Arguments over a frame's bound: written first, then named by the call, under one digest.
#[tokio::test]
async fn a_call_takes_its_arguments_from_a_blob() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let text = format!("{}{}", " ".repeat(400_000), arguments("answer", 2));
    let written = world.blob_grant("blob.write", &sha256(text.as_bytes()));
    world.write(blob(text.as_bytes()), text.as_bytes(), written).await.unwrap();
    let start = Start {
        arguments: Vec::new().into(),
        arguments_blob: Some(blob(text.as_bytes())),
        grant: Some(signed(&world.claims("call-1", &text))),
        ..world.call("call-1", "answer", 2)
    };
    let (_, completed) = kernel.call(start).await;
    assert_eq!((completed.error_class.as_str(), world.ran()), ("", 1), "{completed:?}");
}
