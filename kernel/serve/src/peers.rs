//! Who may connect (`I12`), and how many.
//!
//! On a Unix socket: this user's processes and root's, but no descendant of this kernel. Those are tools
//! and what they started; one that could speak to the kernel would approve its own calls (`AP-11`). The
//! kernel adopts its orphans, so that a process cannot leave its line by detaching itself.
//!
//! Not here: certificates of other hosts (`listen`).

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures::{Stream, stream::unfold};
use nix::unistd::{geteuid, getpid};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::sleep,
};
use tonic::transport::server::Connected;

use crate::limits::{ACCEPT_PAUSE, ANCESTORS_MAX, CONNECTIONS_MAX};

#[cfg(test)]
mod tests;

/// A connection, and its place among those that there may be.
#[derive(Debug)]
pub(crate) struct Peer<S> {
    stream: S,
    _place: OwnedSemaphorePermit,
}

/// The connections of those who may connect; others are closed without an answer.
pub(crate) fn unix(
    listener: UnixListener,
) -> impl Stream<Item = io::Result<Peer<UnixStream>>> + Send {
    unfold((listener, places()), |(listener, places)| async {
        loop {
            let place = Arc::clone(&places).acquire_owned().await.ok()?;
            match listener.accept().await {
                Ok((stream, _)) if may_connect(&stream) => {
                    return Some((Ok(Peer { stream, _place: place }), (listener, places)));
                }
                Ok(_) => tracing::warn!("a connection of another user, or of a tool, was closed"),
                Err(error) => pause(&error).await,
            }
        }
    })
}

/// Connections from other hosts; TLS comes on top.
pub(crate) fn tcp(listener: TcpListener) -> impl Stream<Item = io::Result<Peer<TcpStream>>> + Send {
    unfold((listener, places()), |(listener, places)| async {
        loop {
            let place = Arc::clone(&places).acquire_owned().await.ok()?;
            match listener.accept().await {
                Ok((stream, _)) => {
                    // Slower, and no fault.
                    stream.set_nodelay(true).ok();
                    return Some((Ok(Peer { stream, _place: place }), (listener, places)));
                }
                Err(error) => pause(&error).await,
            }
        }
    })
}

fn places() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(CONNECTIONS_MAX))
}

/// An error of one accept (no descriptor left, say) must not end the kernel; tonic would.
async fn pause(error: &io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    sleep(ACCEPT_PAUSE).await;
}

fn may_connect(stream: &UnixStream) -> bool {
    let Ok(peer) = stream.peer_cred() else { return false };
    let is_user = peer.uid() == geteuid().as_raw() || peer.uid() == 0;
    is_user && !is_descendant(peer.pid().unwrap_or(0), getpid().as_raw(), parent)
}

/// Whether `ancestor` is above a process. One whose line cannot be followed counts as below.
fn is_descendant(pid: i32, ancestor: i32, parent: impl Fn(i32) -> Option<i32>) -> bool {
    let mut at = pid;
    for _ in 0..ANCESTORS_MAX {
        // 0: of a PID namespace around ours, where no descendant can be.
        if at == 0 {
            return false;
        }
        match parent(at) {
            Some(next) if next == ancestor => return true,
            Some(next) => at = next,
            None => return true,
        }
    }
    true
}

/// The parent of a process that is there.
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold anything; behind it: state, parent.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

impl<S: Send + Sync + 'static> Connected for Peer<S> {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl<S: AsyncRead + Unpin> AsyncRead for Peer<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Peer<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
