//! Typed rules (`[GATE-20..23]`): what a user, a session, a project or the machine's owner says of calls.
//!
//! A rule's matchers all must hold (tool and server and command and …). `deny` and `ask` hold when any
//! subject of the kind matches; `allow` covers the subjects that it matches, and a call is allowed
//! when every one of its subjects is covered ([`select()`]).
//!
//! | file | job |
//! |---|---|
//! | `pattern` | names, hosts, places: exact or with `*` |
//! | `facts`, `places` | what of a call rules look at |
//! | `hold` | whether a deny or ask rule holds |
//! | `cover` | whether an allow rule covers a subject |
//! | `below` | what they withhold of a tree that is read, or from programs |
//! | `words`, `wrappers` | programs, words that are not known, wrappers that do nothing |
//! | `index` | many rules, found fast |
//! | `select` | who of several rules decides |
//! | `compact`, `show`, `quoting` | the form `bash(cargo test *)`, read and written |
//! | `offer`, `subcommands` | what a wider yes would store |
//!
//! Invariants: what cannot be known of a command (an opaque word) is covered by no command matcher;
//! an expired rule or one for another workspace is as if it was not there. Rules of places and hosts look
//! at the words of commands too, but that is advice: a shell has too many ways to name a file, and only
//! confinement by the OS keeps it from one (B094).
//!
//! Not here: reading files (`tollgate-policy`).

mod below;
pub mod compact;
mod cover;
mod facts;
mod hold;
pub mod index;
pub mod offer;
pub mod pattern;
mod places;
mod quoting;
pub mod select;
mod show;
mod subcommands;
mod words;
mod wrappers;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub(super) use below::{answered_places, folders, globs_anywhere, globs_below, named_places};
pub use index::Rules;
pub use pattern::{NamePattern, PathPattern, PatternError};
pub use select::{Selected, select};

#[cfg(test)]
mod tests;

/// What a rule does.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Clears ordinary approval.
    Allow,
    /// A person decides.
    Ask,
    /// Blocks.
    Deny,
}

/// Whose rule it is, the weakest first.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Tollgate's own.
    BuiltIn,
    /// An answer "for this session".
    Session,
    /// The project's overlay: deny and ask only.
    Project,
    /// `permissions.toml`, `--allow`, `--deny`.
    User,
    /// The machine's owner: deny and ask only.
    Managed,
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What it does.
    pub action: Action,
    /// Whose it is.
    pub source: Source,
    /// The tools, by canonical name.
    pub tool: NamePattern,
    /// A simple command's words.
    pub command: Option<CommandMatch>,
    /// A file's place.
    pub path: Option<PathMatch>,
    /// A host: "example.com", "*.example.com", with a port or without.
    pub host: Option<NamePattern>,
    /// A tool server or MCP server, by configured name.
    pub server: Option<NamePattern>,
    /// Only in this workspace; absolute.
    pub workspace: Option<PathBuf>,
    /// For the model and for people, or empty.
    pub reason: String,
    /// From then on it does not hold, ms since the epoch.
    pub expires_unix_ms: Option<u64>,
    /// Where it stands: "permissions.toml:12", "--deny", "session".
    pub origin: String,
}

impl Rule {
    /// What a rule does that asks, for messages: a deny rule asks when nobody can know whether it holds.
    #[must_use]
    pub fn asking(&self) -> &'static str {
        match self.action {
            Action::Deny => "could deny this call, of which not everything can be known",
            Action::Ask | Action::Allow => "asks",
        }
    }
}

/// Matches one simple command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CommandMatch {
    /// Words, of which the first is the program (a bare name also matches it with a folder).
    pub argv: Vec<String>,
    /// All words, not the first ones.
    pub exact: bool,
}

/// Matches one path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathMatch {
    /// Where. Relative: from the workspace.
    pub glob: PathPattern,
    /// `None`: however it is touched.
    pub access: Option<Touch>,
}

/// How a rule's path is touched.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Touch {
    /// Its content is read.
    Read,
    /// It is written, made or removed.
    Write,
}
