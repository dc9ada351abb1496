//! What a server offers, as far as this kernel knows (`[CAT-40]`).
//!
//! What was learnt last is what there is; sessions take it up at the start of a turn, which they see by the
//! generation. Tools of a source that is not connected are no offer: only what servers really have may be
//! found (`[CAT-13]`), and a list from another day is no promise.
//!
//! Not here: how it gets to be known (`learn`, `discover`, `follow`).

use std::{path::PathBuf, sync::Arc};

use tollgate_core::{
    authority::{Layer, Refusal},
    catalog::{Entry, ServerFacts, Source, SourceState},
    digest::Digest,
};

use super::{Described, Server, ServerError};
use crate::{context::lock, secrets::LogSecrets};

/// A manifest, made into what the catalog takes.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    /// Of the manifest.
    pub(super) digest: Digest,
    /// The one that all entries share.
    facts: Arc<ServerFacts>,
    pub(super) entries: Arc<Vec<Entry>>,
    pub(super) sources: Vec<Source>,
    /// Why there are no entries, if the manifest breaks the contract.
    fault: Option<String>,
}

/// What is known of a server's offer.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) offer: Option<Arc<Offer>>,
    /// Changes whenever sessions may have to take something up.
    pub(super) generation: u64,
    /// The cache file of the program of which it is known.
    pub(super) file: Option<PathBuf>,
    /// Why it could not be had the last time.
    trouble: Option<String>,
}

impl Known {
    /// Takes an offer in, learnt of the program with this cache file.
    pub(super) fn take(&mut self, offer: Offer, file: Option<PathBuf>) {
        self.file = file;
        let is_same = self
            .offer
            .as_ref()
            .is_some_and(|before| before.digest == offer.digest && before.sources == offer.sources);
        if !is_same {
            self.trouble = None;
            self.offer = Some(Arc::new(offer));
            self.generation += 1;
        }
    }

    /// Whatever was known is so no more.
    pub(super) fn forget(&mut self, why: String) {
        self.generation += u64::from(self.offer.take().is_some());
        self.trouble = Some(why);
    }
}

impl Offer {
    /// What a manifest of a server comes to.
    pub(super) fn of(described: &Described, server: &Server) -> Self {
        let (name, settings) = (server.name(), server.settings());
        let (entries, fault) = match described.entries(name, settings.trust, settings.provenance) {
            Ok(entries) => (entries, None),
            Err(ServerError::Contract(why)) => (Vec::new(), Some(why)),
            Err(other) => (Vec::new(), Some(super::chain(&other))),
        };
        let facts = entries.first().map(|entry| Arc::clone(&entry.facts)).unwrap_or_default();
        let secrets = server.ground.secrets.clone();
        Self {
            digest: described.digest(),
            facts,
            entries: Arc::new(entries),
            sources: sources(described, server, &secrets),
            fault: fault.map(|why| secrets.now().text(why)),
        }
    }

    /// The entries.
    ///
    /// # Errors
    /// The manifest breaks the contract.
    pub(super) fn entries(&self) -> Result<&[Entry], ServerError> {
        match &self.fault {
            None => Ok(&self.entries),
            Some(why) => Err(ServerError::Contract(why.clone())),
        }
    }
}

fn sources(described: &Described, server: &Server, secrets: &LogSecrets) -> Vec<Source> {
    let mut sources = described.sources(server.name());
    let secrets = secrets.now();
    for source in &mut sources {
        source.detail = secrets.text(std::mem::take(&mut source.detail));
    }
    sources
}

impl Server {
    /// What is known, without asking anybody.
    ///
    /// # Errors
    /// Why nothing is.
    pub(super) fn newest(&self) -> Result<(Arc<Offer>, u64), ServerError> {
        self.check_quarantine()?;
        let known = lock(&self.known);
        match &known.offer {
            Some(offer) => Ok((Arc::clone(offer), known.generation)),
            None => {
                let why = known.trouble.clone();
                Err(ServerError::Unknown(
                    why.unwrap_or_else(|| "it was not asked for its tools yet".to_owned()),
                ))
            }
        }
    }

    /// Changes whenever a session may have to take something up.
    pub(super) fn generation(&self) -> u64 {
        // Notices that somebody has ended a quarantine.
        drop(self.check_quarantine());
        lock(&self.known).generation
    }

    /// Sources that are connected.
    pub(super) fn ready_sources(&self) -> Vec<String> {
        let offer = lock(&self.known).offer.clone();
        let sources = offer.iter().flat_map(|offer| &offer.sources);
        let ready = sources.filter(|source| source.state == SourceState::Ready);
        ready.map(|source| source.name.clone()).collect()
    }

    /// Says of sources why they could not be connected.
    pub(super) fn sources_failed(&self, wanted: &[String], why: &str) {
        let mut known = lock(&self.known);
        let Some(offer) = &known.offer else { return };
        let mut failed = Offer::clone(offer);
        for source in failed.sources.iter_mut().filter(|it| wanted.contains(&it.name)) {
            source.state = SourceState::Failed;
            source.detail = super::wire::line(why, super::limits::DETAIL_BYTES_MAX);
        }
        if failed.sources != offer.sources {
            known.offer = Some(Arc::new(failed));
            known.generation += 1;
        }
    }

    /// Whether a call that was judged by `entry` is the same call of what the server offers now.
    ///
    /// # Errors
    /// It is not: the arguments were checked against another schema, or the gate was told other things.
    pub fn check_offered(&self, entry: &Entry) -> Result<(), Refusal> {
        let Some(offer) = lock(&self.known).offer.clone() else { return Ok(()) };
        if Arc::ptr_eq(&offer.facts, &entry.facts) {
            return Ok(());
        }
        let same = |it: &&Entry| {
            it.served_as == entry.served_as && it.means == entry.means && it.when == entry.when
        };
        let what = match offer.entries.iter().find(same) {
            Some(now) if entry.is_judged_as(now) => return Ok(()),
            Some(_) => "is another tool now",
            // Its server connects the source for the call, or says no.
            None if entry.source.is_some() => return Ok(()),
            None => "is not there any more",
        };
        let why = format!(
            "'{}' was not called: server '{}' has changed since the catalog was made, and the tool {what}; \
             the change is taken up at the next turn",
            entry.name, self.name
        );
        Err(Refusal::new(Layer::Execution, "server_changed", why))
    }
}

#[cfg(test)]
mod tests;
