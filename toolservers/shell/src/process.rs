//! The tool `process`: background processes of a session.
//!
//! What each action does to the gate: `start` is judged as `bash` judges the same line (`line`);
//! `status`, `output`, `wait` and `list` only read what this server keeps; `stop` changes something, and
//! so does `write`: a text that a program reads is a command that nobody parsed, if that program is a
//! shell, so it is a subject of which nothing is known and is never allowed by a rule for commands.
//!
//! A call goes: `asked` (its arguments) → `table` (which process) → `background` → `say`.
//!
//! Invariant: a child agent stops and writes to its own processes only ([TOOL-06]); everybody in the
//! session may read.

pub(crate) mod acts;
mod asked;
pub(crate) mod background;
pub(crate) mod kept;
pub(crate) mod kind;
pub(crate) mod life;
mod pipes;
pub(crate) mod say;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod waiting;

use std::{sync::Arc, time::Duration};

use tollgate_sdk::{
    Call, CancellationToken, Context, Failure, Invalid, Preparation, Reply, Safety, Scope, Spec,
    Subject, Tool,
};

pub(crate) use acts::{check_owner, read_told, still_ending, type_in, wait_and_tell};
use acts::{no_input, read, stop, wait, write};
pub(crate) use asked::{Asked, Input, check_text};
pub(crate) use background::{Background, Birth, State};
use kept::Kept;
use life::Life;
pub(crate) use table::Processes;
pub(crate) use waiting::Waited;

use crate::{
    bash::CALLERS,
    foreground::{Shell, not_started},
    line::Line,
    spawn, subjects,
};

/// The tool.
#[derive(Debug)]
pub(crate) struct ProcessTool(pub(crate) Arc<Office>);

/// The shell, and the processes that it left running: what `process` and the old names share.
#[derive(Debug)]
pub(crate) struct Office {
    pub(crate) shell: Arc<Shell>,
    pub(crate) processes: Processes,
}

/// For whom something is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker<'a> {
    pub(crate) context: &'a Context,
    pub(crate) scope: &'a Scope,
    /// Fires when the call is stopped.
    pub(crate) cancelled: &'a CancellationToken,
    /// Fires when the session has ended.
    pub(crate) session_over: &'a CancellationToken,
}

impl<'a> Asker<'a> {
    pub(crate) fn of(call: &'a Call) -> Self {
        Self {
            context: &call.context,
            scope: &call.scope,
            cancelled: &call.cancelled,
            session_over: &call.session_over,
        }
    }
}

impl Tool for ProcessTool {
    type Input = Input;
    const NAME: &'static str = "process";
    const DESCRIPTION: &'static str = "Run a command in the background, such as a server or a long build, and look \
        after it. `start` gives an id at once; `output` shows its newest lines, or those after a line number; `wait` \
        waits for its end or for a text in its output; `write` types into one that was started `interactive`; `stop` \
        ends it and all that it started. Each line of output is kept until 256 KiB newer ones came. All of a \
        session's processes end with the session; at most 16 run at once.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST)
            .title("Run in the background")
            .search_hint("background server watch long running job daemon")
            .prepared()
            .cancellable()
            .result_bytes_max(0)
            .callers(CALLERS)
    }

    async fn prepare(&self, input: &Input, context: &Context) -> Result<Preparation, Invalid> {
        self.0.prepare(&input.asked()?, context)
    }

    async fn call(&self, input: Input, call: Call) -> Result<Reply, Failure> {
        let asked = input.asked().map_err(|invalid| Failure::new("invalid", invalid.message))?;
        self.0.act(asked, Asker::of(&call)).await
    }
}

impl Office {
    pub(crate) fn new(shell: Arc<Shell>) -> Arc<Self> {
        Arc::new(Self { shell, processes: Processes::default() })
    }

    /// What it would do.
    pub(crate) fn prepare(&self, asked: &Asked, context: &Context) -> Result<Preparation, Invalid> {
        let find = |id: &str| {
            let found = self.processes.find(&context.session, id);
            found.map_err(|message| Invalid::new("/id", message).class("unknown_process"))
        };
        let reads = |title: String| Ok(Preparation::new(Safety::READ).title(title));
        match asked {
            Asked::Start { line, .. } => line.prepare(&self.shell.environment, context),
            Asked::Status { id } => reads(format!("Look at {}", find(id)?.id())),
            Asked::Output { id, .. } => reads(format!("Read the output of {}", find(id)?.id())),
            Asked::Wait { id, .. } => reads(format!("Wait for {}", find(id)?.id())),
            Asked::List => reads("List background processes".to_owned()),
            Asked::Stop { id } => {
                let process = find(id)?;
                check_owner(&process, context).map_err(|message| Invalid::new("/id", message))?;
                let what = format!("{}: {}", process.id(), process.birth.title);
                let preview = format!("stop {}\n{}", process.id(), process.birth.command);
                Ok(Self::prepare_stop(&what).preview(preview))
            }
            Asked::Write { id, text, close } => {
                let process = find(id)?;
                check_owner(&process, context).map_err(|message| Invalid::new("/id", message))?;
                if !process.has_input() {
                    return Err(Invalid::new("/id", no_input(&process)));
                }
                Ok(prepare_write(&process, text, *close, context))
            }
        }
    }

