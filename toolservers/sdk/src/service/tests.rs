//! Goal: two versions that share a protocol understand each other, and two that do not say so
//! ([PROTO-09]); a manifest is told whole, in pages.

use std::error::Error;

use tokio_util::task::TaskTracker;
use tollgate_proto::{
    manifest::digest,
    tool::v1::{DescribeRequest, DiscoverRequest, HelloRequest},
};
use tonic::Code;
use tonic_types::StatusExt;

use crate::{
    Server,
    options::Start,
    testing::{World, boot},
};

fn hello(protocols: &[u32]) -> HelloRequest {
    HelloRequest { protocols: protocols.to_vec(), ..HelloRequest::default() }
}

#[tokio::test]
async fn hello_tells_who_this_process_is() {
    let world = World::start().await;
    let told = world.client().hello(hello(&[2, 1])).await.unwrap().into_inner();
    assert_eq!((told.protocol, told.name.as_str(), told.version.as_str()), (1, "probe", "1.2.3"));
    assert_eq!(told.instance, world.instance);
    assert!(told.calls_max >= 1 && told.now_unix_ms > 0 && told.manifest_sha256.len() == 32);
}

#[tokio::test]
async fn a_kernel_of_another_protocol_is_told_both_sides() {
    let world = World::start().await;
    for protocols in [&[2, 3][..], &[]] {
        let status = world.client().hello(hello(protocols)).await.unwrap_err();
        assert_eq!(status.code(), Code::FailedPrecondition);
        assert!(status.message().contains(&format!("{protocols:?}")), "{}", status.message());
        assert_eq!(status.get_details_error_info().unwrap().reason, "PROTOCOL_VERSION");
    }
    // However much a peer says, it gets a status that fits its trailers.
    let status = world.client().hello(hello(&vec![9; 10_000])).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
}

#[tokio::test]
async fn describe_tells_the_manifest_that_hello_named() {
    let world = World::start().await;
    let named = world.client().hello(hello(&[1])).await.unwrap().into_inner().manifest_sha256;
    let told = world.client().describe(DescribeRequest::default()).await.unwrap().into_inner();
    let manifest = told.manifest.unwrap();
    assert_eq!(digest(&manifest, &told.tools)[..], named);
    assert_eq!(told.tools.len(), 1);
    assert_eq!(told.next_page_token, "");
}

#[tokio::test]
async fn a_page_token_of_another_instance_is_refused() {
    let world = World::start().await;
    for token in ["1", "-1", "x", "18446744073709551616"] {
        let asked = DescribeRequest { page_token: token.into() };
        let status = world.client().describe(asked).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{token}");
    }
}

#[tokio::test]
async fn a_server_without_optional_sources_says_so() {
    let world = World::start().await;
    let status = world.client().discover(DiscoverRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}

/// Slots are given back: as many sessions as fit can be opened again and again.
#[tokio::test]
async fn sessions_are_bounded_and_their_slots_come_back() {
    let world = World::start().await;
    let mut open = Vec::new();
    for _ in 0..crate::limits::SESSIONS_MAX {
        open.push(world.attach().await);
    }
    let (_frames, outgoing) = tokio::sync::mpsc::channel(1);
    let outgoing = tokio_stream::wrappers::ReceiverStream::new(outgoing);
    let status = world.client().session(outgoing).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    open.pop();
    let one_more = async {
        loop {
            let (frames, outgoing) = tokio::sync::mpsc::channel(1);
            let outgoing = tokio_stream::wrappers::ReceiverStream::new(outgoing);
            if world.client().session(outgoing).await.is_ok() {
                return frames;
            }
            tokio::task::yield_now().await;
        }
    };
    drop(one_more.await);
}

#[tokio::test]
async fn hello_tells_what_confines_the_process() {
    let world =
        World::with(|server| server.confined(|| Ok::<_, String>("landlock:7".into()))).await;
    let told = world.client().hello(hello(&[1])).await.unwrap().into_inner();
    assert_eq!(told.confinement, "landlock:7");
    let told = World::start().await.client().hello(hello(&[1])).await.unwrap().into_inner();
    assert_eq!(told.confinement, "");
}

/// [GATE-70]: the step runs once the socket is there, and if it fails nobody is answered.
#[tokio::test]
async fn a_server_that_cannot_be_confined_does_not_serve() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let start = Start::Kernel(Box::new(boot(path.clone())));
    let server = Server::from_start("probe", "1.2.3", start).unwrap();
    let listens = path.clone();
    let server = server.confined(move || {
        assert!(listens.exists(), "confined before it listened");
        Err::<String, _>("this kernel has no landlock")
    });
    let error = server.serve_until_drained(TaskTracker::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot confine this process");
    assert_eq!(error.source().unwrap().to_string(), "this kernel has no landlock");
    assert!(std::os::unix::net::UnixStream::connect(path).is_err(), "it still listens");
}
