//! [PROTO-04] [SDK-01] The one conversation of a kernel with a server, seen from the server's side: the SDK
//! bears kernels that do not read, that fall silent, that reset streams, that never speak.

use std::{collections::HashSet, os::unix::net::UnixStream, sync::Arc};

use bytes::Bytes;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tokio_stream::wrappers::ReceiverStream;
use tollgate_proto::{
    blob::v1::{
        ReadRequest, ReadResponse, WriteHeader, WriteRequest,
        blob_service_client::BlobServiceClient,
    },
    grant::sha256,
    limits::{CONNECTION_WINDOW_BYTES, OUTPUT_BYTES_MAX, STREAM_WINDOW_BYTES},
    tool::v1::{
        BlobRef, Cancel, Credit, Heartbeat, KernelFrame, cancel::Reason, completed::Outcome,
        kernel_frame::Frame, server_frame::Frame as FromServer,
    },
};
use tollgate_tests::{
    World, binary,
    eventually::eventually_true,
    peer::{self, Peer},
    server::ToolServer,
};
use tonic::{Streaming, transport::Channel};

/// Calls at once.
const CALLS: usize = 64;
/// Of these, calls whose output nobody reads.
const UNREAD: usize = 8;
/// Blobs that a kernel may leave unread: one more could take all that is left of its connection.
const UNREAD_BLOBS: u32 = CONNECTION_WINDOW_BYTES / STREAM_WINDOW_BYTES - 1;
/// Bytes of such a blob: more than a stream's window, so that it waits for its reader.
const BLOB_BYTES: usize = STREAM_WINDOW_BYTES as usize + 1024 * 1024;

fn server(world: &World, program: &str) -> ToolServer {
    ToolServer::by_line(world, &binary(program), &[])
}

async fn peer(world: &World, server: &ToolServer) -> Peer {
    let channel = peer::unix(&server.socket).await.expect("the server lets its kernel in");
    Peer::attach(channel, server.credentials.clone(), &world.workspace()).await
}

fn id(number: usize) -> String {
    format!("c-{number}")
}

/// Sends a call with its grant.
async fn send(peer: &Peer, call: &str, tool: &str, arguments: &Value) {
    let grant = peer.sign(&peer.claims(call, tool, arguments));
    peer.send_start(call, tool, arguments, Some(grant)).await;
}

/// 64 calls, each with four times the output of its first credit. Those that are granted more end; those
/// that are not wait, and stop nobody; when they are told to stop, they do.
#[tokio::test]
async fn calls_that_nobody_reads_stop_only_themselves() {
    let world = World::new();
    let server = server(&world, "tollgate-shell");
    let mut peer = peer(&world, &server).await;
    let arguments = json!({ "command": "head -c 1048576 /dev/zero | tr '\\0' x" });
    for number in 0..CALLS {
        send(&peer, &id(number), "bash", &arguments).await;
    }
    let unread: HashSet<String> = (0..UNREAD).map(id).collect();
    let mut done = HashSet::new();
    while done.len() < CALLS - UNREAD {
        let frame = peer.next().await.expect("the session goes on");
        if let FromServer::Output(output) = &frame
            && !unread.contains(&output.call_id)
        {
            let bytes = u32::try_from(output.data.len()).unwrap();
            peer.send(Frame::Credit(Credit { call_id: output.call_id.clone(), bytes })).await;
        }
        if let FromServer::Completed(completed) = frame {
            assert!(!unread.contains(&completed.call_id), "it had no credit: {completed:?}");
            assert_eq!(completed.outcome(), Outcome::Succeeded, "{completed:?}");
            assert!(done.insert(completed.call_id.clone()), "twice: {completed:?}");
        }
    }
    for call_id in &unread {
        let cancel =
            Cancel { call_id: call_id.clone(), reason: Reason::User.into(), grace_ms: 2000 };
        peer.send(Frame::Cancel(cancel)).await;
    }
    let mut cancelled = HashSet::new();
    while cancelled.len() < UNREAD {
        if let FromServer::Completed(completed) = peer.next().await.expect("the session goes on") {
            assert_ne!(completed.outcome(), Outcome::Succeeded, "{completed:?}");
            assert!(cancelled.insert(completed.call_id.clone()), "twice: {completed:?}");
        }
    }
    assert_eq!(cancelled, unread);
}

/// A call that floods within its credit delays no other: a short call ends while long ones run.
#[tokio::test]
async fn a_short_call_ends_while_long_ones_run() {
    let world = World::new();
    let server = server(&world, "tollgate-example");
    let mut peer = peer(&world, &server).await;
    for number in 0..CALLS {
        send(&peer, &id(number), "wait", &json!({ "milliseconds": 60_000 })).await;
    }
    let short = peer.granted("short", "wait", &json!({ "milliseconds": 1 })).await;
    assert_eq!(short.outcome(), Outcome::Succeeded, "{short:?}");
    loop {
        if let FromServer::Heartbeat(Heartbeat { calls }) =
            peer.next().await.expect("the session goes on")
        {
            assert_eq!(calls as usize, CALLS, "calls that run");
            return;
        }
    }
}

