//! The command line as typed (`[CLI-01]`). Only what exists is offered.
//!
//! Not here: what the options mean together with files and variables (`config`), running commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tollgate_core::stance::{Mode, Posture};

use crate::limits::{LIST_ROWS_DEFAULT, LOG_LINES_DEFAULT};

mod inspect;
mod policy;
mod search;
mod serve;
#[cfg(test)]
mod tests;

pub(crate) use inspect::{ListTools, Payload};
pub(crate) use policy::{AddRule, CallerArg, ExplainCall, Permissions, TrustOptions};

pub(crate) use search::SearchTools;
pub(crate) use serve::ServeOptions;

/// One gate for agent tools: every call passes it and leaves a receipt.
#[derive(Debug, Parser)]
#[command(name = "tollgate", version, disable_help_subcommand = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 the task or tool failed, 2 usage or configuration, 3 refused or denied by the \
gate, 4 a server or the model unavailable, 75 try again later, 124 timeout, 130 interrupted.

`tollgate demo` shows a whole run without a key and without a network.";

const NO_COLOR_HELP: &str = "No colour; as NO_COLOR=1 and CLICOLOR=0";

/// Options of every command.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Common {
    /// Folder to work in [default: the current one]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Common options")]
    pub(crate) workspace: Option<PathBuf>,
    /// Another folder that tools may use; may be repeated
    #[arg(long, global = true, value_name = "DIR", help_heading = "Common options")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Model: PROVIDER:NAME, NAME, script:FILE or replay:SESSION
    #[arg(long, global = true, value_name = "MODEL", help_heading = "Common options")]
    pub(crate) model: Option<String>,
    /// What may be done
    #[arg(long, global = true, value_enum, help_heading = "Common options")]
    pub(crate) mode: Option<ModeArg>,
    /// Who decides
    #[arg(long, global = true, value_enum, help_heading = "Common options")]
    pub(crate) posture: Option<PostureArg>,
    /// Allow such calls without a question: `bash(cargo test *)`, `read(~/notes/**)`; may be repeated
    #[arg(long, global = true, value_name = "RULE", help_heading = "Common options")]
    pub(crate) allow: Vec<String>,
    /// Forbid such calls, whatever else allows them; may be repeated
    #[arg(long, global = true, value_name = "RULE", help_heading = "Common options")]
    pub(crate) deny: Vec<String>,
    /// How much a model gets: all, `read` `edit` `bash`, or search and programs only
    #[arg(long, global = true, value_name = "SURFACE", value_parser = ["full", "simple", "code"], help_heading = "Common options")]
    pub(crate) surface: Option<String>,
    /// Another configuration file, read after the usual ones
    #[arg(long, global = true, value_name = "FILE", help_heading = "Common options")]
    pub(crate) config: Option<PathBuf>,
    /// Log to standard error; -vv for more, -vvv for all
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Common options")]
    pub(crate) verbose: u8,
    /// Print JSON
    #[arg(long, global = true, help_heading = "Common options")]
    pub(crate) json: bool,
    /// No colour
    #[arg(long, global = true, help_heading = "Common options", help = NO_COLOR_HELP)]
    pub(crate) no_color: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run one turn without a front: the answer on standard output, progress on standard error
    Exec(Exec),
    /// Run one tool call through the gate
    Call(Call),
    /// Run a JavaScript program that calls tools, each through the gate
    Run(Run),
    /// The tools of this workspace
    #[command(subcommand)]
    Tools(Tools),
    /// The tool servers
    #[command(subcommand)]
    Servers(Servers),
    /// Rules: what is allowed, asked for, forbidden, and what the gate would say of a call
    #[command(subcommand)]
    Permissions(Permissions),
    /// Let a project's hooks, MCP servers and skills count, after a look at them
    Trust(TrustOptions),
    /// What became of every call
    #[command(subcommand)]
    Receipts(Receipts),
    /// Earlier sessions
    #[command(subcommand)]
    Sessions(Sessions),
    /// Continue a session, or say how it was left
    Resume(Resume),
    /// Results kept whole
    #[command(subcommand)]
    Artifacts(Artifacts),
    /// Serve this kernel to other front ends: sessions, turns, calls and approvals by gRPC
    Serve(ServeOptions),
    /// The configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check what is needed, and say what to do
    Doctor,
    /// A tour in a temporary workspace: no key, no network, nothing left behind
    Demo,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// `exec`.
#[derive(Args, Debug)]
pub(crate) struct Exec {
    /// The message; `-` or none: read from standard input
    pub(crate) prompt: Option<String>,
    /// Continue this session; a beginning of its id is enough
    #[arg(long, value_name = "ID")]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    pub(crate) turn: TurnOptions,
}

/// Options of a turn.
#[derive(Args, Debug, Default)]
pub(crate) struct TurnOptions {
    /// What standard output gets [default: text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<OutputFormat>,
    /// Model requests at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_steps: Option<u32>,
    /// Seconds at most; then the turn ends with exit code 124
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub(crate) timeout: Option<u64>,
    /// Who answers questions when no terminal is attached, or even if one is
    #[arg(long, value_enum, value_name = "WHO")]
    pub(crate) approvals: Option<Approvals>,
    /// Keep each model request as NNNN.json in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) record_requests: Option<PathBuf>,
}

/// What `exec` prints.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The answer
    Text,
    /// One JSON object at the end
    Json,
    /// One JSON object for each event, one a line
    StreamJson,
}

/// Who answers questions.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Approvals {
    /// Nobody: what would need a yes is refused
    Deny,
    /// Lines of JSON on standard input, for `--output-format stream-json`
    Stdio,
}

/// Who answers the questions of one call.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum CallApprovals {
    /// Nobody: what would need a yes is refused
    Deny,
}

