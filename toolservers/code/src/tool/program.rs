//! A program on its thread, and the line to it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
};

use tokio::sync::{
    mpsc::{UnboundedReceiver, unbounded_channel},
    oneshot,
};
use tollgate_sdk::Failure;

use crate::{
    engine::{self, Answer, Ask, Ready, Tell},
    limits::Limits,
    source::{Diagnostic, prepare},
};

/// A program on a thread of its own, with a runtime that was made for it; dropped, it is told to stop.
#[derive(Debug)]
pub(super) struct Program {
    /// What it asks for; bounded by what a program may ask for.
    pub(super) asks: UnboundedReceiver<Ask>,
    /// Its end; an error: its thread crashed.
    pub(super) ended: oneshot::Receiver<Result<engine::Outcome, Diagnostic>>,
    text: Sender<String>,
    tells: Sender<Tell>,
    stop: Arc<AtomicBool>,
}

impl Program {
    /// A thread with a fresh runtime, which waits for its text.
    ///
    /// # Errors
    /// There is no thread for it.
    pub(super) fn ready(limits: Limits) -> Result<Self, Failure> {
        #[expect(
            clippy::disallowed_methods,
            reason = "what a program may ask for is bounded by its limits, and it must not wait for room"
        )]
        let (asks, asked) = unbounded_channel();
        let (text, texts) = channel::<String>();
        let (tells, told) = channel();
        let (end, ended) = oneshot::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let run = move || {
            let mut ready = Ready::new(&limits, &asks, &stopped);
            // Nobody needs it any more.
            let Ok(code) = texts.recv() else { return };
            // Here, because a text can be made on which the parser takes its time.
            let outcome = prepare(&code, limits.code_bytes).map(|prepared| {
                let mut outcome = ready.run(&prepared, &told);
                outcome.notes.splice(0..0, prepared.notes);
                outcome
            });
            // Whoever waited may be gone.
            drop(end.send(outcome));
        };
        let thread = thread::Builder::new()
            .name("program".to_owned())
            .stack_size(engine::thread_stack_bytes(&limits));
        match thread.spawn(run) {
            // Its end is told by the channel.
            Ok(_) => Ok(Self { asks: asked, ended, text, tells, stop }),
            Err(error) => {
                let why = format!("the program could not be started: {error}; try again");
                Err(Failure::new("unavailable", why))
            }
        }
    }

    /// Begins it.
    pub(super) fn begin(&self, code: String) {
        // A thread that crashed before is told by `ended`.
        drop(self.text.send(code));
    }

    /// No more of it may run.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        // A thread that has ended needs no word.
        drop(self.tells.send(Tell::Stop));
    }

    /// One of its calls has ended.
    pub(super) fn answer(&self, id: u64, answer: Answer) {
        drop(self.tells.send(Tell::Answer { id, answer }));
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.stop();
    }
}
