//! [PROTO-04] [SDK-01] The one conversation of a kernel with a server, seen from the server's side: the SDK
//! bears kernels that do not read, that fall silent, that reset streams, that never speak.

use std::{collections::HashSet, os::unix::net::UnixStream, sync::Arc};

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tokio_stream::wrappers::ReceiverStream;
use tollgate_proto::tool::v1::{
    Cancel, Credit, DescribeRequest, Heartbeat, KernelFrame, cancel::Reason, completed::Outcome,
    kernel_frame::Frame, server_frame::Frame as FromServer,
};
use tollgate_tests::{
    World, binary,
    eventually::eventually_true,
    peer::{self, Peer},
    server::ToolServer,
};

/// Calls at once.
const CALLS: usize = 64;
/// Of these, calls whose output nobody reads.
const UNREAD: usize = 8;

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

/// notes/protocol.md §4.8: with the default settings a burst of cancelled streams ends the connection of
/// innocent calls.
#[tokio::test]
async fn a_burst_of_resets_harms_no_session() {
    let world = World::new();
    let server = server(&world, "tollgate-example");
    let mut peer = peer(&world, &server).await;
    send(&peer, "innocent", "wait", &json!({ "milliseconds": 1500 })).await;
    for _ in 0..4 {
        let dropped: Vec<_> = (0..500)
            .map(|_| {
                let mut client = peer.client.clone();
                tokio::spawn(async move { client.describe(DescribeRequest::default()).await })
            })
            .collect();
        tokio::task::yield_now().await;
        dropped.iter().for_each(tokio::task::JoinHandle::abort);
    }
    let innocent = peer.completed().await;
    assert_eq!(innocent.outcome(), Outcome::Succeeded, "{innocent:?}");
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

/// notes/protocol.md §4.12: a peer that connects and never speaks does not keep a server that is told to
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
