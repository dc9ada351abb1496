//! How it gets to be known what a server offers (`[CAT-40]`).
//!
//! ```text
//! kept in a file ──────────────┐         ┌─ a process has greeted (`greet`)
//! printed by `--manifest` ─────┼─ learn ─┼─ it says that it has changed (`follow`)
//! told by a start, and stopped ┘         └─ it has connected sources (`discover`)
//! ```
//!
//! Invariant: nobody waits for a question that was asked already: `first` is held while nothing is known,
//! `asking` from a question to a process until its answer is learnt, so that the last answer is the last
//! word. Locks, outermost first: `first`, the server's state, `asking`.

use std::{path::PathBuf, sync::Arc};

use tollgate_core::digest::Digest;

use super::{
    Connection, Described, Server, ServerError, cache, connect::Channel, manifest, offer::Offer,
    printed,
};
use crate::context::lock;

impl Server {
    /// What the server offers, with the generation; asked for now if it is not known: the cache, then
    /// `--manifest`, then a start that is stopped again.
    ///
    /// # Errors
    /// Why its tools are not available.
    pub(super) async fn offer(&self) -> Result<(Arc<Offer>, u64), ServerError> {
        self.check_quarantine()?;
        let _one = self.first.lock().await;
        let file = self.cache_file();
        if !self.is_known_of(file.as_ref()) {
            let got = self.get_to_know(file).await;
            if let Err(error) = &got {
                lock(&self.known).forget(super::chain(error));
            }
            got?;
        }
        self.newest()
    }

    /// Whether what is known is of the program as it is now, or of a process that runs.
    fn is_known_of(&self, file: Option<&PathBuf>) -> bool {
        let is_connected = self.seen().connection.as_ref().is_some_and(|it| !it.is_lost());
        let known = lock(&self.known);
        known.offer.is_some() && (is_connected || known.file.as_ref() == file)
    }

    async fn get_to_know(&self, file: Option<PathBuf>) -> Result<(), ServerError> {
        if let Some(kept) = self.kept(file.clone()).await {
            self.learn(kept, file, false).await;
            return Ok(());
        }
        if file.is_some()
            && let Some(printed) = printed::ask(&self.name, &self.settings, &self.ground).await
        {
            self.learn(printed.at_rest(), file, true).await;
            return Ok(());
        }
        let was_known = lock(&self.known).offer.is_some();
        // Greeting it learns its offer.
        self.connection().await?;
        // A session that knew its tools before may be calling one of them just now.
        if !was_known {
            self.stop().await;
        }
        Ok(())
    }

    async fn kept(&self, file: Option<PathBuf>) -> Option<Described> {
        let file = file?;
        blocking(move || cache::read(&file)).await?
    }

    /// Learns what the process that has just greeted offers, and checks that it is what it said: `now`.
    /// `file`: the cache file of its program.
    ///
    /// # Errors
    /// It cannot be asked, or tells two manifests.
    pub(super) async fn learn_greeted(
        &self,
        channel: &Channel,
        now: Digest,
        file: Option<PathBuf>,
    ) -> Result<(), ServerError> {
        let _one = self.asking.lock().await;
        if lock(&self.known).offer.as_ref().is_some_and(|offer| offer.digest == now) {
            lock(&self.known).file = file;
            return Ok(());
        }
        if let Some(kept) = self.kept(file.clone()).await
            && kept.digest() == now
        {
            self.learn(kept, file, false).await;
            return Ok(());
        }
        let described = manifest::ask(channel).await?;
        // One that connects a source just then is asked once more.
        let digest = described.digest();
        if digest != now && self.hello(channel).await?.manifest_sha256[..] != digest.0 {
            return Err(ServerError::Contract(
                "its manifest is not the one that Hello told".into(),
            ));
        }
        self.learn(described, file, true).await;
        Ok(())
    }

    /// Asks a process that says that its manifest is another one now.
    pub(super) async fn look_again(&self, channel: &Channel) {
        let _one = self.asking.lock().await;
        match manifest::ask(channel).await {
            Ok(described) if described.is_true() => {
                let file = lock(&self.known).file.clone();
                self.learn(described, file, true).await;
            }
            Ok(_) => {
                tracing::warn!(server = %self.name, "its new manifest is not what its digest says");
            }
            Err(error) => {
                let error = super::chain(&self.told(error));
                tracing::warn!(server = %self.name, error, "its new manifest cannot be had");
            }
        }
    }

    /// Takes a manifest in, and keeps it where it is to be kept.
    pub(super) async fn learn(&self, described: Described, file: Option<PathBuf>, keep: bool) {
        let (Some(me), name) = (self.me.upgrade(), self.name.clone()) else { return };
        let work = move || {
            let offer = Offer::of(&described, &me);
            if let Some(file) = file.as_ref().filter(|_| keep) {
                cache::write(file, &name, described);
            }
            lock(&me.known).take(offer, file);
        };
        blocking(work).await.unwrap_or_default();
    }

    /// The manifest as the server tells it now, and its connection.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn describe(&self) -> Result<(Described, Arc<Connection>), ServerError> {
        let connection = self.connection().await?;
        let described = manifest::ask(&connection.channel).await?;
        Ok((described, connection))
    }

    pub(super) fn cache_file(&self) -> Option<PathBuf> {
        let cwd = self.ground.roots.first().map(PathBuf::as_path);
        cache::file(&self.ground.manifests, &self.name, &self.settings, cwd)
    }
}

/// Work that reads files or takes long; `None`: it panicked, or the runtime ends.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
