//! Layers 12 to 14 of a call that has its permit: judged as of now, granted, written down, sent, and
//! waited for under the kernel's clocks (`[PROTO-07]`), at most once (`[PROTO-08]`).
//!
//! Clocks: start (to `Accepted`), idle (any frame resets it), the whole call. When one runs out, or
//! the turn is cancelled, the server is told to stop; after the grace the kernel stops waiting and a
//! local server's process is ended.

mod execute;
mod host;
mod ledger;
mod nested;
mod output;
mod pace;
mod recover;
mod shape;
mod spill;

use std::{path::PathBuf, sync::Arc};

use bytes::Bytes;
use prost::Message as _;
use tokio::sync::SemaphorePermit;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{HookSaid, Layer, Refusal, confinement, taint},
    call::{Classified, Effects, Outcome, Permitted, RawCall},
    catalog::Entry,
    receipt::Status,
    safety::{Sandbox, Subject},
};
use tollgate_proto::{
    grant::CLAIMS_BYTES_MAX,
    limits::INLINE_BYTES_MAX,
    tool::v1::{BlobRef, Budget, CallContext, Scope, Start},
};

use crate::{
    context::{SessionContext, lock},
    error::KernelError,
    event::Body,
    gate::{Cleared, Draft, Stop},
    search,
    servers::{CallClaims, Connection, Server, chain, wire},
    settings::Clocks,
    store::{
        StoreError,
        session::{Observed, SessionRecord},
    },
};
use execute::{Executed, Ground};
use ledger::Ledger;
use recover::Fate;
pub(crate) use spill::shown;

/// Bytes of a grant's scope: of its claims, names and digests need the rest.
const SCOPE_BYTES_MAX: usize = CLAIMS_BYTES_MAX - 2 * 1024;

/// How a call that was permitted ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) outcome: Outcome,
    /// What its processes were confined by, in words; empty: by what confines the server.
    pub(crate) confinement: String,
}

/// The server that has a tool.
pub(crate) fn server_of<'a>(
    cx: &'a SessionContext,
    entry: &Entry,
) -> Result<&'a Arc<Server>, Refusal> {
    cx.servers.get(entry.server.as_str()).ok_or_else(|| {
        let why = format!("server '{}' is not configured any more", entry.server);
        Refusal::new(Layer::Preparation, "server_unavailable", why)
    })
}

/// Where a call runs and for whom, as its server is told.
pub(crate) fn context_of(
    cx: &SessionContext,
    raw: &RawCall,
    connection: &Connection,
    subjects: &[Subject],
) -> CallContext {
    let stance = cx.stance();
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    // A server elsewhere has roots of its own; this session's folders mean nothing there.
    let here = connection.host() == "local";
    let roots = if here { &cx.roots } else { connection.roots() as &[_] };
    let cwd = if here { Some(cx.cwd()) } else { roots.first().cloned() };
    CallContext {
        session: cx.id.as_str().to_owned(),
        turn: raw.position.turn,
        step: raw.position.step,
        agent: raw.position.agent.clone(),
        role: String::new(),
        caller: wire::caller(raw.caller).into(),
        roots: roots.iter().map(|root| text(root)).collect(),
        cwd: cwd.as_deref().map(text).unwrap_or_default(),
        mode: stance.mode.as_str().to_owned(),
        posture: stance.posture.as_str().to_owned(),
        can_ask: cx.approver.can_ask(),
        observations: cx.observations_of(subjects).iter().map(wire::Observation::to_wire).collect(),
    }
}

