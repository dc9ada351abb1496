//! When a session's catalog becomes another: at the start of a turn, or by growing in the middle of one
//! (`[CAT-40]`, `[CAT-13]`). Each is told as `catalog.changed`, an event for each server.
//!
//! Invariant: within a turn nothing is taken away, renamed or changed; only deferred tools come.

use std::sync::Arc;

use tollgate_core::{
    call::Position,
    catalog::{Catalog, Change},
    name::{ServerName, ToolName},
};

use crate::{context::SessionContext, event::Body};

/// Names that an event lists of each kind; the rest is a number.
const NAMES_TOLD_MAX: usize = 100;

impl SessionContext {
    /// Takes the servers' newest tools at the start of a turn, if a server offers others now.
    pub(crate) async fn renew_tools(&self, at: Option<&Position>) {
        if self.servers.generation() == self.tools.generation() {
            return;
        }
        let (newest, generation) = self.servers.newest();
        let (before, newest) = (self.tools.catalog(), Arc::new(newest));
        self.tools.renew(Arc::clone(&newest), generation);
        self.tell_changes(at, &before, &newest).await;
    }

    /// Takes in, now, the deferred tools that servers offer beside those that this session has: what a
    /// search has connected. All other news waits for the next turn.
    pub(crate) async fn grow_tools(&self, at: Option<&Position>) {
        let (newest, _) = self.servers.newest();
        let before = self.tools.catalog();
        let grown = Arc::new(before.grown(&newest));
        self.tools.replace(Arc::clone(&grown));
        self.tell_changes(at, &before, &grown).await;
    }

    async fn tell_changes(&self, at: Option<&Position>, before: &Catalog, now: &Catalog) {
        self.policies.learn_tools(&now.ruled_names());
        for (server, change) in before.changes_to(now) {
            self.events.tell(at, None, told(server, change)).await;
        }
    }
}

fn told(server: ServerName, change: Change) -> Body {
    let Change { added, removed, changed } = change;
    let all = [added, removed, changed];
    let more = all.iter().map(|names| names.len().saturating_sub(NAMES_TOLD_MAX)).sum();
    let first = |names: Vec<ToolName>| -> Vec<String> {
        names.iter().take(NAMES_TOLD_MAX).map(|name| name.as_str().to_owned()).collect()
    };
    let [added, removed, changed] = all.map(first);
    Body::CatalogChanged { server, added, removed, changed, more }
}
