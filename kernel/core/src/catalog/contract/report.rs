//! The receipt of the default surface (`[CAT-36]`): which tools a new session's first request carries, and
//! how large they are, whatever the provider, the policy or the number of other tools.
//!
//! Invariant: [`Contract`] depends on the contract's own tools alone (test
//! `other_tools_change_nothing_of_the_contract`); [`Apart`] counts everything else.

use serde::Serialize;

use super::{DEFAULT_ACTIVE_NATIVE_TOOLS, EXECUTE_TOOLS, TOOL_SEARCH, place};
use crate::{
    catalog::{Catalog, Entry, Exposure, Provenance, Toolbox, View, Withheld, tool_json},
    digest::Digest,
    name::ServerName,
};

/// The whole receipt.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Report {
    /// The default surface.
    pub contract: Contract,
    /// What else is registered, as this workspace stands.
    pub apart: Apart,
}

/// The tools of a first request.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Contract {
    /// In order; of each its sizes.
    pub tools: Vec<ToolSize>,
    /// Of their schemas.
    pub schema_bytes: u64,
    /// Of the array that a request carries.
    pub bytes: u64,
    /// SHA-256 of exactly that array.
    pub sha256: Digest,
    /// Names of the contract that no server has.
    pub without_server: Vec<&'static str>,
}

/// One tool.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct ToolSize {
    /// Its name.
    pub name: String,
    /// Its server.
    pub server: ServerName,
    /// Of its schema.
    pub schema_bytes: u64,
    /// Of all that a request says of it.
    pub bytes: u64,
}

/// Registrations that are no part of the contract, each counted once for each reason that holds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Apart {
    /// All tools, the contract's too.
    pub registered: u64,
    /// Found by `tool_search`.
    pub deferred: u64,
    /// Of MCP servers: discovered when these connect.
    pub dynamic: u64,
    /// In every request by configuration.
    pub always_loaded: u64,
    /// Not in this session: mode, surface, or what the host lacks.
    pub feature_gated: u64,
    /// Forbidden by policy.
    pub denied: u64,
    /// Forms of old names.
    pub hidden: u64,
}

impl Report {
    /// Of the catalog of a view.
    #[must_use]
    pub fn of(view: &View) -> Self {
        Self { contract: Contract::of(view.catalog()), apart: Apart::of(view) }
    }
}

impl Contract {
    fn of(catalog: &Catalog) -> Self {
        let names = DEFAULT_ACTIVE_NATIVE_TOOLS.into_iter().chain([TOOL_SEARCH, EXECUTE_TOOLS]);
        let (mut own, mut without_server) = (Vec::new(), Vec::new());
        for name in names {
            match catalog.get(name).filter(|entry| is_of_contract(entry)) {
                Some(entry) if entry.exposure == Exposure::Eager => own.push(Entry::clone(entry)),
                // Code mode is switched off: there is a server, and `tool_search` finds its tool.
                Some(_) => {}
                None => without_server.push(name),
            }
        }
        // The same bytes as in a request, by the same function.
        let field = View::whole(Catalog::new(own, &[])).tools_field(&Toolbox::default());
        let size = |entry: &std::sync::Arc<Entry>| ToolSize {
            name: entry.name.as_str().to_owned(),
            server: entry.server.clone(),
            schema_bytes: entry.input_schema.len() as u64,
            bytes: tool_json(entry).map_or(0, |json| json.len() as u64),
        };
        let tools: Vec<ToolSize> = field.carried.iter().map(size).collect();
        Self {
            schema_bytes: tools.iter().map(|tool| tool.schema_bytes).sum(),
            tools,
            bytes: field.bytes.len() as u64,
            sha256: field.sha256,
            without_server,
        }
    }
}

impl Apart {
    fn of(view: &View) -> Self {
        let all = view.catalog().list();
        let count =
            |is: &dyn Fn(&Entry) -> bool| all.iter().filter(|entry| is(entry)).count() as u64;
        let (mut denied, mut gated) = (0, 0);
        for (_, why) in view.withheld() {
            match why {
                Withheld::Denied(_) => denied += 1,
                Withheld::Mode(_) | Withheld::Surface(_) | Withheld::Unavailable(_) => gated += 1,
            }
        }
        Self {
            registered: all.len() as u64,
            deferred: count(&|entry| entry.exposure == Exposure::Deferred),
            dynamic: count(&|entry| entry.provenance == Provenance::Mcp),
            always_loaded: count(&|entry| {
                entry.exposure == Exposure::Eager && !is_of_contract(entry)
            }),
            feature_gated: gated,
            denied,
            hidden: view.catalog().hidden().len() as u64,
        }
    }
}

fn is_of_contract(entry: &Entry) -> bool {
    entry.is_native() && place(entry.name.as_str()).is_some()
}

#[cfg(test)]
mod tests;
