//! The tool server `shell`: the tools `bash` and `process`, and the old names `Bash` and `exec_shell`.
//!
//! A command goes this way: `bash` (the tool) → `line` → `foreground` → `env`, `spawn` → `run` with
//! `capture` and `clean` → `result`; one in the background by `process`. `reap` and `tree` own its
//! processes. What it would do is told before: `parse` → `wrappers` → `subjects`, and `proof`: `readonly`
//! with `grammar`, `words` and its tables. Old names have `legacy`.
//!
//! Invariant: nothing that a command started outlives this process's orderly end.

mod awk_sed;
mod bash;
mod capture;
mod clean;
mod desk;
mod env;
mod foreground;
mod grammar;
mod heredoc;
mod legacy;
mod limits;
mod line;
mod links;
mod parse;
mod process;
mod proof;
mod readonly;
mod readonly_checks;
mod readonly_table;
mod reap;
mod repo;
mod result;
mod run;
mod skipped;
mod spawn;
mod subjects;
#[cfg(test)]
mod testing;
mod tree;
mod words;
mod wrappers;

use std::sync::Arc;

use tollgate_sdk::Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start("shell", env!("CARGO_PKG_VERSION"))?;
    let reaper = reap::start()?;
    let shell = foreground::Shell::new()?;
    let office = process::Office::new(Arc::clone(&shell));
    let old = || Arc::clone(&office);
    let served = server
        .tool(bash::BashTool(shell))
        .tool(process::ProcessTool(old()))
        .legacy("bash", legacy::ExecShell(old()))
        .legacy("bash", legacy::BashRun(old()))
        .legacy_when("process", ("action", "wait"), legacy::BashWait(old()))
        .legacy_when("process", ("action", "interact"), legacy::BashInteract(old()))
        .legacy_when("process", ("action", "cancel"), legacy::BashCancel(old()))
        .serve()
        .await;
    let survivors = tree::kill_everything().await;
    if survivors > 0 {
        tracing::warn!(survivors, "some processes of commands could not be ended");
    }
    drop(reaper);
    Ok(served?)
}
