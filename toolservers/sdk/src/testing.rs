//! What tests of this crate share: a real server on a Unix socket in a temporary folder, a kernel's
//! end of it, and a tool that does what it is told.
//!
//! Server and kernel run in the test's own runtime, so paused time passes for both.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
};

use hyper_util::rt::TokioIo;
use schemars::JsonSchema;
use serde::Deserialize;
use tempfile::TempDir;
use tokio::{net::UnixStream, sync::mpsc, task::JoinHandle};
use tokio_stream::{StreamExt, wrappers::ReceiverStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tollgate_proto::{
    bootstrap::{self, Bootstrap, Endpoint, GrantKey},
    grant::{SigningKey, sha256, sign},
    tool::v1::{
        Attach, Cancel, Completed, Credit, GrantClaims, HelloRequest, KernelFrame, Prepare,
        ServerFrame, SignedGrant, Start, cancel::Reason, kernel_frame, server_frame::Frame,
        tool_server_client::ToolServerClient,
    },
};
use tonic::{Status, Streaming, transport::Channel};

use crate::{
    Call, Channel as OutputChannel, Context, Effects, Failure, Invalid, Preparation, Reply, Safety,
    ServeError, Server, Spec, Subject, Tool, erased::Registered, grants::unix_ms,
    options::Start as Started,
};

/// The server's configured name; audience of its grants.
pub(crate) const SERVER: &str = "probe-here";
/// The session of [`World::attach`].
pub(crate) const SESSION: &str = "session-1";
pub(crate) const KEY_ID: &str = "key-1";
const KEY: [u8; 32] = [7; 32];

/// A tool for tests. Counts how often its code ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probe {
    pub(crate) ran: Arc<AtomicUsize>,
    /// [`Call::session_over`] of the last call.
    pub(crate) session_over: Arc<Mutex<CancellationToken>>,
    pub(crate) prepared: Arc<AtomicUsize>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProbeInput {
    action: Action,
    /// A size, for those that need one.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    bytes: usize,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    /// Answers with `bytes` letters.
    Answer,
    /// Sends `bytes` of output, then answers.
    Output,
    /// Waits to be cancelled, then says so.
    Wait,
    /// Does not hear that it is cancelled.
    Deaf,
    /// Panics.
    Panic,
    /// Fails.
    Fail,
    /// Asks for another tool and answers with its result.
    Ask,
    /// When prepared: invalid.
    Invalid,
    /// When prepared: takes for ever.
    Dawdle,
}

impl Tool for Probe {
    type Input = ProbeInput;
    const NAME: &'static str = "probe";
    const DESCRIPTION: &'static str = "For tests.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WRITE).prepared()
    }

    async fn prepare(&self, input: &ProbeInput, _: &Context) -> Result<Preparation, Invalid> {
        self.prepared.fetch_add(1, Ordering::Relaxed);
        match input.action {
            Action::Panic => panic!("as told"),
            Action::Dawdle => std::future::pending().await,
            Action::Invalid => Err(Invalid::new("/action", "not this one")),
            Action::Answer
            | Action::Output
            | Action::Wait
            | Action::Deaf
            | Action::Fail
            | Action::Ask => {
                let subjects = (0..input.bytes).map(|n| Subject::Host(n.to_string()));
                Ok(subjects.fold(Preparation::new(Safety::READ).title("Probe"), |said, subject| {
                    said.subject(subject)
                }))
            }
        }
    }

    async fn call(&self, input: ProbeInput, call: Call) -> Result<Reply, Failure> {
        self.ran.fetch_add(1, Ordering::Relaxed);
        *self.session_over.lock().unwrap() = call.session_over.clone();
        match input.action {
            Action::Answer => Ok(Reply::text("x".repeat(input.bytes))),
            Action::Output => {
                let data = vec![b'o'; input.bytes];
                match call.output(OutputChannel::Terminal, &data).await {
                    Ok(()) => Ok(Reply::text("sent")),
                    Err(error) => Err(Failure::cancelled(error.to_string())),
                }
            }
            Action::Wait => {
                call.cancelled.cancelled().await;
                let why = format!("{:?}", call.cancel_reason());
                Err(Failure::cancelled(why).effects(Effects::Partial))
            }
            Action::Panic => panic!("as told"),
            Action::Fail => Err(Failure::new("not_found", "nothing there")),
            Action::Ask => {
                let arguments = serde_json::json!({ "path": "a" });
                match call.call_tool("read", arguments.to_string()).await {
                    Ok(called) => Ok(Reply::text(format!("{called:?}"))),
                    Err(error) => Err(Failure::new("host", error.to_string())),
                }
            }
            Action::Deaf | Action::Invalid | Action::Dawdle => std::future::pending().await,
        }
    }
}

