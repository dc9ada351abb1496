//! `hooks.toml`: programs of the user's that are told of events, and may stop calls (`[GATE-40]`).
//!
//! What a `[[hook]]` can say: [`mod@parse`]. A project's `.tollgate/hooks.toml` is read in the same way, and
//! counts only as the user saw it ([`crate::trust`]).
//!
//! Not here: running them (`tollgate-engine`).

mod parse;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tollgate_core::{authority::rules::NamePattern, stance::Mode};

use crate::rule::Named;

pub(crate) use parse::parse;

#[cfg(test)]
mod tests;

/// The events that hooks are told of.
#[derive(
    Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize,
)]
#[serde(rename_all = "snake_case")]
pub enum HookEvent {
    /// A session was opened or resumed.
    SessionStart,
    /// A session was closed.
    SessionEnd,
    /// A user's message was taken; may be denied.
    MessageSubmit,
    /// A call is about to be judged; may be denied, asked for, allowed, rewritten.
    ToolCallBefore,
    /// A call has ended; observes only.
    ToolCallAfter,
    /// A person is asked.
    ApprovalRequested,
    /// A turn has ended.
    TurnEnd,
    /// Mode or posture changed.
    ModeChange,
    /// Something failed that is no tool's failure.
    Error,
}

/// One `[[hook]]`.
#[derive(Clone, Debug)]
pub struct Hook {
    /// When it runs.
    pub event: HookEvent,
    /// What runs.
    pub command: HookCommand,
    /// Only for these tools; `None`: all.
    pub tool: Option<NamePattern>,
    /// Only in these modes; empty: all.
    pub modes: Vec<Mode>,
    /// How long it may take.
    pub timeout: Duration,
    /// No verdict is a no. Observing events have no verdict.
    pub strict: bool,
    /// Nobody waits for it (observing events only).
    pub background: bool,
    /// "hooks.toml:12", for messages and receipts.
    pub origin: String,
}

/// A hook's program.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum HookCommand {
    /// A program and its arguments, without a shell.
    Argv(Vec<String>),
    /// A line for `/bin/sh -c`.
    Shell(String),
}

/// Hooks of one file, and the tools that they name.
#[derive(Clone, Debug, Default)]
pub(crate) struct HooksFile {
    /// In the order of the file.
    pub(crate) hooks: Vec<Hook>,
    /// For [`crate::Policies::check_tools`]: a guard of a tool that there is not guards nothing.
    pub(crate) named: Vec<Named>,
}

impl HookEvent {
    /// All events, in the order of their documentation.
    pub const ALL: [Self; 9] = [
        Self::SessionStart,
        Self::SessionEnd,
        Self::MessageSubmit,
        Self::ToolCallBefore,
        Self::ToolCallAfter,
        Self::ApprovalRequested,
        Self::TurnEnd,
        Self::ModeChange,
        Self::Error,
    ];

    /// As it is written in files and told to hooks.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::SessionEnd => "session_end",
            Self::MessageSubmit => "message_submit",
            Self::ToolCallBefore => "tool_call_before",
            Self::ToolCallAfter => "tool_call_after",
            Self::ApprovalRequested => "approval_requested",
            Self::TurnEnd => "turn_end",
            Self::ModeChange => "mode_change",
            Self::Error => "error",
        }
    }

    /// Whether a hook can stop what happens.
    #[must_use]
    pub fn decides(self) -> bool {
        matches!(self, Self::MessageSubmit | Self::ToolCallBefore)
    }

    /// Whether a tool belongs to it.
    #[must_use]
    pub fn has_tool(self) -> bool {
        matches!(self, Self::ToolCallBefore | Self::ToolCallAfter | Self::ApprovalRequested)
    }
}

impl Hook {
    /// Files that its command names: what would run is in them. The program itself counts also where
    /// there is none yet, other words only as far as they are regular files. Relative words begin at
    /// `base`. In a shell's line whatever stands between blanks and quotes is a word.
    pub(crate) fn programs(&self, base: &Path) -> Vec<PathBuf> {
        let words: Vec<&str> = match &self.command {
            HookCommand::Argv(argv) => argv.iter().map(String::as_str).collect(),
            HookCommand::Shell(line) => {
                let between = |c: char| c.is_whitespace() || "\"'`;|&()<>=$".contains(c);
                line.split(between).filter(|word| !word.is_empty()).collect()
            }
        };
        let mut files = Vec::new();
        for (at, word) in words.into_iter().enumerate() {
            let path = base.join(word);
            // A bare program is looked for on the PATH, where the workspace is not.
            let is_program = at == 0 && word.contains('/');
            if is_program || (at > 0 && path.is_file()) {
                files.push(path);
            }
        }
        files
    }
}
