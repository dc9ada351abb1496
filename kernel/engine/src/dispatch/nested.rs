//! The calls that a running call asks for: each through the gate and into the ledger, side by side as far as
//! they may be (`[CODE-03]`): concurrency-safe ones together, the others one after another, in the order
//! in which they were asked for.

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{StreamExt, stream::FuturesUnordered};
use tokio::sync::{
    OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit, RwLock, Semaphore,
};
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{Layer, Refusal, program},
    call::{Caller, Classified, RawCall, first_text},
    catalog::contract::TOOL_SEARCH,
    digest::Digest,
    receipt::{Decision, Status},
    stance::Stance,
};
use tollgate_proto::{
    limits::INLINE_BYTES_MAX,
    tool::v1::{CallToolRequest, Called, Host, Reply, called::Ending, reply::Reply as Answer},
};

use super::{host, ledger::Ledger, shape::shape};
use crate::{
    clock,
    context::SessionContext,
    gate::{self, CallEnd},
    servers::{Connection, chain, wire},
};

/// Bytes of the sentence about a call that did not succeed.
const MESSAGE_BYTES_MAX: usize = 4 * 1024;

/// The requests of one call that are open.
pub(super) struct Nested<'a> {
    asker: Arc<Asker<'a>>,
    open: FuturesUnordered<Pin<Box<dyn Future<Output = Reply> + Send + 'a>>>,
}

/// What every request of a call needs.
pub(super) struct Asker<'a> {
    pub(super) cx: &'a SessionContext,
    pub(super) call: &'a Classified,
    connection: &'a Connection,
    ledger: &'a Ledger,
    /// Of the turn: a person's "stop" in a nested call ends it.
    turn: &'a CancellationToken,
    /// Of what this call asked for; ends with it.
    stop: CancellationToken,
    /// Mode and posture when it began.
    stance: Stance,
    lane: Arc<RwLock<()>>,
    room: Arc<Semaphore>,
}

/// A call's place among the running ones of its parent.
enum Place {
    Shared(
        #[expect(dead_code, reason = "held")] OwnedRwLockReadGuard<()>,
        #[expect(dead_code, reason = "held")] OwnedSemaphorePermit,
    ),
    Alone(#[expect(dead_code, reason = "held")] OwnedRwLockWriteGuard<()>),
}

impl<'a> Nested<'a> {
    pub(super) fn new(
        cx: &'a SessionContext,
        call: &'a Classified,
        connection: &'a Connection,
        ledger: &'a Ledger,
        turn: &'a CancellationToken,
    ) -> Self {
        let asker = Asker {
            cx,
            call,
            connection,
            ledger,
            turn,
            stop: turn.child_token(),
            stance: cx.stance(),
            lane: Arc::default(),
            room: Arc::new(Semaphore::new(cx.limits.parallel_calls_max.max(1))),
        };
        Self { asker: Arc::new(asker), open: FuturesUnordered::new() }
    }

    /// Requests that are not answered.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    /// Takes a request in.
    pub(super) fn ask(&mut self, host: Host) {
        let asker = Arc::clone(&self.asker);
        self.open.push(Box::pin(async move { host::answer(&asker, host).await }));
    }

    /// The next answer; never, while nothing is open.
    ///
    /// # Cancel safety
    /// Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> Reply {
        match self.open.next().await {
            Some(reply) => reply,
            None => std::future::pending().await,
        }
    }

    /// Tells all of them to stop.
    pub(super) fn stop(&self) {
        self.asker.stop.cancel();
    }

    /// Stops all of them and waits until each has its receipt: nothing goes on behind a call that has
    /// ended. A server that does not stop in its grace is ended, so the wait is bounded.
    pub(super) async fn end(&mut self) {
        self.stop();
        while self.open.next().await.is_some() {}
    }
}