/// What a kernel, this process, tells a server that listens there.
pub(crate) fn boot(path: PathBuf) -> Bootstrap {
    Bootstrap {
        version: bootstrap::VERSION,
        endpoint: Endpoint::Path(path),
        server: SERVER.into(),
        grant_key: GrantKey { id: KEY_ID.into(), hmac_sha256: "07".repeat(32) },
        session: SESSION.into(),
        kernel_pid: std::process::id(),
        roots: Vec::new(),
        settings: serde_json::Value::Null,
        log: String::new(),
        state: None,
        traceparent: String::new(),
    }
}

/// A running server.
pub(crate) struct World {
    pub(crate) probe: Probe,
    pub(crate) draining: CancellationToken,
    pub(crate) served: JoinHandle<Result<(), ServeError>>,
    pub(crate) channel: Channel,
    pub(crate) instance: String,
    nonces: AtomicU8,
    _folder: TempDir,
}

impl World {
    /// A server with the probe.
    pub(crate) async fn start() -> Self {
        Self::with(|server| server).await
    }

    /// A server with the probe and what `more` adds.
    pub(crate) async fn with(more: impl FnOnce(Server) -> Server) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let boot = boot(path.clone());
        let probe = Probe::default();
        let start = Started::Kernel(Box::new(boot));
        let server = Server::from_start("probe", "1.2.3", start).unwrap().tool(probe.clone());
        let server = more(server);
        let draining = server.stopping();
        let served = tokio::spawn(server.serve_until_drained(TaskTracker::new()));
        let channel = connect(path).await;
        let hello = HelloRequest { protocols: vec![1], ..HelloRequest::default() };
        let hello = ToolServerClient::new(channel.clone()).hello(hello).await.unwrap();
        let instance = hello.into_inner().instance;
        let nonces = AtomicU8::new(0);
        Self { probe, draining, served, channel, instance, nonces, _folder: folder }
    }

    /// How often the tool's code ran.
    pub(crate) fn ran(&self) -> usize {
        self.probe.ran.load(Ordering::Relaxed)
    }

    pub(crate) fn client(&self) -> ToolServerClient<Channel> {
        ToolServerClient::new(self.channel.clone())
    }

    /// A session whose first frame is sent; its stream is open.
    pub(crate) async fn attach(&self) -> Kernel {
        self.session(attach(SESSION)).await
    }

    /// A session with this first frame.
    pub(crate) async fn session(&self, first: kernel_frame::Frame) -> Kernel {
        let (frames, outgoing) = mpsc::channel(1024);
        frames.send(KernelFrame { frame: Some(first) }).await.unwrap();
        let answers = self.client().session(ReceiverStream::new(outgoing)).await.unwrap();
        Kernel { frames, answers: answers.into_inner() }
    }

    /// Claims that permit this call, with a nonce of their own.
    pub(crate) fn claims(&self, call_id: &str, arguments: &str) -> GrantClaims {
        let schema = Registered::new(Probe::default()).schema_sha256;
        GrantClaims {
            key_id: KEY_ID.into(),
            server: SERVER.into(),
            instance: self.instance.clone(),
            session: SESSION.into(),
            call_id: call_id.into(),
            attempt: 1,
            tool: "probe".into(),
            schema_sha256: schema.to_vec().into(),
            arguments_sha256: sha256(arguments.as_bytes()).to_vec().into(),
            scope: None,
            expires_unix_ms: unix_ms() + 60_000,
            nonce: vec![self.nonces.fetch_add(1, Ordering::Relaxed); 16].into(),
        }
    }

    /// A `Start` of the probe as the kernel sends it.
    pub(crate) fn call(&self, call_id: &str, action: &str, bytes: usize) -> Start {
        let arguments = arguments(action, bytes);
        let grant = signed(&self.claims(call_id, &arguments));
        Start {
            call_id: call_id.into(),
            attempt: 1,
            tool: "probe".into(),
            arguments: arguments.into(),
            grant: Some(grant),
            ..Start::default()
        }
    }
}