/// [PROTO-04] A kernel that is gone leaves nothing running; one that is silent for its lease is gone.
#[tokio::test]
async fn the_end_of_a_session_ends_its_calls() {
    let world = Arc::new(World::new());
    let server = server(&world, "tollgate-shell");
    let arguments = json!({ "command": "setsid sleep 300 & touch running; sleep 300" });

    let first = peer(&world, &server).await;
    send(&first, "c-1", "bash", &arguments).await;
    until(&world, "the command runs", |world| world.has("running") && sleeping(world) > 0).await;
    drop(first);
    until(&world, "the dropped session's command is gone", |world| sleeping(world) == 0).await;

    std::fs::remove_file(world.workspace().join("running")).unwrap();
    let channel = peer::unix(&server.socket).await.unwrap();
    let credentials = server.credentials.clone();
    let mut silent = Peer::attach_for(channel, credentials, &world.workspace(), 1000).await;
    send(&silent, "c-2", "bash", &arguments).await;
    while silent.next().await.is_some() {}
    until(&world, "the silent session's command is gone", |world| sleeping(world) == 0).await;
}

/// Commands of the test that sleep.
fn sleeping(world: &World) -> usize {
    world.processes().iter().filter(|it| it.command.contains("sleep 300")).count()
}

/// Waits beside the runtime, which goes on.
async fn until(world: &Arc<World>, what: &'static str, look: fn(&World) -> bool) {
    let world = Arc::clone(world);
    let waiting = tokio::task::spawn_blocking(move || eventually_true(what, || look(&world)));
    waiting.await.unwrap();
}

/// [PROTO-04] The order of frames holds: what is not `Attach` opens no session.
#[tokio::test]
async fn a_session_begins_with_attach() {
    let world = World::new();
    let server = server(&world, "tollgate-example");
    let mut peer = peer(&world, &server).await;
    let (frames, queue) = tokio::sync::mpsc::channel(4);
    let frame = Frame::Credit(Credit { call_id: "c-1".into(), bytes: 1 });
    frames.send(KernelFrame { frame: Some(frame) }).await.unwrap();
    let answer = peer::within(peer.client.session(ReceiverStream::new(queue))).await;
    let status = match answer {
        Ok(stream) => peer::within(stream.into_inner().message()).await.expect_err("no session"),
        Err(status) => status,
    };
    assert_eq!(status.code(), tonic::Code::InvalidArgument, "{status:?}");
    let done = peer.granted("c-1", "wait", &json!({ "milliseconds": 1 })).await;
    assert_eq!(done.outcome(), Outcome::Succeeded, "the other session goes on");
}

/// Streams that a kernel drops while their answer is under way. Each is a reset, and a connection
/// counts them for its whole life: with the library's defaults its client fails after about 500.
const RESETS: usize = 1500;

/// A connection outlives as many cancelled streams as a long session has.
#[tokio::test]
async fn cancelled_streams_end_no_connection() {
    let world = World::new();
    let server = server(&world, "tollgate-example");
    let channel = peer::unix(&server.socket).await.unwrap();
    let credentials = server.credentials.clone();
    let mut peer = Peer::attach(channel.clone(), credentials, &world.workspace()).await;
    let digest = write_blob(&peer, &channel, vec![b'x'; BLOB_BYTES].into()).await;
    for _ in 0..RESETS {
        // Its head has come and its body has not: dropping it resets it.
        drop(open_blob(&peer, &channel, digest).await);
    }
    let done = peer.granted("c-1", "wait", &json!({ "milliseconds": 0 })).await;
    assert_eq!(done.outcome(), Outcome::Succeeded, "{done:?}");
}

/// Writes a blob; gives its digest.
async fn write_blob(peer: &Peer, channel: &Channel, data: Bytes) -> [u8; 32] {
    let digest = sha256(&data);
    let blob =
        BlobRef { sha256: digest.to_vec().into(), size: data.len() as u64, ..BlobRef::default() };
    let header = WriteHeader {
        session: peer::SESSION.into(),
        blob: Some(blob),
        grant: Some(peer.blob_grant("blob.write", digest)),
    };
    let first = WriteRequest { header: Some(header), ..WriteRequest::default() };
    let mut pieces = vec![first];
    let rest = data.chunks(OUTPUT_BYTES_MAX).map(|piece| data.slice_ref(piece));
    pieces.extend(rest.map(|data| WriteRequest { header: None, data }));
    let mut blobs = BlobServiceClient::new(channel.clone());
    peer::within(blobs.write(tokio_stream::iter(pieces))).await.expect("the blob is kept");
    digest
}

