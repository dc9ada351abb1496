//! The command `tollgate`: reads what was typed and configured, has the engine do it, shows what came
//! of it.
//!
//! | module | job |
//! |---|---|
//! | `args` | the command line as typed |
//! | `config` | the configuration, with the source of each value |
//! | `start` | what every command begins with |
//! | `govern` | what policy says before anything runs |
//! | `commands` | one file a command |
//! | `front`, `tty`, `stdio` | questions to a person, or to a program |
//! | `view` | how a session looks while it runs |
//! | `output` | the only place that prints |
//! | `exit` | exit codes and failures |
//!
//! Not here: anything that decides, waits for servers, or keeps records (`tollgate-core`,
//! `tollgate-engine`).

mod args;
mod commands;
mod config;
mod exit;
mod front;
mod govern;
mod input;
mod interrupt;
mod limits;
mod output;
mod start;
mod stdio;
mod text;
mod tty;
mod view;
mod visible;

use std::{io::stderr, process::ExitCode};

use clap::{CommandFactory as _, Parser as _};
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use args::Cli;
use exit::{Exit, Failure};
use output::Output;
use start::Start;

fn main() -> ExitCode {
    // First of all: a server's launcher must have one thread.
    if let Some(code) = tollgate_launch::main_if_asked() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return typed_wrong(&error),
    };
    let Some(command) = cli.command else {
        output::write_out(Cli::command().render_help().to_string().as_bytes());
        return Exit::Done.into();
    };
    log(cli.common.verbose);
    let start = Start { output: Output::of_process(cli.common.no_color), common: cli.common };
    let ended = run(&start, command);
    let exit = ended.unwrap_or_else(|failure| {
        let sign = start.output.stderr_paint.red("error:");
        output::line_err(&format!("{sign} {}", visible::lines(&failure.chain())));
        failure.exit
    });
    exit.into()
}

fn run(start: &Start, command: args::Command) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(Exit::Failed, error))?;
    let ended = runtime.block_on(commands::run(start, command));
    // What is still blocked somewhere ends with the process.
    runtime.shutdown_background();
    ended
}

/// Help and versions go to standard output, mistakes to standard error, each with its code.
fn typed_wrong(error: &clap::Error) -> ExitCode {
    // Nobody is left to be told.
    drop(error.print());
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}

fn log(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::ERROR,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // The libraries below say little that helps, and much.
    let others = if verbose == 0 { LevelFilter::ERROR } else { LevelFilter::WARN };
    let filter = Targets::new()
        .with_default(others)
        .with_target("tollgate", level)
        .with_target("server", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(stderr).with_target(false);
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}
