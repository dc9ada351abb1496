//! One program in a fresh QuickJS runtime, on the caller's thread.
//!
//! The straight line: a `machine` (runtime, context, and the prelude that gives the program `tools` and
//! `console`) is started and the program launched; the `pump` runs its jobs and hands it its answers until it
//! has ended; what it returned becomes JSON, what it threw a [`Fault`].
//!
//! Invariants: nothing of the program runs once the stop flag is set; the program reaches the world by
//! [`Ask`]s alone, which carry text.
//!
//! Not here: clocks, and a native operation that does not yield. Both are for the one who sets the flag.

mod fault;
mod home;
mod host;
mod machine;
mod prelude;
mod pump;
mod text;

use std::{
    rc::Rc,
    sync::{Arc, atomic::AtomicBool, mpsc::Receiver},
};

pub use self::home::runtimes_left_behind;
use self::{
    host::Host,
    machine::Machine,
    pump::{End, pump},
};
use crate::{limits::Limits, source::Prepared};

/// The name that the engine's stacks give the program.
const PROGRAM_FILE: &str = "program.js";

/// What a program asks of the world outside its runtime.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Ask {
    /// Another tool. Answered by [`Tell::Answer`] with the same id, in any order.
    Call {
        /// Unique in the program.
        id: u64,
        /// As the program wrote it.
        name: String,
        /// JSON text, an object.
        arguments: String,
    },
    /// A line for the log, without its end; `console.error` and its kin.
    Log {
        /// "log", "info", "warn", "error" or "debug".
        level: &'static str,
        /// Formatted.
        text: String,
    },
}

/// What a program is told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Tell {
    /// A call has ended.
    Answer {
        /// [`Ask::Call`]'s.
        id: u64,
        /// How.
        answer: Answer,
    },
    /// Stop now; the flag is set already.
    Stop,
}

/// How a call ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    /// "ok", or the `.code` of the error that is thrown: "failed", "refused" or "denied".
    pub code: &'static str,
    /// `{"content", "metadata", "truncated"}` as JSON text; may be empty for a call that did not run.
    pub result: Vec<u8>,
    /// When it is not ok: a sentence.
    pub message: String,
}

/// How a program ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Outcome {
    /// The returned value as compact JSON, or the fault.
    pub ended: Result<String, Fault>,
    /// Sentences beside it: `undefined` became null, a call was not awaited, a rejection nobody caught.
    pub notes: Vec<String>,
}

/// Why a program has no value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    /// A stable word: "threw", "`stopped`", "memory", "stack", "value", "`never_settles`", "`not_awaited`".
    pub class: &'static str,
    /// What happened, why, what helps. Without the place.
    pub message: String,
    /// In the model's own text, from 1; 0: not known.
    pub line: u32,
    /// In characters, from 1; 0: not known.
    pub column: u32,
}

/// Bytes of native stack that a thread needs to [`run`] a program: the interpreter's, and what is around it.
#[must_use]
pub fn thread_stack_bytes(limits: &Limits) -> usize {
    limits.stack_bytes.saturating_add(2 * 1024 * 1024)
}

/// Runs a program to its end on this thread, which has [`thread_stack_bytes`].
///
/// `asks` is never full (what it carries is bounded by the limits); `stop` set means that no more of the
/// program may run, and `Tell::Stop` wakes a program that waits. A receiver whose senders are gone is a stop.
/// The notes are the engine's; those of `prepared` are not among them.
pub fn run(
    prepared: &Prepared,
    limits: &Limits,
    asks: &tokio::sync::mpsc::UnboundedSender<Ask>,
    tells: &Receiver<Tell>,
    stop: &Arc<AtomicBool>,
) -> Outcome {
    Ready::new(limits, asks, stop).run(prepared, tells)
}

/// A runtime that waits for its program, on the thread that will run it: the language and the prelude are in
/// place, and nothing of any program.
pub struct Ready {
    host: Rc<Host>,
    machine: Option<Machine>,
    limits: Limits,
}

impl Ready {
    /// Makes one; arguments as of [`run`]. That there is no memory for it is told by [`Ready::run`].
    #[must_use]
    pub fn new(
        limits: &Limits,
        asks: &tokio::sync::mpsc::UnboundedSender<Ask>,
        stop: &Arc<AtomicBool>,
    ) -> Self {
        let host = Rc::new(Host::new(limits, asks, stop));
        let machine = Machine::start(limits, &host).ok();
        Self { host, machine, limits: *limits }
    }

    /// As [`run`], once; the runtime goes when this is dropped, which takes a moment of its own.
    #[must_use]
    pub fn run(&mut self, prepared: &Prepared, tells: &Receiver<Tell>) -> Outcome {
        let ended = self.run_on(prepared, tells);
        Outcome { ended, notes: self.host.end() }
    }

    fn run_on(&mut self, prepared: &Prepared, tells: &Receiver<Tell>) -> Result<String, Fault> {
        let host = &*self.host;
        let Some(machine) = &mut self.machine else {
            let stopped = host.is_stopped().then(|| stopped(host, (0, 0), false));
            return Err(stopped.unwrap_or_else(|| not_started(&self.limits)));
        };
        let launched = machine.launch(prepared);
        if host.is_stopped() {
            return Err(stopped(host, machine.stopped_at(), false));
        }
        launched?;
        match pump(machine, host, tells) {
            End::Stopped { after_end } => Err(stopped(host, machine.stopped_at(), after_end)),
            End::NeverSettles => Err(never_settles(machine, host)),
            End::Returned | End::Threw => {
                machine.close();
                machine.note_unheard();
                let finished = machine.finish();
                if host.is_stopped() {
                    Err(stopped(host, machine.stopped_at(), true))
                } else {
                    finished
                }
            }
        }
    }
}

impl std::fmt::Debug for Ready {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ready").field("limits", &self.limits).finish_non_exhaustive()
    }
}

fn not_started(limits: &Limits) -> Fault {
    let message = format!(
        "the program could not be started: its memory of {} KiB does not hold the language itself",
        limits.memory_bytes / 1024
    );
    Fault { class: "memory", message, line: 0, column: 0 }
}

fn stopped(host: &Host, (line, column): (u32, u32), after_end: bool) -> Fault {
    let message = match (host.open_calls(), after_end) {
        (0, _) => "the program was stopped while it ran".to_owned(),
        (_, false) => format!("the program was stopped with {} open", host.open_calls_text()),
        (_, true) => format!(
            "the program was stopped after its end, when it waited for {} that it had not awaited",
            host.open_calls_text()
        ),
    };
    Fault { class: "stopped", message, line, column }
}

fn never_settles(machine: &Machine, host: &Host) -> Fault {
    let lost = machine.has_lost_jobs();
    machine.close();
    machine.note_unheard();
    if host.has_met_memory_limit() || lost {
        return machine.memory_fault();
    }
    let message = "the program waits for a promise that nothing will settle: no call is open and nothing is \
                   left to run. Await a call, or resolve the promise; there are no timers and no events.";
    Fault { class: "never_settles", message: message.to_owned(), line: 0, column: 0 }
}

#[cfg(test)]
mod tests;
