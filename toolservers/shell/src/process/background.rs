//! One background process: its output as it comes, its input, its end, the word to stop.
//!
//! A task drives it from the start until nothing of it is left, so that the operating system never
//! keeps what nobody looks after.
//!
//! Invariants: all that it started ends with it when it is stopped, and with the session in any case
//! (`tree`, as for `bash`); its memory is bounded (`kept`).
//!
//! Not here: which processes there are (`table`), waiting for one (`waiting`), the words about them (`say`).

use std::{
    io,
    os::fd::{AsFd as _, BorrowedFd},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    net::unix::pipe,
    sync::{oneshot, watch},
    time::{Instant, sleep_until, timeout},
};
use tollgate_sdk::{CancellationToken, Context};

use super::{
    kept::{Kept, tail},
    kind::Keeping,
    life::{By, End, Life},
    pipes::{self, Output, Stopped, write_all},
};
use crate::{
    limits::{KILL_PATIENCE, TYPED_BYTES_MAX},
    line::Line,
    reap::Ending,
    spawn::Started,
    tree::Tree,
};

/// A process that a call left running on purpose, and what is kept of its output: lines, or a screen.
#[derive(Debug)]
pub(crate) struct Background<K = Kept> {
    /// Unique in this server.
    pub(crate) number: u64,
    /// What is known of it from its start.
    pub(crate) birth: Birth,
    /// When that was.
    pub(crate) began: Instant,
    /// The shell.
    root: i32,
    state: Mutex<State<K>>,
    /// Told at each piece of output and each change of its life.
    pub(super) changed: watch::Sender<()>,
    pub(super) stop: CancellationToken,
    /// Fires when what its shell left has ended by itself.
    emptied: CancellationToken,
    input: tokio::sync::Mutex<Option<pipe::Sender>>,
}

/// What is known of a process from its start.
#[derive(Clone, Debug)]
pub(crate) struct Birth {
    /// The conversation that it belongs to.
    pub(crate) session: String,
    /// The agent that started it.
    pub(crate) agent: String,
    /// The call that started it: the marker of all its processes.
    pub(crate) call_id: String,
    /// The line.
    pub(crate) command: String,
    /// For people.
    pub(crate) title: String,
}

impl Birth {
    /// Of a line that a call starts.
    pub(crate) fn of(line: &Line, context: &Context) -> Self {
        Self {
            session: context.session.clone(),
            agent: context.agent.clone(),
            call_id: context.call_id.clone(),
            command: line.command.clone(),
            title: line.title(),
        }
    }
}

/// What changes.
#[derive(Debug)]
pub(crate) struct State<K = Kept> {
    pub(crate) kept: K,
    /// Bytes that it wrote.
    pub(crate) bytes: u64,
    pub(crate) life: Life,
    /// What was typed and has no line end yet.
    pub(crate) typed: String,
    /// The line up to which a reader that keeps no place of its own was told.
    pub(crate) told: u64,
    /// When a call last named it.
    used: Instant,
}

/// Why a text was not written, or not all of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Unwritten {
    /// It has no open input.
    Closed,
    /// It reads no more.
    Broken { written: usize },
    /// It did not read in time.
    Full { written: usize },
    /// The writing call was stopped.
    Cancelled { written: usize },
}

impl Unwritten {
    /// How many bytes were.
    pub(crate) fn written(&self) -> usize {
        match *self {
            Self::Closed => 0,
            Self::Broken { written } | Self::Full { written } | Self::Cancelled { written } => {
                written
            }
        }
    }
}

