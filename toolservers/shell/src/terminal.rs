//! The tool `terminal`: programs at a pseudo-terminal that lasts over calls.
//!
//! The sibling of `process`: the same table, life, owner and end of what a session owns, of another kind
//! (`kind`), with a screen in place of lines. What each action does to the gate: `open` is judged as `bash`
//! judges the same line, but never as one that only reads, since a program may do other at a terminal than
//! without one; `send` as `write` of `process`; `close` and Ctrl-C change something; `resize`, `read` and
//! `list` change nothing but this server's own view. Programs of code mode and servers cannot call it.
//!
//! A call goes: `asked` (its arguments) → `table` (which terminal) → `acts` with `keys` → `screen` → `say`.
//!
//! Not here: starting the program (`spawn`), its output's way (`process`).

mod acts;
mod asked;
mod guard;
mod keys;
mod pty;
mod say;
mod screen;
#[cfg(test)]
mod tests;
mod typed;

use std::{ffi::CString, sync::Arc};

use tollgate_sdk::{
    Call, Caller, Context, Failure, Invalid, Preparation, Reply, Safety, Spec, Subject, Tool,
};

use asked::{Asked, Input};
pub(crate) use pty::Pty;
use screen::{Screen, Size};

use crate::{
    foreground::{Shell, not_started},
    limits::SETTLE_PATIENCE,
    line::Line,
    process::{
        Asker, Background, Birth, Processes,
        acts::{check_owner, no_input},
        life::Life,
    },
    spawn, subjects,
};

/// What a terminal's program finds in its environment in place of what other commands find: the name of
/// what this server emulates, and no history of the person's shell.
const ENVIRONMENT: &[(&str, &str)] = &[("TERM", "xterm-256color"), ("HISTFILE", "/dev/null")];

/// What other commands are told and a program that can ask is not.
const NOT_QUIET: &[&str] = &["CI", "DEBIAN_FRONTEND", "GIT_TERMINAL_PROMPT"];

/// The tool.
#[derive(Debug)]
pub(crate) struct TerminalTool(pub(crate) Arc<Terminals>);

/// The shell, and the terminals of all sessions.
#[derive(Debug)]
pub(crate) struct Terminals {
    shell: Arc<Shell>,
    all: Processes<Screen>,
}

impl Tool for TerminalTool {
    type Input = Input;
    const NAME: &'static str = "terminal";
    const DESCRIPTION: &'static str = "A program at a terminal that stays open between calls, for what needs one: \
        shells, REPLs, debuggers, editors, prompts. open gives an id; send types and shows what came of it; read \
        shows the screen and what scrolled off since the last look. All end with the session, or unused after 2 \
        hours; at most 8 are open. For a server or a build, 'process' is better.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST)
            .title("Use a terminal")
            .search_hint("interactive pty tty repl shell prompt keys screen ssh vim gdb python")
            .prepared()
            .cancellable()
            .result_bytes_max(0)
            .callers(&[Caller::Client])
    }

    async fn prepare(&self, input: &Input, context: &Context) -> Result<Preparation, Invalid> {
        self.0.prepare(&input.asked()?, context)
    }

    async fn call(&self, input: Input, call: Call) -> Result<Reply, Failure> {
        let asked = input.asked().map_err(|invalid| Failure::new("invalid", invalid.message))?;
        self.0.act(asked, Asker::of(&call)).await
    }
}

impl Terminals {
    pub(crate) fn new(shell: Arc<Shell>) -> Arc<Self> {
        Arc::new(Self { shell, all: Processes::default() })
    }

