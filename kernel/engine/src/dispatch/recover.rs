//! What became of a call whose stream broke (`[PROTO-08]`): asked of the same process over a new
//! connection. A process that is gone cannot tell, and then nobody knows.

use std::time::Duration;

use tokio::time::sleep;
use tollgate_core::call::Classified;
use tollgate_proto::tool::v1::{Completed, GetExecutionResponse, get_execution_response::State};

use crate::{
    servers::{Connection, Server},
    settings::Reach,
};

/// A server cancels the calls of a session that ended; this many looks, this far apart, see the end.
const LOOKS: u32 = 10;
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What is known of a call that was sent.
pub(super) enum Fate {
    /// It ended, and this is how.
    Ended(Box<Completed>),
    /// It never started.
    NotRun,
    /// Nobody knows.
    Unknown,
}

/// Finds out what became of a call. `before`: the connection over which it was sent.
pub(super) async fn fate(server: &Server, before: &Connection, call: &Classified) -> Fate {
    // A local process whose stream broke is ended, not asked.
    if matches!(server.settings().reach, Reach::Local { .. }) {
        return Fate::Unknown;
    }
    for look in 0..LOOKS {
        if look > 0 {
            sleep(LOOK_EVERY).await;
        }
        let Ok(now) = server.connection().await else { return Fate::Unknown };
        if now.instance() != before.instance() {
            return Fate::Unknown;
        }
        match now.execution(call.raw().id.as_str()).await {
            Ok(GetExecutionResponse { state, completed: Some(completed) })
                if state == i32::from(State::Done) =>
            {
                return Fate::Ended(Box::new(completed));
            }
            Ok(GetExecutionResponse { state, .. }) if state == i32::from(State::Unknown) => {
                return Fate::NotRun;
            }
            // Still running, or the question itself was lost.
            Ok(_) | Err(_) => {}
        }
    }
    Fate::Unknown
}
