//! The gRPC side: `Hello`, `Describe`, `Session`, each broken as the behaviour says.

use std::{
    net::Shutdown,
    os::unix::net::UnixStream as StdUnixStream,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::Duration,
};

use prost::Message as _;
use tokio::{net::UnixStream, sync::mpsc};
use tokio_stream::{
    Stream, StreamExt as _,
    wrappers::{ReceiverStream, UnixListenerStream},
};
use tokio_util::sync::CancellationToken;
use tollgate_proto::{
    blob::v1::blob_service_server::BlobServiceServer,
    tool::v1::{
        DescribeRequest, DescribeResponse, DiscoverRequest, GetExecutionRequest,
        GetExecutionResponse, HelloRequest, HelloResponse, KernelFrame, Manifest, ServerFrame,
        ToolSpec,
        tool_server_server::{ToolServer, ToolServerServer},
    },
};
use tonic::{Request, Response, Status, Streaming, transport::Server};
use tower::layer::layer_fn;

use crate::{
    behaviour::Behaviour,
    blobs::Blobs,
    manifest,
    poison::{Poison, Poisoned},
    session, sources,
    start::{Settings, Start},
    told,
};

/// Bytes that this server sends in one message; the kernel's own bound is what is tested.
const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of one page of the manifest.
const PAGE_BYTES: usize = 256 * 1024;
/// Frames waiting to be sent.
const FRAMES_WAITING: usize = 64;

/// What all sessions share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) behaviour: Behaviour,
    pub(crate) settings: Settings,
    pub(crate) blobs: Blobs,
    pub(crate) poison: Poison,
    /// Sends GOAWAY when it fires.
    pub(crate) going: CancellationToken,
    offer: Mutex<(Manifest, Vec<ToolSpec>)>,
    instance: String,
    /// Second handles of the connections.
    sockets: Mutex<Vec<StdUnixStream>>,
}

impl Shared {
    /// What there is now.
    fn offer(&self) -> (Manifest, Vec<ToolSpec>) {
        self.offer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on there is this.
    pub(crate) fn offers(&self, offer: (Manifest, Vec<ToolSpec>)) {
        *self.offer.lock().unwrap_or_else(PoisonError::into_inner) = offer;
    }

    /// Cuts all connections.
    pub(crate) fn disconnect(&self) {
        for socket in self.sockets.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            drop(socket.shutdown(Shutdown::Both));
        }
    }

    /// Keeps a second handle of a connection.
    fn taken(&self, stream: UnixStream) -> std::io::Result<UnixStream> {
        let stream = stream.into_std()?;
        let second = stream.try_clone()?;
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner).push(second);
        UnixStream::from_std(stream)
    }
}

/// Serves until the process is ended.
pub(crate) async fn serve(behaviour: Behaviour, start: Start) -> anyhow::Result<()> {
    let offer = match behaviour {
        Behaviour::Told => told::of(&start.settings.tools),
        _ => manifest::of(behaviour),
    };
    let shared = Arc::new(Shared {
        behaviour,
        settings: start.settings,
        blobs: Blobs::default(),
        poison: Poison::default(),
        going: CancellationToken::new(),
        offer: Mutex::new(offer),
        instance: uuid::Uuid::now_v7().to_string(),
        sockets: Mutex::default(),
    });
    shared.poison.headers.store(behaviour == Behaviour::Details, Ordering::Relaxed);
    let taking = Arc::clone(&shared);
    let incoming = UnixListenerStream::new(start.listener)
        .map(move |stream| stream.and_then(|stream| taking.taken(stream)));
    let poison = shared.poison.clone();
    let front = ToolServerServer::new(Front(Arc::clone(&shared)))
        .max_encoding_message_size(MESSAGE_BYTES_MAX);
    Server::builder()
        .layer(layer_fn(move |inner| Poisoned { inner, poison: poison.clone() }))
        .add_service(front)
        .add_service(BlobServiceServer::new(shared.blobs.clone()))
        .serve_with_incoming_shutdown(incoming, shared.going.clone().cancelled_owned())
        .await?;
    Ok(())
}