impl<K: Keeping> Background<K> {
    /// Takes over what was started, and gives it with the work of driving it.
    ///
    /// # Errors
    /// A pipe cannot be watched.
    pub(crate) fn new(
        number: u64,
        birth: Birth,
        kept: K,
        mut started: Started,
        session_over: CancellationToken,
    ) -> io::Result<(Arc<Self>, impl Future<Output = ()> + Send + 'static)> {
        let input = started.input.take().map(pipes::writing).transpose()?;
        let process = Arc::new(Self {
            number,
            birth,
            began: Instant::now(),
            root: started.child.pid,
            state: Mutex::new(State {
                kept,
                bytes: 0,
                life: Life::Running,
                typed: String::new(),
                told: 0,
                used: Instant::now(),
            }),
            changed: watch::Sender::default(),
            stop: CancellationToken::new(),
            emptied: CancellationToken::new(),
            input: tokio::sync::Mutex::new(input),
        });
        let pipe = pipes::reading(started.output)?;
        let driven = Arc::clone(&process);
        let work = async move {
            let mut output = Output { process: &driven, pipe, open: true };
            driven.drive(&mut output, started.child.ended, &session_over).await;
            drop(started.last_cwd);
        };
        Ok((process, work))
    }

    /// "p1".
    pub(crate) fn id(&self) -> String {
        K::KIND.id(self.number)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn life(&self) -> Life {
        self.state().life
    }

    /// A call names it.
    pub(crate) fn touch(&self) {
        self.state().used = Instant::now();
    }

    /// Looks whether what the shell left has ended by itself: nothing tells that.
    pub(crate) fn settle(&self) {
        let Life::Left { shell, .. } = self.life() else { return };
        match self.tree(None).count() {
            // The task that drives it reads the rest of its output first.
            0 => self.emptied.cancel(),
            processes => self.state().life = Life::Left { shell, processes },
        }
    }

    /// Tells it to end, with all that it started.
    pub(crate) fn begin_to_stop(&self) {
        self.stop.cancel();
    }

    /// Writes a text to its input, and closes that if asked; remembers what was typed.
    ///
    /// # Errors
    /// Not all of it was written.
    pub(crate) async fn write(
        &self,
        text: &str,
        close: bool,
        cancelled: &CancellationToken,
    ) -> Result<(), Unwritten> {
        let sent = self.send(text.as_bytes(), close, cancelled).await;
        let taken = sent.as_ref().map_or_else(Unwritten::written, |()| text.len());
        let taken = text.as_bytes().get(..taken).unwrap_or_default();
        self.note_typed(&self.with_typed(&String::from_utf8_lossy(taken)));
        sent
    }

    /// Writes bytes to its input, and closes that if asked.
    ///
    /// # Errors
    /// Not all of them were written.
    pub(crate) async fn send(
        &self,
        bytes: &[u8],
        close: bool,
        cancelled: &CancellationToken,
    ) -> Result<(), Unwritten> {
        let mut input = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(Unwritten::Cancelled { written: 0 }),
            input = self.input.lock() => input,
        };
        let Some(pipe) = input.as_ref() else { return Err(Unwritten::Closed) };
        let mut rest = bytes;
        let written = write_all(pipe, &mut rest, cancelled).await;
        let taken = bytes.len() - rest.len();
        match written {
            Ok(()) if !close => Ok(()),
            Ok(()) => {
                *input = None;
                Ok(())
            }
            Err(Stopped::Cancelled) => Err(Unwritten::Cancelled { written: taken }),
            Err(Stopped::Full) => Err(Unwritten::Full { written: taken }),
            Err(Stopped::Broken) => {
                *input = None;
                Err(Unwritten::Broken { written: taken })
            }
        }
    }

    /// Whether it has an input that can be written to, as far as is known.
    pub(crate) fn has_input(&self) -> bool {
        // One that is being written to is there.
        self.input.try_lock().map_or(true, |input| input.is_some())
    }

    /// What a text that is typed now means: with what was typed before it on its line.
    pub(crate) fn with_typed(&self, text: &str) -> String {
        format!("{}{text}", self.state().typed)
    }

