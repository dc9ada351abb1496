//! One kernel's session: reads its frames, never waits for a call, and ends when the kernel does.
//!
//! Open => Attached (first frame) => Ended (stream closed, lease passed, or server stopping).
//! Invariant: the reader awaits nothing but the next frame and the clocks; each call has its task.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time::{MissedTickBehavior, interval, sleep_until};
use tokio_stream::StreamExt;
use tokio_util::sync::CancellationToken;
use tollgate_proto::tool::v1::{
    Attach, Cancel, Draining, Heartbeat, KernelFrame, Prepare, ServerFrame, Start,
    completed::Rejection, kernel_frame::Frame as FromKernel, server_frame::Frame,
};
use tonic::{Status, Streaming};

use crate::{
    CancelReason,
    call::{Line, Outgoing},
    execute::{self, Running},
    limits::{ABANDONED_GRACE, DRAIN_WITHIN, PREPARE_WITHIN},
    shared::Shared,
    wire,
};

/// The running calls of one session, by call id.
type Calls = HashMap<String, Running>;

struct Session {
    shared: Arc<Shared>,
    outgoing: Outgoing,
    id: String,
    calls: Calls,
}

/// Runs a session to its end. Returns when every call of it has been told to stop.
pub(crate) async fn run(
    shared: Arc<Shared>,
    outgoing: Outgoing,
    mut incoming: Streaming<KernelFrame>,
) {
    let attach = match first_frame(&mut incoming).await {
        Ok(attach) => attach,
        Err(status) => {
            // The kernel may be gone already; then nobody needs the reason.
            drop(outgoing.send(Err(status)).await);
            return;
        }
    };
    let lease = Duration::from_millis(u64::from(attach.lease_ms.clamp(1_000, 300_000)));
    let beat = Duration::from_millis(u64::from(attach.heartbeat_ms.clamp(100, 60_000)));
    let mut session =
        Session { shared, outgoing, id: attach.session, calls: HashMap::new() };
    let reason = session.serve(&mut incoming, lease, beat).await;
    session.end(reason).await;
}

async fn first_frame(incoming: &mut Streaming<KernelFrame>) -> Result<Attach, Status> {
    match incoming.next().await {
        Some(Ok(KernelFrame { frame: Some(FromKernel::Attach(attach)) })) => Ok(attach),
        Some(Err(status)) => Err(status),
        Some(Ok(_)) | None => Err(Status::invalid_argument("the first frame must be Attach")),
    }
}

impl Session {
    async fn serve(
        &mut self,
        incoming: &mut Streaming<KernelFrame>,
        lease: Duration,
        beat: Duration,
    ) -> CancelReason {
        let mut heartbeat = interval(beat);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut lease_ends = Instant::now() + lease;
        let draining = self.shared.draining.clone();
        let mut told_draining = false;
        loop {
            tokio::select! {
                biased;
                () = self.outgoing.closed() => return CancelReason::Session,
                () = draining.cancelled(), if !told_draining => {
                    told_draining = true;
                    let within_ms = u32::try_from(DRAIN_WITHIN.as_millis()).unwrap_or(u32::MAX);
                    self.tell(Frame::Draining(Draining { within_ms }));
                }
                frame = incoming.next() => match frame {
                    None | Some(Err(_)) => return CancelReason::Session,
                    Some(Ok(KernelFrame { frame })) => {
                        lease_ends = Instant::now() + lease;
                        self.take(frame);
                    }
                },
                () = sleep_until(lease_ends.into()) => return CancelReason::Session,
                _ = heartbeat.tick() => {
                    self.calls.retain(|_, call| !call.is_finished());
                    let calls = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
                    self.tell(Frame::Heartbeat(Heartbeat { calls }));
                }
            }
        }
    }

    /// One frame. Never waits.
    fn take(&mut self, frame: Option<FromKernel>) {
        match frame {
            // The lease was renewed by the frame's arrival.
            Some(FromKernel::Attach(_)) | None => {}
            Some(FromKernel::Prepare(prepare)) => self.prepare(prepare),
            Some(FromKernel::Start(start)) => self.start(*start),
            Some(FromKernel::Reply(reply)) => {
                if let Some(call) = self.calls.get(&reply.call_id) {
                    call.line.answer(reply);
                }
            }
            Some(FromKernel::Cancel(cancel)) => self.cancel(&cancel),
            Some(FromKernel::Credit(credit)) => {
                if let Some(call) = self.calls.get(&credit.call_id) {
                    call.line.add_credit(credit.bytes);
                }
            }
        }
    }

    fn prepare(&self, prepare: Prepare) {
        let (shared, outgoing) = (Arc::clone(&self.shared), self.outgoing.clone());
        let tracker = shared.tasks.clone();
        tracker.spawn(async move {
            let call_id = prepare.call_id.clone();
            let result = execute::prepare(&shared, prepare, PREPARE_WITHIN).await;
            let frame = Frame::Prepared(wire::prepared(call_id, result));
            // A session that is gone needs no answer.
            drop(outgoing.send(Ok(ServerFrame { frame: Some(frame) })).await);
        });
    }

    fn start(&mut self, start: Start) {
        let call_id = start.call_id.clone();
        if self.calls.len() >= self.shared.calls_max as usize {
            self.calls.retain(|_, call| !call.is_finished());
        }
        let full = self.calls.len() >= self.shared.calls_max as usize;
        let refuse = if self.shared.draining.is_cancelled() {
            Some((Rejection::Draining, "the server is stopping and takes no new calls"))
        } else if full {
            Some((Rejection::Overloaded, "the server runs as many calls as it can"))
        } else if self.calls.get(&call_id).is_some_and(|call| !call.is_finished()) {
            Some((Rejection::DuplicateCall, "a call of this id is running"))
        } else {
            None
        };
        let line = Line::new(call_id.clone(), self.outgoing.clone());
        if let Some((rejection, why)) = refuse {
            let completed = wire::rejected(call_id, rejection, why.to_owned());
            self.shared.tasks.spawn(async move {
                // A session that is gone needs no answer.
                drop(line.send(Frame::Completed(Box::new(completed))).await);
            });
            return;
        }
        let cancelled = CancellationToken::new();
        let running = execute::start(&self.shared, self.id.clone(), start, line, cancelled);
        self.calls.insert(call_id, running);
    }

    fn cancel(&self, cancel: &Cancel) {
        if let Some(call) = self.calls.get(&cancel.call_id) {
            let grace = Duration::from_millis(u64::from(cancel.grace_ms));
            call.stop(wire::cancel_reason(cancel.reason()), grace);
        }
    }

    /// A frame that may be dropped when the queue is full: the next one says the same.
    fn tell(&self, frame: Frame) {
        drop(self.outgoing.try_send(Ok(ServerFrame { frame: Some(frame) })));
    }

    /// The session is over: its calls stop, and nothing of it stays.
    async fn end(self, reason: CancelReason) {
        for call in self.calls.values() {
            call.stop(reason, ABANDONED_GRACE);
        }
        for (_, call) in self.calls {
            call.finished().await;
        }
        self.shared.blobs.forget_session(&self.id);
    }
}
