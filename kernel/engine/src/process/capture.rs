//! A program that is run to its end and heard whole: a hook, not a server.
//!
//! Invariants: what it says is held within bounds; nothing of it is left when [`Spawner::capture`]
//! returns, however it ended (one that the operating system holds back is left to the reaper); a
//! daemon that keeps its output open does not keep the caller.
//!
//! Not here: what its output means.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::child::Child;
use super::exit::Exit;
use super::limits::{ENDED_WITHIN, LAST_WORDS_MAX, LOG_READ_BYTES};
use super::spawner::{Spawner, Started};
use super::spec::{ProcessSpec, SpawnError};

/// How much a captured program may say, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct CaptureBounds {
    /// Bytes of standard output; one more ends the program.
    pub stdout_bytes_max: usize,
    /// Bytes of standard error that are kept, from its beginning; the rest is read and forgotten.
    pub stderr_bytes_max: usize,
    /// From its start to its end.
    pub within: Duration,
}

/// What a captured program said, and how it ended.
#[derive(Clone, Debug)]
pub struct Captured {
    /// Its end.
    pub end: CaptureEnd,
    /// Its standard output, whole if it ended by itself.
    pub stdout: Vec<u8>,
    /// The beginning of its standard error.
    pub stderr: Vec<u8>,
}

/// How a captured program ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CaptureEnd {
    /// By itself.
    Exited(Exit),
    /// Its time was over, and it was killed.
    TimedOut,
    /// It said more than it may, and was killed.
    TooMuch,
    /// The caller gave it up, and it was killed.
    Cancelled,
}

/// More was said than is taken.
struct TooMuch;

impl Spawner {
    /// Runs a program to its end: `input` is all of its standard input.
    ///
    /// # Errors
    /// See [`SpawnError`]; nothing runs then.
    ///
    /// # Cancel safety
    /// If this is dropped the program is ended. `cancel` ends it too, and waits until it has ended.
    pub async fn capture(
        &self,
        spec: ProcessSpec,
        input: Vec<u8>,
        bounds: CaptureBounds,
        cancel: &CancellationToken,
    ) -> Result<Captured, SpawnError> {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let Started { child, stdin, stdout: out, stderr: err } = self.start(spec).await?;
        let end = {
            let talk = async {
                tokio::try_join!(
                    write(stdin, input),
                    hear(out, &mut stdout, bounds.stdout_bytes_max),
                    overhear(err, &mut stderr, bounds.stderr_bytes_max),
                )
            };
            // Whole: it has ended, and nobody holds its streams any more.
            let whole = async { tokio::try_join!(async { Ok(child.exited().await) }, talk) };
            // A process that is none of its own may have been handed a stream: not waited for.
            let bare = async {
                let exit = child.exited().await;
                sleep(LAST_WORDS_MAX).await;
                exit
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => CaptureEnd::Cancelled,
                whole = whole => match whole {
                    Ok((exit, _)) => CaptureEnd::Exited(exit),
                    Err(TooMuch) => CaptureEnd::TooMuch,
                },
                exit = bare => CaptureEnd::Exited(exit),
                () = sleep(bounds.within) => CaptureEnd::TimedOut,
            }
        };
        end_now(&child).await;
        Ok(Captured { end, stdout, stderr })
    }
}

/// Gives a program its input, then end-of-file. One that reads nothing is no fault.
async fn write(mut pipe: Sender, input: Vec<u8>) -> Result<(), TooMuch> {
    pipe.write_all(&input).await.ok();
    Ok(())
}

/// Reads a stream to its end, or to more than `max` bytes.
async fn hear(pipe: Receiver, kept: &mut Vec<u8>, max: usize) -> Result<(), TooMuch> {
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    // An error of a pipe is its end.
    pipe.take(limit).read_to_end(kept).await.ok();
    if kept.len() > max { Err(TooMuch) } else { Ok(()) }
}

/// Reads a stream to its end and keeps its beginning.
async fn overhear(mut pipe: Receiver, kept: &mut Vec<u8>, max: usize) -> Result<(), TooMuch> {
    let mut read = Vec::with_capacity(LOG_READ_BYTES);
    while let Ok(1..) = pipe.read_buf(&mut read).await {
        let room = max.saturating_sub(kept.len());
        kept.extend(read.iter().take(room));
        read.clear();
    }
    Ok(())
}

/// Ends a program that runs, and what is below it.
async fn end_now(child: &Child) {
    if child.exit().is_some() {
        return;
    }
    child.terminate();
    if timeout(ENDED_WITHIN, child.exited()).await.is_err() {
        child.kill();
        timeout(ENDED_WITHIN, child.exited()).await.ok();
    }
}
