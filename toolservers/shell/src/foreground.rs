//! A line that is waited for: run, and what its result says and leaves behind. The core of `bash` and of
//! the old names that mean it.
//!
//! Not here: running (`run`), the result's text (`result`), the session's background (`process`).

use std::{
    env,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{net::unix::pipe, task::JoinSet};
use tollgate_sdk::{Call, Channel, Context, Effects, Failure, Reply, Scope, Truncated};

use crate::{
    denied,
    env::Environment,
    guard::{Guard, Guarded},
    line::Line,
    reap::Ending,
    result,
    run::{self, Audience, Finished, Order, Stop},
    settings::Settings,
    spawn::{Bash, BashError, Input},
};

#[cfg(test)]
mod tests;

/// The shell and what its commands see, for every tool that starts one.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) bash: Bash,
    pub(crate) environment: Environment,
    pub(crate) guard: Arc<Guard>,
    /// Read the pipes of background processes, which would die of a closed one.
    readers: Mutex<JoinSet<()>>,
}

impl Shell {
    /// Finds the shell.
    ///
    /// # Errors
    /// There is none, or no place for its start-up file.
    pub(crate) fn new(settings: &Settings, state: Option<&Path>) -> Result<Arc<Self>, BashError> {
        let environment = Environment::of_this_process();
        let bash = Bash::find(&environment)?;
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let guard = Guard::new(settings, state, home);
        Ok(Arc::new(Self { bash, environment, guard, readers: Mutex::default() }))
    }

    /// What a command is held to, by its grant.
    ///
    /// # Errors
    /// It cannot be confined.
    pub(crate) async fn guarded(
        self: &Arc<Self>,
        cwd: &Path,
        scope: &Scope,
        context: &Context,
    ) -> Result<Guarded, Failure> {
        let (shell, cwd) = (Arc::clone(self), cwd.to_owned());
        let (scope, context) = (scope.clone(), context.clone());
        beside(move || shell.guard.before(&shell.bash, &cwd, &scope, &context)).await
    }

    /// What a command did where it must not, for its result.
    pub(crate) async fn looked_after(
        self: &Arc<Self>,
        guarded: Guarded,
        goes_on: bool,
    ) -> Vec<String> {
        let shell = Arc::clone(self);
        beside(move || shell.guard.after(guarded, goes_on)).await
    }

    /// Runs a line to its end.
    ///
    /// # Errors
    /// It was not started, or did not end with exit code 0.
    pub(crate) async fn run(
        self: &Arc<Self>,
        line: &Line,
        timeout: Duration,
        call: &Call,
    ) -> Result<Reply, Failure> {
        let context = &call.context;
        let Ran { finished, cwd, reads, mut notes } =
            self.finish(line, timeout, call, call).await?;
        let next = match line.folder {
            // It was this command's folder, not the session's.
            Some(_) => context.cwd.clone(),
            None => next_directory(&finished, &context.roots, &cwd, &mut notes),
        };
        answer(&finished, reads, reply(&finished, &next, context, &notes))
    }

    /// Runs a line to its end before an audience.
    ///
    /// # Errors
    /// It was not started.
    pub(crate) async fn finish(
        self: &Arc<Self>,
        line: &Line,
        timeout: Duration,
        call: &Call,
        audience: &impl Audience,
    ) -> Result<Ran, Failure> {
        let context = &call.context;
        let place = line.place(&self.environment, context, &call.scope)?;
        let (cwd, reads, mut notes) = (place.cwd, place.reads, place.notes);
        let mut guarded = self.guarded(&cwd, &call.scope, context).await?;
        notes.append(&mut guarded.notes);
        if line.command.contains("git") {
            notes.append(&mut guarded.git);
        }
        let order = Order {
            confinement: &guarded.confinement,
            command: &line.command,
            cwd: &cwd,
            environment: self.environment.of_call(&context.call_id, &cwd, reads),
            call_id: &context.call_id,
            timeout,
            input: match &line.input {
                Some(text) => Input::Text(text.as_bytes()),
                None => Input::Nothing,
            },
            output_bytes_max: call.output_bytes_max,
        };
        let run = run::run(&self.bash, order, &call.cancelled, audience).await;
        let mut finished = run.map_err(|error| not_started(&cwd, &error))?;
        if let Some(pipe) = finished.pipe.take() {
            self.read_on(pipe);
        }
        let output = [finished.output.head.as_str(), finished.output.tail.as_str()];
        let folders = [Some(cwd.as_path()), finished.last_cwd.as_deref()];
        let folders: Vec<_> = folders.into_iter().flatten().collect();
        let denials = denied::of(&output, &folders, &guarded.confinement);
        let can_ask = context.can_ask && context.posture == "ask";
        let roots = if reads { &[] } else { call.scope.write_roots.as_slice() };
        notes.extend(denied::notes(&denials, roots, can_ask));
        let caught = self.looked_after(guarded, finished.background > 0).await;
        if !caught.is_empty() {
            // For the receipt (GT-05).
            finished.confined = format!("{} caught:{}", finished.confined, caught.len());
        }
        notes.extend(caught);
        Ok(Ran { finished, cwd, reads, notes })
    }

