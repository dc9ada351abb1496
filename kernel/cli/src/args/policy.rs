//! `permissions` and `trust` as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tollgate_core::authority::rules::Action;

/// `permissions`.
#[derive(Debug, Subcommand)]
pub(crate) enum Permissions {
    /// All rules that hold here, by source; with -v also lists, law, managed policy, the floor
    List {
        /// Also the grants of this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Also rules that are over or of other workspaces
        #[arg(long)]
        all: bool,
    },
    /// Store a rule in permissions.toml
    Add(AddRule),
    /// What each layer of the gate would say of a call; nothing runs
    Explain(ExplainCall),
}

/// `permissions add`.
#[derive(Args, Debug)]
pub(crate) struct AddRule {
    /// The rule: 'bash(cargo test *)', 'read(~/notes/**)', 'bash'
    pub(crate) rule: String,
    /// What it does
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = ActionArg::Allow)]
    pub(crate) action: ActionArg,
    /// Only in this workspace; what allows does so unless --everywhere is given
    #[arg(long, conflicts_with = "everywhere")]
    pub(crate) here: bool,
    /// In every workspace; what asks or denies does so unless --here is given
    #[arg(long)]
    pub(crate) everywhere: bool,
    /// Why, for people and the model
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// When it ends: 2027-01-31 or 2027-01-31T18:00:00Z
    #[arg(long, value_name = "DATE")]
    pub(crate) expires: Option<String>,
}

/// `permissions explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainCall {
    /// The tool
    pub(crate) tool: String,
    /// Its arguments, a JSON object; `-`: read from standard input
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,
    /// Who would ask
    #[arg(long, value_enum, value_name = "WHO", default_value_t = CallerArg::Model)]
    pub(crate) caller: CallerArg,
    /// As where nobody can be asked
    #[arg(long)]
    pub(crate) headless: bool,
}

/// What a rule does.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ActionArg {
    /// No question
    Allow,
    /// A person decides
    Ask,
    /// Never
    Deny,
}

impl From<ActionArg> for Action {
    fn from(action: ActionArg) -> Self {
        match action {
            ActionArg::Allow => Self::Allow,
            ActionArg::Ask => Self::Ask,
            ActionArg::Deny => Self::Deny,
        }
    }
}

/// Who asks for a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum CallerArg {
    /// The model, in a step
    Model,
    /// A program of code mode
    Program,
    /// Another tool server
    Server,
    /// A person, by `tollgate call`
    User,
    /// An MCP or kernel client
    Client,
}

/// `trust`.
#[derive(Args, Debug)]
pub(crate) struct TrustOptions {
    /// The project's folder [default: the workspace]
    pub(crate) dir: Option<PathBuf>,
    /// List the trusted folders
    #[arg(long, conflicts_with_all = ["revoke", "yes", "dir"])]
    pub(crate) list: bool,
    /// Take trust back
    #[arg(long, conflicts_with = "yes")]
    pub(crate) revoke: bool,
    /// Do not ask: for scripts whose author has looked at the files
    #[arg(long)]
    pub(crate) yes: bool,
}