/// Runs a permitted call.
pub(crate) async fn dispatch(
    cx: &SessionContext,
    Cleared { permitted, hooks }: Cleared,
    cancel: &CancellationToken,
    draft: &mut Draft,
) -> Result<Ended, Stop> {
    let call = permitted.call();
    let _lane = Lane::enter(cx, call).await;
    let started = Body::ToolStarted {
        name: call.entry().canonical().as_str().to_owned(),
        title: draft.secrets().text(call.title().to_owned()),
    };
    cx.events.tell(Some(&call.raw().position), Some(&call.raw().id), started).await;
    cx.tools.used(call.entry().canonical().as_str());
    if call.entry().is_synthetic() {
        permitted.permit().recheck(call, &cx.now().circumstances(&hooks))?;
        write_intent(cx, call, draft).await?;
        let outcome = search::run(cx, call, cancel).await;
        return finish(cx, call, execute::ended(outcome));
    }
    if !call.entry().runs_programs() {
        let ledger = Ledger::default();
        return Box::pin(send(cx, &permitted, &hooks, cancel, draft, &ledger)).await;
    }
    // Its calls are bounded by themselves and not by the turn's budget.
    let lent = cx.limits.program.calls;
    lock(&cx.budget).lend(lent);
    let ledger = Ledger::default();
    let ended = Box::pin(send(cx, &permitted, &hooks, cancel, draft, &ledger)).await;
    lock(&cx.budget).settle(lent, ledger.calls());
    let mut ended = ended?;
    ledger.append(&mut ended.outcome);
    Ok(ended)
}

/// Layers 12 to 14 of a call that a server runs.
async fn send(
    cx: &SessionContext,
    permitted: &Permitted,
    hooks: &HookSaid,
    cancel: &CancellationToken,
    draft: &mut Draft,
    ledger: &Ledger,
) -> Result<Ended, Stop> {
    let call = permitted.call();
    let server = server_of(cx, call.entry())?;
    let (mut attempt, mut tries) = (1, 0);
    loop {
        let connection = connect(server, cancel).await?;
        server.check_offered(call.entry())?;
        let _slot = slot(&connection, call, cancel).await?;
        // 12: as of now, after every wait.
        {
            let now = cx.now();
            permitted.permit().recheck(call, &now.circumstances(hooks))?;
        }
        let clocks = server.settings().clocks;
        let start = start_of(cx, call, &connection, clocks, attempt, draft).await?;
        if tries == 0 {
            write_intent(cx, call, draft).await?;
        }
        let (secrets, connection) = (draft.secrets(), &*connection);
        let ground = Ground { cx, call, secrets, connection, ledger, clocks };
        let executed = Box::pin(execute::execute(ground, start, cancel)).await;
        let (lost, sent) = match executed {
            Executed::Ended(ended) => return finish(cx, call, *ended),
            Executed::Lost { reason, sent } => (reason, sent),
        };
        let fate = if sent { recover::fate(server, connection, call).await } else { Fate::NotRun };
        if let Fate::Ended(completed) = fate {
            let ended = execute::completed(cx, call, draft.secrets(), *completed);
            return finish(cx, call, ended);
        }
        // At most once: again only if it cannot have run, or may run twice.
        let may_run_again = matches!(fate, Fate::NotRun) || call.safety().idempotent;
        if tries == 0 && may_run_again && !cancel.is_cancelled() {
            tries = 1;
            attempt += u32::from(sent);
            continue;
        }
        let mut ended = in_flight(call, server, &lost);
        if call.entry().runs_programs() {
            ended.outcome.effects = ledger.effects();
        }
        return Ok(ended);
    }
}

/// A call waits here until the server runs fewer calls than it says that it can; one that another call
/// waits for never does, so that nothing waits in a circle.
async fn slot<'a>(
    connection: &'a Connection,
    call: &Classified,
    cancel: &CancellationToken,
) -> Result<Option<SemaphorePermit<'a>>, Stop> {
    if call.raw().parent.is_some() {
        return Ok(None);
    }
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            let why = "the turn was cancelled while the call waited for its server";
            Err(Refusal::new(Layer::Execution, "cancelled", why).into())
        }
        slot = connection.slot() => Ok(slot),
    }
}

async fn connect(server: &Server, cancel: &CancellationToken) -> Result<Arc<Connection>, Stop> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            let why = "the turn was cancelled while the server was starting";
            Err(Refusal::new(Layer::Execution, "cancelled", why).into())
        }
        connection = server.connection() => connection.map_err(|error| {
            let why = format!("server '{}' is not available: {}", server.name(), chain(&error));
            Refusal::new(Layer::Execution, "server_unavailable", why).into()
        }),
    }
}