impl Asker<'_> {
    /// The catalog's search: the same call by another word.
    pub(super) async fn search(&self, arguments: bytes::Bytes) -> Answer {
        let name = TOOL_SEARCH.to_owned();
        self.call(CallToolRequest { name, arguments, arguments_blob: None }).await
    }

    /// Another tool: a call of its own, with its own receipt.
    pub(super) async fn call(&self, asked: CallToolRequest) -> Answer {
        let CallToolRequest { name, mut arguments, arguments_blob } = asked;
        let max = self.cx.limits.program.calls;
        let Some(place) = self.ledger.place(max) else {
            let why = format!("a call may ask for {max} calls, and this one has had them");
            return refused("calls", why);
        };
        if let Some(blob) = arguments_blob {
            match self.connection.read_blob(&blob).await {
                Ok(read) => arguments = read,
                Err(status) => {
                    let why = wire::status(&status);
                    return refused(
                        "arguments_lost",
                        format!("the arguments could not be read: {why}"),
                    );
                }
            }
        }
        let parent = self.call.raw();
        let raw = RawCall {
            id: clock::call_id(),
            parent: Some(parent.id.clone()),
            depth: parent.depth.saturating_add(1),
            caller: program::caller_within(self.call),
            position: parent.position.clone(),
            name,
            arguments,
        };
        let (name, arguments) = (raw.name.clone(), raw.arguments.clone());
        let _place = self.place(&raw).await;
        let began = Instant::now();
        let ended = self.run(raw).await;
        match ended {
            Ok(end) => {
                if end.receipt.decision == Decision::Denied {
                    self.ledger.deny(self.identity(&name, &arguments));
                }
                self.ledger.ended(place, &end, began.elapsed());
                self.answer(end).await
            }
            Err(error) => Answer::Refused(chain(&error)),
        }
    }

    /// What makes two calls the same one: the tool, however it was called, and the arguments, however they were
    /// written.
    fn identity(&self, name: &str, arguments: &[u8]) -> (String, Digest) {
        let entry = self.cx.tools.catalog().find(name, arguments).cloned();
        let name = entry.map_or_else(|| name.to_owned(), |it| it.canonical().as_str().to_owned());
        let arguments = match serde_json::from_slice::<serde_json::Value>(arguments) {
            Ok(value) => Digest::of(value.to_string().as_bytes()),
            Err(_) => Digest::of(arguments),
        };
        (name, arguments)
    }

    /// Whether a person has denied this very call before, in this program.
    fn was_denied(&self, raw: &RawCall) -> bool {
        self.ledger.has_denied()
            && self.ledger.was_denied(&self.identity(&raw.name, &raw.arguments))
    }

    /// Waits for its place: neighbours that are all concurrency-safe by their manifests run together.
    async fn place(&self, raw: &RawCall) -> Option<Place> {
        let entry = self.cx.tools.catalog().find(&raw.name, &raw.arguments).cloned();
        let is_safe = entry.is_some_and(|it| it.safety.believed(it.trust).concurrency_safe);
        let lane = Arc::clone(&self.lane);
        let place = async {
            if is_safe {
                let shared = lane.read_owned().await;
                let room = Arc::clone(&self.room).acquire_owned().await.ok()?;
                Some(Place::Shared(shared, room))
            } else {
                Some(Place::Alone(lane.write_owned().await))
            }
        };
        tokio::select! {
            biased;
            // It gets its receipt without a place: it will not start.
            () = self.stop.cancelled() => None,
            place = place => place,
        }
    }

    async fn run(&self, raw: RawCall) -> Result<CallEnd, crate::error::KernelError> {
        let refusal = self.changed().or_else(|| {
            self.was_denied(&raw).then(|| {
                let why = "the user has denied this very call before; it is not asked again";
                Refusal::new(Layer::Approval, DENIED_BEFORE, why)
            })
        });
        let end = match refusal {
            Some(refusal) => gate::refuse_call(self.cx, raw, refusal, &self.stop).await?,
            None => Box::pin(gate::run_call(self.cx, raw, &self.stop)).await?,
        };
        if end.stop_turn {
            // A person's stop is meant for whatever asked, too.
            self.turn.cancel();
        }
        Ok(end)
    }

    /// `[CODE-06]`: under another mode or posture than that in which it began, a program asks for nothing more.
    fn changed(&self) -> Option<Refusal> {
        let now = self.cx.stance();
        let is_program = program::caller_within(self.call) == Caller::Program;
        (is_program && now != self.stance).then(|| {
            let why = format!(
                "mode and posture were {} and {} when the program began and are {} and {} now: its other calls are \
                 refused; run what is left as a new program",
                self.stance.mode.as_str(), self.stance.posture.as_str(), now.mode.as_str(), now.posture.as_str()
            );
            Refusal::new(Layer::Admission, "stance_changed", why)
        })
    }

    /// What whoever asked is told.
    async fn answer(&self, end: CallEnd) -> Answer {
        let status = end.receipt.end.as_ref().map_or(Status::InFlight, |end| end.status);
        let class =
            end.receipt.end.as_ref().map_or_else(String::new, |end| end.error_class.clone());
        let ending = match (status, end.receipt.decision) {
            (Status::Ok, _) => Ending::Succeeded,
            (Status::Refused, Decision::Denied) => Ending::Denied,
            (Status::Refused, _) if class == DENIED_BEFORE => Ending::Denied,
            (Status::Refused, _) => Ending::Refused,
            (Status::Failed | Status::InFlight, _) => Ending::Failed,
        };
        let message = if ending == Ending::Succeeded {
            String::new()
        } else {
            let text = first_text(&end.result.content).unwrap_or("the call failed").to_owned();
            wire::bounded(text, MESSAGE_BYTES_MAX)
        };
        let result =
            if status == Status::Refused { bytes::Bytes::new() } else { shape(&end.result) };
        let mut called =
            Called { ending: ending.into(), message, error_class: class, ..Called::default() };
        if result.len() <= INLINE_BYTES_MAX {
            called.result = result;
            return Answer::Called(called);
        }
        if self.stop.is_cancelled() {
            // Whoever asked is being stopped: nobody reads it, and its end must not wait for it.
            return refused("cancelled", "the call that asked for it was stopped".to_owned());
        }
        match self.connection.write_blob(&result).await {
            Ok(blob) => Answer::Called(Called { result_blob: Some(blob), ..called }),
            Err(status) => {
                let why = wire::status(&status);
                refused(
                    "result_lost",
                    format!(
                        "the call ended, but its result of {} bytes could not be given back: {why}",
                        result.len()
                    ),
                )
            }
        }
    }
}

/// The class of a refusal that repeats a person's.
const DENIED_BEFORE: &str = "denied_before";

/// An answer about a request that became no call.
fn refused(class: &str, message: String) -> Answer {
    let (ending, error_class) = (Ending::Refused.into(), class.to_owned());
    Answer::Called(Called { ending, message, error_class, ..Called::default() })
}

/// How long a nested call that is told to stop may clean up: what asked for it waits that long (`[CODE-15]`).
pub(super) const NESTED_GRACE_MAX: Duration = Duration::from_millis(1_300);
