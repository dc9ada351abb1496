//! The tool `Run`: the tests or the verifiers of a project, with a summary in place of their log.
//!
//! Which line that is, the project's files say (`found`); it is judged and run as `bash` judges and runs
//! the same line, and its whole output is the call's output. A call goes: `asked` → `found` → `foreground`
//! with `read` beside it → `say`.
//!
//! Invariant: what runs is what was judged, though files may have changed since (test
//! `what_was_judged_is_what_runs`).
//!
//! Not here: running a line (`foreground`), the formats (`read`).

mod asked;
mod found;
mod read;
mod report;
mod say;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tollgate_sdk::{
    Call, Context, Effects, Failure, Invalid, Preparation, Reply, Safety, Spec, Tool, Truncated,
};

use asked::{Asked, Input};
use found::{Check, Kind};
use read::Readers;
use say::Done;

use crate::{
    bash::CALLERS,
    clean::Cleaner,
    foreground::Shell,
    limits::JUDGED_MAX,
    run::{Audience, Stop},
};

/// The tool.
#[derive(Debug)]
pub(crate) struct RunTool {
    shell: Arc<Shell>,
    /// Calls and the lines that were judged for them, the oldest first.
    judged: Mutex<VecDeque<(String, String)>>,
}

impl Tool for RunTool {
    type Input = Input;
    const NAME: &'static str = "Run";
    const DESCRIPTION: &'static str = "Run a project's tests or verifiers (linters, type checkers, format checks) by \
        its own runner, found from its files: cargo, npm, pnpm, yarn, pytest, unittest, go, make, ruff, mypy. Gives \
        counts and each failure with file:line in place of the log, which is kept whole.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST)
            .title("Run tests or verifiers")
            .search_hint("unit test suite lint typecheck clippy jest vitest failures check")
            .prepared()
            .cancellable()
            .result_bytes_max(0)
            .callers(CALLERS)
    }

    async fn prepare(&self, input: &Input, context: &Context) -> Result<Preparation, Invalid> {
        let asked = input.asked(context)?;
        let line = asked.all_lines();
        let preparation = line.prepare(&self.shell.environment, context)?;
        let mut judged = self.judged();
        judged.retain(|(call, _)| *call != context.call_id);
        judged.push_back((context.call_id.clone(), line.command));
        while judged.len() > JUDGED_MAX {
            judged.pop_front();
        }
        let what = match asked.kind {
            Kind::Tests => "Run tests",
            Kind::Verifiers => "Run verifiers",
        };
        let names: Vec<&str> = asked.checks.iter().map(|check| check.name.as_str()).collect();
        Ok(preparation.title(format!("{what}: {}", names.join(", "))))
    }

    async fn call(&self, input: Input, call: Call) -> Result<Reply, Failure> {
        let invalid = |invalid: Invalid| Failure::new("invalid", invalid.message);
        let asked = input.asked(&call.context).map_err(invalid)?;
        self.check_judged(&asked, &call.context)?;
        let (done, left) = self.run(&asked, &call).await?;
        answer(&asked, &done, &left, &call)
    }
}

impl RunTool {
    pub(crate) fn new(shell: Arc<Shell>) -> Self {
        Self { shell, judged: Mutex::default() }
    }

    fn judged(&self) -> MutexGuard<'_, VecDeque<(String, String)>> {
        self.judged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// That the project's files still say what was judged.
    fn check_judged(&self, asked: &Asked, context: &Context) -> Result<(), Failure> {
        let mut judged = self.judged();
        let at = judged.iter().position(|(call, _)| *call == context.call_id);
        let line = at.and_then(|at| judged.remove(at)).map(|(_, line)| line);
        if line.is_none_or(|line| line == asked.all_lines().command) {
            return Ok(());
        }
        let message = "the project's files changed since this call was judged, and it would run another command \
            now; nothing ran. Call it again";
        Err(Failure::new("not_granted", message))
    }