/// A page of the manifest.
fn page(manifest: Manifest, tools: &[ToolSpec], first: usize) -> DescribeResponse {
    let mut bytes = 0;
    let page = tools.iter().skip(first).take_while(|tool| {
        bytes += tool.encoded_len();
        bytes < PAGE_BYTES
    });
    let page: Vec<ToolSpec> = page.cloned().collect();
    let next = first + page.len();
    let next_page_token = if next < tools.len() { next.to_string() } else { String::new() };
    DescribeResponse { manifest: Some(manifest), tools: page, next_page_token }
}

struct Front(Arc<Shared>);

#[tonic::async_trait]
impl ToolServer for Front {
    type SessionStream = Pin<Box<dyn Stream<Item = Result<ServerFrame, Status>> + Send>>;

    async fn hello(&self, _: Request<HelloRequest>) -> Result<Response<HelloResponse>, Status> {
        let shared = &self.0;
        let (manifest, _) = shared.offer();
        let manifest_sha256 = match shared.behaviour {
            Behaviour::Details => return Err(Status::internal("details follow")),
            Behaviour::Digest => vec![7; 32].into(),
            _ => manifest.digest,
        };
        Ok(Response::new(HelloResponse {
            protocol: if shared.behaviour == Behaviour::Protocol2 { 2 } else { 1 },
            name: manifest.name,
            version: manifest.version,
            instance: match shared.behaviour {
                Behaviour::Nameless => String::new(),
                _ => shared.instance.clone(),
            },
            manifest_sha256,
            calls_max: 64,
            frame_bytes_max: 320 * 1024,
            ..HelloResponse::default()
        }))
    }

    async fn describe(
        &self,
        request: Request<DescribeRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        let shared = &self.0;
        let (manifest, tools) = shared.offer();
        if shared.behaviour == Behaviour::Endless {
            let next_page_token = "again".to_owned();
            return Ok(Response::new(DescribeResponse {
                manifest: Some(manifest),
                tools: Vec::new(),
                next_page_token,
            }));
        }
        let first: usize = request.into_inner().page_token.parse().unwrap_or(0);
        Ok(Response::new(page(manifest, &tools, first)))
    }

    async fn discover(
        &self,
        request: Request<DiscoverRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        let DiscoverRequest { sources, within_ms } = request.into_inner();
        let (manifest, tools) = self.0.offer();
        let misbehaviour = self.0.settings.discover.as_str();
        if manifest.sources.is_empty() || misbehaviour == "unimplemented" {
            return Err(Status::unimplemented("no optional sources"));
        }
        match misbehaviour {
            "hang" => std::future::pending().await,
            "die" => std::process::exit(9),
            _ => {}
        }
        let within = Duration::from_millis(within_ms.into());
        let wanted = sources.into_iter().collect();
        let (mut manifest, mut tools) = sources::connect(manifest, tools, &wanted, within).await;
        if misbehaviour == "bad-tool" {
            tools.push(ToolSpec { name: "no name".into(), ..manifest::look() });
            manifest::sign(&mut manifest, &tools);
        }
        if misbehaviour == "forged" {
            manifest.digest = vec![9; 32].into();
        }
        self.0.offers((manifest.clone(), tools.clone()));
        // Two tools a page: whoever takes the first for all has too few.
        let few = tools.iter().take(2).cloned().collect();
        let next_page_token = if tools.len() > 2 { "2".to_owned() } else { String::new() };
        Ok(Response::new(DescribeResponse {
            manifest: Some(manifest),
            tools: few,
            next_page_token,
        }))
    }

    async fn session(
        &self,
        request: Request<Streaming<KernelFrame>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        if self.0.behaviour == Behaviour::Sessionless {
            std::future::pending::<()>().await;
        }
        let (out, frames) = mpsc::channel(FRAMES_WAITING);
        tokio::spawn(session::run(Arc::clone(&self.0), request.into_inner(), out));
        // `None` ends the stream well, in the middle of whatever runs.
        let frames = ReceiverStream::new(frames).take_while(Option::is_some).filter_map(|it| it);
        Ok(Response::new(Box::pin(frames)))
    }

    async fn get_execution(
        &self,
        _: Request<GetExecutionRequest>,
    ) -> Result<Response<GetExecutionResponse>, Status> {
        Ok(Response::new(GetExecutionResponse::default()))
    }
}
