//! Goal: a socket carries what any stream carries, also when nobody reads for a while.

use tokio::io::{AsyncReadExt, AsyncWriteExt, split};

use super::Socket;

fn pair() -> (Socket, Socket) {
    let (one, other) = tokio::net::UnixStream::pair().unwrap();
    (Socket::new(one).unwrap(), Socket::new(other).unwrap())
}

#[tokio::test]
async fn messages_go_there_and_back_and_the_end_is_seen() {
    let (mut one, mut other) = pair();
    for round in 0..1_000_u32 {
        one.write_all(&round.to_be_bytes()).await.unwrap();
        assert_eq!(other.read_u32().await.unwrap(), round);
        other.write_u32(round + 1).await.unwrap();
        assert_eq!(one.read_u32().await.unwrap(), round + 1);
    }
    one.shutdown().await.unwrap();
    assert_eq!(other.read(&mut [0]).await.unwrap(), 0);
}

/// A write that finds no room waits for it, and a reader of the same socket that waited before hears all the
/// same.
#[tokio::test]
async fn a_full_socket_loses_nobody() {
    const BYTES: usize = 4 * 1024 * 1024;
    let (one, other) = pair();
    let (mut one_reads, mut one_writes) = split(one);
    let (mut other_reads, mut other_writes) = split(other);
    let reader = tokio::spawn(async move { one_reads.read_u8().await.unwrap() });
    tokio::task::yield_now().await;
    let writer = tokio::spawn(async move {
        one_writes.write_all(&vec![7; BYTES]).await.unwrap();
        one_writes
    });
    tokio::task::yield_now().await;
    let mut got = vec![0; BYTES];
    other_reads.read_exact(&mut got).await.unwrap();
    assert!(got.iter().all(|byte| *byte == 7));
    other_writes.write_u8(9).await.unwrap();
    assert_eq!(reader.await.unwrap(), 9);
    drop(writer.await.unwrap());
}

#[tokio::test]
async fn a_peer_that_is_gone_is_an_error_or_the_end() {
    let (mut one, other) = pair();
    drop(other);
    assert_eq!(one.read(&mut [0; 8]).await.unwrap(), 0);
    assert!(one.write_all(&[0; 8]).await.is_err());
}
