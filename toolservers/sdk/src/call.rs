//! A call's line to the kernel: output under credit, progress, host requests, the word to stop.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tollgate_proto::{
    limits::{
        HOST_REQUESTS_MAX, INLINE_BYTES_MAX, OUTPUT_BYTES_MAX, OUTPUT_CREDIT_BYTES,
        PROGRESS_BYTES_MAX,
    },
    tool::v1::{
        CallToolRequest, Host, Output, Progress, ReadArtifactRequest, Reply as HostReply,
        SearchToolsRequest, ServerFrame, called, host, reply, server_frame::Frame,
    },
};
use tonic::Status;

use crate::{
    Called, CancelReason, Channel, Ending, HostError,
    blobs::Blobs,
    limits::{CALLED_NAME_BYTES_MAX, PROGRESS_EVERY},
    wire,
};

/// Where a session's frames go.
pub(crate) type Outgoing = mpsc::Sender<Result<ServerFrame, Status>>;

/// What the kernel gave.
#[derive(Debug)]
enum Given {
    Called(Called),
    Data(Bytes),
}

/// The line. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Line(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    call_id: String,
    outgoing: Outgoing,
    /// Where large answers come and large arguments go, and whose they are.
    blobs: (Arc<Blobs>, String),
    credit: Semaphore,
    host_slots: Semaphore,
    next_request: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<Given, HostError>>>>,
    progressed: Mutex<Option<Instant>>,
    reason: Mutex<Option<CancelReason>>,
}

impl Line {
    pub(crate) fn new(call_id: String, outgoing: Outgoing, blobs: (Arc<Blobs>, String)) -> Self {
        Self(Arc::new(Inner {
            call_id,
            outgoing,
            blobs,
            credit: Semaphore::new(OUTPUT_CREDIT_BYTES as usize),
            host_slots: Semaphore::new(HOST_REQUESTS_MAX),
            next_request: AtomicU64::new(1),
            waiting: Mutex::default(),
            progressed: Mutex::default(),
            reason: Mutex::default(),
        }))
    }

    /// The kernel allows more output.
    pub(crate) fn add_credit(&self, bytes: u32) {
        // A kernel that grants without end must not overflow the semaphore.
        let room = (Semaphore::MAX_PERMITS / 2).saturating_sub(self.0.credit.available_permits());
        self.0.credit.add_permits((bytes as usize).min(room));
    }

    /// The kernel answers a host request; an answer to nothing is ignored.
    pub(crate) fn answer(&self, answer: HostReply) {
        let waiting = lock(&self.0.waiting).remove(&answer.request_id);
        let Some(waiting) = waiting else { return };
        let value = match answer.reply {
            Some(reply::Reply::Called(called)) => self.called(called),
            Some(reply::Reply::Refused(reason)) => Err(HostError::Refused(reason)),
            Some(reply::Reply::Data(data)) => Ok(Given::Data(data)),
            Some(reply::Reply::Value(_)) | None => Err(unexpected()),
        };
        // The call may have stopped waiting; then nobody needs the answer.
        drop(waiting.send(value));
    }

    fn called(&self, called: tollgate_proto::tool::v1::Called) -> Result<Given, HostError> {
        let ending = match called.ending() {
            called::Ending::Succeeded => Ending::Succeeded,
            called::Ending::Failed | called::Ending::Unspecified => Ending::Failed,
            called::Ending::Refused => Ending::Refused,
            called::Ending::Denied => Ending::Denied,
        };
        let (blobs, session) = &self.0.blobs;
        let result = match called.result_blob {
            None => called.result,
            Some(blob) => blobs.take(session, &blob.sha256).ok_or_else(|| {
                HostError::Refused("the kernel's answer names a blob that is not here".to_owned())
            })?,
        };
        let (message, class) = (called.message, called.error_class);
        Ok(Given::Called(Called { ending, result, message, class }))
    }

    pub(crate) fn stop(&self, reason: CancelReason) {
        lock(&self.0.reason).get_or_insert(reason);
    }

    pub(crate) fn cancel_reason(&self) -> Option<CancelReason> {
        *lock(&self.0.reason)
    }

    /// Sends a frame of this call, waiting for room. `Err`: the session is gone.
    pub(crate) async fn send(&self, frame: Frame) -> Result<(), HostError> {
        let frame = Ok(ServerFrame { frame: Some(frame) });
        self.0.outgoing.send(frame).await.map_err(|_| HostError::Cancelled)
    }

