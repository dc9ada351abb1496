//! The tools array of a model request, as the exact bytes to send (`[CAT-02, 30]`).

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Entry, Toolbox, View};
use crate::{digest::Digest, text};

/// A request's tools array with what it carries.
#[derive(Clone, Debug)]
pub struct ToolsField {
    /// JSON text.
    pub bytes: Bytes,
    /// `active_tool_catalog_sha256`: SHA-256 of exactly `bytes`.
    pub sha256: Digest,
    /// The tools, in order.
    pub carried: Vec<Arc<Entry>>,
    /// How many of `bytes` say what is there in every request; the toolbox's follow.
    eager_bytes: usize,
}

impl View {
    /// The array: eager tools in order, then the toolbox's in order of activation.
    #[must_use]
    pub fn tools_field(&self, toolbox: &Toolbox) -> ToolsField {
        let seen = |entry: &&Arc<Entry>| self.surface().shows(entry.name.as_str());
        let mut carried = Vec::new();
        let mut bytes = vec![b'['];
        append(&mut bytes, &mut carried, self.eager().filter(seen));
        let eager_bytes = bytes.len();
        append(&mut bytes, &mut carried, toolbox.tools(self).filter(seen));
        bytes.push(b']');
        ToolsField { sha256: Digest::of(&bytes), bytes: bytes.into(), carried, eager_bytes }
    }
}

impl ToolsField {
    /// Whether only what the toolbox holds differs.
    #[must_use]
    pub fn has_same_eager_tools(&self, other: &Self) -> bool {
        self.bytes.get(..self.eager_bytes) == other.bytes.get(..other.eager_bytes)
    }
}

fn append<'a>(
    bytes: &mut Vec<u8>,
    carried: &mut Vec<Arc<Entry>>,
    entries: impl Iterator<Item = &'a Arc<Entry>>,
) {
    for entry in entries {
        let Some(json) = tool_json(entry) else { continue };
        if bytes.len() > 1 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(&json);
        carried.push(Arc::clone(entry));
    }
}

/// One tool as a model sees it: its description without what no reader would see, its schema byte for
/// byte; `None`: its schema is no JSON, which a manifest's check has refused.
#[must_use]
pub fn tool_json(entry: &Entry) -> Option<Vec<u8>> {
    let tool = RequestTool {
        name: entry.name.as_str(),
        description: text::prose(&entry.description),
        input_schema: serde_json::from_slice(&entry.input_schema).ok()?,
    };
    serde_json::to_vec(&tool).ok()
}

#[derive(Serialize)]
struct RequestTool<'a> {
    name: &'a str,
    description: Cow<'a, str>,
    input_schema: &'a RawValue,
}

#[cfg(test)]
mod tests;
