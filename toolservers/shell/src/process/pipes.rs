//! The pipes of a background process: its output on the way to what is kept, a text on the way to its
//! input.
//!
//! Not here: when they are read and written (`background`).

use std::{
    io::{self, ErrorKind},
    os::fd::OwnedFd,
};

use tokio::{
    net::unix::pipe,
    time::{Instant, sleep_until},
};
use tollgate_sdk::CancellationToken;

use super::{background::Background, kind::Keeping};
use crate::{
    limits::{BACKGROUND_CHUNK_BYTES, WRITE_PATIENCE},
    run::buffered,
};

/// An end to read from: of a pipe, or a terminal's.
///
/// # Errors
/// It cannot be watched.
pub(super) fn reading(end: OwnedFd) -> io::Result<pipe::Receiver> {
    rustix::io::ioctl_fionbio(&end, true)?;
    pipe::Receiver::from_owned_fd_unchecked(end)
}

/// An end to write to, likewise.
///
/// # Errors
/// It cannot be watched.
pub(super) fn writing(end: OwnedFd) -> io::Result<pipe::Sender> {
    rustix::io::ioctl_fionbio(&end, true)?;
    pipe::Sender::from_owned_fd_unchecked(end)
}

/// The pipe's way to what is kept.
pub(super) struct Output<'a, K> {
    pub(super) process: &'a Background<K>,
    pub(super) pipe: pipe::Receiver,
    /// Somebody may still write to it.
    pub(super) open: bool,
}

impl<K: Keeping> Output<'_, K> {
    /// Waits for the next piece and takes it. Cancel safe: what was read was taken.
    pub(super) async fn more(&mut self) {
        let mut buffer = [0; BACKGROUND_CHUNK_BYTES];
        if self.pipe.readable().await.is_err() {
            self.open = false;
            return;
        }
        match self.pipe.try_read(&mut buffer) {
            Ok(0) => self.open = false,
            Ok(bytes) => self.take(buffer.get(..bytes).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => self.open = false,
        }
        // One that writes without end must not keep the others from being looked at.
        tokio::task::yield_now().await;
    }

    /// Takes what is there now.
    pub(super) fn rest(&self) {
        if self.open {
            self.take(&buffered(&self.pipe));
        }
    }

    fn take(&self, bytes: &[u8]) {
        self.process.take(bytes);
    }
}

/// Why a pipe did not take all.
pub(super) enum Stopped {
    Cancelled,
    Full,
    Broken,
}

/// Writes until nothing is left of `rest`.
///
/// # Errors
/// Why something is left.
pub(super) async fn write_all(
    pipe: &pipe::Sender,
    rest: &mut &[u8],
    cancelled: &CancellationToken,
) -> Result<(), Stopped> {
    let deadline = Instant::now() + WRITE_PATIENCE;
    while !rest.is_empty() {
        match pipe.try_write(rest) {
            Ok(bytes) => *rest = rest.get(bytes..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => tokio::select! {
                biased;
                () = cancelled.cancelled() => return Err(Stopped::Cancelled),
                () = sleep_until(deadline) => return Err(Stopped::Full),
                // An error shows again at the next write.
                _ = pipe.writable() => {}
            },
            Err(_) => return Err(Stopped::Broken),
        }
    }
    Ok(())
}
