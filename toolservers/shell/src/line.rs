//! A command line as a call asks for it, under whatever name: what is wrong with it, what it would do,
//! where it runs.
//!
//! Invariant: every tool that starts a command judges it here, so that one line has one judgement,
//! whether it is waited for or left in the background (test `every_way_to_start_a_line_is_judged_alike`
//! of `legacy`).
//!
//! Not here: reading the line (`parse`, `proof`), running it (`foreground`, `process`).

use std::path::{Path, PathBuf};

use tollgate_sdk::{
    Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Safety, Sandbox, Scope,
};

use crate::{
    env::Environment,
    limits::{
        COMMAND_BYTES_MAX, INPUT_BYTES_MAX, JUSTIFICATION_BYTES_MAX, PREVIEW_BYTES_MAX,
        TITLE_CHARS_MAX,
    },
    parse, proof,
    readonly::{self, Surroundings},
    subjects,
};

#[cfg(test)]
pub(crate) mod tests;

/// In a preview, before the input.
const INPUT_HEADING: &str = "\n\nwith this input:\n";

/// What is to be run, and what is said of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// For `bash -c`, as it is.
    pub(crate) command: String,
    /// What it does, for the person who watches.
    pub(crate) description: Option<String>,
    /// A wider sandbox, and why.
    pub(crate) sandbox: Option<Wider>,
    /// See `sandbox`.
    pub(crate) justification: Option<String>,
    /// The folder to run in, if not the session's; from there, or absolute.
    pub(crate) folder: Option<String>,
    /// What it reads as its input, and then its end.
    pub(crate) input: Option<String>,
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

impl From<Wider> for Sandbox {
    fn from(wider: Wider) -> Self {
        match wider {
            Wider::WorkspaceWrite => Self::WorkspaceWrite,
            Wider::Network => Self::Network,
            Wider::Off => Self::Off,
        }
    }
}

impl Line {
    /// What it would do.
    ///
    /// # Errors
    /// No shell could be given it, no person could decide about it, or its folder is none.
    pub(crate) fn prepare(
        &self,
        environment: &Environment,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        self.check()?;
        let cwd = self.folder(context)?.unwrap_or_else(|| context.cwd.clone());
        let parsed = parse::parse(&self.command);
        let around = around(environment, context, &cwd);
        let proven = proof::prove(&self.command, &parsed, &around);
        let proof = proven.line.filter(|_| self.input.is_none());
        let line_reads = proof.is_some();
        let safety = match proof {
            // A call that runs beside others cannot change the session's directory.
            Some(proof) => Safety { concurrency_safe: !proof.moves, ..Safety::READ },
            None => Safety::WORST,
        };
        let each = if self.input.is_none() { proven.each.as_slice() } else { &[] };
        let mut subjects = subjects::subjects(&parsed, each, line_reads, &cwd, &context.roots);
        let mut preview = subjects::preview(&self.command, &parsed);
        if let Some(input) = &self.input {
            // A shell would run it.
            subjects = subjects::typed("(input)", input, &cwd, &context.roots, subjects);
            let room = PREVIEW_BYTES_MAX - INPUT_BYTES_MAX - INPUT_HEADING.len();
            preview = format!("{}{INPUT_HEADING}{input}", subjects::bounded(&preview, room));
        }
        if subjects.is_empty() && !line_reads {
            // Of no subjects, a rule would allow every one.
            subjects.push(subjects::unknown(&self.command));
        }
        let mut preparation = Preparation { subjects, ..Preparation::new(safety) };
        if let Some(wider) = self.sandbox {
            let why = self.justification.as_deref().unwrap_or_default();
            preparation = preparation.escalation(wider.into(), why.trim());
        }
        Ok(preparation.title(self.title()).preview(preview))
    }

    /// What no shell could be given, and what no person could decide about.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        let command = &self.command;
        let wrong = |message: String| Err(Invalid::new("/command", message));
        if command.trim().is_empty() {
            return wrong("the command is empty".into());
        }
        if command.contains('\0') {
            return wrong("the command holds a NUL byte, which no program can be given".into());
        }
        if command.len() > COMMAND_BYTES_MAX {
            return wrong(format!(
                "the command has {} bytes and a program can be given {COMMAND_BYTES_MAX}; write it to a file \
                 and run that",
                command.len()
            ));
        }
        let input = self.input.as_deref().unwrap_or_default();
        if input.len() > INPUT_BYTES_MAX {
            return Err(Invalid::new(
                "",
                format!(
                    "the input has {} bytes and may have {INPUT_BYTES_MAX}; write it to a file and redirect \
                     from that",
                    input.len()
                ),
            ));
        }
        let justification = self.justification.as_deref().unwrap_or_default();
        let wrong = |message: String| Err(Invalid::new("/justification", message));
        if self.sandbox.is_some() && justification.trim().is_empty() {
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

    /// What the model says of it, or else how it begins.
    pub(crate) fn title(&self) -> String {
        let described = self.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let text = described.unwrap_or(self.command.trim());
        let line = text.lines().next().unwrap_or_default();
        let mut title: String = line.chars().take(TITLE_CHARS_MAX).collect();
        if title.len() < text.len() {
            title.push('…');
        }
        title
    }

    /// The folder that it asks for, if it does.
    fn folder(&self, context: &Context) -> Result<Option<PathBuf>, Invalid> {
        let Some(asked) = self.folder.as_deref() else { return Ok(None) };
        let wrong = |why: &str| Err(Invalid::new("/cwd", format!("'{asked}' {why}")));
        let Ok(folder) = context.cwd.join(asked).canonicalize() else {
            return wrong("does not exist");
        };
        let holds = |root: &PathBuf| root.canonicalize().is_ok_and(|root| folder.starts_with(root));
        if !folder.is_dir() {
            wrong("is no folder")
        } else if !context.roots.iter().any(holds) {
            wrong("is outside the workspace")
        } else {
            Ok(Some(folder))
        }
    }

    /// What it needs when it starts: the folder, whether it was proven to only read, and notes.
    ///
    /// # Errors
    /// The grant does not let it run, or there is no folder.
    pub(crate) fn place(
        &self,
        environment: &Environment,
        context: &Context,
        scope: &Scope,
    ) -> Result<Place, Failure> {
        let invalid = |invalid: Invalid| Failure::new("invalid", invalid.message);
        self.check().map_err(invalid)?;
        let (cwd, notes) = match self.folder(context).map_err(invalid)? {
            Some(folder) => (folder, Vec::new()),
            None => working_directory(context)?,
        };
        let proven = readonly::prove(&self.command, &around(environment, context, &cwd)).is_ok();
        let reads = proven && self.input.is_none();
        check_granted(scope, reads)?;
        Ok(Place { cwd, reads, notes })
    }
}

/// Where a line starts, and how.
#[derive(Debug)]
pub(crate) struct Place {
    /// It exists.
    pub(crate) cwd: PathBuf,
    /// The line is proven to only read.
    pub(crate) reads: bool,
    /// For the result.
    pub(crate) notes: Vec<String>,
}

fn around<'a>(
    environment: &'a Environment,
    context: &'a Context,
    cwd: &'a Path,
) -> Surroundings<'a> {
    Surroundings { path: environment.path(), roots: &context.roots, cwd }
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
