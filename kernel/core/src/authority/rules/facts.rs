//! [`Facts`]: what rules look at, taken once from a call: its tool, commands, places and hosts.
//!
//! Not here: finding places (`places`).

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

use super::{Touch, places::Places, words::is_any};
use crate::{
    authority::{
        Circumstances,
        baseline::flat,
        hosts::{folded, host_of},
    },
    call::Classified,
    safety::{Subject, Trust},
};

/// The tool that shows a file: whoever denies it a place does not want that place shown.
pub(super) const READ: &str = "read";
/// The tool that runs a line: whoever denies it a command does not want that command run.
pub(super) const BASH: &str = "bash";

/// Folders that `cd` may have led to, at most; relative words are meant from each.
const FOLDERS_MAX: usize = 8;

/// What rules look at.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) tool: &'a str,
    /// Another name of it, under which it may be denied or asked for, and not allowed.
    pub(super) told_apart: Option<&'a str>,
    pub(super) server: &'a str,
    /// Whether subjects, as its server names them, may loosen anything.
    pub(super) trusted: bool,
    pub(super) subjects: &'a [Subject],
    /// Relative patterns are meant from there.
    pub(super) base: &'a Path,
    /// Something of a shell line is not known as a whole.
    pub(super) unknown: Unknown,
    cwd: &'a Path,
    home: Option<&'a Path>,
    places: OnceCell<Places>,
    hosts: OnceCell<Vec<String>>,
}

/// One simple command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command<'a> {
    pub(super) argv: &'a [String],
    pub(super) opaque: bool,
    pub(super) read_only: bool,
}

/// What cannot be known of a shell line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unknown {
    /// A command of which not even the program is known: it may be any.
    pub(super) command: bool,
    /// A file is read, and nobody knows which.
    pub(super) reads: bool,
    /// A file is written, and nobody knows which.
    pub(super) writes: bool,
}

impl Unknown {
    /// Whether a file is touched so, and nobody knows which.
    pub(super) fn touches(self, how: Option<Touch>) -> bool {
        match how {
            None => self.reads || self.writes,
            Some(Touch::Read) => self.reads,
            Some(Touch::Write) => self.writes,
        }
    }
}

impl<'a> Facts<'a> {
    pub(super) fn of(call: &'a Classified, at: &Circumstances<'a>) -> Self {
        let root = at.policy.workspace.root.as_path();
        let entry = call.entry();
        let mut facts = Self {
            tool: entry.canonical().as_str(),
            told_apart: entry.told_apart(),
            server: entry.server.as_str(),
            trusted: entry.trust == Trust::Trusted,
            subjects: call.subjects(),
            base: if root.as_os_str().is_empty() { at.cwd } else { root },
            unknown: Unknown::default(),
            cwd: at.cwd,
            home: at.policy.home.as_deref(),
            places: OnceCell::new(),
            hosts: OnceCell::new(),
        };
        facts.unknown = facts.what_is_unknown();
        facts
    }

    /// Under which name beside its own it may be denied or asked for: a call that reads files by itself,
    /// whatever its tool, is held by what is said of reading them.
    pub(super) fn reads_as(&self) -> Option<&'static str> {
        let reads = |subject: &Subject| {
            matches!(subject, Subject::Path { access: crate::safety::Access::Read, .. })
        };
        let by_itself = self.tool != READ && self.subjects.iter().any(reads);
        (by_itself && self.commands().next().is_none()).then_some(READ)
    }

    /// The same for commands: a call that runs lines of a shell, whatever its tool (`process`), is held by
    /// what is said of running them.
    pub(super) fn runs_as(&self) -> Option<&'static str> {
        let runs = self.tool != BASH && self.subjects.iter().any(|it| command(it).is_some());
        runs.then_some(BASH)
    }

    /// All commands, without redirections that stand in their form.
    pub(super) fn commands(&self) -> impl Iterator<Item = Command<'a>> + use<'a> {
        self.subjects.iter().filter_map(command).filter(|command| redirection(command).is_none())
    }

    /// Hosts that the call names, also in words of its commands, folded.
    pub(super) fn hosts(&self) -> &[String] {
        self.hosts.get_or_init(|| {
            let words = self.commands().flat_map(|command| command.argv);
            let own = self.subjects.iter().filter_map(|subject| match subject {
                Subject::Host { host } => Some(host.as_str()),
                Subject::Path { .. }
                | Subject::Command { .. }
                | Subject::Repo { .. }
                | Subject::Mcp { .. }
                | Subject::Tool { .. }
                | Subject::Unknown => None,
            });
            own.chain(words.filter_map(|word| host_of(word))).map(folded).collect()
        })
    }

    /// All places that the call touches or could name.
    pub(super) fn places(&self) -> &Places {
        self.places
            .get_or_init(|| Places::of(self.subjects, &self.folders().0, self.home, !self.trusted))
    }

    /// Whether all of a shell line runs in this folder or below it.
    pub(super) fn stays_below(&self, folder: &Path) -> bool {
        let (folders, all) = self.folders();
        all && folders.iter().all(|at| at.starts_with(folder))
    }

    /// Whether all of a shell line runs where relative patterns are meant from.
    pub(super) fn stays_at_base(&self) -> bool {
        let (folders, all) = self.folders();
        all && folders.iter().all(|at| at == self.base)
    }

    /// The working folder and those that the line goes to, and whether that is all of them.
    pub(super) fn folders(&self) -> (Vec<PathBuf>, bool) {
        let mut folders = vec![flat(self.cwd)];
        let mut all = true;
        for command in self.commands() {
            let Some((program, words)) = command.argv.split_first() else { continue };
            if !matches!(program.as_str(), "cd" | "pushd" | "popd") {
                continue;
            }
            match words {
                [folder]
                    if folders.len() < FOLDERS_MAX
                        && !command.opaque
                        && !folder.starts_with('-') =>
                {
                    let from = folders.last().map_or(self.cwd, PathBuf::as_path);
                    folders.push(flat(&from.join(folder)));
                }
                _ => all = false,
            }
        }
        (folders, all)
    }

    fn what_is_unknown(&self) -> Unknown {
        let mut unknown = Unknown::default();
        for command in self.subjects.iter().filter_map(command) {
            match redirection(&command) {
                Some(Touch::Read) => unknown.reads = true,
                Some(Touch::Write) => unknown.writes = true,
                None if is_unknown(&command) => {
                    unknown = Unknown { command: true, reads: true, writes: true };
                }
                None => {}
            }
        }
        unknown
    }
}

fn command(subject: &Subject) -> Option<Command<'_>> {
    match subject {
        Subject::Command { argv, opaque, read_only, .. } => {
            Some(Command { argv, opaque: *opaque, read_only: *read_only })
        }
        Subject::Path { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Mcp { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => None,
    }
}

/// A redirection to or from what cannot be known stands as a command `>` or `<` that is opaque.
fn redirection(command: &Command<'_>) -> Option<Touch> {
    match command.argv {
        [arrow, _] if command.opaque && arrow == ">" => Some(Touch::Write),
        [arrow, _] if command.opaque && arrow == "<" => Some(Touch::Read),
        _ => None,
    }
}

fn is_unknown(command: &Command<'_>) -> bool {
    is_any(command.argv, command.opaque)
}
