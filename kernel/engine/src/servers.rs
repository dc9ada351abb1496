//! The kernel's tool servers: which there are, what they offer, and the one connection to each.
//!
//! A server is started or dialled by the first call that needs it, once, however many calls wait
//! (`[ARCH-04]`). Its tools are known before that from a cached manifest, which is checked when it
//! connects.
//!
//! ```text
//! Servers ─ Server (one a name: idle → ready → lost → backoff … quarantined)
//!             └ Connection (one a process: channel, grants, identity)
//!                 └ Link (its Session stream: frames out, frames in, one Inbox a call)
//! ```
//!
//! Not here: processes ([`crate::process`]), clocks and retries of a call ([`crate::dispatch`]).

mod blobs;
mod bootstrap;
mod connect;
mod connection;
mod error;
mod grant;
mod inbox;
mod limits;
mod link;
mod manifest;
mod sanitise;
mod server;
mod supervise;
pub mod wire;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use tollgate_core::{catalog::Catalog, name::ServerName, safety::Trust};

pub use connection::Connection;
pub use error::ServerError;
pub use grant::{CallClaims, Granted};
pub use inbox::{CallEvent, Inbox};
pub use link::LinkError;
pub use manifest::Described;
pub use server::{Server, ServerState, ServerView};

use crate::{
    process::{RuntimeDir, Spawner},
    secrets::LogSecrets,
    settings::Settings,
};

/// What all servers of a kernel share.
#[derive(Debug)]
pub struct Ground {
    /// Starts processes.
    pub spawner: Spawner,
    /// Sockets and records.
    pub runtime: RuntimeDir,
    /// Cached manifests.
    pub manifests: PathBuf,
    /// Logs of servers.
    pub logs: PathBuf,
    /// Filter of their logs.
    pub log: String,
    /// The session that servers are told; one a kernel process.
    pub session: String,
    /// Absolute; the first is the workspace.
    pub roots: Vec<PathBuf>,
    /// What no log and no error of a server may hold.
    pub secrets: LogSecrets,
}

/// All servers of a kernel.
#[derive(Debug)]
pub struct Servers {
    servers: BTreeMap<ServerName, Arc<Server>>,
}

impl Servers {
    /// Takes the configured servers in; starts nothing.
    #[must_use]
    pub fn new(settings: &Settings, ground: &Arc<Ground>) -> Self {
        let servers = settings.servers.iter().map(|(name, settings)| {
            let server = Server::new(name.clone(), settings.clone(), Arc::clone(ground));
            (name.clone(), Arc::new(server))
        });
        Self { servers: servers.collect() }
    }

    /// The server of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Server>> {
        self.servers.get(name)
    }

    /// All servers, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.servers.values()
    }

    /// The server that reaches models.
    #[must_use]
    pub fn model(&self) -> Option<&Arc<Server>> {
        self.servers.values().find(|server| server.settings().model)
    }

    /// The tools of all servers, from cached manifests; a server without one is started once to tell
    /// its own, then stopped. A server that cannot be had is told as unavailable, with the reason.
    pub async fn catalog(&self) -> Catalog {
        let mut catalog = Catalog::default();
        let mut servers: Vec<_> =
            self.servers.values().filter(|server| !server.settings().model).collect();
        // A name that two servers claim is the first one's: no untrusted server takes a trusted one's.
        servers.sort_by_key(|server| server.settings().trust == Trust::Untrusted);
        for server in servers {
            let entries = match server.entries().await {
                Ok(entries) => entries,
                Err(error) => {
                    catalog.unavailable(server.name().clone(), chain(&error));
                    continue;
                }
            };
            for entry in entries {
                if let Err(error) = catalog.add(entry) {
                    catalog.unavailable(server.name().clone(), error.to_string());
                }
            }
        }
        catalog
    }

    /// Stops every running server: end of input, then force.
    pub async fn stop(&self) {
        let stops = self.servers.values().map(|server| server.stop());
        futures::future::join_all(stops).await;
    }
}

/// An error with its sources, in one line.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