/// Layer 13: the grant, fixed to these bytes and this process.
async fn start_of(
    cx: &SessionContext,
    call: &Classified,
    connection: &Connection,
    clocks: Clocks,
    attempt: u32,
    draft: &mut Draft,
) -> Result<Start, Stop> {
    let (raw, entry) = (call.raw(), call.entry());
    let (scope, sandbox) = scope_of(cx, call, connection)?;
    let granted = connection.grant(CallClaims {
        call_id: raw.id.as_str(),
        attempt,
        tool: entry.served_as.as_str(),
        schema_sha256: entry.schema_sha256,
        arguments_sha256: call.arguments_sha256(),
        scope,
    });
    draft.granted(connection, &granted, sandbox);
    let (arguments, arguments_blob) = arguments_of(connection, call.arguments()).await?;
    Ok(Start {
        call_id: raw.id.as_str().to_owned(),
        attempt,
        tool: entry.served_as.as_str().to_owned(),
        arguments,
        arguments_blob,
        context: Some(context_of(cx, raw, connection, call.subjects())),
        grant: Some(granted.grant),
        budget: Some(Budget {
            content_bytes_max: entry.result_bytes_max,
            output_bytes_max: cx.limits.output_bytes_max,
        }),
        remaining_ms: u32::try_from(remaining(cx, call, clocks).as_millis()).unwrap_or(u32::MAX),
    })
}

/// How long the call may take at most, as far as nobody is waited for.
fn remaining(cx: &SessionContext, call: &Classified, clocks: Clocks) -> std::time::Duration {
    if call.entry().runs_programs() { execute::program_limits(cx, call).wall } else { clocks.call }
}

/// Arguments as they go over the wire: inline, or as a blob that is sent first.
pub(crate) async fn arguments_of(
    connection: &Connection,
    arguments: &Bytes,
) -> Result<(Bytes, Option<BlobRef>), Refusal> {
    if arguments.len() <= INLINE_BYTES_MAX {
        return Ok((arguments.clone(), None));
    }
    match connection.write_blob(arguments).await {
        Ok(blob) => Ok((Bytes::new(), Some(blob))),
        Err(status) => {
            let why = format!("the server did not take the arguments: {}", wire::status(&status));
            Err(Refusal::new(Layer::Execution, "arguments_not_taken", why))
        }
    }
}

/// What the call may reach, as of now: a call that only reads has no root to write in, what is denied is
/// withheld, and programs leave what is protected as it is. With how far they reach, if it starts some.
fn scope_of(
    cx: &SessionContext,
    call: &Classified,
    connection: &Connection,
) -> Result<(Scope, Option<Sandbox>), Refusal> {
    let now = cx.now();
    let at = now.circumstances(&HookSaid::Nothing);
    let confinement = confinement::confinement(call, &at)?;
    let roots: &[_] = if connection.host() == "local" { &cx.roots } else { connection.roots() };
    let roots: Vec<_> = roots.iter().map(|root| root.to_string_lossy().into_owned()).collect();
    let writes = confinement.sandbox > Sandbox::ReadOnly;
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let scope = Scope {
        withheld: wire::withheld(confinement.withheld),
        write_roots: if writes { roots.clone() } else { Vec::new() },
        read_roots: roots,
        hosts: Vec::new(),
        exec: true,
        network: call.safety().open_world,
        host_services: Vec::new(),
        sandbox: wire::sandbox(confinement.sandbox).into(),
        held: wire::withheld(confinement.held),
        opened: confinement.opened.into_iter().map(text).collect(),
    };
    if scope.encoded_len() > SCOPE_BYTES_MAX {
        let why = "its roots, and what rules and law protect, are together more than a grant can say; fewer \
                   --add-dir, and fewer and wider patterns, help";
        return Err(Refusal::new(Layer::Grant, "too_much_withheld", why));
    }
    let sandbox = confinement::starts_programs(call).then_some(confinement.sandbox);
    Ok((scope, sandbox))
}

/// The record that survives `kill -9`, on the device if the call may change something.
async fn write_intent(cx: &SessionContext, call: &Classified, draft: &Draft) -> Result<(), Stop> {
    let written = lock(&cx.receipts).decided(draft.intent());
    written.map_err(|error| KernelError::from(StoreError::from(error)))?;
    if !call.safety().read_only {
        let flush = lock(&cx.receipts).flush();
        flush.await.map_err(|error| KernelError::from(StoreError::from(error)))?;
    }
    Ok(())
}

