//! Where the kernel listens: a Unix socket under a lock, or TCP with certificates on both sides.
//!
//! Invariants: nothing listens in the open: a Unix socket is 0600 and asks who connects, TCP needs a
//! certificate of the client; a socket that a dead kernel left is replaced, that of a living one is not
//! touched; the socket is removed at the end.
//!
//! Not here: who may connect (`peers`).

use std::{
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io::{self, ErrorKind, Read as _, Write as _},
    net::SocketAddr,
    os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use tokio::net::{TcpListener, UnixListener};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

use crate::limits::HANDSHAKE_WITHIN;

#[cfg(test)]
mod tests;

/// Why the kernel cannot listen, or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another kernel listens there.
    #[error(
        "another kernel serves at {} ({}); stop that one, or give --listen unix:PATH",
        path.display(),
        .pid.map_or_else(|| "its process id is not known".to_owned(), |pid| format!("process {pid}"))
    )]
    Taken {
        /// The socket.
        path: PathBuf,
        /// That kernel's process, if it has told.
        pid: Option<u32>,
    },
    /// Something else is there.
    #[error("{} is there and is no socket of a kernel; remove it, or give --listen unix:PATH", path.display())]
    NoSocket {
        /// The file.
        path: PathBuf,
    },
    /// A file, a folder or a socket cannot be used.
    #[error("{what}")]
    Io {
        /// What was tried, with the path.
        what: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The transport ended with an error, or the certificates cannot be used.
    #[error("the transport failed")]
    Transport(#[from] tonic::transport::Error),
}

/// Where to listen.
#[derive(Clone, Debug)]
pub enum Listen {
    /// A Unix socket at this path.
    Unix(PathBuf),
    /// TCP, with certificates on both sides.
    Tcp(SocketAddr, TlsFiles),
}

/// PEM files for TCP.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// This kernel's certificate chain.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The authority whose certificates clients must have.
    pub client_ca: PathBuf,
}

/// A bound listener: from here on clients can connect, and wait to be heard.
#[derive(Debug)]
pub struct Bound {
    pub(crate) listener: Listener,
    address: String,
}

/// What is listened on.
#[derive(Debug)]
pub(crate) enum Listener {
    /// The listener, and what removes its socket at the end.
    Unix(UnixListener, Socket),
    /// The listener, and its certificates.
    Tcp(TcpListener, ServerTlsConfig),
}

impl Bound {
    /// Binds.
    ///
    /// # Errors
    /// See [`ServeError`].
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn bind(listen: &Listen) -> Result<Self, ServeError> {
        match listen {
            Listen::Unix(path) => {
                let (listener, socket) = unix(path)?;
                let address = format!("unix:{}", path.display());
                Ok(Self { listener: Listener::Unix(listener, socket), address })
            }
            Listen::Tcp(address, files) => {
                let tls = tls(files)?;
                let io = |source| ServeError::Io { what: format!("cannot bind {address}"), source };
                let listener = TcpListener::bind(address).await.map_err(io)?;
                let address = format!("https://{}", listener.local_addr().map_err(io)?);
                Ok(Self { listener: Listener::Tcp(listener, tls), address })
            }
        }
    }

    /// Where clients connect: `unix:PATH`, or `https://HOST:PORT`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }
}

fn tls(files: &TlsFiles) -> Result<ServerTlsConfig, ServeError> {
    let read = |path: &Path| {
        fs::read(path).map_err(|source| ServeError::Io {
            what: format!("cannot read {}", path.display()),
            source,
        })
    };
    Ok(ServerTlsConfig::new()
        .identity(Identity::from_pem(read(&files.cert)?, read(&files.key)?))
        .client_ca_root(Certificate::from_pem(read(&files.client_ca)?))
        .timeout(HANDSHAKE_WITHIN))
}

/// A socket of ours in the file system; removed when dropped.
#[derive(Debug)]
pub(crate) struct Socket {
    path: PathBuf,
    inode: u64,
    // Held for its lock, which says that this kernel lives.
    _lock: File,
}

impl Drop for Socket {
    fn drop(&mut self) {
        let is_ours = self.path.symlink_metadata().is_ok_and(|found| found.ino() == self.inode);
        if is_ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "a socket was left behind");
        }
    }
}

fn unix(path: &Path) -> Result<(UnixListener, Socket), ServeError> {
    let io = |action: &str| {
        let what = format!("cannot {action} {}", path.display());
        move |source| ServeError::Io { what, source }
    };
    let lock = lock(path)?;
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(io("look at")(error)),
        Ok(found) if !found.file_type().is_socket() => {
            return Err(ServeError::NoSocket { path: path.to_owned() });
        }
        // A kernel that lives holds the lock; whoever else listens there is asked.
        Ok(_) if std::os::unix::net::UnixStream::connect(path).is_ok() => {
            return Err(ServeError::Taken { path: path.to_owned(), pid: None });
        }
        Ok(_) => fs::remove_file(path).map_err(io("replace the socket"))?,
    }
    let listener = UnixListener::bind(path).map_err(io("bind"))?;
    let inode = path.symlink_metadata().map_err(io("look at"))?.ino();
    let socket = Socket { path: path.to_owned(), inode, _lock: lock };
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(io("make private"))?;
    Ok((listener, socket))
}

/// Takes `PATH.lock`, so that of two kernels that start together one has the socket. The file stays:
/// removing it would let two kernels hold two files of one name.
fn lock(socket: &Path) -> Result<File, ServeError> {
    let mut path = socket.as_os_str().to_owned();
    path.push(".lock");
    let path = PathBuf::from(path);
    let io = |source| ServeError::Io { what: format!("cannot lock {}", path.display()), source };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let mut file = options.open(&path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            // Who holds it is for the reader only: not knowing changes nothing.
            let pid = file.take(16).read_to_string(&mut text).ok().and(text.trim().parse().ok());
            return Err(ServeError::Taken { path: socket.to_owned(), pid });
        }
        Err(TryLockError::Error(source)) => return Err(io(source)),
    }
    file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(io)?;
    Ok(file)
}
