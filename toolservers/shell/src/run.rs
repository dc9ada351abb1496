//! One command from start to end: its output as it comes, its end, the clock, the word to stop.
//!
//! Invariants: the end is that of the shell, never that of the pipe, which a background process may
//! hold open (B037); output is passed on as it comes, and a slow reader slows the command and
//! nothing else; after a timeout or a stop nothing of the command is left (B038, B058).
//!
//! Not here: starting (`spawn`), killing (`tree`), the text of the result (`result`).

use std::{
    ffi::CString,
    io::{self, ErrorKind},
    os::fd::AsFd,
    path::{Path, PathBuf},
    pin::pin,
    time::Duration,
};

use tokio::{
    net::unix::pipe,
    time::{Instant, sleep_until, timeout},
};
use tollgate_sdk::CancellationToken;

use crate::{
    capture::{Capture, Captured},
    limits::{CHUNK_BYTES, KILL_PATIENCE, PIPE_BYTES, PROGRESS_CHARS_MAX, PROGRESS_PAUSE},
    reap::Ending,
    sandbox::Confinement,
    spawn::{Bash, Input, LastCwd},
    tree::Tree,
};

#[cfg(test)]
mod tests;

/// What is to be run.
#[derive(Debug)]
pub(crate) struct Order<'a> {
    /// For the shell, as it is.
    pub(crate) command: &'a str,
    /// Where; it exists.
    pub(crate) cwd: &'a Path,
    /// `NAME=value` texts, the marker among them.
    pub(crate) environment: Vec<CString>,
    /// The marker's value.
    pub(crate) call_id: &'a str,
    /// How long it may run.
    pub(crate) timeout: Duration,
    /// What it finds as its input.
    pub(crate) input: Input<'a>,
    /// Bytes that are passed on; what follows is only counted and shown in part.
    pub(crate) output_bytes_max: u64,
    /// What it is held to.
    pub(crate) confinement: &'a Confinement,
}

/// Who sees the output as it comes.
pub(crate) trait Audience: Sync {
    /// Takes a piece; `false`: nobody listens any more.
    fn output(&self, bytes: &[u8]) -> impl Future<Output = bool> + Send;
    /// Takes the newest line.
    fn progress(&self, line: String);
}

/// Why a command ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Stop {
    /// By itself, or by a signal that is not ours.
    Itself,
    /// Its time was up.
    TimedOut,
    /// Somebody stopped it.
    Cancelled,
}

/// A command after its end.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How the shell ended; unknown only if it could not be killed.
    pub(crate) ending: Option<Ending>,
    /// Why.
    pub(crate) stop: Stop,
    /// From start to end.
    pub(crate) duration: Duration,
    /// What of the output is shown.
    pub(crate) output: Captured,
    /// Bytes that were passed on.
    pub(crate) passed_on: u64,
    /// Processes that it left running.
    pub(crate) background: usize,
    /// Processes that could not be killed.
    pub(crate) survivors: usize,
    /// The shell's last working directory.
    pub(crate) last_cwd: Option<PathBuf>,
    /// What held it, in words for the receipt.
    pub(crate) confined: String,
    /// The pipe, if background processes may still write to it: who closes it ends them.
    pub(crate) pipe: Option<pipe::Receiver>,
}

/// Runs a command to its end.
///
/// # Errors
/// It could not be started.
///
/// # Cancel safety
/// None: a dropped run leaves its processes to `kill_everything`.
pub(crate) async fn run(
    bash: &Bash,
    order: Order<'_>,
    cancelled: &CancellationToken,
    audience: &impl Audience,
) -> io::Result<Finished> {
    let began = Instant::now();
    let (cwd, environment, confinement) = (order.cwd, order.environment, order.confinement);
    let started = bash.start(order.command, cwd, environment, order.input, confinement)?;
    let tree = Tree { root: Some(started.child.pid), call_id: order.call_id };
    let mut ended = started.child.ended;
    let mut stream = Stream {
        pipe: pipe::Receiver::from_owned_fd(started.output)?,
        capture: Capture::default(),
        room: order.output_bytes_max,
        passed_on: 0,
        unsent: Vec::new(),
        progressed: None,
        audience,
    };
    let over = CancellationToken::new();
    let (ending, stop, survivors, duration) = {
        let mut flow = pin!(stream.flow(&over));
        let mut flowing = true;
        let (mut ending, stop) = loop {
            tokio::select! {
                biased;
                () = cancelled.cancelled() => break (None, Stop::Cancelled),
                ending = &mut ended => break (ending.ok(), Stop::Itself),
                () = sleep_until(began + order.timeout) => break (None, Stop::TimedOut),
                () = &mut flow, if flowing => flowing = false,
            }
        };
        let mut survivors = 0;
        if stop != Stop::Itself {
            // Goes on reading meanwhile: a process that waits to write cannot hear TERM's handler.
            let mut end = pin!(tree.end());
            survivors = loop {
                tokio::select! {
                    biased;
                    survivors = &mut end => break survivors,
                    () = &mut flow, if flowing => flowing = false,
                }
            };
            // Dead is not reaped yet, but soon; a shell that could not be killed never is.
            let reaped = timeout(KILL_PATIENCE, &mut ended).await;
            ending = reaped.ok().and_then(Result::ok);
        }
        let duration = began.elapsed();
        over.cancel();
        if flowing {
            flow.await;
        }
        (ending, stop, survivors, duration)
    };
    let background = if stop == Stop::Itself { tree.keep_the_rest() } else { 0 };
    let confined = order.confinement.told(started.child.report.get(), stop == Stop::Itself)?;
    Ok(Finished {
        confined,
        ending,
        stop,
        duration,
        output: stream.capture.finish(),
        passed_on: stream.passed_on,
        background,
        survivors,
        last_cwd: LastCwd::read(&started.last_cwd),
        pipe: (background > 0).then_some(stream.pipe),
    })
}