    /// Runs one after the other; what there was no time for is left.
    async fn run(&self, asked: &Asked, call: &Call) -> Result<(Vec<Done>, Vec<Check>), Failure> {
        let deadline = Instant::now() + Duration::from_secs(asked.seconds.into());
        let mut done: Vec<Done> = Vec::new();
        for (number, check) in asked.checks.iter().enumerate() {
            let time = deadline.saturating_duration_since(Instant::now());
            let stopped = done.last().is_some_and(|done| done.ran.finished.stop != Stop::Itself);
            if stopped || time.is_zero() {
                return Ok((done, asked.checks.get(number..).unwrap_or_default().to_vec()));
            }
            let watched = Watched::new(call, check);
            if asked.checks.len() > 1 {
                watched.output(format!("$ {}\n", check.line).as_bytes()).await;
            }
            let ran = self.shell.finish(&asked.line_of(check), time, call, &watched).await?;
            let report = watched.report(&ran.finished);
            done.push(Done { check: check.clone(), ran, report });
        }
        Ok((done, Vec::new()))
    }
}

/// Passes a run's output on, and reads it.
struct Watched<'a> {
    call: &'a Call,
    reading: Mutex<Reading>,
}

struct Reading {
    cleaner: Cleaner,
    readers: Readers,
}

impl fmt::Debug for Watched<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").finish_non_exhaustive()
    }
}

impl<'a> Watched<'a> {
    fn new(call: &'a Call, check: &Check) -> Self {
        let reading = Reading { cleaner: Cleaner::default(), readers: Readers::of(check.family) };
        Self { call, reading: Mutex::new(reading) }
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was read; of an output that was not passed on whole, its kept end too, and no counts: between
    /// them something may be missing.
    fn report(&self, finished: &crate::run::Finished) -> Option<report::Report> {
        let mut reading = self.reading();
        let Reading { cleaner, readers } = &mut *reading;
        std::mem::take(cleaner).finish(readers);
        let is_whole = finished.passed_on >= finished.output.bytes;
        if !is_whole {
            finished
                .output
                .tail
                .lines()
                .for_each(|line| crate::clean::Lines::line(readers, line, 0));
        }
        let report = readers.report()?;
        let counts = report.counts.filter(|_| is_whole);
        Some(report::Report { counts, ..report })
    }
}

impl Audience for Watched<'_> {
    async fn output(&self, bytes: &[u8]) -> bool {
        {
            let mut reading = self.reading();
            let Reading { cleaner, readers } = &mut *reading;
            cleaner.push(bytes, readers);
        }
        Audience::output(self.call, bytes).await
    }

    fn progress(&self, line: String) {
        Audience::progress(self.call, line);
    }
}

/// Well only if all ended well.
fn answer(asked: &Asked, done: &[Done], left: &[Check], call: &Call) -> Result<Reply, Failure> {
    let cwd = &call.context.cwd;
    let outputs = || done.iter().map(|done| &done.ran.finished.output);
    let (bytes, lines) =
        (outputs().map(|all| all.bytes).sum(), outputs().map(|all| all.lines).sum());
    let in_output =
        done.iter().all(|done| done.ran.finished.passed_on >= done.ran.finished.output.bytes);
    let mut reply = Reply::text(say::text(asked.kind, done, &asked.found, left, cwd))
        .metadata(say::facts(done, &asked.found, left, cwd));
    if bytes > 0 {
        reply = reply.truncated(Truncated { bytes, lines, in_output });
    }
    if let Some(last) = done.last() {
        reply = reply.confined(&last.ran.finished.confined);
    }
    let stop = done.last().map(|done| done.ran.finished.stop);
    if stop == Some(Stop::Cancelled) {
        let failure = Failure::cancelled("the run was stopped").reply(reply);
        return Err(failure.effects(Effects::Partial));
    }
    if stop == Some(Stop::TimedOut) || !left.is_empty() {
        return Err(Failure::with_reply("timeout", reply).effects(Effects::Partial));
    }
    if done.iter().all(Done::is_well) {
        return Ok(reply);
    }
    let class = match asked.kind {
        Kind::Tests => "tests_failed",
        Kind::Verifiers => "verifiers_failed",
    };
    Err(Failure::with_reply(class, reply).effects(Effects::Complete))
}
