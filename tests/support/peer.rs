//! A kernel made by hand: greets a server, attaches a session, signs grants (good and bad), sends
//! calls.

use std::{path::Path, time::Duration};

use bytes::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::UnixStream, sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tollgate_proto::{
    grant::{self, SigningKey, sha256},
    limits::{CONNECTION_WINDOW_BYTES, HTTP2_FRAME_BYTES, STREAM_WINDOW_BYTES},
    tool::v1::{
        Attach, Budget, CallContext, Completed, DescribeRequest, GrantClaims, HelloRequest,
        HelloResponse, KernelFrame, Sandbox, Scope, ServerFrame, SignedGrant, Start, ToolSpec,
        completed::Rejection, kernel_frame::Frame, server_frame::Frame as FromServer,
        tool_server_client::ToolServerClient,
    },
};
use tonic::{
    Streaming,
    transport::{Channel, Endpoint},
};
use tower::service_fn;

/// How long a server may take to answer.
const WITHIN: Duration = Duration::from_secs(30);
/// Bytes of output that a call may bring.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The session of the hand-made kernel.
pub const SESSION: &str = "0198-by-hand";

/// What a kernel knows of a server that it may speak to.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// Makes the key that signs.
    pub key: fn() -> SigningKey,
    /// Its id.
    pub key_id: String,
    /// The server's configured name.
    pub server: String,
}

/// A kernel with one attached session.
#[derive(Debug)]
pub struct Peer {
    /// How the server answered `Hello`.
    pub hello: HelloResponse,
    /// Its tools.
    pub tools: Vec<ToolSpec>,
    /// Another way to the same server.
    pub client: ToolServerClient<Channel>,
    credentials: Credentials,
    roots: Vec<String>,
    frames: mpsc::Sender<KernelFrame>,
    incoming: Streaming<ServerFrame>,
}

/// A channel to a Unix socket, with the kernel's settings of HTTP/2.
///
/// # Errors
/// Nobody listens, or whoever listens does not speak.
pub async fn unix(path: &Path) -> Result<Channel, tonic::transport::Error> {
    let path = path.to_owned();
    let connector = service_fn(move |_| {
        let path = path.clone();
        async move { UnixStream::connect(path).await.map(TokioIo::new) }
    });
    Endpoint::from_static("http://by-hand")
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .http2_adaptive_window(false)
        .http2_max_local_error_reset_streams(None)
        .max_frame_size(HTTP2_FRAME_BYTES)
        .connect_with_connector(connector)
        .await
}

/// The `Hello` of the hand-made kernel.
#[must_use]
pub fn greeting() -> HelloRequest {
    HelloRequest {
        protocols: vec![1],
        session: SESSION.into(),
        frame_bytes_max: 320 * 1024,
        ..HelloRequest::default()
    }
}

impl Peer {
    /// Greets the server behind a channel and attaches a session with a long lease.
    pub async fn attach(channel: Channel, credentials: Credentials, root: &Path) -> Self {
        Self::attach_for(channel, credentials, root, 60_000).await
    }

    /// Greets the server behind a channel and attaches a session with a lease of some ms.
    pub async fn attach_for(
        channel: Channel,
        credentials: Credentials,
        root: &Path,
        lease_ms: u32,
    ) -> Self {
        let mut client = ToolServerClient::new(channel);
        let hello = within(client.hello(greeting())).await;
        let hello = hello.expect("Hello is answered").into_inner();
        let page = within(client.describe(DescribeRequest::default())).await;
        let tools = page.expect("Describe is answered").into_inner().tools;
        let (frames, queue) = mpsc::channel(64);
        let attach = Attach { session: SESSION.into(), lease_ms, heartbeat_ms: 1_000 };
        frames.try_send(frame(Frame::Attach(attach))).expect("the queue is new");
        let session = within(client.session(ReceiverStream::new(queue))).await;
        let incoming = session.expect("the session is taken").into_inner();
        let roots = vec![root.to_string_lossy().into_owned()];
        Self { hello, tools, client, credentials, roots, frames, incoming }
    }

    /// The claims that permit one call, as the kernel would make them.
    #[must_use]
    pub fn claims(&self, call_id: &str, tool: &str, arguments: &Value) -> GrantClaims {
        let spec = self.tools.iter().find(|it| it.name == tool).expect("the server has the tool");
        let digest = sha256(arguments.to_string().as_bytes());
        self.claims_of(call_id, tool, sha256(&spec.input_schema), digest)
    }

