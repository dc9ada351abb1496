//! The tool `bash`: one cancellable foreground command.
//!
//! `prepare` says what the line touches and whether it is proven to only read; `call` runs it and
//! says how it ended. The session's working directory comes with each call and goes back with it.
//!
//! Not here: running (`run`), reading the line (`parse`, `proof`), the result's text (`result`).

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::{net::unix::pipe, task::JoinSet};
use tollgate_sdk::{
    Call, Caller, Channel, Context, Deserialize, Effects, Failure, Invalid, JsonSchema,
    Preparation, Reply, Safety, Sandbox, Scope, Spec, Tool, Truncated,
};

use crate::{
    env::Environment,
    limits::{
        COMMAND_BYTES_MAX, JUSTIFICATION_BYTES_MAX, TIMEOUT_SECONDS_DEFAULT, TIMEOUT_SECONDS_MAX,
        TITLE_CHARS_MAX,
    },
    parse, proof,
    readonly::{self, Surroundings},
    reap::Ending,
    result,
    run::{self, Audience, Finished, Order, Stop},
    spawn::{Bash, BashError},
    subjects,
};

#[cfg(test)]
mod tests;

/// The tool.
#[derive(Debug)]
pub(crate) struct BashTool {
    bash: Bash,
    environment: Environment,
    /// Read the pipes of background processes, which would die of a closed one.
    readers: Mutex<JoinSet<()>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct Input {
    /// The command line, run by `bash -c` as it is.
    #[schemars(length(min = 1))]
    command: String,
    /// Seconds after which it is stopped; default 120, at most 600.
    #[schemars(range(min = 1, max = 600))]
    timeout: Option<u32>,
    /// What it does, in five to ten words, for the person who watches.
    description: Option<String>,
    /// Asks the person for a wider sandbox, with `justification`. No call has one yet: leave it out.
    sandbox: Option<Wider>,
    /// Why, for the person.
    justification: Option<String>,
}

/// A sandbox that a call may ask for (`[GATE-72]`); the gate decides whether it is wider.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
pub(crate) enum Wider {
    WorkspaceWrite,
    Network,
    Off,
}

impl BashTool {
    /// Finds the shell.
    ///
    /// # Errors
    /// There is none, or no place for its start-up file.
    pub(crate) fn new() -> Result<Self, BashError> {
        let environment = Environment::of_this_process();
        let bash = Bash::find(&environment)?;
        Ok(Self { bash, environment, readers: Mutex::default() })
    }

    /// Where a line would run.
    fn around<'a>(&'a self, context: &'a Context, cwd: &'a Path) -> Surroundings<'a> {
        Surroundings { path: self.environment.path(), roots: &context.roots, cwd }
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

impl Tool for BashTool {
    type Input = Input;
    const NAME: &'static str = "bash";
    const DESCRIPTION: &'static str = "Run a command line with bash and wait for its end. Output and errors come as \
        one text; of a long one the beginning and the end are shown, and the whole is kept as an artifact. There \
        is no terminal and no input: commands must not ask. A `cd` at the end holds for later calls. The last line \
        says the exit code, or the signal, and the time. A process left in the background goes on until the session \
        ends.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST)
            .title("Run a command")
            .search_hint("shell terminal execute run script build test install process")
            .eager()
            .prepared()
            .cancellable()
            .result_bytes_max(0)
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
    }

    async fn prepare(&self, input: &Input, context: &Context) -> Result<Preparation, Invalid> {
        check(input)?;
        let parsed = parse::parse(&input.command);
        let proven = proof::prove(&input.command, &parsed, &self.around(context, &context.cwd));
        let safety = match proven.line {
            // A call that runs beside others cannot change the session's directory.
            Some(proof) => Safety { concurrency_safe: !proof.moves, ..Safety::READ },
            None => Safety::WORST,
        };
        let line_reads = proven.line.is_some();
        let mut subjects =
            subjects::subjects(&parsed, &proven.each, line_reads, &context.cwd, &context.roots);
        if subjects.is_empty() && proven.line.is_none() {
            // Of no subjects, a rule would allow every one.
            subjects.push(subjects::unknown(&input.command));
        }
        let mut preparation = Preparation { subjects, ..Preparation::new(safety) };
        if let Some(wider) = input.sandbox {
            let why = input.justification.as_deref().unwrap_or_default();
            preparation = preparation.escalation(wider.into(), why.trim());
        }
        Ok(preparation.title(title(input)).preview(subjects::preview(&input.command, &parsed)))
    }

