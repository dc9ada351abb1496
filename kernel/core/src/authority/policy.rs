//! What is laid down before any call: rules, law, managed policy, and how the workspace stands.
//!
//! A policy is read as a whole and replaced as a whole (`tollgate-policy`); a judgement sees one.

use std::path::PathBuf;

use super::{confinement::Network, law::Law, managed::Managed, protected::Own, rules::Rules};
use crate::digest::Digest;

/// One reading of all policy.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// User's, project's and built-in rules.
    pub rules: Rules,
    /// The repository's law.
    pub law: Law,
    /// The machine owner's policy.
    pub managed: Managed,
    /// The workspace and how it stands.
    pub workspace: Workspace,
    /// Places of Tollgate's own: no tool writes there.
    pub own: Own,
    /// The user's home folder, absolute: what `~` and `$HOME` in a command's words mean.
    pub home: Option<PathBuf>,
    /// Whether untrusted text makes calls ask again (`[THR-04]`).
    pub taint: bool,
    /// Names that may be called at all, and that may not (layer 2); deny wins.
    pub lists: Lists,
    /// Who of the calls that start programs has the network.
    pub network: Network,
    /// A file could not be read again: rules as before hold, and nothing that changes something runs.
    pub broken: Option<String>,
    /// Digest of the files that it was read from, for receipts.
    pub sha256: Option<Digest>,
}

/// The workspace.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Absolute; empty: none.
    pub root: PathBuf,
    /// All roots, the workspace first.
    pub roots: Vec<PathBuf>,
    /// The user trusts it (`tollgate trust`).
    pub trusted: bool,
    /// It lies in a git repository.
    pub git: bool,
    /// Writes inside run unasked when it is both (`[GATE-30]`, `workspace_writes`).
    pub writes_auto: bool,
}

/// Lists of names (layer 2).
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// These only; `None`: all.
    pub allow: Option<Vec<super::rules::NamePattern>>,
    /// Never these.
    pub deny: Vec<super::rules::NamePattern>,
}