/// Begins to read a blob.
async fn open_blob(peer: &Peer, channel: &Channel, digest: [u8; 32]) -> Streaming<ReadResponse> {
    let request = ReadRequest {
        session: peer::SESSION.into(),
        sha256: digest.to_vec().into(),
        offset: 0,
        grant: Some(peer.blob_grant("blob.read", digest)),
    };
    let mut blobs = BlobServiceClient::new(channel.clone());
    peer::within(blobs.read(request)).await.expect("the blob is there").into_inner()
}

/// Reads a blob to its end; gives its size.
async fn read_blob(mut pieces: Streaming<ReadResponse>) -> usize {
    let mut size = 0;
    while let Some(piece) = peer::within(pieces.message()).await.expect("the stream is whole") {
        size += piece.data.len();
    }
    size
}

/// With default windows three streams that nobody reads hang every other call of
/// the connection. With the kernel's, [`UNREAD_BLOBS`] streams whose windows are full leave one stream's
/// window of the connection to all others; one more full stream would leave nothing.
#[tokio::test]
async fn unread_blobs_stop_no_call() {
    let world = World::new();
    let server = server(&world, "tollgate-file");
    let channel = peer::unix(&server.socket).await.unwrap();
    let credentials = server.credentials.clone();
    let mut peer = Peer::attach(channel.clone(), credentials, &world.workspace()).await;
    let digest = write_blob(&peer, &channel, vec![b'x'; BLOB_BYTES].into()).await;
    let mut unread = Vec::new();
    for _ in 0..UNREAD_BLOBS {
        unread.push(open_blob(&peer, &channel, digest).await);
    }
    // Streams are sent in turn: once a later one has come whole, the windows of these are full.
    let read = open_blob(&peer, &channel, digest).await;
    assert_eq!(read_blob(read).await, BLOB_BYTES);

    let hello = peer::within(peer.client.hello(peer::greeting())).await.expect("Hello is answered");
    assert_eq!(hello.into_inner().instance, peer.hello.instance);
    let arguments = json!({ "path": "made.txt", "content": "x" });
    let done = peer.granted("c-1", "write", &arguments).await;
    assert_eq!(done.outcome(), Outcome::Succeeded, "{done:?}");
    for pieces in unread {
        assert_eq!(read_blob(pieces).await, BLOB_BYTES, "it was kept for its reader");
    }
}

/// Arguments far over the bound end their own session alone, with a reason.
#[tokio::test]
async fn an_oversize_frame_ends_its_own_session() {
    let world = World::new();
    let server = server(&world, "tollgate-example");
    let mut other = peer(&world, &server).await;
    let mut peer = peer(&world, &server).await;
    let large = json!({ "milliseconds": 1, "padding": "x".repeat(3 * 1024 * 1024) });
    peer.send_start("c-1", "wait", &large, None).await;
    while let Some(frame) = peer.next().await {
        assert!(!matches!(frame, FromServer::Accepted(_)), "it was taken");
    }
    let done = other.granted("c-2", "wait", &json!({ "milliseconds": 1 })).await;
    assert_eq!(done.outcome(), Outcome::Succeeded);
}

/// A peer that connects and never speaks does not keep a server that is told to
/// stop; nor does an open session.
#[tokio::test]
async fn a_silent_peer_does_not_keep_a_server() {
    let world = World::new();
    let server = ToolServer::alone_unix(&world, "tollgate-example");
    let silent = UnixStream::connect(&server.socket).unwrap();
    let peer = peer(&world, &server).await;
    server.process.signal(Signal::SIGTERM);
    let ran = tokio::task::spawn_blocking(move || server.process.finish()).await.unwrap();
    assert_eq!(ran.code, 0, "{ran}");
    drop((silent, peer));
}

/// [PROTO-04] A server that is told to stop says so, lets running calls finish, and takes no new ones.
#[tokio::test]
async fn a_server_drains() {
    let world = World::new();
    let server = ToolServer::alone_unix(&world, "tollgate-example");
    let mut peer = peer(&world, &server).await;
    send(&peer, "running", "wait", &json!({ "milliseconds": 1500 })).await;
    loop {
        if let FromServer::Accepted(accepted) = peer.next().await.expect("the session goes on") {
            assert_eq!(accepted.call_id, "running");
            break;
        }
    }
    server.process.signal(Signal::SIGTERM);
    loop {
        if let FromServer::Draining(draining) = peer.next().await.expect("the session goes on") {
            assert!(draining.within_ms > 0);
            break;
        }
    }
    send(&peer, "late", "wait", &json!({ "milliseconds": 1 })).await;
    for _ in 0..2 {
        let completed = peer.completed().await;
        let may_finish = completed.call_id == "running";
        let expected = if may_finish { Outcome::Succeeded } else { Outcome::Rejected };
        assert_eq!(completed.outcome(), expected, "{completed:?}");
    }
    let ran = tokio::task::spawn_blocking(move || server.process.finish()).await.unwrap();
    assert_eq!(ran.code, 0, "{ran}");
}