    /// What ending processes would do.
    pub(crate) fn prepare_stop(what: &str) -> Preparation {
        let safety = Safety { idempotent: true, ..Safety::WRITE };
        // Of no subjects, a rule would allow every one.
        Preparation::new(safety)
            .subject(Subject::Tool(ProcessTool::NAME.to_owned()))
            .title(format!("Stop {what}"))
    }

    /// Does it.
    pub(crate) async fn act(&self, asked: Asked, asker: Asker<'_>) -> Result<Reply, Failure> {
        let find = |id: &str| self.find(id, asker.context);
        match asked {
            Asked::Start { line, interactive } => {
                let process = self.start(&line, interactive, asker)?;
                let read_on =
                    format!("action 'output' with id {} shows what it writes", process.id());
                let text = format!("[{}; {read_on}]", say::life(&process));
                Ok(Reply::text(text).metadata(say::facts(&process)))
            }
            Asked::Status { id } => {
                let process = find(&id)?;
                let lines = process.state().kept.total();
                let text = format!("[{}; {lines} lines so far]", say::life(&process));
                Ok(Reply::text(text).metadata(say::facts(&process)))
            }
            Asked::Output { id, after } => Ok(read(find(&id)?.as_ref(), after, String::new())),
            Asked::Wait { id, after, until, seconds } => {
                let process = find(&id)?;
                let within = Duration::from_secs(seconds.into());
                wait(&process, until.as_deref(), after, within, asker).await
            }
            Asked::List => Ok(say::list(&self.processes.of(&asker.context.session))),
            Asked::Stop { id } => stop(find(&id)?.as_ref(), asker).await,
            Asked::Write { id, text, close } => {
                write(find(&id)?.as_ref(), &text, close, asker).await
            }
        }
    }

    /// The process that an id names in this session.
    ///
    /// # Errors
    /// There is none: the failure says which there are.
    pub(crate) fn find(&self, id: &str, context: &Context) -> Result<Arc<Background>, Failure> {
        let found = self.processes.find(&context.session, id);
        found.map_err(|message| Failure::new("unknown_process", message))
    }

    /// What runs of this session and may be stopped by this agent.
    pub(crate) fn running(&self, context: &Context) -> Vec<Arc<Background>> {
        let mut processes = self.processes.of(&context.session);
        processes.retain(|process| {
            !matches!(process.life(), Life::Ended { .. }) && check_owner(process, context).is_ok()
        });
        processes
    }

    /// Starts a line in the background.
    ///
    /// # Errors
    /// The grant does not let it, there is no room, or the operating system starts nothing.
    pub(crate) fn start(
        &self,
        line: &Line,
        interactive: bool,
        asker: Asker<'_>,
    ) -> Result<Arc<Background>, Failure> {
        let (shell, context) = (&self.shell, asker.context);
        let place = line.place(&shell.environment, context, asker.scope)?;
        let input = match &line.input {
            _ if interactive => spawn::Input::Open,
            Some(text) => spawn::Input::Text(text.as_bytes()),
            None => spawn::Input::Nothing,
        };
        self.processes.start(Birth::of(line, context), asker.session_over.clone(), || {
            let environment = shell.environment.of_call(&context.call_id, &place.cwd, place.reads);
            let (command, cwd) = (&line.command, &place.cwd);
            let guarded = shell.guard.before(&shell.bash, cwd, asker.scope, context)?;
            let confinement = &guarded.confinement;
            let started = shell.bash.start(command, cwd, environment, input, confinement);
            let started = started.map_err(|error| not_started(cwd, &error))?;
            shell.guard.goes_on(guarded);
            Ok((started, Kept::default()))
        })
    }
}

/// A text that a program reads: as it is, and as the line that it may be the end of.
fn prepare_write(process: &Background, text: &str, close: bool, context: &Context) -> Preparation {
    let id = process.id();
    let into = format!("(typed into {id})");
    let line = process.with_typed(text);
    let subjects = subjects::typed(&into, &line, &context.cwd, &context.roots, Vec::new());
    let end = if close { "\n(and the end of its input)" } else { "" };
    let preview = format!("into {id}: {}\n\n{text}{end}", process.birth.title);
    Preparation { subjects, ..Preparation::new(Safety::WORST) }
        .title(format!("Type into {id}"))
        .preview(preview)
}
