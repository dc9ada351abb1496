//! The tool server `shell`: the tools `bash`, `process`, `terminal` and `Run`, and the old names `Bash` and
//! `exec_shell`.
//!
//! A command goes this way: `bash` (the tool) → `line` → `foreground` → `env`, `spawn` → `run` with
//! `capture` and `clean` → `result`; one in the background by `process`, one at a
//! terminal by its sibling `terminal`; a project's tests by `verify`. `reap` and `tree` own its
//! processes. What it would do is told before: `parse` → `wrappers` → `subjects`, and `proof`: `readonly`
//! with `grammar`, `words` and its tables. Old names have `legacy`.
//!
//! Invariant: nothing that a command started outlives this process's orderly end.

mod arguments;
mod awk_sed;
mod bash;
mod capture;
mod clean;
mod denied;
mod desk;
mod env;
mod foreground;
mod grammar;
mod guard;
mod heredoc;
mod legacy;
mod limits;
mod line;
mod links;
mod parse;
mod places;
mod process;
mod proof;
mod readonly;
mod readonly_checks;
mod readonly_table;
mod reap;
mod repo;
mod result;
mod run;
mod sandbox;
mod settings;
mod skipped;
mod spawn;
mod subjects;
mod terminal;
#[cfg(test)]
mod testing;
mod tree;
mod verify;
mod words;
mod wrappers;

use std::{process::ExitCode, sync::Arc};

use tollgate_confine::child;
use tollgate_sdk::Server;

fn main() -> anyhow::Result<ExitCode> {
    // Before there is another thread: commands are confined by this binary, too.
    if let Some(code) = child::main_if_asked() {
        return Ok(code);
    }
    serve()?;
    Ok(ExitCode::SUCCESS)
}

#[tokio::main(flavor = "current_thread")]
async fn serve() -> anyhow::Result<()> {
    let server = Server::start("shell", env!("CARGO_PKG_VERSION"))?;
    let reaper = reap::start()?;
    let shell = foreground::Shell::new(&server.settings()?, server.state_dir())?;
    let confined = Arc::clone(&shell);
    let office = process::Office::new(Arc::clone(&shell));
    let terminals = terminal::Terminals::new(Arc::clone(&office.shell));
    let old = || Arc::clone(&office);
    let served = server
        .tool(bash::BashTool(shell))
        .tool(process::ProcessTool(old()))
        .tool(terminal::TerminalTool(terminals))
        .tool(verify::RunTool::new(Arc::clone(&office.shell)))
        .legacy("bash", legacy::ExecShell(old()))
        .legacy("bash", legacy::BashRun(old()))
        .legacy_when("process", ("action", "wait"), legacy::BashWait(old()))
        .legacy_when("process", ("action", "interact"), legacy::BashInteract(old()))
        .legacy_when("process", ("action", "cancel"), legacy::BashCancel(old()))
        .confined(move || confined.guard.sandbox.settle(&confined.bash))
        .serve()
        .await;
    let survivors = tree::kill_everything().await;
    if survivors > 0 {
        tracing::warn!(survivors, "some processes of commands could not be ended");
    }
    drop(reaper);
    Ok(served?)
}
