//! The one JSON line that a kernel writes to the standard input of a server that it starts.
//!
//! After the line standard input stays open and silent; end-of-file means "drain and exit".
//! Nothing is ever parsed from standard output: it is the log, as standard error is.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Version of the line. A server refuses a line with another version.
pub const VERSION: u32 = 1;

/// Bytes of the line, with its newline.
pub const LINE_BYTES_MAX: usize = 64 * 1024;

/// The listening socket's descriptor, as `LISTEN_FDS=1` of systemd has it.
pub const LISTEN_FD: i32 = 3;

/// What a server is told when it starts.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Bootstrap {
    /// [`VERSION`].
    pub version: u32,
    /// Where to listen.
    pub endpoint: Endpoint,
    /// The name under which the kernel has configured the server; audience of every grant.
    pub server: String,
    /// The key that grants are signed with.
    pub grant_key: GrantKey,
    /// The session that the server is started for (UUIDv7 text).
    pub session: String,
    /// Process id of the kernel: the only peer whose connections are taken.
    pub kernel_pid: u32,
    /// Absolute paths; the first is the workspace.
    pub roots: Vec<PathBuf>,
    /// A folder of this server's alone, mode 0700, that lasts: absolute. A kernel that keeps no state has
    /// none.
    #[serde(default)]
    pub state: Option<PathBuf>,
    /// `[servers.NAME.settings]` of the kernel's configuration, as it stands there.
    #[serde(default)]
    pub settings: serde_json::Value,
    /// Filter for the log, in the syntax of `RUST_LOG`: "info".
    #[serde(default)]
    pub log: String,
    /// W3C trace context of the start, or empty.
    #[serde(default)]
    pub traceparent: String,
}

/// Where to listen.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// A listening Unix socket is open as this descriptor.
    Fd(i32),
    /// Bind a Unix socket at this path.
    Path(PathBuf),
}

/// The secret that this kernel and this server process share.
#[derive(Clone, Deserialize, Serialize)]
pub struct GrantKey {
    /// As `SignedGrant.key_id`.
    pub id: String,
    /// 32 bytes as 64 hex digits.
    pub hmac_sha256: String,
}

impl std::fmt::Debug for GrantKey {
    /// Leaves the secret out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GrantKey").field("id", &self.id).finish_non_exhaustive()
    }
}
