//! The kernel's tool servers: which there are, what they offer, and the one connection to each.
//!
//! A server is started or dialled by the first call that needs it, once, however many calls wait
//! (`[ARCH-04]`). Its tools are known before that from a cached manifest, which is checked when it
//! connects (`[CAT-40]`).
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
mod cache;
mod connect;
mod connection;
mod discover;
mod entries;
mod error;
mod follow;
mod grant;
mod greet;
mod inbox;
mod learn;
mod limits;
mod link;
mod manifest;
mod offer;
mod printed;
mod sanitise;
mod server;
mod supervise;
pub mod wire;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use futures::{StreamExt as _, stream};
use tollgate_core::{authority::rules::NamePattern, catalog::Catalog, name::ServerName};

pub use connection::Connection;
pub use discover::Discovered;
pub use error::ServerError;
pub use grant::{CallClaims, Granted};
pub use inbox::{CallEvent, Inbox};
pub use link::LinkError;
pub use manifest::Described;
pub use server::{Server, ServerState, ServerView};

use limits::LEARNT_AT_ONCE;
use offer::Offer;

use crate::{
    process::{RuntimeDir, Spawner},
    search,
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
    /// Below it, a lasting folder for each server.
    pub states: PathBuf,
    /// Filter of their logs.
    pub log: String,
    /// The session that servers are told; one a kernel process.
    pub session: String,
    /// Absolute; the first is the workspace.
    pub roots: Vec<PathBuf>,
    /// What no log and no error of a server may hold.
    pub secrets: LogSecrets,
}

/// A server, its generation before it was asked, and what it offers.
type Offered = (Arc<Server>, u64, Result<(Arc<Offer>, u64), ServerError>);

/// All servers of a kernel.
#[derive(Debug)]
pub struct Servers {
    servers: BTreeMap<ServerName, Arc<Server>>,
    /// Names of tools that are eager beside the contract's.
    always_load: Vec<NamePattern>,
    /// Whether programs are in every request (`[CODE-16]`).
    code_mode: bool,
}

impl Servers {
    /// Takes the configured servers in; starts nothing.
    #[must_use]
    pub fn new(settings: &Settings, ground: &Arc<Ground>) -> Self {
        let servers = settings.servers.iter().map(|(name, settings)| {
            let server = Server::new(name.clone(), settings.clone(), Arc::clone(ground));
            (name.clone(), server)
        });
        let (always_load, code_mode) =
            (settings.tools.always_load.clone(), settings.tools.code_mode);
        Self { servers: servers.collect(), always_load, code_mode }
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

    /// The tools of all servers, and which offer it is ([`Self::generation`]). What a server offers is
    /// asked for if it is not known; one of which it cannot be had is unavailable, with the reason.
    pub async fn catalog(&self) -> (Catalog, u64) {
        let servers: Vec<Arc<Server>> = self.with_tools().cloned().collect();
        let asked = servers.into_iter().map(|server| async move {
            let (generation, offer) = (server.generation(), server.offer().await);
            (server, generation, offer)
        });
        let offers: Vec<Offered> = stream::iter(asked).buffered(LEARNT_AT_ONCE).collect().await;
        self.made_of(offers)
    }

    /// The same of what is known already; asks nobody and starts nothing.
    #[must_use]
    pub fn newest(&self) -> (Catalog, u64) {
        let servers = self.with_tools().cloned();
        self.made_of(servers.map(|server| {
            let (generation, offer) = (server.generation(), server.newest());
            (server, generation, offer)
        }))
    }

    /// Changes whenever what servers offer does: then [`Self::newest`] is another catalog.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.with_tools().map(|server| server.generation()).sum()
    }

    fn with_tools(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.servers.values().filter(|server| !server.settings().model)
    }

    fn made_of(&self, offers: impl IntoIterator<Item = Offered>) -> (Catalog, u64) {
        let (mut all, mut missing) = (vec![search::entry()], Vec::new());
        let (mut sources, mut generation) = (Vec::new(), 0);
        for (server, before, offer) in offers {
            let entries = offer.and_then(|(offer, of)| {
                sources.extend(offer.sources.iter().cloned());
                Ok((offer.entries()?.to_vec(), of))
            });
            match entries {
                Ok((entries, of)) => {
                    all.extend(entries);
                    generation += of;
                }
                Err(error) => {
                    missing.push((server.name().clone(), chain(&error)));
                    generation += before;
                }
            }
        }
        let mut catalog = Catalog::with_code_mode(all, &self.always_load, self.code_mode);
        for (server, reason) in missing {
            catalog.unavailable(server, reason);
        }
        catalog.with_sources(sources);
        (catalog, generation)
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
