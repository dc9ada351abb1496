//! A provider of Chat Completions over HTTP/1.1 in this process. Each request is handed to the
//! measurement, which answers it when it wants to: so it knows when a request was whole and when its
//! answer was written, and can hold one back.

mod http;
mod reply;

use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
    time::timeout,
};

pub(crate) use reply::{ToolCall, calls, text};

/// Requests that wait for the measurement; there is one at a time.
const REQUESTS_WAITING: usize = 16;
/// How long a request may take to come; a `tollgate` that hangs ends the measurement.
const REQUEST_WITHIN: Duration = Duration::from_secs(30);

/// The provider.
#[derive(Debug)]
pub(crate) struct Mock {
    /// For `OPENAI_BASE_URL`.
    pub(crate) url: String,
    requests: mpsc::Receiver<Request>,
}

/// A request that is whole and waits for its answer.
#[derive(Debug)]
pub(crate) struct Request {
    /// When its last byte was here.
    pub(crate) at: Instant,
    /// Its body.
    pub(crate) body: Vec<u8>,
    answer: oneshot::Sender<Answer>,
}

#[derive(Debug)]
struct Answer {
    body: String,
    written: oneshot::Sender<Instant>,
}

impl Mock {
    /// Listens on a free port of this host.
    ///
    /// # Errors
    /// There is none.
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("cannot listen")?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let (sender, requests) = mpsc::channel(REQUESTS_WAITING);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, sender.clone()));
            }
        });
        Ok(Self { url, requests })
    }

    /// The next request.
    ///
    /// # Errors
    /// None came in time.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Request> {
        self.next_within(REQUEST_WITHIN).await
    }

    /// The next request, after a call that may take this long.
    ///
    /// # Errors
    /// None came in time.
    pub(crate) async fn next_within(&mut self, patience: Duration) -> anyhow::Result<Request> {
        let next = timeout(patience, self.requests.recv()).await.ok().flatten();
        next.with_context(|| format!("no model request came in {} s", patience.as_secs()))
    }
}

impl Request {
    /// Answers it; gives the moment when the answer was written.
    ///
    /// # Errors
    /// The connection is gone.
    pub(crate) async fn answer(self, body: String) -> anyhow::Result<Instant> {
        let (written, when) = oneshot::channel();
        self.answer.send(Answer { body, written }).ok();
        when.await.context("the connection of a model request is gone")
    }
}

/// One connection, kept for one request after the other; it ends with its peer.
async fn serve(mut stream: TcpStream, requests: mpsc::Sender<Request>) {
    stream.set_nodelay(true).ok();
    let mut input = http::Input::default();
    while let Ok(Some(body)) = input.request(&mut stream).await {
        let (answer, answered) = oneshot::channel();
        if requests.send(Request { at: Instant::now(), body, answer }).await.is_err() {
            return;
        }
        let Ok(answer) = answered.await else { return };
        if http::respond(&mut stream, &answer.body).await.is_err() {
            return;
        }
        answer.written.send(Instant::now()).ok();
    }
}
