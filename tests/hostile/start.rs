//! The beginning of a server that a kernel starts: its line, its socket, and the end of its input.

use std::path::PathBuf;

use anyhow::Context as _;
use serde::Deserialize;
use tokio::net::UnixListener;
use tollgate_proto::bootstrap::{Bootstrap, Endpoint};

use crate::told::Told;

/// What the process was told.
pub(crate) struct Start {
    pub(crate) listener: UnixListener,
    pub(crate) settings: Settings,
}

/// `[servers.NAME.settings]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Where each call that begins leaves a line.
    pub(crate) journal: Option<PathBuf>,
    /// Where each run with `--manifest` leaves a line.
    pub(crate) prints: Option<PathBuf>,
    /// How `Discover` misbehaves: "hang", "unimplemented", "forged", "bad-tool", "die".
    pub(crate) discover: String,
    /// Of the behaviour "told".
    pub(crate) tools: Vec<Told>,
}

/// Reads the line and takes the socket. The process ends when its input does.
pub(crate) fn read() -> anyhow::Result<Start> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let boot: Bootstrap = serde_json::from_str(&line).context("the bootstrap line")?;
    let listener = match &boot.endpoint {
        Endpoint::Fd(_) => {
            let listener = listenfd::ListenFd::from_env().take_unix_listener(0)?;
            let listener = listener.context("no listening socket was passed")?;
            listener.set_nonblocking(true)?;
            UnixListener::from_std(listener)?
        }
        Endpoint::Path(path) => UnixListener::bind(path)?,
    };
    let settings = serde_json::from_value(boot.settings).unwrap_or_default();
    std::thread::spawn(|| {
        let mut rest = String::new();
        while std::io::stdin().read_line(&mut rest).is_ok_and(|bytes| bytes > 0) {}
        std::process::exit(0);
    });
    Ok(Start { listener, settings })
}
