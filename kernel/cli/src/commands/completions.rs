//! `completions SHELL`.

use clap::CommandFactory as _;

use crate::{args::Cli, exit::Exit, output::write_out};

/// Prints the script.
pub(crate) fn run(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tollgate", &mut script);
    write_out(&script);
    Exit::Done
}
