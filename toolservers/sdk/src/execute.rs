//! One call on the server: checked, accepted, run in a task of its own, completed exactly once.
//!
//! Order: size, tool, grant (signature, audience, expiry, schema, argument digest, replay), call id.
//! Nothing of the tool runs before all of them hold.

use std::{
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::FutureExt as _;
use tokio::{task::JoinHandle, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tollgate_proto::{
    grant::{GrantError, sha256},
    limits::INLINE_BYTES_MAX,
    tool::v1::{
        Accepted, Completed, GrantClaims, Prepare, Start, accepted::Disposition,
        completed::Rejection, server_frame::Frame,
    },
};

use crate::{
    Call, CancelReason, Effects, Failure, Invalid, Preparation, Reply,
    call::Line,
    erased::Registered,
    executions::Begin,
    fit,
    grants::{Asked, Refused},
    limits::CALL_ID_BYTES_MAX,
    shared::Shared,
    wire,
};

/// A call that a session has started.
pub(crate) struct Running {
    pub(crate) line: Line,
    cancelled: CancellationToken,
    grace: Arc<Mutex<Duration>>,
    task: JoinHandle<()>,
}

impl Running {
    pub(crate) fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Tells the call to stop; after `grace` it is ended. Only the first word counts.
    pub(crate) fn stop(&self, reason: CancelReason, grace: Duration) {
        if !self.cancelled.is_cancelled() {
            *self.grace.lock().unwrap_or_else(PoisonError::into_inner) = grace;
            self.line.stop(reason);
            self.cancelled.cancel();
        }
    }

    pub(crate) async fn finished(self) {
        // The task catches its tool's panics; it cannot fail otherwise.
        drop(self.task.await);
    }
}

/// Asks a tool what a call would do.
pub(crate) async fn prepare(
    shared: &Arc<Shared>,
    session: &str,
    prepare: Prepare,
    within: Duration,
) -> Result<Preparation, Invalid> {
    if let Some(why) = over_bounds(&prepare.call_id, &prepare.arguments) {
        return Err(Invalid::new("", why));
    }
    let context = wire::context(&prepare.call_id, prepare.context.unwrap_or_default());
    let arguments = match &prepare.arguments_blob {
        None => prepare.arguments,
        Some(blob) => shared
            .blobs
            .take(session, &blob.sha256)
            .ok_or_else(|| Invalid::new("", "the arguments' blob is not here"))?,
    };
    let tool = Arc::clone(shared.tools.pick(&prepare.tool, &arguments)?);
    // A task of its own, so that a panic ends here.
    let mut asked =
        shared.tasks.spawn(async move { tool.tool.prepare(&arguments, &context).await });
    match timeout(within, &mut asked).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => {
            Err(Invalid::new("", "the tool crashed while it looked at the call").class("panic"))
        }
        Err(_) => {
            asked.abort();
            Err(Invalid::new("", "the tool took too long to look at the call").class("timeout"))
        }
    }
}

/// The session that a call came by.
pub(crate) struct Owner {
    /// Its id.
    pub(crate) session: String,
    /// Fires when it has ended.
    pub(crate) over: CancellationToken,
}

/// Starts a call in its task.
pub(crate) fn start(
    shared: &Arc<Shared>,
    running: &TaskTracker,
    owner: Owner,
    start: Start,
    line: Line,
) -> Running {
    let cancelled = CancellationToken::new();
    let grace = Arc::new(Mutex::new(Duration::ZERO));
    let job = Job {
        shared: Arc::clone(shared),
        owner,
        line: line.clone(),
        cancelled: cancelled.clone(),
        grace: Arc::clone(&grace),
    };
    let task = running.spawn(async move {
        let completed = match check(&job.shared, &job.owner.session, &start) {
            Err((rejection, message)) => wire::rejected(start.call_id, rejection, message),
            Ok(checked) => job.run(start, checked).await,
        };
        // A session that is gone needs no answer; the table of executions keeps it.
        drop(job.line.send(Frame::Completed(Box::new(completed))).await);
    });
    Running { line, cancelled, grace, task }
}

/// What a call's task holds.
struct Job {
    shared: Arc<Shared>,
    owner: Owner,
    line: Line,
    cancelled: CancellationToken,
    grace: Arc<Mutex<Duration>>,
}

struct Checked {
    tool: Arc<Registered>,
    claims: GrantClaims,
    arguments: bytes::Bytes,
}

/// A call that passed every check.
fn check(shared: &Shared, session: &str, start: &Start) -> Result<Checked, (Rejection, String)> {
    if let Some(why) = over_bounds(&start.call_id, &start.arguments) {
        return Err((Rejection::LimitExceeded, why));
    }
    let arguments = match &start.arguments_blob {
        None => start.arguments.clone(),
        Some(blob) => shared.blobs.take(session, &blob.sha256).ok_or_else(|| {
            (Rejection::ArgumentsDigest, "the arguments' blob is not here".to_owned())
        })?,
    };
    let tool = shared
        .tools
        .pick(&start.tool, &arguments)
        .map_err(|invalid| (Rejection::UnknownTool, invalid.message))?;
    let asked = Asked {
        session,
        call_id: &start.call_id,
        attempt: start.attempt,
        tool: &start.tool,
        schema_sha256: &tool.schema_sha256,
        arguments_sha256: &sha256(&arguments),
    };
    let claims = shared
        .grants
        .pass(start.grant.as_ref(), asked)
        .map_err(|refused| (rejection(refused), refused.to_string()))?;
    Ok(Checked { tool: Arc::clone(tool), claims, arguments })
}

/// What of a call is larger than a frame may carry.
fn over_bounds(call_id: &str, arguments: &[u8]) -> Option<String> {
    if call_id.is_empty() || call_id.len() > CALL_ID_BYTES_MAX {
        Some(format!("a call id has 1 to {CALL_ID_BYTES_MAX} bytes"))
    } else if arguments.len() > INLINE_BYTES_MAX {
        Some(format!("the arguments have more than {INLINE_BYTES_MAX} bytes; send them as a blob"))
    } else {
        None
    }
}

fn rejection(refused: Refused) -> Rejection {
    match refused {
        Refused::Grant(GrantError::Missing) => Rejection::GrantMissing,
        Refused::Grant(GrantError::Invalid) => Rejection::GrantInvalid,
        Refused::Grant(GrantError::Expired) => Rejection::GrantExpired,
        Refused::Grant(GrantError::Audience) => Rejection::GrantAudience,
        Refused::Grant(GrantError::Arguments) => Rejection::ArgumentsDigest,
        Refused::Grant(GrantError::Schema) => Rejection::SchemaChanged,
        Refused::Replayed => Rejection::GrantReplayed,
        Refused::Full => Rejection::Overloaded,
    }
}

impl Job {
    /// Runs a checked call to its end. Its frames but the last are sent from here.
    async fn run(&self, start: Start, checked: Checked) -> Completed {
        let digest = sha256(&checked.arguments);
        match self.shared.executions.begin(&start.call_id, &self.owner.session, digest) {
            Begin::Conflict => {
                let why = "this call id is running or was used for another call".to_owned();
                return wire::rejected(start.call_id, Rejection::DuplicateCall, why);
            }
            Begin::Done(completed) => {
                self.accept(start.call_id, Disposition::Replayed).await;
                return *completed;
            }
            Begin::Fresh => self.accept(start.call_id.clone(), Disposition::Fresh).await,
        }
        let budget = start.budget.unwrap_or_default();
        let call = Call {
            context: Arc::new(wire::context(&start.call_id, start.context.unwrap_or_default())),
            scope: Arc::new(wire::scope(checked.claims.scope.unwrap_or_default())),
            content_bytes_max: budget.content_bytes_max as usize,
            output_bytes_max: budget.output_bytes_max,
            cancelled: self.cancelled.clone(),
            session_over: self.owner.over.clone(),
            line: self.line.clone(),
        };
        let (tool, arguments) = (checked.tool, checked.arguments);
        // In this call's own task: a tool that answers at once then shares one write with `Accepted`.
        let work = async move { tool.tool.call(&arguments, call).await };
        let result =
            finish(AssertUnwindSafe(work).catch_unwind(), &self.cancelled, &self.grace).await;
        let completed = wire::completed(start.call_id, result);
        let completed = fit::into_frame(completed, &self.shared.blobs, &self.owner.session);
        self.shared.executions.end(&completed);
        completed
    }

    async fn accept(&self, call_id: String, disposition: Disposition) {
        let accepted = Accepted { call_id, disposition: disposition.into() };
        // If the session is gone, so is the reader of what follows.
        drop(self.line.send(Frame::Accepted(accepted)).await);
    }
}

/// Waits for the tool's task: to its end, or to the end of the grace after it was told to stop.
async fn finish<P>(
    work: impl Future<Output = Result<Result<Reply, Failure>, P>>,
    cancelled: &CancellationToken,
    grace: &Mutex<Duration>,
) -> Result<Reply, Failure> {
    let mut work = pin!(work);
    let ended = tokio::select! {
        biased;
        ended = &mut work => Some(ended),
        () = cancelled.cancelled() => {
            let grace = *grace.lock().unwrap_or_else(PoisonError::into_inner);
            timeout(grace, &mut work).await.ok()
        }
    };
    match ended {
        Some(Ok(result)) => result,
        Some(Err(_)) => Err(Failure::new("panic", "the tool crashed; this is a fault of the tool")
            .effects(Effects::Unknown)),
        None => Err(Failure::cancelled("the call did not stop in time and was ended")
            .effects(Effects::Unknown)),
    }
}
