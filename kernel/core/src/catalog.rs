//! The tools of a session: found by name, listed in one order, told to a model as exact bytes.
//!
//! Order: the common operations in the order of [`FIRST`], then all others by name. The order of
//! registration changes nothing.
//!
//! Not here: search, toolbox and snapshot (a later part of the catalog), where manifests come from.

mod entry;
pub(crate) mod spelling;

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;

pub use entry::{Entry, Exposure, HostService, Requirement, ServerFacts};

use crate::{
    authority::{Layer, Refusal},
    call::{RawCall, Resolved},
    name::{ServerName, ToolName, nearest},
};

/// The common operations, in the order in which a model sees them.
const FIRST: [&str; 4] = ["read", "write", "edit", "bash"];

/// The tools of a session.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    entries: BTreeMap<ToolName, Arc<Entry>>,
    /// Hidden name → an entry with that name's own schema.
    hidden: BTreeMap<ToolName, Arc<Entry>>,
    /// What is not there, and why: for errors and `tools list`.
    unavailable: BTreeMap<ServerName, String>,
}

/// A tool that cannot be taken into the catalog.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// Two tools of one name: neither may silently win.
    #[error("the tool name '{name}' is claimed by both '{first}' and '{second}'")]
    Duplicate {
        /// The name.
        name: ToolName,
        /// Who had it.
        first: ServerName,
        /// Who wants it too.
        second: ServerName,
    },
}

impl Catalog {
    /// Takes a tool in. A hidden entry is reachable by its name only.
    ///
    /// # Errors
    /// A name that another tool has.
    pub fn add(&mut self, entry: Entry) -> Result<(), CatalogError> {
        let taken = self.entries.get(&entry.name).or_else(|| self.hidden.get(&entry.name));
        if let Some(taken) = taken {
            return Err(CatalogError::Duplicate {
                name: entry.name,
                first: taken.server.clone(),
                second: entry.server,
            });
        }
        let map = match entry.exposure {
            Exposure::Eager | Exposure::Deferred => &mut self.entries,
            Exposure::Hidden => &mut self.hidden,
        };
        map.insert(entry.name.clone(), Arc::new(entry));
        Ok(())
    }

    /// Says that a server's tools are not there, and why.
    pub fn unavailable(&mut self, server: ServerName, reason: String) {
        self.unavailable.insert(server, reason);
    }

    /// Servers whose tools are not there, with the reason.
    pub fn missing(&self) -> impl Iterator<Item = (&ServerName, &str)> {
        self.unavailable.iter().map(|(server, reason)| (server, reason.as_str()))
    }

    /// All advertised tools, in order.
    #[must_use]
    pub fn list(&self) -> Vec<&Arc<Entry>> {
        let first = FIRST.iter().filter_map(|name| self.entries.get(*name));
        let rest = self.entries.values().filter(|e| !FIRST.contains(&e.name.as_str()));
        first.chain(rest).collect()
    }

    /// The tool of a name, hidden ones included; no spelling variants.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.entries.get(name).or_else(|| self.hidden.get(name))
    }

    /// The tool that a name means, by the ladder of spellings.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        let names = || self.entries.keys().chain(self.hidden.keys()).map(ToolName::as_str);
        self.get(name)
            .or_else(|| spelling::variant(name, names()).and_then(|canonical| self.get(canonical)))
    }

    /// Layer 1: the call's name is a tool's, by the ladder of spellings.
    ///
    /// # Errors
    /// A refusal with the nearest names, or with the reason why a server's tools are missing.
    pub fn resolve(&self, raw: RawCall) -> Result<Resolved, Refusal> {
        if let Some(entry) = self.find(&raw.name) {
            return Ok(Resolved { entry: Arc::clone(entry), raw });
        }
        let shown: String = raw.name.chars().take(80).flat_map(char::escape_default).collect();
        let near = nearest(&raw.name, self.entries.keys().map(ToolName::as_str));
        let mut message = format!("there is no tool '{shown}'");
        if !near.is_empty() {
            message.push_str("; the nearest are ");
            message.push_str(&near.join(", "));
        }
        let missing = self.unavailable.iter().map(|(server, reason)| {
            format!("; the tools of server '{server}' are not available: {reason}")
        });
        message.extend(missing);
        // With a server missing and no name near, it may well be one of that server's: unknown is not
        // unavailable.
        let missing = near.is_empty() && !self.unavailable.is_empty();
        let class = if missing { "server_unavailable" } else { "unknown_tool" };
        Err(Refusal::new(Layer::Name, class, message))
    }

    /// The tools array of a model request: the eager tools in order, as the exact bytes to send.
    #[must_use]
    pub fn request_tools(&self) -> Bytes {
        let eager = self.list().into_iter().filter(|entry| entry.exposure == Exposure::Eager);
        let tools: Vec<RequestTool<'_>> =
            eager.filter_map(|entry| RequestTool::of(entry)).collect();
        // Strings and valid JSON cannot fail to serialise; an empty array is the careful answer.
        serde_json::to_vec(&tools).unwrap_or_else(|_| b"[]".to_vec()).into()
    }
}

/// One tool as a model sees it.
#[derive(Serialize)]
struct RequestTool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a RawValue,
}

impl<'a> RequestTool<'a> {
    fn of(entry: &'a Entry) -> Option<Self> {
        Some(Self {
            name: entry.name.as_str(),
            description: &entry.description,
            input_schema: serde_json::from_slice(&entry.input_schema).ok()?,
        })
    }
}

#[cfg(test)]
mod tests;
