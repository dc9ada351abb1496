//! The person's terminal, as the place where questions are answered: `/dev/tty`, whatever standard
//! input is.
//!
//! Invariant: what was typed before a question was shown does not answer it.

use std::{fs::File, io, io::Read as _, os::unix::fs::OpenOptionsExt as _};

use rustix::termios::{QueueSelector, tcflush};
use tokio::io::unix::AsyncFd;

use crate::limits::ANSWER_BYTES_MAX;

/// A terminal that can be read from without blocking the rest.
#[derive(Debug)]
pub(crate) struct Tty {
    file: AsyncFd<File>,
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
        Ok(Self { file: AsyncFd::new(file)? })
    }

    /// Forgets what was typed so far.
    pub(crate) fn forget(&self) {
        // A terminal that cannot forget is still a terminal.
        drop(tcflush(self.file.get_ref(), QueueSelector::IFlush));
    }

    /// The next line, without its newline; `None`: the terminal is gone, or end of file was typed.
    ///
    /// # Cancel safety
    /// A line that was begun stays in the terminal, which hands out whole lines.
    pub(crate) async fn line(&self) -> Option<String> {
        let mut line = vec![0; ANSWER_BYTES_MAX];
        loop {
            let mut ready = self.file.readable().await.ok()?;
            match ready.try_io(|file| file.get_ref().read(&mut line)) {
                Ok(Ok(0) | Err(_)) => return None,
                Ok(Ok(bytes)) => {
                    line.truncate(bytes);
                    return Some(String::from_utf8_lossy(&line).trim_end().to_owned());
                }
                // It was not ready after all.
                Err(_) => {}
            }
        }
    }
}
