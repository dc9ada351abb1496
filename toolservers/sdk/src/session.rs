//! One kernel's session: reads its frames, never waits for a call, and ends when the kernel does.
//!
//! Open => Attached (first frame) => Ended (stream closed, lease passed, or server stopping).
//! Invariant: the reader awaits nothing but the next frame and the clocks; each call has its task.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{
    sync::Semaphore,
    time::{Instant, MissedTickBehavior, interval, sleep_until, timeout},
};
use tokio_stream::StreamExt;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tollgate_proto::tool::v1::{
    Attach, Cancel, Draining, Heartbeat, KernelFrame, Prepare, ServerFrame, Start,
    completed::Rejection, kernel_frame::Frame as FromKernel, server_frame::Frame,
};
use tonic::{Code, Status, Streaming};

use crate::{
    CancelReason,
    call::{Line, Outgoing},
    execute::{self, Owner, Running},
    limits::{ABANDONED_GRACE, ANSWERS_MAX, ATTACH_WITHIN, DRAIN_WITHIN, PREPARE_WITHIN},
    shared::Shared,
    status::status,
    wire,
};

/// The running calls of one session, by call id.
type Calls = HashMap<String, Running>;

struct Session {
    shared: Arc<Shared>,
    outgoing: Outgoing,
    id: String,
    calls: Calls,
    /// The tasks of `calls`, so that draining can wait for their end.
    running: TaskTracker,
    /// One permit for each answer that is on its way.
    answers: Arc<Semaphore>,
    /// Fires at its end, for what its calls left running.
    over: CancellationToken,
}

/// Runs a session to its end. Returns when every call of it has been told to stop.
pub(crate) async fn run(
    shared: Arc<Shared>,
    outgoing: Outgoing,
    mut incoming: Streaming<KernelFrame>,
) {
    let attach = match first_frame(&shared, &mut incoming).await {
        Ok(attach) => attach,
        Err(status) => {
            // The kernel may be gone already; then nobody needs the reason.
            drop(outgoing.send(Err(status)).await);
            return;
        }
    };
    let lease = Duration::from_millis(u64::from(attach.lease_ms.clamp(1_000, 300_000)));
    let beat = Duration::from_millis(u64::from(attach.heartbeat_ms.clamp(100, 60_000)));
    let mut session = Session {
        shared,
        outgoing,
        id: attach.session,
        calls: HashMap::new(),
        running: TaskTracker::new(),
        answers: Arc::new(Semaphore::new(ANSWERS_MAX)),
        over: CancellationToken::new(),
    };
    session.serve(&mut incoming, lease, beat).await;
    session.end().await;
}

async fn first_frame(
    shared: &Shared,
    incoming: &mut Streaming<KernelFrame>,
) -> Result<Attach, Status> {
    let frame = tokio::select! {
        biased;
        () = shared.draining.cancelled() => {
            return Err(status(Code::Unavailable, "DRAINING", "the server is stopping"));
        }
        frame = timeout(ATTACH_WITHIN, incoming.next()) => frame.map_err(|_| {
            status(Code::DeadlineExceeded, "FRAME_ORDER", "no Attach came within 5 s")
        })?,
    };
    match frame {
        Some(Ok(KernelFrame { frame: Some(FromKernel::Attach(attach)) })) => Ok(attach),
        Some(Err(status)) => Err(status),
        Some(Ok(_)) | None => Err(frame_order("the first frame must be Attach")),
    }
}

fn frame_order(why: &str) -> Status {
    status(Code::InvalidArgument, "FRAME_ORDER", why)
}