    /// What it would do.
    fn prepare(&self, asked: &Asked, context: &Context) -> Result<Preparation, Invalid> {
        let find = |id: &str| {
            let found = self.all.find(&context.session, id);
            found.map_err(|message| Invalid::new("/id", message).class("unknown_terminal"))
        };
        let owned = |id: &str| {
            let terminal = find(id)?;
            check_owner(&terminal, context).map_err(|message| Invalid::new("/id", message))?;
            Ok::<_, Invalid>(terminal)
        };
        let looks = |title: String| Ok(Preparation::new(Safety::READ).title(title));
        match asked {
            Asked::Open { line, .. } => self.prepare_open(line, context),
            Asked::Send { id, text, keys } => {
                let terminal = owned(id)?;
                if matches!(terminal.life(), Life::Ended { .. }) {
                    return Err(Invalid::new("/id", no_input(&terminal)));
                }
                Ok(typed::prepare(&terminal, text, keys, context))
            }
            Asked::Read { id, .. } => looks(format!("Look at {}", find(id)?.id())),
            Asked::Resize { id, .. } => looks(format!("Resize {}", owned(id)?.id())),
            Asked::Close { id } => {
                let terminal = owned(id)?;
                let (id, birth) = (terminal.id(), &terminal.birth);
                let preview = format!("close {id}\n{}", birth.command);
                Ok(typed::own(&format!("Close {id}: {}", birth.title)).preview(preview))
            }
            Asked::List => looks("List terminals".to_owned()),
        }
    }

    fn prepare_open(&self, line: &Line, context: &Context) -> Result<Preparation, Invalid> {
        let judged = line.prepare(&self.shell.environment, context)?;
        let mut subjects = judged.subjects;
        for subject in &mut subjects {
            if let Subject::Command { read_only, .. } = subject {
                *read_only = false;
            }
        }
        if subjects.is_empty() {
            // Of no subjects, a rule would allow every one.
            subjects.push(subjects::unknown(&line.command));
        }
        let title = format!("Open a terminal: {}", line.title());
        Ok(Preparation { subjects, safety: Safety::WORST, title, ..judged })
    }

    /// Does it.
    async fn act(&self, asked: Asked, asker: Asker<'_>) -> Result<Reply, Failure> {
        let find = |id: &str| {
            let found = self.all.find(&asker.context.session, id);
            found.map_err(|message| Failure::new("unknown_terminal", message))
        };
        match asked {
            Asked::Open { line, size } => {
                let terminal = self.open(&line, size, asker)?;
                acts::settle(&terminal, 0, SETTLE_PATIENCE, asker).await
            }
            Asked::Send { id, text, keys } => acts::send(&*find(&id)?, &text, &keys, asker).await,
            Asked::Read { id, seconds } => acts::read(&*find(&id)?, seconds, asker).await,
            Asked::Resize { id, rows, cols } => acts::resize(&*find(&id)?, rows, cols, asker).await,
            Asked::Close { id } => acts::close(&*find(&id)?, asker).await,
            Asked::List => Ok(say::list(&self.all.of(&asker.context.session))),
        }
    }

    /// Starts a line at a new terminal.
    ///
    /// # Errors
    /// The grant does not let it, there is no room, or the operating system gives no terminal or starts
    /// nothing.
    fn open(
        &self,
        line: &Line,
        size: Size,
        asker: Asker<'_>,
    ) -> Result<Arc<Background<Screen>>, Failure> {
        let (shell, context) = (&self.shell, asker.context);
        let place = line.place(&shell.environment, context, asker.scope)?;
        self.all.start(Birth::of(line, context), asker.session_over.clone(), || {
            let environment = shell.environment.of_call(&context.call_id, &place.cwd, false);
            let guarded = shell.guard.before(&shell.bash, &place.cwd, asker.scope, context)?;
            let started = Pty::open(size).and_then(|pty| {
                let (environment, input) = (at_terminal(environment), spawn::Input::Terminal(&pty));
                let confinement = &guarded.confinement;
                shell.bash.start(&line.command, &place.cwd, environment, input, confinement)
            });
            let started = started.map_err(|error| not_started(&place.cwd, &error))?;
            shell.guard.goes_on(guarded);
            Ok((started, Screen::new(size)))
        })
    }
}

/// The environment of a command as a program at a terminal finds it.
fn at_terminal(mut environment: Vec<CString>) -> Vec<CString> {
    let changed = |text: &CString| {
        let text = text.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        NOT_QUIET.contains(&name) || ENVIRONMENT.iter().any(|(own, _)| *own == name)
    };
    environment.retain(|text| !changed(text));
    let own = ENVIRONMENT.iter();
    environment
        .extend(own.filter_map(|(name, value)| CString::new(format!("{name}={value}")).ok()));
    environment
}
