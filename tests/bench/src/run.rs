//! Runs the figures: each in a process of its own for each placement, so that no figure has threads,
//! memory or children of another, and a placement holds from the first instruction.

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, ensure};
use clap::ValueEnum as _;

use crate::{
    args::Options,
    figures::{Figure, Sizes},
    output,
    place::{self, Place},
    row::Row,
    table::{Measured, Table},
};

/// Measures all that was asked for, and prints it.
pub(crate) fn all(options: &Options) -> ExitCode {
    let figures = match options.only.as_slice() {
        [] => Figure::value_variants(),
        some => some,
    };
    let mut table = Table::new(place::processors());
    for figure in figures {
        match both(*figure, options.quick) {
            Ok(measured) => table.take(*figure, measured),
            Err(error) => {
                output::error(&format!("{} could not be measured: {error:#}", figure.id()));
                table.is_whole = false;
            }
        }
    }
    output::line(&if options.json { table.json() } else { table.text() });
    if table.is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn both(figure: Figure, quick: bool) -> anyhow::Result<Vec<Measured>> {
    let pinned = apart(figure, Place::Pinned, quick)?;
    let unpinned = apart(figure, Place::Unpinned, quick)?;
    ensure!(pinned.len() == unpinned.len(), "the placements have different rows");
    let pairs = pinned.into_iter().zip(unpinned);
    Ok(pairs.map(|(pinned, unpinned)| Measured { pinned, unpinned }).collect())
}

/// In a process of its own.
fn apart(figure: Figure, place: Place, quick: bool) -> anyhow::Result<Vec<Row>> {
    output::progress(&format!("measuring {} {} …", figure.id(), place.name()));
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["measure", figure.id(), place.name()]);
    if quick {
        command.arg("--quick");
    }
    let ran = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    ensure!(ran.status.success(), "{} {}: {}", figure.id(), place.name(), ran.status);
    serde_json::from_slice(&ran.stdout).context("the measuring process printed no rows")
}

/// The process that measures one figure in one placement: prints its rows as JSON.
///
/// # Errors
/// It could not be measured.
pub(crate) fn measure(figure: Figure, place: Place, sizes: Sizes) -> anyhow::Result<()> {
    place.take()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let rows = runtime.block_on(figure.measure(sizes))?;
    output::line(&serde_json::to_string(&rows)?);
    Ok(())
}
