//! Sockets, peers and HTTP/2 settings. Each setting prevents a failure that was measured with
//! tonic's default; the black-box tests have the failures.

use std::{io::ErrorKind, net::SocketAddr, os::unix::fs::FileTypeExt, path::Path};

use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio_stream::{
    Stream, StreamExt,
    wrappers::{TcpListenerStream, UnixListenerStream},
};
use tollgate_proto::{
    bootstrap::Endpoint,
    limits::{
        CONNECTION_WINDOW_BYTES, HTTP2_FRAME_BYTES, HTTP2_RESETS_MAX, HTTP2_STREAMS_MAX,
        STREAM_WINDOW_BYTES,
    },
    socket::Socket,
};
use tonic::{
    service::Routes,
    transport::{Certificate, Identity, ServerTlsConfig},
};

use crate::{
    options::{Listen, Options, Start, read_file},
    server::ServeError,
};

/// Who may connect to a Unix socket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Peers {
    /// This user, and of its processes only this one.
    Kernel(u32),
    /// This user.
    SameUser,
}

/// A socket on which a server listens, so that it can be confined before it answers.
#[derive(Debug)]
pub(crate) enum Listening {
    Unix(UnixListener, Peers),
    Tcp(TcpListenerStream),
}

impl Listening {
    /// Binds or adopts the socket of a process that was started so.
    pub(crate) async fn open(start: &Start) -> Result<Self, ServeError> {
        match start {
            Start::Kernel(boot) => {
                let listener = match &boot.endpoint {
                    Endpoint::Fd(_) => adopted()?,
                    Endpoint::Path(path) => bound(path)?,
                };
                Ok(Self::Unix(listener, Peers::Kernel(boot.kernel_pid)))
            }
            Start::Alone(alone) => match &alone.listen {
                Listen::Unix(path) => Ok(Self::Unix(bound(path)?, Peers::SameUser)),
                Listen::Tcp(address) => Ok(Self::Tcp(tcp(*address).await?)),
            },
            // Printed by `Server::serve`.
            Start::Manifest(_) => Err(ServeError::Usage("with --manifest nobody is served".into())),
        }
    }

    /// Answers who connects and may, until `shutdown`.
    pub(crate) async fn serve(
        self,
        mut builder: tonic::transport::Server,
        routes: Routes,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let router = builder.add_routes(routes);
        match self {
            Self::Unix(listener, peers) => {
                router.serve_with_incoming_shutdown(admitted(listener, peers), shutdown).await?;
            }
            Self::Tcp(incoming) => router.serve_with_incoming_shutdown(incoming, shutdown).await?,
        }
        Ok(())
    }
}

/// The server with every default changed that has hurt somebody, and with TLS where it was asked for.
pub(crate) fn builder(start: &Start) -> Result<tonic::transport::Server, ServeError> {
    let builder = tonic::transport::Server::builder()
        // With small windows a few unread streams stop the whole connection.
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_frame_size(HTTP2_FRAME_BYTES)
        .http2_adaptive_window(Some(false))
        // tonic passes "no limit", which overrides hyper's own.
        .max_concurrent_streams(HTTP2_STREAMS_MAX)
        // With 20, a burst of cancelled streams ends the connection of innocent calls.
        .http2_max_pending_accept_reset_streams(Some(HTTP2_RESETS_MAX))
        .http2_max_local_error_reset_streams(Some(HTTP2_RESETS_MAX))
        .tcp_nodelay(true);
    let Start::Alone(alone) = start else { return Ok(builder) };
    Ok(match tls(&alone.options)? {
        Some(tls) => builder.tls_config(tls)?,
        None => builder,
    })
}

/// TLS as the command line has it.
fn tls(options: &Options) -> Result<Option<ServerTlsConfig>, ServeError> {
    let (Some(cert), Some(key)) = (&options.tls_cert, &options.tls_key) else { return Ok(None) };
    let identity = Identity::from_pem(read_file(cert)?, read_file(key)?);
    let config = ServerTlsConfig::new().identity(identity);
    Ok(Some(match &options.client_ca {
        Some(ca) => config.client_ca_root(Certificate::from_pem(read_file(ca)?)),
        None => config,
    }))
}

/// The listening socket that the kernel passed as descriptor 3 (`LISTEN_FDS`).
fn adopted() -> Result<UnixListener, ServeError> {
    let what = || "cannot adopt the listening socket of descriptor 3 (LISTEN_FDS)".to_owned();
    let io = |source| ServeError::Io { what: what(), source };
    let listener = listenfd::ListenFd::from_env()
        .take_unix_listener(0)
        .map_err(io)?
        .ok_or_else(|| ServeError::Usage(what()))?;
    listener.set_nonblocking(true).map_err(io)?;
    UnixListener::from_std(listener).map_err(io)
}

/// Binds a Unix socket at a path. A socket that is there and that nobody listens on, left behind by a
/// process that was killed, is replaced.
fn bound(path: &Path) -> Result<UnixListener, ServeError> {
    let listener = match UnixListener::bind(path) {
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_left_behind(path) => {
            std::fs::remove_file(path).and_then(|()| UnixListener::bind(path))
        }
        bound => bound,
    };
    listener.map_err(|source| ServeError::Io {
        what: format!("cannot bind {}", path.display()),
        source,
    })
}

fn is_left_behind(path: &Path) -> bool {
    let is_socket = path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket());
    // A file that is no socket refuses connections too.
    is_socket
        && std::os::unix::net::UnixStream::connect(path)
            .is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

/// Binds a TCP socket.
async fn tcp(address: SocketAddr) -> Result<TcpListenerStream, ServeError> {
    let listener = TcpListener::bind(address)
        .await
        .map_err(|source| ServeError::Io { what: format!("cannot bind {address}"), source })?;
    Ok(TcpListenerStream::new(listener))
}

/// The connections of those who may connect; others are closed without an answer.
fn admitted(listener: UnixListener, peers: Peers) -> impl Stream<Item = std::io::Result<Socket>> {
    let admitted = UnixListenerStream::new(listener).filter(move |stream| match stream {
        Ok(stream) => {
            let may = may_connect(stream, peers);
            if !may {
                tracing::warn!("a connection of another user or process was closed");
            }
            may
        }
        Err(_) => true,
    });
    admitted.map(|stream| stream.and_then(Socket::new))
}

fn may_connect(stream: &UnixStream, peers: Peers) -> bool {
    let Ok(peer) = stream.peer_cred() else { return false };
    let same_user = peer.uid() == nix::unistd::geteuid().as_raw();
    match peers {
        Peers::SameUser => same_user,
        // A peer of another pid namespace shows as 0; then the user must do.
        Peers::Kernel(pid) => {
            let peer_pid = peer.pid().and_then(|pid| u32::try_from(pid).ok()).unwrap_or(0);
            same_user && (peer_pid == pid || peer_pid == 0)
        }
    }
}

#[cfg(test)]
mod tests;
