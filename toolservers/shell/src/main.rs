//! The tool server `shell`: the tool `bash`.
//!
//! A command goes this way: `bash` (the tool) → `env`, `spawn` → `run` with `capture` and `clean` →
//! `result`; `reap` and `tree` own its processes. What it would do is told before: `parse` →
//! `wrappers` → `subjects`, and `proof`: `readonly` with `grammar`, `words` and its tables.
//!
//! Invariant: nothing that a command started outlives this process's orderly end.

mod awk_sed;
mod bash;
mod capture;
mod clean;
mod desk;
mod env;
mod grammar;
mod heredoc;
mod limits;
mod links;
mod parse;
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
mod tree;
mod words;
mod wrappers;

use tollgate_sdk::Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start("shell", env!("CARGO_PKG_VERSION"))?;
    let reaper = reap::start()?;
    let served = server.tool(bash::BashTool::new()?).serve().await;
    let survivors = tree::kill_everything().await;
    if survivors > 0 {
        tracing::warn!(survivors, "some processes of commands could not be ended");
    }
    drop(reaper);
    Ok(served?)
}