/// What a call says of its session is taken in, then its outcome is given.
fn finish(cx: &SessionContext, call: &Classified, ended: wire::Ended) -> Result<Ended, Stop> {
    let mut outcome = ended.outcome;
    if call.safety().read_only {
        // A call that is believed to change nothing has changed nothing, however it ended.
        outcome.effects = Effects::None;
    }
    let record = |record: SessionRecord| {
        lock(&cx.log).append(&record).map_err(|error| KernelError::from(StoreError::from(error)))
    };
    // Before the text is anywhere else: a session that is resumed must know of it.
    let source = taint::source_of(call, &cx.now().circumstances(&HookSaid::Nothing));
    if let Some(source) = source
        && cx.taint(source.clone())
    {
        record(SessionRecord::Tainted(source))?;
    }
    let status = if outcome.succeeded {
        Status::Ok
    } else if ended.cancelled && outcome.effects != Effects::None {
        Status::InFlight
    } else {
        Status::Failed
    };
    if !ended.observations.is_empty() {
        cx.observe(&ended.observations);
        let files = ended.observations.iter().map(|seen| Observed {
            path: seen.path.clone(),
            sha256: seen.sha256,
            seen_unix_ms: seen.seen_unix_ms,
            modified_unix_ns: seen.modified_unix_ns,
        });
        record(SessionRecord::Observed { files: files.collect() })?;
    }
    if let Some(cwd) = ended.cwd.map(PathBuf::from)
        && !call.safety().concurrency_safe
        && cx.roots.iter().any(|root| cwd.starts_with(root))
        && cwd != cx.cwd()
    {
        lock(&cx.moving).cwd.clone_from(&cwd);
        record(SessionRecord::Cwd { path: cwd })?;
    }
    Ok(Ended { status, outcome, confinement: ended.confinement })
}

fn in_flight(call: &Classified, server: &Server, reason: &str) -> Ended {
    let read_only = call.safety().read_only;
    let (effects, told) = if read_only {
        (Effects::None, "it changes nothing, so it can be called again")
    } else {
        (Effects::Unknown, "it may have run in part: look before you call it again")
    };
    let message =
        format!("server '{}' was lost while the call ran ({reason}); {told}", server.name());
    Ended {
        status: Status::Failed,
        outcome: Outcome::failure("server_lost", effects, message),
        confinement: String::new(),
    }
}

/// The call's place among the running ones: shared if it is concurrency-safe, else alone. A nested
/// call runs inside its parent's place.
struct Lane<'a> {
    _shared: Option<tokio::sync::RwLockReadGuard<'a, ()>>,
    _alone: Option<tokio::sync::RwLockWriteGuard<'a, ()>>,
}

impl<'a> Lane<'a> {
    /// Waits for its place; policy files are read again after a wait, since it may have been long.
    async fn enter(cx: &'a SessionContext, call: &Classified) -> Self {
        if call.raw().parent.is_some() {
            return Self { _shared: None, _alone: None };
        }
        if call.safety().concurrency_safe {
            if let Ok(shared) = cx.lane.try_read() {
                return Self { _shared: Some(shared), _alone: None };
            }
            let shared = cx.lane.read().await;
            cx.policies.refresh();
            Self { _shared: Some(shared), _alone: None }
        } else {
            if let Ok(alone) = cx.lane.try_write() {
                return Self { _shared: None, _alone: Some(alone) };
            }
            let alone = cx.lane.write().await;
            cx.policies.refresh();
            Self { _shared: None, _alone: Some(alone) }
        }
    }
}

/// How long a call may clean up after it was told to stop.
fn grace_of(call: &Classified, clocks: Clocks) -> std::time::Duration {
    let grace = match call.entry().interrupt {
        tollgate_core::safety::Interrupt::Cancel => clocks.grace,
        // It finishes its atomic part first.
        tollgate_core::safety::Interrupt::Block => clocks.grace * 5,
    };
    if call.raw().parent.is_some() { grace.min(nested::NESTED_GRACE_MAX) } else { grace }
}
