//! A Unix stream that is not woken for nothing.
//!
//! A Unix socket becomes writable anew each time its peer has read, so that an event loop which waits for
//! both directions wakes twice for each message. [`Socket`] waits for bytes only, until a write finds no room.
//!
//! Not here: connecting, listening, and who may.

use std::{
    io::{self, IoSlice, Read as _, Write as _},
    net::Shutdown,
    os::unix::net::UnixStream,
    pin::Pin,
    task::{Context, Poll, Waker, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, unix::AsyncFd};
use tonic::transport::server::Connected;

#[cfg(test)]
mod tests;

/// The stream.
#[derive(Debug)]
pub struct Socket {
    /// Absent only while it is registered anew; for good if that failed.
    stream: Option<AsyncFd<UnixStream>>,
    /// A write has found no room: both directions are waited for from then on.
    waits_for_room: bool,
    /// Who waits for bytes.
    reader: Option<Waker>,
}

impl Socket {
    /// Takes a stream over.
    ///
    /// # Errors
    /// It cannot be registered with this runtime.
    pub fn new(stream: tokio::net::UnixStream) -> io::Result<Self> {
        let stream = register(stream.into_std()?, Interest::READABLE)?;
        Ok(Self { stream: Some(stream), waits_for_room: false, reader: None })
    }

    fn stream(&self) -> io::Result<&AsyncFd<UnixStream>> {
        self.stream.as_ref().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))
    }

    /// From here on both directions are waited for.
    fn wait_for_room(&mut self) -> io::Result<()> {
        let Some(stream) = self.stream.take() else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let both = Interest::READABLE | Interest::WRITABLE;
        self.stream = Some(register(stream.into_inner(), both)?);
        self.waits_for_room = true;
        // Whoever waited for bytes did so at the registration that is gone.
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        Ok(())
    }

    fn write_with(
        &mut self,
        cx: &mut Context<'_>,
        mut write: impl FnMut(&UnixStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        if !self.waits_for_room {
            match write(self.stream()?.get_ref()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait_for_room()?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => return Poll::Ready(written),
            }
        }
        if !self.waits_for_room {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            let mut room = ready!(self.stream()?.poll_write_ready(cx))?;
            if let Ok(written) = room.try_io(|stream| write(stream.get_ref())) {
                return Poll::Ready(written);
            }
        }
    }
}

#[expect(
    deprecated,
    reason = "what takes its place is unsafe, because a type may lie about its descriptor; this one does not"
)]
fn register(stream: UnixStream, interest: Interest) -> io::Result<AsyncFd<UnixStream>> {
    AsyncFd::with_interest(stream, interest)
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let polled = self.stream()?.poll_read_ready(cx);
            let Poll::Ready(bytes) = polled else {
                self.reader = Some(cx.waker().clone());
                return Poll::Pending;
            };
            let mut bytes = bytes?;
            let free = buffer.initialize_unfilled();
            let room = free.len();
            match bytes.try_io(|stream| stream.get_ref().read(free)) {
                Ok(Ok(read)) => {
                    if (1..room).contains(&read) {
                        // All that was there: the next bytes are told anew.
                        bytes.clear_ready();
                    }
                    buffer.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Ok(Err(error)) => return Poll::Ready(Err(error)),
                Err(_) => {}
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write_with(cx, |mut stream| stream.write(data))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write_with(cx, |mut stream| stream.write_vectored(data))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.stream()?.get_ref().shutdown(Shutdown::Write))
    }
}

impl Connected for Socket {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}
