//! Everything beside the call itself that a judgement depends on: one value, taken as of now.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{policy::Policy, rules::Rules};
use crate::stance::Stance;

/// What holds at the moment of judgement.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// Mode and posture.
    pub stance: Stance,
    /// Rules, law, managed policy, the workspace's standing.
    pub policy: &'a Policy,
    /// Grants "for this session".
    pub session: &'a Rules,
    /// What the hooks before this call said.
    pub hooks: &'a HookSaid,
    /// Where untrusted text came from in this session, oldest first; empty: nowhere.
    pub taint: &'a [Taint],
    /// The working directory, absolute: relative words of commands are meant from there.
    pub cwd: &'a Path,
    /// Whether a person could be asked at all.
    pub can_ask: bool,
    /// ms since the epoch, never going back within a session.
    pub now_unix_ms: u64,
}

/// The strongest word of all hooks before a call: deny > ask > allow (`[GATE-40]`).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum HookSaid {
    /// No hook spoke.
    #[default]
    Nothing,
    /// A hook allows: clears ordinary approval.
    Allow {
        /// The hook, by its place in the file.
        hook: String,
        /// Its reason.
        reason: String,
    },
    /// A hook wants a person.
    Ask {
        /// The hook, by its place in the file.
        hook: String,
        /// Its reason.
        reason: String,
    },
    /// A hook forbids, or a strict one failed.
    Deny {
        /// The hook, by its place in the file.
        hook: String,
        /// Its reason, for the model.
        reason: String,
        /// It gave no verdict (crash, timeout, broken answer): a fault of the hook, no policy.
        failed: bool,
    },
}

/// A result that brought untrusted text into the session (`[THR-04]`).
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Taint {
    /// The tool.
    pub tool: String,
    /// What of it: a host, a file, an MCP server.
    pub source: String,
}
