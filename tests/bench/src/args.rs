//! The command line. This program is its own children too: their commands are hidden, and an echo
//! server is asked for by `--name`, because the SDK reads the same command line and takes that.

use clap::{Parser, Subcommand};

use crate::{
    figures::{Figure, Sizes},
    place::Place,
};

const AFTER: &str = "\
Build everything first, so that `tollgate` and its servers stand beside this program:

    cargo build --release && cargo run --release -p tollgate-bench

Exit codes: 0 measured, also when a figure is short; 1 something could not be measured; 2 usage.";

/// Measure the figures of Tollgate, each beside its floor in the same run.
#[derive(Debug, Parser)]
#[command(name = "tollgate-bench", version, after_help = AFTER, disable_help_subcommand = true)]
pub(crate) struct Options {
    /// Only this figure; may be repeated
    #[arg(long, value_enum, value_name = "ID", ignore_case = true)]
    pub(crate) only: Vec<Figure>,
    /// Few repetitions: shows that it works; the figures mean little
    #[arg(long, global = true)]
    pub(crate) quick: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    child: Option<Child>,
}

#[derive(Debug, Subcommand)]
enum Child {
    /// A server of bare tonic on the socket that is standard input.
    #[command(hide = true)]
    RawServer,
    /// Cold starts of echo servers by a kernel.
    #[command(hide = true)]
    Cold { servers: usize, count: usize },
    /// One figure in one placement; rows as JSON.
    #[command(hide = true)]
    Measure { figure: Figure, place: Place },
}

/// What this process is.
#[derive(Debug)]
pub(crate) enum Role {
    /// The tool server with this tool.
    Echo(String),
    /// The floor's server.
    Raw,
    /// PERF-07's kernel.
    Cold {
        /// Servers at once.
        servers: usize,
        /// Starts.
        count: usize,
    },
    /// One figure in one placement.
    Measure {
        /// Which.
        figure: Figure,
        /// Where.
        place: Place,
        /// How much.
        sizes: Sizes,
    },
    /// Everything that was asked for.
    All(Options),
}

/// Reads the command line; prints help and mistakes itself, and ends then.
pub(crate) fn role() -> Role {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("--name") {
        return Role::Echo(words.next().unwrap_or_default());
    }
    let options = Options::parse();
    let sizes = if options.quick { Sizes::QUICK } else { Sizes::FULL };
    match options.child {
        None => Role::All(options),
        Some(Child::RawServer) => Role::Raw,
        Some(Child::Cold { servers, count }) => Role::Cold { servers, count },
        Some(Child::Measure { figure, place }) => Role::Measure { figure, place, sizes },
    }
}
