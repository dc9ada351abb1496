//! Tools as a test tells them in `[servers.NAME.settings]`: whatever a manifest can hold.
//!
//! Not here: what one call does ([`crate::how`]).

use serde::Deserialize;
use tollgate_proto::tool::v1::{ArgumentIs, HiddenName, Manifest, ToolSpec};

use crate::manifest;

/// One tool. What is left out is as that of `look`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Told {
    name: String,
    title: Option<String>,
    description: Option<String>,
    hint: Option<String>,
    /// JSON text, byte for byte.
    schema: Option<String>,
    /// The MCP server that has it.
    source: String,
    hidden: Vec<Old>,
}

/// An old name of it, with the schema of `look`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Old {
    name: String,
    /// Argument and value.
    when: Option<(String, String)>,
}

/// The manifest of these tools.
pub(crate) fn of(told: &[Told]) -> (Manifest, Vec<ToolSpec>) {
    let tools: Vec<ToolSpec> = told.iter().map(spec).collect();
    let (mut manifest, _) = manifest::of(crate::behaviour::Behaviour::Plain);
    manifest::sign(&mut manifest, &tools);
    (manifest, tools)
}

fn spec(told: &Told) -> ToolSpec {
    let look = manifest::look();
    let hidden = |old: &Old| HiddenName {
        name: old.name.clone(),
        input_schema: look.input_schema.clone(),
        when: old.when.clone().map(|(argument, value)| ArgumentIs { argument, value }),
    };
    let hidden_names = told.hidden.iter().map(hidden).collect();
    ToolSpec {
        name: told.name.clone(),
        title: told.title.clone().unwrap_or(look.title),
        description: told.description.clone().unwrap_or(look.description),
        search_hint: told.hint.clone().unwrap_or(look.search_hint),
        input_schema: told.schema.clone().map_or(look.input_schema, Into::into),
        source: told.source.clone(),
        hidden_names,
        ..look
    }
}
