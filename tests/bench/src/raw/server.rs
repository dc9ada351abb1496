//! `raw-server`: listens on the socket that is its standard input, until it is ended.

use std::{
    os::{fd::AsFd as _, unix::net::UnixListener},
    pin::Pin,
};

use nix::sys::{prctl::set_pdeathsig, signal::Signal};
use tokio_stream::{Stream, StreamExt as _, wrappers::UnixListenerStream};
use tollgate_proto::{
    limits::{CONNECTION_WINDOW_BYTES, HTTP2_FRAME_BYTES, STREAM_WINDOW_BYTES},
    tool::v1::{
        Completed, DescribeRequest, DescribeResponse, DiscoverRequest, GetExecutionRequest,
        GetExecutionResponse, HelloRequest, HelloResponse, KernelFrame, ServerFrame,
        kernel_frame::Frame as FromKernel,
        server_frame::Frame,
        tool_server_server::{ToolServer, ToolServerServer},
    },
};
use tonic::{Request, Response, Status, Streaming};

/// Serves until the process is ended, at the latest with the measurement.
///
/// # Errors
/// Standard input is no listening socket, or the transport fails.
pub(crate) fn serve() -> anyhow::Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    let listener = UnixListener::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let incoming = UnixListenerStream::new(tokio::net::UnixListener::from_std(listener)?);
        let server = tonic::transport::Server::builder()
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_frame_size(HTTP2_FRAME_BYTES)
            .http2_adaptive_window(Some(false));
        let mut server = server;
        Ok(server.add_service(ToolServerServer::new(Echo)).serve_with_incoming(incoming).await?)
    })
}

struct Echo;

#[tonic::async_trait]
impl ToolServer for Echo {
    type SessionStream = Pin<Box<dyn Stream<Item = Result<ServerFrame, Status>> + Send>>;

    async fn hello(&self, _: Request<HelloRequest>) -> Result<Response<HelloResponse>, Status> {
        Ok(Response::new(HelloResponse::default()))
    }

    async fn describe(
        &self,
        request: Request<DescribeRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        let next_page_token = request.into_inner().page_token;
        Ok(Response::new(DescribeResponse { next_page_token, ..DescribeResponse::default() }))
    }

    async fn discover(
        &self,
        _: Request<DiscoverRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        Err(Status::unimplemented("this server only echoes"))
    }

    async fn session(
        &self,
        request: Request<Streaming<KernelFrame>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        Ok(Response::new(Box::pin(request.into_inner().filter_map(echo))))
    }

    async fn get_execution(
        &self,
        _: Request<GetExecutionRequest>,
    ) -> Result<Response<GetExecutionResponse>, Status> {
        Err(Status::unimplemented("this server only echoes"))
    }
}

fn echo(frame: Result<KernelFrame, Status>) -> Option<Result<ServerFrame, Status>> {
    match frame {
        Ok(KernelFrame { frame: Some(FromKernel::Start(start)) }) => {
            let completed = Completed {
                call_id: start.call_id,
                structured: start.arguments,
                ..Completed::default()
            };
            Some(Ok(ServerFrame { frame: Some(Frame::Completed(Box::new(completed))) }))
        }
        Ok(_) => None,
        Err(status) => Some(Err(status)),
    }
}
