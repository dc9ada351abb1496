//! [`serve`]: from the bound listener to the drained end.

use std::{path::PathBuf, sync::Arc};

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tollgate_core::stance::Stance;
use tollgate_engine::kernel::Kernel;
use tollgate_proto::{
    kernel::v1::kernel_server::KernelServer,
    limits::{
        CONNECTION_WINDOW_BYTES, HTTP2_FRAME_BYTES, HTTP2_RESETS_MAX, HTTP2_STREAMS_MAX,
        STREAM_WINDOW_BYTES,
    },
};

use crate::{
    limits::{CLOSE_WITHIN, DRAIN_WITHIN, KEEPALIVE_EVERY, KEEPALIVE_WITHIN, REQUEST_BYTES_MAX},
    listen::{Bound, Listener, ServeError},
    peers,
    service::Front,
    sessions::Sessions,
};

/// What sessions are opened with unless a client says otherwise.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// The one workspace that is served; absolute, without links.
    pub workspace: PathBuf,
    /// Roots beside it, absolute.
    pub add_dirs: Vec<PathBuf>,
    /// Mode and posture.
    pub stance: Stance,
    /// As `--model`.
    pub model: Option<String>,
}

/// Serves clients until `stop` fires; then cancels what runs and closes all sessions. The socket is
/// removed at the end.
///
/// # Errors
/// The transport fails, or the certificates cannot be used.
///
/// # Cancel safety
/// None: cancel by the token.
pub async fn serve(
    kernel: Arc<Kernel>,
    bound: Bound,
    defaults: Defaults,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let sessions = Sessions::new(kernel, defaults, stop.clone());
    let service = KernelServer::new(Front(Arc::clone(&sessions)))
        .max_decoding_message_size(REQUEST_BYTES_MAX);
    let shutdown = stop.clone().cancelled_owned();
    let served = async {
        match bound.listener {
            Listener::Unix(listener, socket) => {
                let router = builder().add_service(service);
                let served =
                    router.serve_with_incoming_shutdown(peers::unix(listener), shutdown).await;
                drop(socket);
                Ok(served?)
            }
            Listener::Tcp(listener, tls) => {
                let mut builder = builder()
                    .tls_config(tls)?
                    .http2_keepalive_interval(Some(KEEPALIVE_EVERY))
                    .http2_keepalive_timeout(Some(KEEPALIVE_WITHIN));
                let router = builder.add_service(service);
                Ok(router.serve_with_incoming_shutdown(peers::tcp(listener), shutdown).await?)
            }
        }
    };
    let closed = CancellationToken::new();
    let closing = async {
        stop.cancelled().await;
        if timeout(DRAIN_WITHIN, sessions.close_all()).await.is_err() {
            tracing::error!("sessions did not close in time; resuming them says what was running");
        }
        closed.cancel();
    };
    let serving = async {
        let ended = tokio::select! {
            biased;
            served = served => served,
            // A connection that stays open, or a peer that never speaks, must not keep the process.
            () = async { closed.cancelled().await; sleep(CLOSE_WITHIN).await } => Ok(()),
        };
        // Nobody can connect any more: what is open is closed all the same.
        stop.cancel();
        ended
    };
    let (ended, ()) = tokio::join!(serving, closing);
    ended
}

/// The server with every default changed that has hurt somebody; as the SDK's, where tests show each.
fn builder() -> tonic::transport::Server {
    tonic::transport::Server::builder()
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_frame_size(HTTP2_FRAME_BYTES)
        .http2_adaptive_window(Some(false))
        .max_concurrent_streams(HTTP2_STREAMS_MAX)
        .http2_max_pending_accept_reset_streams(Some(HTTP2_RESETS_MAX))
        .http2_max_local_error_reset_streams(Some(HTTP2_RESETS_MAX))
}
