//! `permissions list|add|explain` (`[GATE-21]`): what is laid down, one rule more, and what the gate
//! would say of a call.

mod add;
mod explain;
mod list;

use crate::{
    args::Permissions,
    exit::{Exit, Failure},
    start::Start,
};

/// Runs the command.
///
/// # Errors
/// A policy file has mistakes, a rule cannot be used or stored, or no kernel can be had.
pub(crate) async fn run(start: &Start, command: &Permissions) -> Result<Exit, Failure> {
    match command {
        Permissions::List { session, all } => list::run(start, session.as_deref(), *all),
        Permissions::Add(add) => add::run(start, add).await,
        Permissions::Explain(explain) => explain::run(start, explain).await,
    }
}
