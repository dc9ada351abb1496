//! `tools payload`: what the latest prepared request of a session says of its tools (`[CAT-31]`). From the
//! store alone: no lock, no server, no credential, and nothing changes.

mod lines;
#[cfg(test)]
mod tests;

use serde::Serialize;
use tollgate_core::{catalog::snapshot::Snapshot, name::SessionId};
use tollgate_engine::{
    error::KernelError,
    snapshot::inspect,
    store::session::{find, latest},
};

use crate::{
    exit::{Exit, Failure},
    output::{json_pretty, line_err, line_out},
    start::Start,
};

/// What `--json` prints.
#[derive(Serialize)]
struct Answer<'a> {
    session: &'a SessionId,
    snapshot: Option<&'a Snapshot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

const NOTHING_YET: &str = "no request was prepared in this session yet, so there is no snapshot";

/// Prints the snapshot of a session, or of the one used last.
///
/// # Errors
/// There is no such session, or the store cannot be read.
pub(super) fn run(start: &Start, asked: Option<&str>) -> Result<Exit, Failure> {
    let state = start.store()?;
    let id = match asked {
        Some(asked) => Some(find(&state, asked)?),
        None => latest(&state)?.map(|session| session.id),
    };
    let id = id.ok_or_else(|| Failure::usage("there are no sessions yet"))?;
    let inspected = inspect(&state, &id).map_err(KernelError::Store)?;
    let snapshot = inspected.as_ref().map(|inspected| &inspected.snapshot);
    if start.common.json {
        let why = snapshot.is_none().then_some(NOTHING_YET);
        json_pretty(&Answer { session: &id, snapshot, why });
        return Ok(Exit::Done);
    }
    match snapshot {
        Some(snapshot) => lines::of(&id, snapshot, start.output).iter().for_each(|it| line_out(it)),
        None => line_err(&format!("{id}: {NOTHING_YET}")),
    }
    Ok(Exit::Done)
}
