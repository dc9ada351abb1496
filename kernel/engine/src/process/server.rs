//! One running server process: its input, its log, and its end.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::child::Child;
use super::exit::Exit;
use super::limits::LAST_WORDS_MAX;
use super::logs::LogTail;

/// A server process. Dropping it ends the process and everything that the process started.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    stdin: Mutex<Stdin>,
    tail: LogTail,
    // Held for its drop: without the process there is nothing to read.
    _log: AbortOnDropHandle<()>,
}

/// The kernel's end of the server's standard input.
///
/// Open => Writing => Open   one line
/// any  => Closed            end-of-file: the server drains and exits
#[derive(Debug)]
enum Stdin {
    Open(Sender),
    Writing,
    Closed,
}

impl ServerProcess {
    pub(super) fn new(
        child: Child,
        stdin: Sender,
        tail: LogTail,
        log: AbortOnDropHandle<()>,
    ) -> Self {
        Self { child, stdin: Mutex::new(Stdin::Open(stdin)), tail, _log: log }
    }

    /// The process id: of the warden if there is one, else of the server.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.child.pid().as_raw()
    }

    /// Writes one line to the server's standard input, which stays open.
    ///
    /// # Errors
    ///
    /// `line` holds a newline, the input is closed or being written to, or the server reads no more.
    ///
    /// # Cancel safety
    ///
    /// A line that was begun cannot be taken back: if this is cancelled the input is closed, and the
    /// server exits.
    pub async fn write_line(&self, line: &str) -> io::Result<()> {
        if line.contains('\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a line holds no newline"));
        }
        let taken = std::mem::replace(&mut *self.stdin(), Stdin::Writing);
        let mut pipe = match taken {
            Stdin::Open(pipe) => pipe,
            Stdin::Writing => return Err(io::Error::other("another line is being written")),
            Stdin::Closed => {
                *self.stdin() = Stdin::Closed;
                return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the input is closed"));
            }
        };
        pipe.write_all(format!("{line}\n").as_bytes()).await?;
        let mut stdin = self.stdin();
        // It may have been closed meanwhile.
        if matches!(*stdin, Stdin::Writing) {
            *stdin = Stdin::Open(pipe);
        }
        Ok(())
    }

    /// Closes the server's standard input, which asks it to drain and exit ([PROTO-10]).
    pub fn close_stdin(&self) {
        *self.stdin() = Stdin::Closed;
    }

    /// The last output of the server.
    #[must_use]
    pub fn logs(&self) -> LogTail {
        self.tail.clone()
    }

    /// How the process ended, or `None` while it runs.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        self.child.exit()
    }

    /// Waits until the process has ended and nothing that it started is left; any number may wait.
    pub async fn exited(&self) -> Exit {
        self.child.exited().await
    }

    /// Waits for the end, and returns how it came and the last output, complete.
    pub async fn last_words(&self) -> (Exit, String) {
        let exit = self.exited().await;
        // On time-out the tail holds what came until then.
        timeout(LAST_WORDS_MAX, self.tail.ended()).await.ok();
        (exit, self.tail.text())
    }

    /// Sends SIGTERM: a plain server drains; a warden at once kills all that is below it.
    pub fn terminate(&self) {
        self.child.terminate();
    }

    /// Sends SIGKILL to the process and its group, and ends what they leave behind.
    pub fn kill(&self) {
        self.child.kill();
    }

    /// Ends the process: end-of-file, then after `grace` SIGTERM, then after another `grace` SIGKILL.
    pub async fn stop(&self, grace: Duration) -> Exit {
        self.close_stdin();
        if let Ok(exit) = timeout(grace, self.exited()).await {
            return exit;
        }
        self.terminate();
        if let Ok(exit) = timeout(grace, self.exited()).await {
            return exit;
        }
        self.kill();
        self.exited().await
    }

    fn stdin(&self) -> MutexGuard<'_, Stdin> {
        // Each change is one assignment.
        self.stdin.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
