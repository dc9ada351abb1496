//! [`Details`]: whole schemas or declarations of found tools, as many as fit, none cut (`[CAT-11]`).

use std::collections::BTreeMap;

use tollgate_core::{catalog::Entry, name::ToolName};

use super::{answer::Hit, ask::Format, limits::DETAILS_BYTES_MAX, plain};

/// What is told of tools beside their cards.
#[derive(Debug, Default)]
pub(super) struct Details {
    texts: BTreeMap<ToolName, Detail>,
}

#[derive(Debug)]
enum Detail {
    Whole(String),
    /// Its bytes.
    Omitted(usize),
}

impl Details {
    /// Of these tools, the best first; what does not fit leaves room for smaller ones after it.
    pub(super) fn of(hits: &[Hit], format: Format) -> Self {
        let text = match format {
            Format::Card | Format::Names => return Self::default(),
            Format::Schema => schema,
            Format::Types => types,
        };
        let mut left = DETAILS_BYTES_MAX;
        let details = hits.iter().map(|hit| {
            let detail = match text(&hit.entry) {
                Ok(text) if text.len() <= left => {
                    left -= text.len();
                    Detail::Whole(text)
                }
                Ok(text) => Detail::Omitted(text.len()),
                Err(bytes) => Detail::Omitted(bytes),
            };
            (hit.entry.name.clone(), detail)
        });
        Self { texts: details.collect() }
    }

    /// The text of a tool.
    pub(super) fn get(&self, name: &ToolName) -> Option<&str> {
        match self.texts.get(name)? {
            Detail::Whole(text) => Some(text),
            Detail::Omitted(_) => None,
        }
    }

    /// Bytes of the text that a tool would have had.
    pub(super) fn omitted(&self, name: &ToolName) -> Option<usize> {
        match self.texts.get(name)? {
            Detail::Whole(_) => None,
            Detail::Omitted(bytes) => Some(*bytes),
        }
    }
}

/// The schema; never an error.
fn schema(entry: &Entry) -> Result<String, usize> {
    Ok(plain::json(&entry.input_schema))
}

/// The declaration; where there is none that is bounded, the bytes of the schema.
fn types(entry: &Entry) -> Result<String, usize> {
    let (name, schema) = (entry.name.as_str(), &entry.input_schema);
    let declared = tollgate_types::declaration(name, &entry.description, schema, None);
    declared.map(|it| it.to_string()).ok_or(schema.len())
}