    /// The grant of one "blob.read" or "blob.write" of the blob with a digest.
    #[must_use]
    pub fn blob_grant(&self, tool: &str, digest: [u8; 32]) -> SignedGrant {
        self.sign(&self.claims_of("", tool, sha256(b""), digest))
    }

    fn claims_of(
        &self,
        call_id: &str,
        tool: &str,
        schema_sha256: [u8; 32],
        arguments_sha256: [u8; 32],
    ) -> GrantClaims {
        GrantClaims {
            key_id: self.credentials.key_id.clone(),
            server: self.credentials.server.clone(),
            instance: self.hello.instance.clone(),
            session: SESSION.into(),
            call_id: call_id.into(),
            attempt: 1,
            tool: tool.into(),
            schema_sha256: schema_sha256.to_vec().into(),
            arguments_sha256: arguments_sha256.to_vec().into(),
            scope: Some(Scope {
                read_roots: self.roots.clone(),
                write_roots: self.roots.clone(),
                exec: true,
                sandbox: Sandbox::WorkspaceWrite.into(),
                ..Scope::default()
            }),
            expires_unix_ms: now_ms() + 60_000,
            nonce: uuid::Uuid::new_v4().into_bytes().to_vec().into(),
        }
    }

    /// Signs claims with the key that the server knows.
    #[must_use]
    pub fn sign(&self, claims: &GrantClaims) -> SignedGrant {
        grant::sign(claims, &(self.credentials.key)())
    }

    /// Sends a call with a grant, or without.
    pub async fn send_start(
        &self,
        call_id: &str,
        tool: &str,
        arguments: &Value,
        grant: Option<SignedGrant>,
    ) {
        let start = Start {
            call_id: call_id.into(),
            attempt: 1,
            tool: tool.into(),
            arguments: Bytes::from(arguments.to_string()),
            context: Some(CallContext {
                session: SESSION.into(),
                agent: "main".into(),
                roots: self.roots.clone(),
                cwd: self.roots.first().cloned().unwrap_or_default(),
                mode: "work".into(),
                posture: "ask".into(),
                ..CallContext::default()
            }),
            budget: Some(Budget { content_bytes_max: 0, output_bytes_max: OUTPUT_BYTES_MAX }),
            grant,
            ..Start::default()
        };
        self.send(Frame::Start(Box::new(start))).await;
    }

    /// Sends a frame.
    pub async fn send(&self, what: Frame) {
        self.frames.send(frame(what)).await.expect("the session is open");
    }

    /// The next frame; `None`: the server ended the session, well or not.
    pub async fn next(&mut self) -> Option<FromServer> {
        within(self.incoming.message()).await.ok().flatten()?.frame
    }

    /// The next end of a call; other frames are passed over.
    pub async fn completed(&mut self) -> Completed {
        loop {
            if let FromServer::Completed(completed) =
                self.next().await.expect("the session goes on")
            {
                return *completed;
            }
        }
    }

    /// Sends a call and waits for its end.
    pub async fn start(
        &mut self,
        call_id: &str,
        tool: &str,
        arguments: &Value,
        grant: Option<SignedGrant>,
    ) -> Completed {
        self.send_start(call_id, tool, arguments, grant).await;
        loop {
            let completed = self.completed().await;
            if completed.call_id == call_id {
                return completed;
            }
        }
    }

    /// A call with the grant that it should have.
    pub async fn granted(&mut self, call_id: &str, tool: &str, arguments: &Value) -> Completed {
        let grant = self.sign(&self.claims(call_id, tool, arguments));
        self.start(call_id, tool, arguments, Some(grant)).await
    }

    /// The rejection of a call with the grant that it should have, changed by `change`.
    pub async fn rejection(
        &mut self,
        call_id: &str,
        tool: &str,
        arguments: &Value,
        change: impl FnOnce(&mut GrantClaims),
    ) -> Rejection {
        let mut claims = self.claims(call_id, tool, arguments);
        change(&mut claims);
        let grant = self.sign(&claims);
        self.start(call_id, tool, arguments, Some(grant)).await.rejection()
    }
}

/// Waits for an answer, not for ever.
pub async fn within<T>(answer: impl Future<Output = T>) -> T {
    timeout(WITHIN, answer).await.expect("the server answers in time")
}

fn frame(frame: Frame) -> KernelFrame {
    KernelFrame { frame: Some(frame) }
}

fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}
