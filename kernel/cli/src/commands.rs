//! One file a command; what two of them need is beside them.

mod artifacts;
mod call;
mod completions;
mod config;
mod demo;
mod doctor;
mod exec;
mod no_model;
mod open;
mod permissions;
mod receipts;
mod resume;
mod run;
mod serve;
mod servers;
mod sessions;
mod tools;
mod trust;
mod turn;

use crate::{
    args::Command,
    exit::{Exit, Failure},
    start::Start,
};

/// Runs a command to its exit code.
///
/// # Errors
/// It did not do its job; nothing was printed about that yet.
pub(crate) async fn run(start: &Start, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Exec(exec) => exec::exec(start, &exec).await,
        Command::Resume(resume) => resume::resume(start, &resume).await,
        Command::Call(call) => call::call(start, &call).await,
        Command::Run(run) => run::run(start, &run).await,
        Command::Tools(tools) => tools::run(start, &tools).await,
        Command::Servers(servers) => servers::run(start, &servers).await,
        Command::Permissions(permissions) => permissions::run(start, &permissions).await,
        Command::Trust(trust) => trust::run(start, &trust).await,
        Command::Receipts(receipts) => receipts::run(start, &receipts),
        Command::Sessions(sessions) => sessions::run(start, &sessions),
        Command::Artifacts(artifacts) => artifacts::run(start, &artifacts),
        Command::Serve(options) => serve::serve(start, &options).await,
        Command::Config(config) => config::run(start, &config).await,
        Command::Doctor => doctor::run(start).await,
        Command::Demo => demo::run(start).await,
        Command::Completions { shell } => Ok(completions::run(shell)),
    }
}