    /// Goes on reading what background processes write, to nowhere.
    fn read_on(&self, pipe: pipe::Receiver) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        while readers.try_join_next().is_some() {}
        readers.spawn(async move {
            let mut buffer = [0; 4096];
            while pipe.readable().await.is_ok() {
                match pipe.try_read(&mut buffer) {
                    Ok(0) => return,
                    Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => return,
                    _ => {}
                }
            }
        });
    }
}

/// A line that was run to its end.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) finished: Finished,
    /// Where.
    pub(crate) cwd: PathBuf,
    /// It was proven to only read.
    pub(crate) reads: bool,
    /// For the result.
    pub(crate) notes: Vec<String>,
}

/// Blocking work beside the server's one thread.
pub(crate) async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        // It is never cancelled; what panicked is the SDK's to report.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// The operating system started nothing.
pub(crate) fn not_started(cwd: &Path, error: &std::io::Error) -> Failure {
    let message = format!("the command was not started in {}: {error}", cwd.display());
    Failure::new("not_started", message)
}

impl Audience for Call {
    async fn output(&self, bytes: &[u8]) -> bool {
        Self::output(self, Channel::Terminal, bytes).await.is_ok()
    }

    fn progress(&self, line: String) {
        Self::progress(self, line, None);
    }
}

/// Where the session goes on: where the shell ended, if that is inside the roots.
fn next_directory(
    finished: &Finished,
    roots: &[PathBuf],
    cwd: &Path,
    notes: &mut Vec<String>,
) -> PathBuf {
    let Some(last) = finished.last_cwd.as_deref().filter(|last| last.is_dir()) else {
        return cwd.to_owned();
    };
    // The shell tells a path without links; the roots and the directory may be named by some.
    if cwd.canonicalize().is_ok_and(|real| real == last) {
        return cwd.to_owned();
    }
    let inside = |root: &PathBuf| {
        let within = last.strip_prefix(root.canonicalize().ok()?).ok()?;
        Some(if within.as_os_str().is_empty() { root.clone() } else { root.join(within) })
    };
    if let Some(next) = roots.iter().find_map(inside) {
        return next;
    }
    notes.push(format!(
        "[{} is outside the workspace; later commands start in {}]",
        last.display(),
        cwd.display()
    ));
    cwd.to_owned()
}

fn reply(finished: &Finished, next: &Path, context: &Context, notes: &[String]) -> Reply {
    let output = &finished.output;
    let mut reply = Reply::text(result::text(finished, notes))
        .metadata(result::metadata(finished, next))
        .confined(&finished.confined);
    if next != context.cwd {
        reply = reply.cwd(next);
    }
    if output.left_out.bytes > 0 {
        let in_output = finished.passed_on >= output.bytes;
        reply = reply.truncated(Truncated { bytes: output.bytes, lines: output.lines, in_output });
    }
    reply
}

/// Exit code 0 is a result; any other end is a failure with the same content.
fn answer(finished: &Finished, reads: bool, reply: Reply) -> Result<Reply, Failure> {
    let effects = |otherwise: Effects| if reads { Effects::None } else { otherwise };
    match (finished.stop, finished.ending) {
        (Stop::Itself, Some(Ending::Code(0))) => Ok(reply),
        (Stop::Itself, Some(Ending::Code(_))) => {
            Err(Failure::with_reply("exit_nonzero", reply).effects(effects(Effects::Complete)))
        }
        (Stop::Itself, _) => {
            Err(Failure::with_reply("signal", reply).effects(effects(Effects::Unknown)))
        }
        (Stop::TimedOut, _) => {
            Err(Failure::with_reply("timeout", reply).effects(effects(Effects::Partial)))
        }
        (Stop::Cancelled, _) => Err(Failure::cancelled("the command was stopped")
            .reply(reply)
            .effects(effects(Effects::Partial))),
    }
}
