//! What is different between two catalogs, and how one may grow in the middle of a turn (`[CAT-40]`).
//!
//! Invariant: growing never takes away, renames or changes a tool, and adds only deferred ones, so that the
//! tools array of a running turn stays as it was.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Catalog, Entry, Exposure, names::Named};
use crate::name::{ServerName, ToolName};

/// What is different in the tools of one server; each list in order of names.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Change {
    /// There are now.
    pub added: Vec<ToolName>,
    /// There were.
    pub removed: Vec<ToolName>,
    /// There are and were, and say something else of themselves.
    pub changed: Vec<ToolName>,
}

impl Catalog {
    /// What is different in `newer`, by server; servers without a difference are left out.
    #[must_use]
    pub fn changes_to(&self, newer: &Self) -> BTreeMap<ServerName, Change> {
        let mut changes: BTreeMap<ServerName, Change> = BTreeMap::new();
        let mut of = |entry: &Entry, put: fn(&mut Change) -> &mut Vec<ToolName>| {
            put(changes.entry(entry.server.clone()).or_default()).push(entry.name.clone());
        };
        for now in &newer.listed {
            match self.get(now.name.as_str()).filter(|before| before.server == now.server) {
                None => of(now, |change| &mut change.added),
                Some(before) if !before.says_the_same(now) => of(now, |change| &mut change.changed),
                Some(_) => {}
            }
        }
        for before in &self.listed {
            let now = newer.get(before.name.as_str()).filter(|now| now.server == before.server);
            if now.is_none() {
                of(before, |change| &mut change.removed);
            }
        }
        for change in changes.values_mut() {
            change.added.sort();
            change.removed.sort();
            change.changed.sort();
        }
        changes
    }

    /// This catalog with the deferred tools of `newest` that it does not have, and its sources. A tool
    /// whose name means something here, or that is here under another name, is left out.
    #[must_use]
    pub fn grown(&self, newest: &Self) -> Self {
        let whose = |entry: &Entry| (entry.server.clone(), entry.served_as.clone());
        let here: BTreeSet<_> = self.listed.iter().map(|entry| whose(entry)).collect();
        let mut grown = Self {
            sources: newest.sources.clone(),
            unavailable: newest.unavailable.clone(),
            ..self.clone()
        };
        for entry in &newest.listed {
            let is_new =
                self.names.get(entry.name.as_str()).is_none() && !here.contains(&whose(entry));
            if is_new && entry.exposure == Exposure::Deferred {
                grown.names.insert(&entry.name, Named::Tool(Arc::clone(entry)));
                grown.listed.push(Arc::clone(entry));
            }
        }
        grown.put_in_order();
        grown
    }
}

impl Entry {
    /// Whether a call of this tool that was judged is the same call of `now`: the schema that its
    /// arguments were checked against, and all that the gate was told.
    #[must_use]
    pub fn is_judged_as(&self, now: &Self) -> bool {
        self.schema_sha256 == now.schema_sha256
            && self.safety == now.safety
            && self.prepares == now.prepares
            && self.callers == now.callers
            && self.host_services == now.host_services
    }

    fn says_the_same(&self, now: &Self) -> bool {
        self.is_judged_as(now)
            && self.served_as == now.served_as
            && self.source == now.source
            && self.title == now.title
            && self.description == now.description
            && self.search_hint == now.search_hint
            && self.exposure == now.exposure
            && self.interrupt == now.interrupt
            && self.result_bytes_max == now.result_bytes_max
            && self.requirements == now.requirements
            && self.argument_aliases == now.argument_aliases
    }
}

#[cfg(test)]
mod tests;
