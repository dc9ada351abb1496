//! The one `Session` stream with a server process: frames out through a queue, frames in by a reader
//! that never waits for a call.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::StreamExt as _;
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::{Instant, MissedTickBehavior, interval, sleep_until, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tollgate_core::call::Preparation;
use tollgate_proto::tool::v1::{
    Attach, Cancel, Credit, KernelFrame, Prepare, Prepared, Reply, ServerFrame, Start,
    cancel::Reason, kernel_frame::Frame, log::Level, server_frame::Frame as FromServer,
    tool_server_client::ToolServerClient,
};
use tonic::Streaming;

use super::{
    connect::Channel,
    inbox::Inbox,
    limits::{HEARTBEATS_MISSED, LEASE, OUTGOING_FRAMES, PREPARE_WITHIN, SEND_WITHIN},
    wire::{self, NotPrepared},
};
use crate::secrets::LogSecrets;

/// The stream is gone.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the connection to the server is gone: {0}")]
pub struct LinkError(pub String);

/// A session with a server.
#[derive(Debug)]
pub(super) struct Link {
    frames: mpsc::Sender<KernelFrame>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    server: String,
    secrets: LogSecrets,
    calls: Mutex<HashMap<String, Inbox>>,
    prepares: Mutex<HashMap<String, oneshot::Sender<Prepared>>>,
    /// Why the stream ended; set before `lost` fires.
    reason: Mutex<String>,
    lost: CancellationToken,
    draining: CancellationToken,
    /// The server has said, or shown, that its manifest is another.
    changed: Arc<Notify>,
}

impl Link {
    /// Opens the session and starts its reader, which lives until the stream ends.
    pub(super) async fn open(
        server: String,
        mut client: ToolServerClient<Channel>,
        session: &str,
        heartbeat: Duration,
        secrets: LogSecrets,
    ) -> Result<Self, tonic::Status> {
        let (frames, queue) = mpsc::channel(OUTGOING_FRAMES);
        let attach = Attach {
            session: session.to_owned(),
            lease_ms: ms(LEASE),
            heartbeat_ms: ms(heartbeat),
        };
        // The queue is new and has room.
        drop(frames.try_send(frame(Frame::Attach(attach.clone()))));
        let shared = Arc::new(Shared {
            server,
            secrets,
            calls: Mutex::default(),
            prepares: Mutex::default(),
            reason: Mutex::default(),
            lost: CancellationToken::new(),
            draining: CancellationToken::new(),
            changed: Arc::default(),
        });
        // A stream of which one half stays open is not closed: the end of the link ends both.
        let queue = ReceiverStream::new(queue).take_until(shared.lost.clone().cancelled_owned());
        let incoming = client.session(queue).await?.into_inner();
        let reader = read(Arc::clone(&shared), incoming, frames.clone(), attach, heartbeat);
        // The task ends with the stream. It is a task of its own also because a panic in the
        // transport must not reach the kernel: then the guard says that the link is lost.
        let guard = LostOnDrop(Arc::clone(&shared));
        tokio::spawn(async move {
            let reason = reader.await;
            guard.0.end(&reason);
        });
        Ok(Self { frames, shared })
    }

    /// Whether no call can go through any more.
    pub(super) fn is_lost(&self) -> bool {
        self.shared.lost.is_cancelled() || self.shared.draining.is_cancelled()
    }

    /// Fires when the stream has ended.
    pub(super) fn lost(&self) -> CancellationToken {
        self.shared.lost.clone()
    }

    /// Fires when the server takes no more calls.
    pub(super) fn draining(&self) -> CancellationToken {
        self.shared.draining.clone()
    }

    /// Notified when the manifest should be asked for again; once, however often the server says it.
    pub(super) fn changed(&self) -> Arc<Notify> {
        Arc::clone(&self.shared.changed)
    }

    /// Ends the stream from this side.
    pub(super) fn close(&self, reason: &str) {
        self.shared.end(reason);
    }

    /// Asks what a call would do.
    pub(super) async fn prepare(
        &self,
        prepare: Prepare,
    ) -> Result<Result<Preparation, NotPrepared>, LinkError> {
        let (sender, answer) = oneshot::channel();
        let call_id = prepare.call_id.clone();
        lock(&self.shared.prepares).insert(call_id.clone(), sender);
        self.send(Frame::Prepare(prepare)).await?;
        let answer = timeout(PREPARE_WITHIN, answer).await;
        lock(&self.shared.prepares).remove(&call_id);
        match answer {
            Ok(Ok(prepared)) => Ok(wire::prepared(prepared)),
            Ok(Err(_)) => Err(self.shared.error()),
            Err(_) => Ok(Err(NotPrepared::silent(PREPARE_WITHIN))),
        }
    }

    /// Sends a call; what becomes of it comes to the inbox.
    pub(super) async fn start(&self, start: Start) -> Result<Inbox, LinkError> {
        let inbox = Inbox::new();
        lock(&self.shared.calls).insert(start.call_id.clone(), inbox.clone());
        let call_id = start.call_id.clone();
        if let Err(error) = self.send(Frame::Start(Box::new(start))).await {
            self.forget(&call_id);
            return Err(error);
        }
        Ok(inbox)
    }

    /// Nobody waits for this call any more.
    pub(super) fn forget(&self, call_id: &str) {
        lock(&self.shared.calls).remove(call_id);
    }

    /// Tells the server to stop a call. Never waits: a full queue means that the server does not
    /// read, and then only the process can be ended.
    pub(super) fn cancel(&self, call_id: &str, reason: Reason, grace: Duration) -> bool {
        let cancel =
            Cancel { call_id: call_id.to_owned(), reason: reason.into(), grace_ms: ms(grace) };
        self.frames.try_send(frame(Frame::Cancel(cancel))).is_ok()
    }

    /// Lets the call send more output.
    pub(super) async fn credit(&self, call_id: &str, inbox: &Inbox, bytes: u32) {
        inbox.add_credit(bytes);
        let credit = Credit { call_id: call_id.to_owned(), bytes };
        // A lost link shows in the inbox.
        drop(self.send(Frame::Credit(credit)).await);
    }

    /// Answers a host request.
    pub(super) async fn reply(&self, reply: Reply) {
        // A lost link shows in the inbox.
        drop(self.send(Frame::Reply(reply)).await);
    }

    async fn send(&self, what: Frame) -> Result<(), LinkError> {
        if self.shared.lost.is_cancelled() {
            return Err(self.shared.error());
        }
        tokio::select! {
            biased;
            () = self.shared.lost.cancelled() => Err(self.shared.error()),
            sent = timeout(SEND_WITHIN, self.frames.send(frame(what))) => match sent {
                Ok(sent) => sent.map_err(|_| self.shared.error()),
                Err(_) => {
                    self.shared.end("the server does not read what it is sent");
                    Err(self.shared.error())
                }
            },
        }
    }
}

/// Reads frames until the stream ends; gives the reason.
async fn read(
    shared: Arc<Shared>,
    mut incoming: Streaming<ServerFrame>,
    frames: mpsc::Sender<KernelFrame>,
    attach: Attach,
    heartbeat: Duration,
) -> String {
    let silence = heartbeat * HEARTBEATS_MISSED + Duration::from_secs(1);
    let mut dead_at = Instant::now() + silence;
    let mut renew = interval(LEASE / 3);
    renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
    renew.reset();
    loop {
        tokio::select! {
            biased;
            () = shared.lost.cancelled() => return lock(&shared.reason).clone(),
            message = incoming.message() => match message {
                Ok(Some(ServerFrame { frame })) => {
                    dead_at = Instant::now() + silence;
                    shared.take(frame);
                }
                Ok(None) => return "the server ended the session".to_owned(),
                Err(status) => return wire::status(&status),
            },
            () = sleep_until(dead_at) => {
                return format!("the server was silent for {} s", silence.as_secs());
            }
            // A queue that is full holds frames that renew the lease as well.
            _ = renew.tick() => drop(frames.try_send(frame(Frame::Attach(attach.clone())))),
        }
    }
}

impl Shared {
    /// One frame. Never waits; what is for no call of ours is ignored.
    fn take(&self, frame: Option<FromServer>) {
        match frame {
            Some(FromServer::Accepted(it)) => self.with(&it.call_id, Inbox::accepted),
            Some(FromServer::Progress(it)) => {
                let text = wire::bounded(it.text, tollgate_proto::limits::PROGRESS_BYTES_MAX);
                self.with(&it.call_id, |inbox| inbox.progress(text, it.fraction));
            }
            Some(FromServer::Output(it)) => {
                self.with(&it.call_id, |inbox| inbox.output(it.channel(), &it.data));
            }
            Some(FromServer::Host(it)) => {
                let call_id = it.call_id.clone();
                self.with(&call_id, |inbox| inbox.host(it));
            }
            Some(FromServer::Completed(it)) => {
                if wire::shows_change(&it) {
                    self.changed.notify_one();
                }
                if let Some(inbox) = lock(&self.calls).remove(&it.call_id) {
                    inbox.completed(it);
                }
            }
            Some(FromServer::Prepared(it)) => {
                if let Some(waiting) = lock(&self.prepares).remove(&it.call_id) {
                    // Whoever asked may have stopped waiting.
                    drop(waiting.send(it));
                }
            }
            Some(FromServer::Draining(_)) => self.draining.cancel(),
            Some(FromServer::Log(it)) => self.log(it.level(), &it.text, &it.call_id),
            Some(FromServer::ManifestChanged(_)) => self.changed.notify_one(),
            // A heartbeat has done its work by arriving; an unknown event is a newer server's.
            Some(FromServer::Heartbeat(_)) | None => {}
        }
    }

    fn with(&self, call_id: &str, put: impl FnOnce(&Inbox)) {
        if let Some(inbox) = lock(&self.calls).get(call_id) {
            put(inbox);
        }
    }

    fn log(&self, level: Level, text: &str, call: &str) {
        let text = wire::bounded(self.secrets.now().text(text.to_owned()), 4096);
        let server = self.server.as_str();
        match level {
            Level::Error => tracing::error!(server, call, "{text}"),
            Level::Warn => tracing::warn!(server, call, "{text}"),
            Level::Info => tracing::info!(server, call, "{text}"),
            Level::Debug | Level::Unspecified => tracing::debug!(server, call, "{text}"),
        }
    }

    /// The link is gone: every call is told.
    fn end(&self, reason: &str) {
        if self.lost.is_cancelled() {
            return;
        }
        reason.clone_into(&mut lock(&self.reason));
        self.lost.cancel();
        lock(&self.prepares).clear();
        for (_, inbox) in lock(&self.calls).drain() {
            inbox.lost(reason);
        }
    }

    fn error(&self) -> LinkError {
        LinkError(lock(&self.reason).clone())
    }
}

/// Says that the link is lost however its task ends.
struct LostOnDrop(Arc<Shared>);

impl Drop for LostOnDrop {
    fn drop(&mut self) {
        self.0.end("the transport failed");
    }
}

fn frame(frame: Frame) -> KernelFrame {
    KernelFrame { frame: Some(frame) }
}

fn ms(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
