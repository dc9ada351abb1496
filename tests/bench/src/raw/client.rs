//! The client: unary echoes, and echoes of one session stream.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context as _;
use bytes::Bytes;
use hyper_util::rt::TokioIo;
use tokio::{
    net::UnixStream,
    sync::{mpsc, oneshot},
};
use tokio_stream::wrappers::ReceiverStream;
use tollgate_proto::{
    limits::{CONNECTION_WINDOW_BYTES, HTTP2_FRAME_BYTES, STREAM_WINDOW_BYTES},
    tool::v1::{
        DescribeRequest, HelloRequest, KernelFrame, Start, kernel_frame::Frame as ToServer,
        server_frame::Frame, tool_server_client::ToolServerClient,
    },
};
use tonic::transport::{Channel, Endpoint};

/// Frames waiting to be sent, as in the kernel.
const OUTGOING_FRAMES: usize = 256;

type Waiting = Arc<Mutex<HashMap<String, oneshot::Sender<Bytes>>>>;

/// Connected to a raw server, with an open session.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    unary: ToolServerClient<Channel>,
    frames: mpsc::Sender<KernelFrame>,
    waiting: Waiting,
}

/// A client whose server has answered `Hello`.
///
/// # Errors
/// It does not.
async fn greeted(path: &Path) -> anyhow::Result<ToolServerClient<Channel>> {
    let stream = UnixStream::connect(path).await.context("cannot connect to the raw server")?;
    let mut stream = Some(stream);
    let connector = tower::service_fn(move |_| {
        let stream = stream.take().map(TokioIo::new);
        async move { stream.ok_or(std::io::Error::from(std::io::ErrorKind::NotConnected)) }
    });
    let channel = Endpoint::from_static("http://raw.local")
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_frame_size(HTTP2_FRAME_BYTES)
        .http2_adaptive_window(false)
        .connect_with_connector(connector)
        .await?;
    let mut client = ToolServerClient::new(channel);
    client.hello(HelloRequest::default()).await.context("the raw server did not answer")?;
    Ok(client)
}

impl Client {
    /// Connects, and waits for `Hello`.
    ///
    /// # Errors
    /// The server is not there.
    pub(crate) async fn greet(path: &Path) -> anyhow::Result<()> {
        greeted(path).await.map(drop)
    }

    /// Connects, and opens the session.
    ///
    /// # Errors
    /// The server is not there.
    pub(crate) async fn open(path: &Path) -> anyhow::Result<Self> {
        let mut unary = greeted(path).await?;
        let (frames, queue) = mpsc::channel(OUTGOING_FRAMES);
        let mut incoming = unary.session(ReceiverStream::new(queue)).await?.into_inner();
        let waiting = Waiting::default();
        let known = Arc::clone(&waiting);
        // Ends with the stream; whoever still waits then gets an error.
        tokio::spawn(async move {
            while let Ok(Some(frame)) = incoming.message().await {
                let Some(Frame::Completed(completed)) = frame.frame else { continue };
                if let Some(waiter) = lock(&known).remove(&completed.call_id) {
                    waiter.send(completed.structured).ok();
                }
            }
            lock(&known).clear();
        });
        Ok(Self { unary, frames, waiting })
    }

    /// One unary call.
    ///
    /// # Errors
    /// It failed.
    pub(crate) async fn unary(&mut self, page_token: String) -> anyhow::Result<String> {
        let answer = self.unary.describe(DescribeRequest { page_token }).await?;
        Ok(answer.into_inner().next_page_token)
    }

    /// One echo on the session.
    ///
    /// # Errors
    /// The session has ended.
    pub(crate) async fn echo(&self, call_id: String, arguments: Bytes) -> anyhow::Result<Bytes> {
        let (waiter, answer) = oneshot::channel();
        lock(&self.waiting).insert(call_id.clone(), waiter);
        let start = Start { call_id, arguments, ..Start::default() };
        let frame = KernelFrame { frame: Some(ToServer::Start(Box::new(start))) };
        self.frames.send(frame).await.context("the raw session has ended")?;
        answer.await.context("the raw session has ended")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