    async fn call(&self, input: Input, call: Call) -> Result<Reply, Failure> {
        check(&input).map_err(|invalid| Failure::new("invalid", invalid.message))?;
        let context = &call.context;
        let (cwd, mut notes) = working_directory(context)?;
        let reads = readonly::prove(&input.command, &self.around(context, &cwd)).is_ok();
        check_granted(&call.scope, reads)?;
        let seconds = input.timeout.unwrap_or(TIMEOUT_SECONDS_DEFAULT).min(TIMEOUT_SECONDS_MAX);
        let order = Order {
            command: &input.command,
            cwd: &cwd,
            environment: self.environment.of_call(&context.call_id, &cwd, reads),
            call_id: &context.call_id,
            timeout: Duration::from_secs(seconds.into()),
            output_bytes_max: call.output_bytes_max,
        };
        let run = run::run(&self.bash, order, &call.cancelled, &call).await;
        let mut finished = run.map_err(|error| {
            Failure::new(
                "not_started",
                format!("the command was not started in {}: {error}", cwd.display()),
            )
        })?;
        if let Some(pipe) = finished.pipe.take() {
            self.read_on(pipe);
        }
        let next = next_directory(&finished, &context.roots, &cwd, &mut notes);
        answer(&finished, reads, reply(&finished, &next, context, &notes))
    }
}

impl Audience for Call {
    async fn output(&self, bytes: &[u8]) -> bool {
        Self::output(self, Channel::Terminal, bytes).await.is_ok()
    }

    fn progress(&self, line: String) {
        Self::progress(self, line, None);
    }
}

impl From<Wider> for Sandbox {
    fn from(wider: Wider) -> Self {
        match wider {
            Wider::WorkspaceWrite => Self::WorkspaceWrite,
            Wider::Network => Self::Network,
            Wider::Off => Self::Off,
        }
    }
}

/// What no shell could be given, and what no person could decide about.
fn check(input: &Input) -> Result<(), Invalid> {
    let command = &input.command;
    let wrong = |message: String| Err(Invalid::new("/command", message));
    if command.trim().is_empty() {
        return wrong("the command is empty".into());
    }
    if command.contains('\0') {
        return wrong("the command holds a NUL byte, which no program can be given".into());
    }
    if command.len() > COMMAND_BYTES_MAX {
        return wrong(format!(
            "the command has {} bytes and a program can be given {COMMAND_BYTES_MAX}; write it to a file and \
             run that",
            command.len()
        ));
    }
    let justification = input.justification.as_deref().unwrap_or_default();
    let wrong = |message: String| Err(Invalid::new("/justification", message));
    if input.sandbox.is_some() && justification.trim().is_empty() {
        return wrong(
            "a wider sandbox needs a justification: say in a sentence why this command needs it, or \
             leave 'sandbox' out"
                .into(),
        );
    }
    if justification.len() > JUSTIFICATION_BYTES_MAX {
        return wrong(format!(
            "the justification has {} bytes and may have {JUSTIFICATION_BYTES_MAX}; say it in a sentence",
            justification.len()
        ));
    }
    Ok(())
}

/// A line that was proven to only read is granted no place to write; if that is not so any more, since
/// a program or the repository's configuration changed, nobody has judged what it would do.
fn check_granted(scope: &Scope, reads: bool) -> Result<(), Failure> {
    if !scope.exec {
        return Err(Failure::new("not_granted", "the grant of this call lets it start no program"));
    }
    let to_read_only = scope.write_roots.is_empty() && !scope.read_roots.is_empty();
    if to_read_only && !reads {
        let message = "this command was judged to only read, and something it depends on has changed \
            since (a program, or the repository's configuration); nothing ran. Call it again";
        return Err(Failure::new("not_granted", message));
    }
    Ok(())
}

/// What the model says of it, or else how it begins.
fn title(input: &Input) -> String {
    let described = input.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let text = described.unwrap_or(input.command.trim());
    let line = text.lines().next().unwrap_or_default();
    let mut title: String = line.chars().take(TITLE_CHARS_MAX).collect();
    if title.len() < text.len() {
        title.push('…');
    }
    title
}

/// The session's directory, or the workspace if that is gone (B055).
fn working_directory(context: &Context) -> Result<(PathBuf, Vec<String>), Failure> {
    if context.cwd.is_dir() {
        return Ok((context.cwd.clone(), Vec::new()));
    }
    let Some(root) = context.roots.iter().find(|root| root.is_dir()) else {
        let message = format!("neither {} nor the workspace exists", context.cwd.display());
        return Err(Failure::new("no_directory", message));
    };
    let note =
        format!("[{} does not exist any more; ran in {}]", context.cwd.display(), root.display());
    Ok((root.clone(), vec![note]))
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
    let mut reply =
        Reply::text(result::text(finished, notes)).metadata(result::metadata(finished, next));
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
