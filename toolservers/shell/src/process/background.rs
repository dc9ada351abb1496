//! One background process: its output as it comes, its input, its end, the word to stop.
//!
//! A task drives it from the start until nothing of it is left, so that the operating system never
//! keeps what nobody looks after.
//!
//! Invariants: all that it started ends with it when it is stopped, and with the session in any case
//! (`tree`, as for `bash`); its memory is bounded (`kept`).
//!
//! Not here: which processes there are (`table`), the words about them (`say`).

use std::{
    io,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    net::unix::pipe,
    sync::{oneshot, watch},
    time::{Instant, sleep_until, timeout},
};
use tollgate_sdk::CancellationToken;

use super::{
    kept::{Kept, tail},
    life::{By, End, Life},
    pipes::{Output, Stopped, write_all},
};
use crate::{
    limits::{KILL_PATIENCE, STOP_PATIENCE, TYPED_BYTES_MAX},
    reap::Ending,
    spawn::Started,
    tree::Tree,
};

/// A process that a call left running on purpose.
#[derive(Debug)]
pub(crate) struct Background {
    /// Unique in this server.
    pub(crate) number: u64,
    /// What is known of it from its start.
    pub(crate) birth: Birth,
    /// When that was.
    pub(crate) began: Instant,
    /// The shell.
    root: i32,
    state: Mutex<State>,
    /// Told at each piece of output and each change of its life.
    changed: watch::Sender<()>,
    stop: CancellationToken,
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

/// What changes.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) kept: Kept,
    /// Bytes that it wrote.
    pub(crate) bytes: u64,
    pub(crate) life: Life,
    /// What was typed and has no line end yet.
    pub(crate) typed: String,
    /// The line up to which a reader that keeps no place of its own was told.
    pub(crate) told: u64,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Waited {
    /// The shell has ended.
    Ended,
    /// It was enough.
    Enough,
    /// The time is over.
    TimedOut,
    /// The waiting call was stopped; the process was not.
    Cancelled,
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

impl Background {
    /// Takes over what was started, and gives it with the work of driving it.
    ///
    /// # Errors
    /// A pipe cannot be watched.
    pub(crate) fn new(
        number: u64,
        birth: Birth,
        mut started: Started,
        session_over: CancellationToken,
    ) -> io::Result<(Arc<Self>, impl Future<Output = ()> + Send + 'static)> {
        let input = started.input.take().map(pipe::Sender::from_owned_fd).transpose()?;
        let process = Arc::new(Self {
            number,
            birth,
            began: Instant::now(),
            root: started.child.pid,
            state: Mutex::new(State {
                kept: Kept::default(),
                bytes: 0,
                life: Life::Running,
                typed: String::new(),
                told: 0,
            }),
            changed: watch::Sender::default(),
            stop: CancellationToken::new(),
            emptied: CancellationToken::new(),
            input: tokio::sync::Mutex::new(input),
        });
        let pipe = pipe::Receiver::from_owned_fd(started.output)?;
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
        format!("p{}", self.number)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn life(&self) -> Life {
        self.state().life
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

    /// Waits for the shell's end, or until it is `enough`.
    pub(crate) async fn wait(
        &self,
        enough: impl Fn(&State) -> bool,
        deadline: Instant,
        cancelled: &CancellationToken,
    ) -> Waited {
        let mut changed = self.changed.subscribe();
        loop {
            {
                let state = self.state();
                if enough(&state) {
                    return Waited::Enough;
                }
                if state.life != Life::Running {
                    return Waited::Ended;
                }
            }
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return Waited::Cancelled,
                () = sleep_until(deadline) => return Waited::TimedOut,
                _ = changed.changed() => {}
            }
        }
    }

    /// Tells it to end, with all that it started.
    pub(crate) fn begin_to_stop(&self) {
        self.stop.cancel();
    }

    /// Ends it and all that it started, and waits for that; `false`: the call was stopped first, or it
    /// took too long.
    pub(crate) async fn stop(&self, cancelled: &CancellationToken) -> bool {
        self.settle();
        self.stop.cancel();
        let deadline = Instant::now() + STOP_PATIENCE;
        let mut changed = self.changed.subscribe();
        while !matches!(self.life(), Life::Ended { .. }) {
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return false,
                () = sleep_until(deadline) => return false,
                _ = changed.changed() => {}
            }
        }
        true
    }

    /// Writes a text to its input, and closes that if asked.
    ///
    /// # Errors
    /// Not all of it was written.
    pub(crate) async fn write(
        &self,
        text: &str,
        close: bool,
        cancelled: &CancellationToken,
    ) -> Result<(), Unwritten> {
        let mut input = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(Unwritten::Cancelled { written: 0 }),
            input = self.input.lock() => input,
        };
        let Some(pipe) = input.as_ref() else { return Err(Unwritten::Closed) };
        let mut rest = text.as_bytes();
        let written = write_all(pipe, &mut rest, cancelled).await;
        let taken = text.len() - rest.len();
        self.note_typed(text.as_bytes().get(..taken).unwrap_or_default());
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

    /// Keeps what has no line end yet; a line end behind a backslash is none for a shell.
    fn note_typed(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.typed.push_str(&String::from_utf8_lossy(bytes));
        let mut ends = state.typed.match_indices('\n').map(|(at, _)| at);
        let typed = state.typed.as_bytes();
        let escaped = |at: usize| at.checked_sub(1).and_then(|at| typed.get(at)) == Some(&b'\\');
        let line = ends.rfind(|at| !escaped(*at)).map_or(0, |at| at + 1);
        let open = tail(state.typed.get(line..).unwrap_or_default(), TYPED_BYTES_MAX).to_owned();
        state.typed = open;
    }

    fn tree(&self, root: Option<i32>) -> Tree<'_> {
        Tree { root, call_id: &self.birth.call_id }
    }

    /// Running => Left | Ended; or Left => Ended, when it is stopped or the session is over.
    async fn drive(
        &self,
        output: &mut Output<'_>,
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
            state.kept.push(bytes);
        }
        self.changed.send_replace(());
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