/// A kernel's end of a session.
pub(crate) struct Kernel {
    frames: mpsc::Sender<KernelFrame>,
    answers: Streaming<ServerFrame>,
}

impl Kernel {
    pub(crate) async fn send(&self, frame: kernel_frame::Frame) {
        self.frames.send(KernelFrame { frame: Some(frame) }).await.unwrap();
    }

    pub(crate) async fn start(&self, start: Start) {
        self.send(kernel_frame::Frame::Start(Box::new(start))).await;
    }

    pub(crate) async fn prepare(&self, call_id: &str, action: &str, bytes: usize) {
        let prepare = Prepare {
            call_id: call_id.into(),
            tool: "probe".into(),
            arguments: arguments(action, bytes).into(),
            ..Prepare::default()
        };
        self.send(kernel_frame::Frame::Prepare(prepare)).await;
    }

    pub(crate) async fn credit(&self, call_id: &str, bytes: u32) {
        self.send(kernel_frame::Frame::Credit(Credit { call_id: call_id.into(), bytes })).await;
    }

    pub(crate) async fn cancel(&self, call_id: &str, grace_ms: u32) {
        let reason = Reason::Deadline.into();
        let cancel = Cancel { call_id: call_id.into(), reason, grace_ms };
        self.send(kernel_frame::Frame::Cancel(cancel)).await;
    }

    /// The next frame of any kind; `None` at the end of the stream.
    pub(crate) async fn frame(&mut self) -> Option<Result<Frame, Status>> {
        let frame = self.answers.next().await?;
        Some(frame.map(|frame| frame.frame.unwrap()))
    }

    /// The next frame that is no heartbeat.
    pub(crate) async fn next(&mut self) -> Frame {
        loop {
            let frame = self.frame().await.expect("the stream ended").unwrap();
            if !matches!(frame, Frame::Heartbeat(_)) {
                return frame;
            }
        }
    }

    /// The frames of a call, the last one apart. Frames of other calls must not come between.
    pub(crate) async fn call(&mut self, start: Start) -> (Vec<Frame>, Completed) {
        self.start(start).await;
        self.rest().await
    }

    /// The frames until the next `Completed`, and it.
    pub(crate) async fn rest(&mut self) -> (Vec<Frame>, Completed) {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            if let Frame::Completed(completed) = frame {
                return (frames, *completed);
            }
            frames.push(frame);
        }
    }
}

pub(crate) fn attach(session: &str) -> kernel_frame::Frame {
    let attach = Attach { session: session.into(), lease_ms: 30_000, heartbeat_ms: 5_000 };
    kernel_frame::Frame::Attach(attach)
}

pub(crate) fn arguments(action: &str, bytes: usize) -> String {
    format!(r#"{{"action":"{action}","bytes":{bytes}}}"#)
}

pub(crate) fn signed(claims: &GrantClaims) -> SignedGrant {
    sign(claims, &SigningKey::Hmac(KEY))
}

/// Connects once the server listens: its task runs whenever this one yields.
async fn connect(path: PathBuf) -> Channel {
    let connector = tower::service_fn(move |_| {
        let path = path.clone();
        async move {
            for _ in 0..1_000 {
                match UnixStream::connect(&path).await {
                    Ok(stream) => return Ok(TokioIo::new(stream)),
                    Err(_) => tokio::task::yield_now().await,
                }
            }
            Err(std::io::Error::other("the server does not listen"))
        }
    });
    tonic::transport::Endpoint::from_static("http://server.invalid")
        .connect_with_connector(connector)
        .await
        .unwrap()
}
