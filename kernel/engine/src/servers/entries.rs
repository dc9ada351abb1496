//! A manifest's tools as entries of the catalog, and its sources: checked, because a manifest is a claim.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use tollgate_core::{
    catalog::{ArgumentIs, Entry, Exposure, Provenance, Source, SourceState},
    digest::Digest,
    limits::{SCHEMA_BYTES_MAX, SERVER_TOOLS_MAX},
    name::{ServerName, ToolName},
    safety::Trust,
};
use tollgate_proto::tool::v1 as proto;

use super::{
    Described, ServerError,
    limits::{DETAIL_BYTES_MAX, SOURCES_MAX},
    wire,
};

/// Old names of one tool, as the contract says.
const HIDDEN_NAMES_MAX: usize = 16;

impl Described {
    /// The catalog's entries: each tool, and each form of its old names; those of sources that are not
    /// connected are left out.
    ///
    /// # Errors
    /// A tool that breaks the contract: then none of the server's tools is taken.
    pub fn entries(
        &self,
        server: &ServerName,
        trust: Trust,
        provenance: Provenance,
    ) -> Result<Vec<Entry>, ServerError> {
        if self.tools.len() > SERVER_TOOLS_MAX {
            return Err(broken("…", &format!("more than {SERVER_TOOLS_MAX} tools")));
        }
        let facts = Arc::new(self.facts());
        let (mut entries, mut names) = (Vec::new(), BTreeSet::new());
        let (ready, away) = self.source_names();
        // What a source had once is no offer while it is not connected.
        for spec in self.tools.iter().filter(|spec| !away.contains(spec.source.as_str())) {
            let name = checked(&spec.name, &spec.input_schema)?;
            if !names.insert(name.clone()) {
                return Err(broken(&spec.name, "it is there twice"));
            }
            // Only to what the server says that it stands before (`[CAT-32]`).
            let attributed = Some(spec.source.as_str()).filter(|it| ready.contains(it));
            let common = Entry {
                server: server.clone(),
                facts: Arc::clone(&facts),
                trust,
                provenance: if attributed.is_some() { Provenance::Mcp } else { provenance },
                source: attributed.map(str::to_owned),
                ..wire::entry(spec)
            };
            for old in spec.hidden_names.iter().take(HIDDEN_NAMES_MAX) {
                entries.push(form(&common, &name, old)?);
            }
            entries.push(
                Entry { exposure: wire::exposure(spec.exposure()), ..common }
                    .of(name, spec.input_schema.clone()),
            );
        }
        Ok(entries)
    }

    /// Names of sources that are connected, and of those that are not.
    fn source_names(&self) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let usable = self.manifest.sources.iter().filter(|it| is_source(&it.name));
        let (mut ready, mut away) = (BTreeSet::new(), BTreeSet::new());
        for source in usable {
            let names =
                if source.state() == proto::SourceState::Ready { &mut ready } else { &mut away };
            names.insert(source.name.as_str());
        }
        (ready, away)
    }

    /// What the server can connect on demand.
    #[must_use]
    pub fn sources(&self, server: &ServerName) -> Vec<Source> {
        let taken = self.manifest.sources.iter().filter(|it| is_source(&it.name));
        let source = |it: &proto::Source| Source {
            server: server.clone(),
            name: it.name.clone(),
            hint: wire::line(&it.hint, 200),
            state: match it.state() {
                proto::SourceState::Ready => SourceState::Ready,
                proto::SourceState::Failed => SourceState::Failed,
                proto::SourceState::Disabled => SourceState::Disabled,
                proto::SourceState::Idle | proto::SourceState::Unspecified => SourceState::Idle,
            },
            detail: wire::line(&it.detail, DETAIL_BYTES_MAX),
        };
        taken.take(SOURCES_MAX).map(source).collect()
    }
}

/// An old name: the tool's safety and word, its own schema and arguments.
fn form(common: &Entry, means: &ToolName, old: &proto::HiddenName) -> Result<Entry, ServerError> {
    let name = checked(&old.name, &old.input_schema)?;
    let when = old.when.as_ref().map(|it| ArgumentIs {
        argument: wire::bounded(it.argument.clone(), 64),
        value: wire::bounded(it.value.clone(), 64),
    });
    let entry = Entry {
        means: Some(means.clone()),
        when,
        exposure: Exposure::Hidden,
        argument_aliases: Vec::new(),
        // It is shown to nobody.
        title: String::new(),
        description: String::new(),
        search_hint: String::new(),
        ..common.clone()
    };
    Ok(entry.of(name, old.input_schema.clone()))
}

trait Of {
    /// With a name and the schema that goes with it.
    fn of(self, name: ToolName, schema: Bytes) -> Self;
}

impl Of for Entry {
    fn of(self, name: ToolName, schema: Bytes) -> Self {
        Self {
            served_as: name.clone(),
            name,
            schema_sha256: Digest::of(&schema),
            input_schema: schema,
            compiled: Arc::new(OnceLock::new()),
            ..self
        }
    }
}

fn checked(name: &str, schema: &[u8]) -> Result<ToolName, ServerError> {
    let tool = ToolName::try_from(name).map_err(|error| broken(name, &error.to_string()))?;
    if schema.len() > SCHEMA_BYTES_MAX {
        return Err(broken(name, &format!("its schema is over {SCHEMA_BYTES_MAX} bytes")));
    }
    if serde_json::from_slice::<&serde_json::value::RawValue>(schema).is_err() {
        return Err(broken(name, "its schema is no JSON"));
    }
    Ok(tool)
}

fn broken(tool: &str, why: &str) -> ServerError {
    let tool: String = tool.chars().take(64).flat_map(char::escape_default).collect();
    ServerError::Contract(format!("its tool '{tool}' is not usable: {why}"))
}

/// `[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}`
fn is_source(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests;
