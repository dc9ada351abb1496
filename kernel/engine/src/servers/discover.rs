//! Bounded discovery (`[CAT-13]`): servers connect the sources that a search is about, all within one time.
//!
//! Nothing is started that was not asked for, and no tool is invented: what a server answers is its
//! manifest from then on. One that cannot answer, or not in time, has its sources told as failed, with the
//! reason; an answer that breaks the contract changes nothing else.

use std::time::Duration;

use futures::future::join_all;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tollgate_core::{catalog::SourceState, name::ServerName};
use tollgate_proto::tool::v1::DiscoverRequest;
use tonic::Code;

use super::{
    Server, ServerError, Servers, chain,
    connect::{Channel, tool_client},
    limits::DISCOVER_SOURCES_MAX,
    manifest,
};
use crate::context::lock;

/// What discovery has brought.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Discovered {
    /// A server offers other tools than before, a source has another state, or one that was asked for is
    /// connected already: a catalog that was made before does not say so.
    pub changed: bool,
}

impl Servers {
    /// Has servers connect sources by name (none named: all that a server has), side by side; over when
    /// `within` is, or when it is cancelled. Sources that are ready, disabled or unknown are not asked for.
    pub async fn discover(
        &self,
        wanted: &[(ServerName, Vec<String>)],
        within: Duration,
        cancel: &CancellationToken,
    ) -> Discovered {
        let (before, until) = (self.generation(), Instant::now() + within);
        let asked = wanted.iter().filter_map(|(name, sources)| {
            let server = self.get(name.as_str()).filter(|server| !server.settings().model)?;
            Some(server.discover(sources, until))
        });
        let is_ready = tokio::select! {
            biased;
            () = cancel.cancelled() => false,
            ready = join_all(asked) => ready.contains(&true),
        };
        Discovered { changed: is_ready || self.generation() != before }
    }
}

impl Server {
    /// Has the server connect sources, by `until`. Whether one of them is connected then.
    async fn discover(&self, wanted: &[String], until: Instant) -> bool {
        let is_known = lock(&self.known).offer.is_some();
        if !is_known || !self.to_connect(wanted).is_empty() {
            self.start_and_connect(wanted, until).await;
        }
        self.ready_sources().iter().any(|it| wanted.is_empty() || wanted.contains(it))
    }

    async fn start_and_connect(&self, wanted: &[String], until: Instant) {
        let connection = match timeout_at(until, self.connection()).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => return self.sources_failed(&self.to_connect(wanted), &chain(&error)),
            Err(_) => {
                let why = "its server did not start in time";
                return self.sources_failed(&self.to_connect(wanted), why);
            }
        };
        // A process that has just greeted has told which there are.
        let wanted = self.to_connect(wanted);
        self.connect_again(&connection.channel, &wanted, until).await;
    }

    /// Has a process connect these sources, by `until`.
    pub(super) async fn connect_again(&self, channel: &Channel, wanted: &[String], until: Instant) {
        for some in wanted.chunks(DISCOVER_SOURCES_MAX) {
            let why = match timeout_at(until, self.ask_to_connect(channel, some, until)).await {
                Ok(Ok(())) => continue,
                Ok(Err(ServerError::Refused(status))) if status.code() == Code::Unimplemented => {
                    "its server connects nothing on demand".to_owned()
                }
                Ok(Err(error)) => chain(&self.told(error)),
                Err(_) => "its server did not answer in time".to_owned(),
            };
            self.sources_failed(some, &why);
        }
    }

    async fn ask_to_connect(
        &self,
        channel: &Channel,
        sources: &[String],
        until: Instant,
    ) -> Result<(), ServerError> {
        let _one = self.asking.lock().await;
        // The answer needs time as well.
        let within = until.saturating_duration_since(Instant::now()).mul_f64(0.9);
        let within_ms = u32::try_from(within.as_millis()).unwrap_or(u32::MAX);
        let request = DiscoverRequest { sources: sources.to_vec(), within_ms };
        let first = tool_client(channel).discover(request).await?.into_inner();
        let described = manifest::from_first(channel, first).await?;
        if !described.is_true() {
            return Err(ServerError::Contract("its manifest is not what its digest says".into()));
        }
        // Before it is learnt: what a source brings must not take the server's other tools with it.
        described.entries(self.name(), self.settings().trust, self.settings().provenance)?;
        let file = lock(&self.known).file.clone();
        self.learn(described, file, false).await;
        Ok(())
    }

    /// Those of the wanted sources that can be connected and are not; none named: of all.
    fn to_connect(&self, wanted: &[String]) -> Vec<String> {
        let offer = lock(&self.known).offer.clone();
        let sources = offer.iter().flat_map(|offer| &offer.sources);
        let open = sources.filter(|source| {
            let is_wanted = wanted.is_empty() || wanted.contains(&source.name);
            is_wanted && matches!(source.state, SourceState::Idle | SourceState::Failed)
        });
        open.map(|source| source.name.clone()).collect()
    }
}