    pub(crate) fn progress(&self, text: String, fraction: Option<f32>) {
        let now = Instant::now();
        {
            let mut last = lock(&self.0.progressed);
            if last.is_some_and(|last| now.duration_since(last) < PROGRESS_EVERY) {
                return;
            }
            *last = Some(now);
        }
        let frame = Frame::Progress(Progress {
            call_id: self.0.call_id.clone(),
            text: wire::bounded(text, PROGRESS_BYTES_MAX),
            fraction,
        });
        // Progress is for people; a full queue drops it.
        drop(self.0.outgoing.try_send(Ok(ServerFrame { frame: Some(frame) })));
    }

    pub(crate) async fn output(
        &self,
        channel: Channel,
        data: &[u8],
        cancelled: &CancellationToken,
    ) -> Result<(), HostError> {
        for piece in data.chunks(OUTPUT_BYTES_MAX) {
            let bytes = u32::try_from(piece.len()).unwrap_or(u32::MAX);
            // A call that is told to stop may still say what fits.
            let permit = match self.0.credit.try_acquire_many(bytes) {
                Ok(permit) => Ok(permit),
                Err(_) => tokio::select! {
                    biased;
                    () = cancelled.cancelled() => return Err(HostError::Cancelled),
                    permit = self.0.credit.acquire_many(bytes) => permit,
                },
            };
            permit.map_err(|_| HostError::Cancelled)?.forget();
            let frame = Output {
                call_id: self.0.call_id.clone(),
                channel: wire::channel(channel).into(),
                data: piece.to_vec().into(),
            };
            self.send(Frame::Output(frame)).await?;
        }
        Ok(())
    }

    pub(crate) async fn call_tool(
        &self,
        name: &str,
        arguments: Bytes,
        cancelled: &CancellationToken,
    ) -> Result<Called, HostError> {
        if name.len() > CALLED_NAME_BYTES_MAX {
            let why = format!(
                "the name of a tool has at most {CALLED_NAME_BYTES_MAX} bytes, and this one {}",
                name.len()
            );
            return Err(HostError::Refused(why));
        }
        // Held while the kernel may read it.
        let (arguments, arguments_blob, held) = if arguments.len() <= INLINE_BYTES_MAX {
            (arguments, None, None)
        } else {
            let (blobs, session) = &self.0.blobs;
            let blob = blobs.put(session, arguments, "application/json").ok_or_else(|| {
                HostError::Refused("the arguments are larger than what can be kept".to_owned())
            })?;
            let held = Held { blobs: self.0.blobs.clone(), sha256: blob.sha256.clone() };
            (Bytes::new(), Some(blob), Some(held))
        };
        let request = CallToolRequest { name: name.to_owned(), arguments, arguments_blob };
        let given = self.ask(host::Request::CallTool(request), cancelled).await;
        drop(held);
        match given? {
            Given::Called(called) => Ok(called),
            Given::Data(_) => Err(unexpected()),
        }
    }

    pub(crate) async fn search_tools(
        &self,
        arguments: Bytes,
        cancelled: &CancellationToken,
    ) -> Result<Called, HostError> {
        let request = SearchToolsRequest { arguments };
        match self.ask(host::Request::SearchTools(request), cancelled).await? {
            Given::Called(called) => Ok(called),
            Given::Data(_) => Err(unexpected()),
        }
    }

    pub(crate) async fn read_artifact(
        &self,
        id: &str,
        offset: u64,
        limit: u32,
        cancelled: &CancellationToken,
    ) -> Result<Bytes, HostError> {
        let request = ReadArtifactRequest { id: id.to_owned(), offset, limit };
        match self.ask(host::Request::ReadArtifact(request), cancelled).await? {
            Given::Data(data) => Ok(data),
            Given::Called(_) => Err(unexpected()),
        }
    }

    async fn ask(
        &self,
        request: host::Request,
        cancelled: &CancellationToken,
    ) -> Result<Given, HostError> {
        let _slot = self.0.host_slots.acquire().await.map_err(|_| HostError::Cancelled)?;
        let request_id = self.0.next_request.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        lock(&self.0.waiting).insert(request_id, sender);
        let host = Host { call_id: self.0.call_id.clone(), request_id, request: Some(request) };
        self.send(Frame::Host(host)).await?;
        tokio::select! {
            biased;
            () = cancelled.cancelled() => {
                lock(&self.0.waiting).remove(&request_id);
                Err(HostError::Cancelled)
            }
            answer = answer => answer.unwrap_or(Err(HostError::Cancelled)),
        }
    }
}

/// A blob that is let go, however the call that needed it ended.
struct Held {
    blobs: (Arc<Blobs>, String),
    sha256: Bytes,
}

impl Drop for Held {
    fn drop(&mut self) {
        let (blobs, session) = &self.blobs;
        drop(blobs.take(session, &self.sha256));
    }
}

fn unexpected() -> HostError {
    HostError::Refused("the kernel's answer is of a kind that was not asked for".into())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
