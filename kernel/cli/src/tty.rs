//! The person's terminal, as the place where questions are answered: `/dev/tty`, whatever standard
//! input is.
//!
//! Invariant: what was typed before a question was shown does not answer it.

use std::{fs::File, io, os::unix::fs::OpenOptionsExt as _};

use rustix::termios::{QueueSelector, tcflush};
use tokio::net::unix::pipe::Receiver;

use crate::limits::ANSWER_BYTES_MAX;

/// A terminal that can be read from without blocking the rest.
#[derive(Debug)]
pub(crate) struct Tty {
    // A terminal is read as a pipe is: it is ready, or it would block.
    file: Receiver,
}

impl Tty {
    /// Opens the terminal of this process.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn open() -> io::Result<Self> {
        // An open file of its own: that it does not block changes nothing for other programs.
        let flags = nix::fcntl::OFlag::O_NONBLOCK | nix::fcntl::OFlag::O_NOCTTY;
        let file = File::options().read(true).custom_flags(flags.bits()).open("/dev/tty")?;
        Ok(Self { file: Receiver::from_file_unchecked(file)? })
    }

    /// Forgets what was typed so far.
    pub(crate) fn forget(&self) {
        // A terminal that cannot forget is still a terminal.
        tcflush(&self.file, QueueSelector::IFlush).ok();
    }

    /// Whether the terminal is gone, and not only an end of file was typed. Only after [`Self::line`] gave
    /// none.
    pub(crate) fn is_gone(&self) -> bool {
        match self.file.try_read(&mut [0]) {
            Ok(bytes) => bytes == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }

    /// The next line, without its newline; `None`: the terminal is gone, or end of file was typed.
    ///
    /// # Cancel safety
    /// A line that was begun stays in the terminal, which hands out whole lines.
    pub(crate) async fn line(&self) -> Option<String> {
        let mut line = vec![0; ANSWER_BYTES_MAX];
        loop {
            self.file.readable().await.ok()?;
            match self.file.try_read(&mut line) {
                Ok(0) => return None,
                Ok(bytes) => {
                    line.truncate(bytes);
                    return Some(String::from_utf8_lossy(&line).trim_end().to_owned());
                }
                // It was not ready after all.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return None,
            }
        }
    }
}
