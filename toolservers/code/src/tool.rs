//! `execute_tools`: one program, from the call to its result. The program is on a thread of its own; what it
//! asks for goes to the kernel from here.
//!
//! Not here: clocks, receipts, and the logs' end in the result. They are the kernel's, so that they are told
//! when this process is gone.

mod program;
mod told;

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use futures::{StreamExt, stream::FuturesUnordered};
use tokio::time::{Instant, sleep_until};
use tollgate_sdk::{
    Call, Caller, CancellationToken, Channel, Deserialize, Ending, Failure, HostError, HostService,
    JsonSchema, Reply, Safety, Spec, Tool,
};

use crate::{
    engine::{self, Answer, Ask, Outcome},
    limits::{LEFT_BEHIND_MAX, Limits, YIELD_WITHIN},
    source::Diagnostic,
};
use program::Program;

/// The tool.
#[derive(Debug)]
pub struct ExecuteTools {
    limits: Limits,
    /// A runtime that no program has seen, made while nobody waited.
    spare: Mutex<Option<Program>>,
    running: AtomicUsize,
    stopping: CancellationToken,
}

/// What a model sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub struct Input {
    /// Body of an async function; `return` the value.
    code: String,
    /// Waits for approval not counted.
    #[schemars(range(min = 1))]
    #[expect(dead_code, reason = "the kernel reads it: the clocks are its own")]
    timeout_ms: Option<u64>,
}

impl ExecuteTools {
    /// With these limits for each program; `stopping` ends the server when it is better replaced.
    #[must_use]
    pub fn new(limits: Limits, stopping: CancellationToken) -> Self {
        Self { limits, spare: Mutex::default(), running: AtomicUsize::new(0), stopping }
    }

    fn spare(&self) -> MutexGuard<'_, Option<Program>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program has ended: the next one finds its runtime made, and a process in which runtimes were left
    /// behind is replaced while nothing runs in it.
    fn ended(&self) {
        let is_idle = self.running.fetch_sub(1, Ordering::Relaxed) == 1;
        if is_idle && engine::runtimes_left_behind() > LEFT_BEHIND_MAX {
            self.stopping.cancel();
            return;
        }
        let mut spare = self.spare();
        if spare.is_none() {
            // Without one the next program makes its own, and says why it cannot.
            *spare = Program::ready(self.limits).ok();
        }
    }
}

/// One program, counted until it has ended, however that came.
struct Running<'a>(&'a ExecuteTools);

impl<'a> Running<'a> {
    fn of(tool: &'a ExecuteTools) -> Self {
        tool.running.fetch_add(1, Ordering::Relaxed);
        Self(tool)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.ended();
    }
}

impl Tool for ExecuteTools {
    type Input = Input;
    const NAME: &'static str = "execute_tools";
    const DESCRIPTION: &'static str = "Run a JavaScript program that makes many calls and returns only what matters. \
        `await tools.call(name, args)` gives `{content, metadata, truncated}` or throws an Error with .code and \
        .result. Promise.all runs calls side by side. `tools.search(query, {format: \"types\"})` finds every other \
        tool. Each call is judged as if made directly. Not for one call, nor when each result needs a look. No \
        imports, network, timers.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WRITE)
            .title("Run a program")
            .search_hint("javascript script code mode loop batch many calls parallel")
            .eager()
            .cancellable()
            .callers(&[Caller::Client])
            .host_services(&[HostService::CallTool, HostService::SearchTools])
    }

    async fn call(&self, input: Input, call: Call) -> Result<Reply, Failure> {
        let spare = self.spare().take();
        let program = spare.map_or_else(|| Program::ready(self.limits), Ok)?;
        program.begin(input.code.clone());
        let running = Running::of(self);
        let attended = attend(program, &call).await;
        drop(running);
        match attended? {
            Attended::Ended(outcome) => {
                let told = told::outcome(outcome, &input.code, call.cancelled.is_cancelled())?;
                told.within(self.limits.value_bytes, &call).await
            }
            Attended::NoProgram(diagnostic) => Err(told::diagnostic(&diagnostic, &input.code)),
            Attended::Overdue => {
                // Its thread ends with the process, which takes no further program and ends when the others
                // of it have.
                tracing::warn!("a program does not yield: the server is replaced");
                self.stopping.cancel();
                Err(told::overdue())
            }
        }
    }
}

/// How a program's thread ended.
enum Attended {
    Ended(Outcome),
    NoProgram(Diagnostic),
    /// It did not: one native operation does not yield.
    Overdue,
}

/// Serves a program to its end.
async fn attend(mut program: Program, call: &Call) -> Result<Attended, Failure> {
    let mut calls = FuturesUnordered::new();
    let mut overdue = None;
    let outcome = loop {
        let ask = tokio::select! {
            biased;
            () = call.cancelled.cancelled(), if overdue.is_none() => {
                program.stop();
                overdue = Some(Instant::now() + YIELD_WITHIN);
                continue;
            }
            () = sleep_until(overdue.unwrap_or_else(Instant::now)), if overdue.is_some() => {
                return Ok(Attended::Overdue);
            }
            Some((id, answer)) = calls.next() => {
                program.answer(id, answer);
                continue;
            }
            ended = &mut program.ended => break ended,
            Some(ask) = program.asks.recv() => ask,
        };
        match ask {
            Ask::Call { id, name, arguments } => {
                calls.push(async move { (id, answer(call.call_tool(&name, arguments).await)) });
            }
            Ask::Log { level, text } => log(call, level, &text).await,
        }
    };
    while let Ok(ask) = program.asks.try_recv() {
        if let Ask::Log { level, text } = ask {
            log(call, level, &text).await;
        }
    }
    match outcome {
        Ok(Ok(outcome)) => Ok(Attended::Ended(outcome)),
        Ok(Err(diagnostic)) => Ok(Attended::NoProgram(diagnostic)),
        Err(_) => Err(Failure::new("crashed", "the interpreter crashed; this is a fault of it")),
    }
}

/// A line of the log, as it comes: it must be out of this process before the next operation that may end it.
async fn log(call: &Call, level: &str, text: &str) {
    let line = if level == "log" { format!("{text}\n") } else { format!("[{level}] {text}\n") };
    // A session that is gone needs no logs.
    drop(call.output(Channel::Terminal, line.as_bytes()).await);
}

/// The kernel's answer, as the program gets it.
fn answer(called: Result<tollgate_sdk::Called, HostError>) -> Answer {
    match called {
        Ok(called) => {
            let code = match called.ending {
                Ending::Succeeded => "ok",
                Ending::Failed => "failed",
                Ending::Refused => "refused",
                Ending::Denied => "denied",
            };
            Answer { code, result: called.result.to_vec(), message: called.message }
        }
        Err(error) => Answer { code: "refused", result: Vec::new(), message: error.to_string() },
    }
}