impl Session {
    async fn serve(
        &mut self,
        incoming: &mut Streaming<KernelFrame>,
        lease: Duration,
        beat: Duration,
    ) {
        let mut heartbeat = interval(beat);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut lease_ends = Instant::now() + lease;
        let draining = self.shared.draining.clone();
        let mut told_draining = false;
        loop {
            tokio::select! {
                biased;
                () = self.outgoing.closed() => return,
                () = draining.cancelled(), if !told_draining => {
                    told_draining = true;
                    let within_ms = u32::try_from(DRAIN_WITHIN.as_millis()).unwrap_or(u32::MAX);
                    self.tell(Frame::Draining(Draining { within_ms }));
                    self.running.close();
                }
                // Drained: the last call has ended, and its last frame is in the queue.
                () = self.running.wait(), if told_draining => return,
                frame = incoming.next() => match frame {
                    None | Some(Err(_)) => return,
                    Some(Ok(KernelFrame { frame })) => {
                        lease_ends = Instant::now() + lease;
                        if let Err(status) = self.take(frame) {
                            // The stream ends with it; a full queue ends it without the reason.
                            drop(self.outgoing.try_send(Err(status)));
                            return;
                        }
                    }
                },
                () = sleep_until(lease_ends) => return,
                _ = heartbeat.tick() => {
                    self.calls.retain(|_, call| !call.is_finished());
                    let calls = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
                    self.tell(Frame::Heartbeat(Heartbeat { calls }));
                }
            }
        }
    }

    /// One frame. Never waits. `Err`: the kernel broke the order of frames.
    fn take(&mut self, frame: Option<FromKernel>) -> Result<(), Status> {
        match frame {
            // The lease was renewed by the frame's arrival.
            Some(FromKernel::Attach(attach)) if attach.session == self.id => {}
            Some(FromKernel::Attach(_)) => {
                return Err(frame_order("this stream is attached to another session"));
            }
            None => tracing::warn!("a frame of a kind that is not known here was ignored"),
            Some(FromKernel::Prepare(prepare)) => self.prepare(prepare)?,
            Some(FromKernel::Start(start)) => self.start(*start)?,
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
        Ok(())
    }

    fn prepare(&self, prepare: Prepare) -> Result<(), Status> {
        let (shared, session) = (Arc::clone(&self.shared), self.id.clone());
        self.answer(async move {
            let call_id = prepare.call_id.clone();
            let result = execute::prepare(&shared, &session, prepare, PREPARE_WITHIN).await;
            Frame::Prepared(wire::prepared(call_id, result))
        })
    }

    /// Sends what `answer` gives, from a task of its own. `Err`: too many answers wait.
    fn answer(&self, answer: impl Future<Output = Frame> + Send + 'static) -> Result<(), Status> {
        let permit = Arc::clone(&self.answers).try_acquire_owned().map_err(|_| {
            let why = "too many answers wait to be read";
            status(Code::ResourceExhausted, "OVERLOADED", why)
        })?;
        let outgoing = self.outgoing.clone();
        self.shared.tasks.spawn(async move {
            let frame = answer.await;
            // A session that is gone needs no answer.
            drop(outgoing.send(Ok(ServerFrame { frame: Some(frame) })).await);
            drop(permit);
        });
        Ok(())
    }

    fn start(&mut self, start: Start) -> Result<(), Status> {
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
        if let Some((rejection, why)) = refuse {
            let completed = wire::rejected(call_id, rejection, why.to_owned());
            return self.answer(std::future::ready(Frame::Completed(Box::new(completed))));
        }
        let blobs = (Arc::clone(&self.shared.blobs), self.id.clone());
        let line = Line::new(call_id.clone(), self.outgoing.clone(), blobs);
        let owner = Owner { session: self.id.clone(), over: self.over.clone() };
        let running = execute::start(&self.shared, &self.running, owner, start, line);
        self.calls.insert(call_id, running);
        Ok(())
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
    async fn end(self) {
        self.over.cancel();
        for call in self.calls.values() {
            call.stop(CancelReason::Session, ABANDONED_GRACE);
        }
        for (_, call) in self.calls {
            call.finished().await;
        }
        self.shared.blobs.forget_session(&self.id);
    }
}

#[cfg(test)]
mod tests;
