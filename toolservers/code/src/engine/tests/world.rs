//! The world of a test: it answers calls, keeps what it was asked, and stops a program after a while.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    engine::{Answer, Ask, Fault, Outcome, Tell, run, thread_stack_bytes},
    limits::Limits,
    source::Prepared,
};

/// A call that the world was asked for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Call {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// When and how calls are answered.
pub(super) type Answering = Box<dyn FnMut(&Call) -> Vec<(u64, Answer)>>;

/// A program about to run.
pub(super) struct Program {
    prepared: Prepared,
    limits: Limits,
    answering: Answering,
    stop_after: Option<Duration>,
    stop_at_ask: Option<usize>,
}

/// What a program did.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) outcome: Outcome,
    pub(super) calls: Vec<Call>,
    pub(super) logs: Vec<(&'static str, String)>,
    /// From the stop, or from the start when there was none.
    pub(super) took: Duration,
}

/// A program whose calls echo their arguments.
pub(super) fn program(body: &str) -> Program {
    Program {
        prepared: Prepared {
            script: format!("(async () => {{\n{body}\n}})"),
            lines_before: 1,
            lines: u32::try_from(body.split('\n').count()).unwrap(),
            ..Prepared::default()
        },
        limits: Limits::default(),
        answering: Box::new(|call| vec![(call.id, echo(call))]),
        stop_after: None,
        stop_at_ask: None,
    }
}

pub(super) fn ok(result: &str) -> Answer {
    Answer { code: "ok", result: result.as_bytes().to_vec(), message: String::new() }
}

pub(super) fn text(content: &str) -> Answer {
    ok(&serde_json::json!({"content": content, "metadata": {}, "truncated": null}).to_string())
}

pub(super) fn echo(call: &Call) -> Answer {
    ok(&format!(
        r#"{{"content":{},"metadata":{{"n":{}}},"truncated":null}}"#,
        call.arguments, call.id
    ))
}

pub(super) fn ended(code: &'static str, message: &str) -> Answer {
    Answer { code, result: Vec::new(), message: message.to_owned() }
}

impl Program {
    /// Answers at once.
    pub(super) fn answering(self, mut one: impl FnMut(&Call) -> Answer + 'static) -> Self {
        self.when(move |call| vec![(call.id, one(call))])
    }

    /// Answers any calls at any call.
    pub(super) fn when(mut self, all: impl FnMut(&Call) -> Vec<(u64, Answer)> + 'static) -> Self {
        self.answering = Box::new(all);
        self
    }

    pub(super) fn limited(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    pub(super) fn stopped_after(mut self, ms: u64) -> Self {
        self.stop_after = Some(Duration::from_millis(ms));
        self
    }

    /// Stops when the world has been asked so many times, the log included.
    pub(super) fn stopped_at_ask(mut self, number: usize) -> Self {
        self.stop_at_ask = Some(number);
        self
    }

    pub(super) fn run(mut self) -> Ran {
        let (asks, mut asked) = unbounded();
        let (tells, told) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let prepared = self.prepared;
        let limits = self.limits;
        let on_thread = Arc::clone(&stop);
        let started = Instant::now();
        let thread = thread::Builder::new()
            .stack_size(thread_stack_bytes(&limits))
            .spawn(move || run(&prepared, &limits, &asks, &told, &on_thread))
            .unwrap();

        let (over, until_over) = mpsc::channel::<()>();
        let stopper = self.stop_after.map(|after| {
            let (tells, stop) = (tells.clone(), Arc::clone(&stop));
            thread::spawn(move || {
                if until_over.recv_timeout(after) != Err(mpsc::RecvTimeoutError::Timeout) {
                    return None;
                }
                let stopped = Instant::now();
                stop.store(true, Ordering::Relaxed);
                tells.send(Tell::Stop).ok();
                Some(stopped)
            })
        });

        let (mut calls, mut logs) = (Vec::new(), Vec::new());
        while let Some(ask) = asked.blocking_recv() {
            match ask {
                Ask::Log { level, text } => logs.push((level, text)),
                Ask::Call { id, name, arguments } => {
                    let call = Call { id, name, arguments };
                    for (id, answer) in (self.answering)(&call) {
                        tells.send(Tell::Answer { id, answer }).ok();
                    }
                    calls.push(call);
                }
            }
            if Some(calls.len() + logs.len()) == self.stop_at_ask {
                stop.store(true, Ordering::Relaxed);
                tells.send(Tell::Stop).ok();
            }
        }
        let outcome = thread.join().unwrap();
        drop(over);
        let stopped = stopper.and_then(|stopper| stopper.join().unwrap());
        Ran { outcome, calls, logs, took: stopped.unwrap_or(started).elapsed() }
    }
}

#[expect(clippy::disallowed_methods, reason = "the world always listens")]
fn unbounded()
-> (tokio::sync::mpsc::UnboundedSender<Ask>, tokio::sync::mpsc::UnboundedReceiver<Ask>) {
    tokio::sync::mpsc::unbounded_channel()
}

impl Ran {
    #[track_caller]
    pub(super) fn value(&self) -> &str {
        self.outcome.ended.as_deref().unwrap()
    }

    #[track_caller]
    pub(super) fn fault(&self) -> &Fault {
        self.outcome.ended.as_ref().unwrap_err()
    }

    pub(super) fn notes(&self) -> String {
        self.outcome.notes.join("\n")
    }
}

/// The value of a program whose calls echo, and its notes.
#[track_caller]
pub(super) fn check(body: &str, value: &str) -> String {
    let ran = program(body).run();
    assert_eq!(ran.outcome.ended.as_deref(), Ok(value), "{body}\n{:?}", ran.outcome);
    ran.notes()
}

/// The class of a program's fault, and that its message holds a text.
#[track_caller]
pub(super) fn check_fault(body: &str, class: &str, says: &str) {
    let ran = program(body).run();
    let fault = ran.fault();
    assert_eq!(fault.class, class, "{body}\n{fault:?}");
    assert!(fault.message.contains(says), "{body}\n{fault:?}");
}