/// `call`.
#[derive(Args, Debug)]
pub(crate) struct Call {
    /// The tool
    pub(crate) name: String,
    /// Its arguments, a JSON object; `-`: read from standard input
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,
    /// Who answers questions when no terminal is attached, or even if one is
    #[arg(long, value_enum, value_name = "WHO")]
    pub(crate) approvals: Option<CallApprovals>,
}

/// `run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub(crate) struct Run {
    /// The program; `-`: read it from standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: String,
    /// Time at most, in ms; waits for approvals do not count
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout_ms: Option<u64>,
    /// Who answers questions when no terminal is attached, or even if one is
    #[arg(long, value_enum, value_name = "WHO")]
    pub(crate) approvals: Option<CallApprovals>,
}

/// What a program is, in a few lines.
const RUN_HELP: &str = "\
The program is the body of an async function; what it returns goes to standard output, the rest to
standard error. TypeScript annotations are taken.

  const found = await tools.find({ pattern: \"**/*.rs\" });
  return found.metadata.matches;";

/// `tools`.
#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// List them, with what is not available and why
    List(ListTools),
    /// Show one: what it takes, what it may do; of an old name, what it means
    Show {
        /// The tool
        name: String,
    },
    /// Show what the latest request of a session says of its tools; changes nothing
    Payload(Payload),
    /// Show the receipt of the default surface: its tools, their sizes, the digest
    Contract,
    /// Find them by what they do or by name, as a model would
    Search(SearchTools),
}

/// `servers`.
#[derive(Debug, Subcommand)]
pub(crate) enum Servers {
    /// List them; starts nothing
    List,
    /// Ask one what it is; starts it if needed
    Describe {
        /// The server
        name: String,
    },
    /// The end of its log
    Logs {
        /// The server
        name: String,
        /// How many lines
        #[arg(long, short = 'n', value_name = "N", default_value_t = LOG_LINES_DEFAULT)]
        lines: usize,
    },
    /// End its processes, in whichever kernel they run
    Stop {
        /// The server
        name: String,
    },
    /// Make a key for servers on other hosts, and print the line for their --grant-keys
    GrantKey {
        /// Where the secret is kept; made if it does not exist
        file: PathBuf,
        /// The name under which servers pin it
        #[arg(long, value_name = "ID", default_value = "kernel")]
        id: String,
    },
    /// End its processes; the next call starts it anew, also after too many deaths
    Restart {
        /// The server
        name: String,
    },
}

/// `receipts`.
#[derive(Debug, Subcommand)]
pub(crate) enum Receipts {
    /// List them, oldest first
    List {
        /// Of this session [default: the one used last]
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// How many of the newest; 0: all
        #[arg(long, short = 'n', value_name = "N", default_value_t = LIST_ROWS_DEFAULT)]
        limit: usize,
    },
    /// Show one
    Show {
        /// The call; a beginning of its id is enough
        call: String,
    },
    /// Write every record as a line of JSON: questions, answers, decisions, receipts, with the chain
    Export {
        /// Of this session [default: the one used last]
        session: Option<String>,
        /// Of all sessions
        #[arg(long, conflicts_with = "session")]
        all: bool,
        /// Into this file, which must not exist [default: standard output]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Find receipts that were removed, changed or reordered
    Verify {
        /// Of this session [default: all]
        session: Option<String>,
    },
}

/// `sessions`.
#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List them, those used last first
    List {
        /// How many; 0: all
        #[arg(long, short = 'n', value_name = "N", default_value_t = LIST_ROWS_DEFAULT)]
        limit: usize,
    },
    /// Show what was said and done in one
    Show {
        /// The session; a beginning of its id is enough
        id: String,
    },
}

/// `resume`.
#[derive(Args, Debug)]
pub(crate) struct Resume {
    /// The session (a beginning of its id is enough), then the message; with --last the message alone
    #[arg(value_name = "ID] [PROMPT", num_args = 0..=2)]
    pub(crate) words: Vec<String>,
    /// The session that was used last
    #[arg(long)]
    pub(crate) last: bool,
    #[command(flatten)]
    pub(crate) turn: TurnOptions,
}

/// `artifacts`.
#[derive(Debug, Subcommand)]
pub(crate) enum Artifacts {
    /// Write one to standard output as it is; a terminal is shown control characters by number
    Show {
        /// The artifact, as a result names it: 64 hex digits, with or without `artifact:`
        id: String,
    },
}

/// `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Each value with its source
    Show,
    /// The files and folders
    Path,
    /// Find mistakes
    Check,
    /// Print a JSON schema
    Schema {
        /// Of what
        #[arg(value_enum)]
        what: SchemaOf,
    },
}

/// What there is a schema of.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// The lines of --output-format stream-json
    Events,
}

/// `--mode`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ModeArg {
    /// Only calls that change nothing
    Plan,
    /// Ordinary work
    Work,
    /// As work; delegation is preferred
    Operate,
}

/// `--posture`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum PostureArg {
    /// A person
    Ask,
    /// Built-in rules; no question is asked
    AutoReview,
    /// No ordinary approvals; hard limits hold
    FullAccess,
    /// Nobody: only what is proven read-only runs
    Never,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Plan => Self::Plan,
            ModeArg::Work => Self::Work,
            ModeArg::Operate => Self::Operate,
        }
    }
}

impl From<PostureArg> for Posture {
    fn from(posture: PostureArg) -> Self {
        match posture {
            PostureArg::Ask => Self::Ask,
            PostureArg::AutoReview => Self::AutoReview,
            PostureArg::FullAccess => Self::FullAccess,
            PostureArg::Never => Self::Never,
        }
    }
}
