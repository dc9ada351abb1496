//! Goal: only those connect who may ([PROTO-10]), and a killed server can be started again.

use tokio::{io::AsyncReadExt, net::UnixStream};
use tokio_stream::StreamExt;

use super::{Peers, admitted, bound};
use crate::ServeError;

/// Whether this process, connecting, is let in.
async fn admits(peers: Peers) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let mut connections = Box::pin(admitted(bound(&path).unwrap(), peers));
    let mut peer = UnixStream::connect(&path).await.unwrap();
    let mut byte = [0; 1];
    tokio::select! {
        biased;
        admitted = connections.next() => admitted.unwrap().is_ok(),
        // One that is not let in is closed without a byte.
        read = peer.read(&mut byte) => read.unwrap() != 0,
    }
}

#[tokio::test]
async fn the_kernel_that_started_the_server_may_connect_and_no_other_process() {
    let this = std::process::id();
    assert!(admits(Peers::Kernel(this)).await);
    assert!(!admits(Peers::Kernel(this + 1)).await);
    assert!(admits(Peers::SameUser).await);
}

fn refuses(path: &std::path::Path) -> bool {
    matches!(bound(path), Err(ServeError::Io { what, .. }) if what.starts_with("cannot bind"))
}

#[tokio::test]
async fn a_socket_that_was_left_behind_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    drop(bound(&path).unwrap());
    assert!(path.exists(), "the socket is not left behind");
    let listening = bound(&path).unwrap();
    assert!(refuses(&path), "a listening socket was replaced");
    drop(listening);
}

#[tokio::test]
async fn a_file_that_is_no_socket_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "mine").unwrap();
    assert!(refuses(&path));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    std::os::unix::fs::symlink(folder.path().join("none"), folder.path().join("link")).unwrap();
    assert!(refuses(&folder.path().join("link")));
}
