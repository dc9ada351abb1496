//! `exec`: one turn, in a new session or in an earlier one.

use tollgate_engine::store::session;

use super::{
    resume::as_left,
    turn::{self, Task},
};
use crate::{
    args::Exec,
    exit::{Exit, Failure},
    input,
    start::Start,
    stdio,
};

/// Runs one turn.
///
/// # Errors
/// See [`turn::run`]; there is no message, or no such session.
pub(crate) async fn exec(start: &Start, exec: &Exec) -> Result<Exit, Failure> {
    let config = start.config()?;
    let resume = match &exec.resume {
        Some(asked) => Some(session::find(&start.store()?, asked)?),
        None => None,
    };
    stdio::check(exec.turn.approvals, exec.turn.output_format, exec.prompt.as_deref())?;
    let prompt = input::prompt(exec.prompt.as_deref())?;
    let config = if let Some(id) = &resume { as_left(start, config, id)? } else { config };
    turn::run(start, &config, Task { resume, prompt, options: &exec.turn }).await
}