/// The pipe's way to the capture and to the audience.
struct Stream<'a, A> {
    pipe: pipe::Receiver,
    capture: Capture,
    /// Bytes that the audience still takes.
    room: u64,
    passed_on: u64,
    /// The beginning of a character whose other bytes are still to come: pieces are cut between
    /// characters, so that whoever decodes them alone sees no broken one (B047).
    unsent: Vec<u8>,
    progressed: Option<Instant>,
    audience: &'a A,
}

impl<A: Audience> Stream<'_, A> {
    /// Reads until the end of the pipe, or until it is empty once the command is `over`.
    async fn flow(&mut self, over: &CancellationToken) {
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            let read = if over.is_cancelled() { break } else { self.pipe.try_read(&mut buffer) };
            match read {
                Ok(0) => break,
                Ok(bytes) => self.piece(buffer.get(..bytes).unwrap_or_default()).await,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait(over).await;
                }
                Err(_) => break,
            }
            // A command that writes without end must not keep the clock from being looked at.
            tokio::task::consume_budget().await;
        }
        for piece in buffered(&self.pipe).chunks(CHUNK_BYTES) {
            self.piece(piece).await;
        }
        let unsent = std::mem::take(&mut self.unsent);
        self.pass_on(&unsent).await;
    }

    /// Waits for bytes or for the end, and tells the newest line when it is time.
    async fn wait(&mut self, over: &CancellationToken) {
        let pause_ends = self.progressed.map(|progressed| progressed + PROGRESS_PAUSE);
        let tell_at = pause_ends.unwrap_or_else(Instant::now);
        let untold = pause_ends.is_some();
        tokio::select! {
            biased;
            () = over.cancelled() => {}
            // An error shows again at the next read.
            _ = self.pipe.readable() => {}
            () = sleep_until(tell_at), if untold => {
                self.progressed = None;
                self.tell_progress();
            }
        }
    }

    async fn piece(&mut self, bytes: &[u8]) {
        self.capture.push(bytes);
        if self.progressed.is_none() {
            self.tell_progress();
            self.progressed = Some(Instant::now());
        }
        if self.room == 0 {
            return;
        }
        let mut piece = std::mem::take(&mut self.unsent);
        piece.extend_from_slice(bytes);
        self.unsent = piece.split_off(piece.len() - unfinished(&piece));
        self.pass_on(&piece).await;
    }

    async fn pass_on(&mut self, bytes: &[u8]) {
        let fits = usize::try_from(self.room).unwrap_or(usize::MAX).min(bytes.len());
        let bytes = bytes.get(..fits).unwrap_or_default();
        if bytes.is_empty() {
            return;
        }
        if self.audience.output(bytes).await {
            self.passed_on += fits as u64;
            self.room -= fits as u64;
        } else {
            self.room = 0;
        }
    }

    fn tell_progress(&self) {
        let line: String = self.capture.last_line().chars().take(PROGRESS_CHARS_MAX).collect();
        if !line.is_empty() {
            self.audience.progress(line);
        }
    }
}

/// What a pipe holds when its command has ended. What comes later is not the command's, so no more
/// than a pipe can hold is read; and the pipe is asked itself, since the runtime may not have heard yet
/// of the last bytes.
pub(crate) fn buffered(pipe: &pipe::Receiver) -> Vec<u8> {
    let mut left = rustix::pipe::fcntl_getpipe_size(pipe).unwrap_or(PIPE_BYTES);
    let (mut all, mut buffer) = (Vec::new(), vec![0; CHUNK_BYTES]);
    while left > 0 {
        let room = left.min(buffer.len());
        let Some(part) = buffer.get_mut(..room) else { break };
        let Ok(bytes @ 1..) = rustix::io::read(pipe.as_fd(), &mut *part) else { break };
        left -= bytes;
        all.extend_from_slice(part.get(..bytes).unwrap_or_default());
    }
    all
}

/// How many bytes at the end begin a character that is not complete yet, 0 to 3.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(3);
    let continuing = last.take_while(|byte| (0x80..0xc0).contains(*byte)).count();
    let needed = match bytes.iter().rev().nth(continuing) {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 0,
    };
    if continuing + 1 < needed { continuing + 1 } else { 0 }
}
