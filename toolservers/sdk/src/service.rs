//! `tollgate.tool.v1.ToolServer`: handshake, manifest, sessions, what became of a call.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tollgate_proto::{
    limits::FRAME_BYTES_MAX,
    tool::v1::{
        DescribeRequest, DescribeResponse, DiscoverRequest, GetExecutionRequest,
        GetExecutionResponse, HelloRequest, HelloResponse, KernelFrame, ServerFrame,
        tool_server_server::ToolServer,
    },
};
use tonic::{Code, Request, Response, Status, Streaming};

use crate::{
    grants::unix_ms,
    limits::{OUTGOING_FRAMES, PAGE_BYTES, SESSIONS_MAX},
    session,
    shared::Shared,
    status::status,
};

/// The protocol major that this SDK speaks.
pub(crate) const PROTOCOL: u32 = 1;

/// The service over one process's shared state.
#[derive(Clone)]
pub(crate) struct Front {
    pub(crate) shared: Arc<Shared>,
    pub(crate) sessions: Arc<AtomicUsize>,
}

#[tonic::async_trait]
impl ToolServer for Front {
    type SessionStream = Pin<Box<dyn Stream<Item = Result<ServerFrame, Status>> + Send>>;

    async fn hello(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<HelloResponse>, Status> {
        let asked = request.into_inner().protocols;
        if !asked.contains(&PROTOCOL) {
            let message = format!(
                "no common protocol version: the kernel speaks {asked:?}, this server speaks {PROTOCOL}"
            );
            return Err(status(Code::FailedPrecondition, "PROTOCOL_VERSION", message));
        }
        let manifest = &self.shared.manifest;
        Ok(Response::new(HelloResponse {
            protocol: PROTOCOL,
            features: self.shared.features.clone(),
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            build_sha256: manifest.build_sha256.clone(),
            instance: self.shared.instance.clone(),
            manifest_sha256: manifest.digest.clone(),
            calls_max: self.shared.calls_max,
            frame_bytes_max: u32::try_from(FRAME_BYTES_MAX).unwrap_or(u32::MAX),
            confinement: self.shared.confinement.clone(),
            now_unix_ms: unix_ms(),
        }))
    }

    async fn describe(
        &self,
        request: Request<DescribeRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        let token = request.into_inner().page_token;
        let first = match token.as_str() {
            "" => 0,
            token => token
                .parse::<usize>()
                .ok()
                .filter(|first| *first < self.shared.specs.len())
                .ok_or_else(|| {
                let why = "a page token that was not given here";
                status(Code::InvalidArgument, "PAGE_TOKEN", why)
            })?,
        };
        let mut bytes = 0;
        let rest = self.shared.specs.get(first..).unwrap_or_default();
        let tools: Vec<_> = rest
            .iter()
            .take_while(|tool| {
                let fits = bytes == 0 || bytes + tool.encoded_len() <= PAGE_BYTES;
                bytes += tool.encoded_len();
                fits
            })
            .cloned()
            .collect();
        let next = first + tools.len();
        let more = next < self.shared.specs.len();
        Ok(Response::new(DescribeResponse {
            manifest: Some(self.shared.manifest.clone()),
            tools,
            next_page_token: if more { next.to_string() } else { String::new() },
        }))
    }

    async fn discover(
        &self,
        _: Request<DiscoverRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        let why = "this server has no optional sources";
        Err(status(Code::Unimplemented, "NO_OPTIONAL_SOURCES", why))
    }

    async fn session(
        &self,
        request: Request<Streaming<KernelFrame>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        if self.shared.draining.is_cancelled() {
            return Err(status(Code::Unavailable, "DRAINING", "the server is stopping"));
        }
        if self.sessions.fetch_add(1, Ordering::Relaxed) >= SESSIONS_MAX {
            self.sessions.fetch_sub(1, Ordering::Relaxed);
            let why = "the server has as many sessions as it can hold";
            return Err(status(Code::ResourceExhausted, "OVERLOADED", why));
        }
        let (outgoing, frames) = mpsc::channel(OUTGOING_FRAMES);
        let (shared, sessions) = (Arc::clone(&self.shared), Arc::clone(&self.sessions));
        self.shared.tasks.spawn(async move {
            session::run(shared, outgoing, request.into_inner()).await;
            sessions.fetch_sub(1, Ordering::Relaxed);
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(frames))))
    }

    async fn get_execution(
        &self,
        request: Request<GetExecutionRequest>,
    ) -> Result<Response<GetExecutionResponse>, Status> {
        let request = request.into_inner();
        Ok(Response::new(self.shared.executions.get(&request.call_id, &request.session)))
    }
}

#[cfg(test)]
mod tests;
