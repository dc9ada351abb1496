//! Reaching a server: a Unix socket here, TLS elsewhere; with every default of the transport changed
//! that has hurt somebody, and answers sanitised.
//!
//! A connect proves nothing (a silent peer connects too): only `Hello` does.

use std::{path::Path, pin::Pin, task};

use http::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::{
    net::UnixStream,
    time::{Instant, sleep},
};
use tollgate_proto::limits::{
    CONNECTION_WINDOW_BYTES, HTTP2_FRAME_BYTES, MESSAGE_BYTES_MAX, STREAM_WINDOW_BYTES,
};
use tollgate_proto::{socket::Socket, tool::v1::tool_server_client::ToolServerClient};
use tonic::{
    body::Body,
    transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Uri},
};
use tower::{Service, service_fn};

use super::{
    error::ServerError,
    limits::{DIAL_EVERY_MAX, DIAL_EVERY_MIN},
    sanitise,
};
use crate::settings::RemoteTls;

/// A channel whose answers cannot panic the client. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Channel(tonic::transport::Channel);

impl Service<Request<Body>> for Channel {
    type Response = Response<Body>;
    type Error = tonic::transport::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut task::Context<'_>) -> task::Poll<Result<(), Self::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.0.call(request);
        Box::pin(async move { answer.await.map(sanitise::response) })
    }
}

/// The client of the tool server behind a channel.
pub(super) fn tool_client(channel: &Channel) -> ToolServerClient<Channel> {
    ToolServerClient::new(channel.clone())
        .max_decoding_message_size(MESSAGE_BYTES_MAX)
        .max_encoding_message_size(MESSAGE_BYTES_MAX)
}

fn with_settings(endpoint: Endpoint) -> Endpoint {
    endpoint
        // With small windows a few unread streams stop the whole connection.
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .http2_adaptive_window(false)
        .http2_max_local_error_reset_streams(None)
        .max_frame_size(HTTP2_FRAME_BYTES)
        .tcp_nodelay(true)
}

/// Connects to a Unix socket; a server that binds it itself may not have done so yet, so tries until
/// `until`.
pub(super) async fn unix(path: &Path, until: Instant) -> Result<Channel, ServerError> {
    let mut wait = DIAL_EVERY_MIN;
    let stream = loop {
        match UnixStream::connect(path).await {
            Ok(stream) => break stream,
            Err(_) if Instant::now() + wait < until => sleep(wait).await,
            Err(source) => {
                return Err(ServerError::Connect { to: path.display().to_string(), source });
            }
        }
        wait = (wait * 2).min(DIAL_EVERY_MAX);
    };
    let uid = stream.peer_cred().map(|peer| peer.uid()).ok();
    if uid != Some(nix::unistd::geteuid().as_raw()) {
        return Err(ServerError::Peer);
    }
    // One process, one connection: a second connect would be to another process.
    let mut stream = Some(
        Socket::new(stream)
            .map_err(|source| ServerError::Connect { to: path.display().to_string(), source })?,
    );
    let connector = service_fn(move |_: Uri| {
        let stream = stream.take();
        async move { stream.map(TokioIo::new).ok_or_else(gone) }
    });
    let endpoint = with_settings(Endpoint::from_static("http://tollgate.local"));
    let channel = endpoint.connect_with_connector(connector).await?;
    Ok(Channel(channel))
}

fn gone() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::NotConnected, "the server's connection is used up")
}

/// Connects to another host.
pub(super) async fn remote(address: &str, tls: Option<&RemoteTls>) -> Result<Channel, ServerError> {
    let endpoint = Endpoint::from_shared(address.to_owned())
        .map_err(|_| ServerError::Config(format!("'{address}' is no endpoint")))?;
    let mut endpoint = with_settings(endpoint);
    match tls {
        Some(files) => {
            let read = |path: &Path| {
                std::fs::read(path).map_err(|error| {
                    ServerError::Config(format!("cannot read {}: {error}", path.display()))
                })
            };
            let mut config = ClientTlsConfig::new()
                .ca_certificate(Certificate::from_pem(read(&files.ca)?))
                .identity(Identity::from_pem(read(&files.cert)?, read(&files.key)?));
            if let Some(name) = &files.name {
                config = config.domain_name(name.clone());
            }
            endpoint = endpoint.tls_config(config)?;
        }
        None => {
            let host = endpoint.uri().host().unwrap_or_default().to_owned();
            let loopback = host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
            if !loopback {
                let why = format!(
                    "'{address}' without tls: plain TCP is allowed to a loopback address only"
                );
                return Err(ServerError::Config(why));
            }
        }
    }
    Ok(Channel(endpoint.connect().await?))
}