    /// Keeps of all that was typed what has no line end yet; a line end behind a backslash is none for a
    /// shell.
    pub(crate) fn note_typed(&self, typed: &str) {
        let bytes = typed.as_bytes();
        let mut ends = typed.match_indices('\n').map(|(at, _)| at);
        let escaped = |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\\');
        let line = ends.rfind(|at| !escaped(*at)).map_or(0, |at| at + 1);
        let open = tail(typed.get(line..).unwrap_or_default(), TYPED_BYTES_MAX);
        self.state().typed = open.to_owned();
    }

    /// Does something to the descriptor of its input; `None`: that is closed.
    pub(crate) async fn with_input<T>(&self, does: impl FnOnce(BorrowedFd<'_>) -> T) -> Option<T> {
        Some(does(self.input.lock().await.as_ref()?.as_fd()))
    }

    fn tree(&self, root: Option<i32>) -> Tree<'_> {
        Tree { root, call_id: &self.birth.call_id }
    }

    /// Running => Left | Ended; or Left => Ended, when it is stopped or the session is over.
    async fn drive(
        &self,
        output: &mut Output<'_, K>,
        mut ended: oneshot::Receiver<Ending>,
        session_over: &CancellationToken,
    ) {
        let mut root = Some(self.root);
        let by = loop {
            tokio::select! {
                biased;
                () = session_over.cancelled() => break By::Session,
                () = self.emptied.cancelled() => break By::Itself,
                () = self.stop.cancelled() => break By::Call,
                () = self.left_alone() => break By::Idle,
                ending = &mut ended, if root.is_some() => {
                    output.rest();
                    let shell = End { ending: ending.ok(), after: self.began.elapsed() };
                    let processes = self.tree(root.take()).keep_the_rest();
                    if processes == 0 {
                        return self.end(shell, By::Itself, 0);
                    }
                    self.state().life = Life::Left { shell, processes };
                    self.changed.send_replace(());
                }
                () = output.more(), if output.open => {}
            }
        };
        let mut killing = pin!(self.tree(root).end());
        // Goes on reading meanwhile: a process that waits to write cannot hear TERM's handler.
        let survivors = loop {
            tokio::select! {
                biased;
                survivors = &mut killing => break survivors,
                () = output.more(), if output.open => {}
            }
        };
        output.rest();
        let shell = match self.life() {
            Life::Left { shell, .. } | Life::Ended { shell, .. } => shell,
            Life::Running => {
                // Dead is not reaped yet, but soon; a shell that could not be killed never is.
                let reaped = timeout(KILL_PATIENCE, &mut ended).await;
                End { ending: reaped.ok().and_then(Result::ok), after: self.began.elapsed() }
            }
        };
        self.end(shell, by, survivors);
    }

    /// A piece of its output.
    pub(super) fn take(&self, bytes: &[u8]) {
        {
            let mut state = self.state();
            state.bytes += bytes.len() as u64;
            let answer = state.kept.push(bytes);
            // A terminal's answer that nobody waits for, or that finds no room, is none.
            if !answer.is_empty()
                && let Ok(input) = self.input.try_lock()
                && let Some(pipe) = input.as_ref()
            {
                pipe.try_write(&answer).ok();
            }
        }
        self.changed.send_replace(());
    }

    /// Waits until no call has named it for as long as its kind lasts.
    async fn left_alone(&self) {
        let Some(idle_max) = K::KIND.idle_max else { return std::future::pending().await };
        loop {
            let ends = self.state().used + idle_max;
            if ends <= Instant::now() {
                return;
            }
            sleep_until(ends).await;
        }
    }

    fn end(&self, shell: End, by: By, survivors: usize) {
        {
            let mut state = self.state();
            state.kept.finish();
            state.life = Life::Ended { shell, by, at: Instant::now(), survivors };
        }
        // One that is being written to finds out itself: nobody reads it any more.
        if let Ok(mut input) = self.input.try_lock() {
            *input = None;
        }
        self.changed.send_replace(());
    }
}
