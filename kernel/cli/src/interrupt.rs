//! Ctrl-C, and its kin SIGTERM and SIGHUP: the first cancels what runs, the second ends at once.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::output::line_err;

/// The signals that interrupt.
#[derive(Debug)]
pub(crate) struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Interrupts {
    /// Takes the signals over; from here on they no longer end the process by themselves.
    ///
    /// # Errors
    /// The operating system refuses.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            biased;
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }

    /// Runs `work`. The first signal cancels the token and waits for the work to end; `None` if a
    /// second signal came before that.
    pub(crate) async fn during<T>(
        &mut self,
        cancel: &CancellationToken,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let mut work = std::pin::pin!(work);
        tokio::select! {
            biased;
            () = self.next() => {
                cancel.cancel();
                line_err("\ninterrupted: stopping; Ctrl-C again ends at once");
            }
            done = &mut work => return Some(done),
        }
        tokio::select! {
            biased;
            done = &mut work => Some(done),
            () = self.next() => None,
        }
    }
}
