//! What one prepared request says of its tools, bounded, for people and programs that look (`[CAT-31]`).
//!
//! Two kinds of facts, never mixed (`[CAT-32]`): [`wire`] holds what stands in the request's bytes,
//! [`surface`] what the catalog and the gate knew of the tools when it was prepared. Each cut says how
//! much there was.
//!
//! Invariants: pure; nothing is reordered, and what is shown of a schema is its exact text; a whole
//! snapshot has at most [`SNAPSHOT_BYTES_MAX`](crate::limits::SNAPSHOT_BYTES_MAX) bytes (test
//! `a_snapshot_is_bounded_whatever_the_wire_holds`); the digest is taken over from
//! [`ToolsField::sha256`](super::ToolsField), and computed nowhere else (`[CAT-30]`).
//!
//! Not here: keeping and reading the bytes (`engine::snapshot`), how it looks (`tollgate`).

mod surface;
mod wire;

use serde::Serialize;

pub use surface::{
    Capabilities, Known, NotCarried, OmittedNames, Resting, SurfaceFacts, ToolFacts, Unknown,
    Visibility, Why,
};
pub use wire::{Cut, Measured, OmittedKeys, OmittedTools, Presence, Wire, WireTool};

use crate::{
    digest::Digest,
    limits::{REASON_BYTES_MAX, SNAPSHOT_NAME_BYTES_MAX},
};

/// What the log says of a prepared request.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The turn, from 1.
    pub turn: u32,
    /// Model request within the turn, from 1.
    pub step: u32,
    /// Size of the whole request.
    pub bytes: u64,
    /// Digest of its exact bytes.
    pub sha256: Digest,
    /// Size of its tools field; `None`: not told.
    pub tools_bytes: Option<u64>,
    /// `active_tool_catalog_sha256`.
    pub tools_sha256: Digest,
    /// "provider:name", "name", "script:file"; `None`: no client was resolved.
    pub model: Option<String>,
}

/// What was kept of the request's tools field.
#[derive(Clone, Debug)]
pub enum Field<'a> {
    /// The request has none, which is not an empty one (`[CAT-34]`).
    Absent,
    /// Its bytes; `is_redacted`: but for secrets, in whose place their names stand.
    Present {
        /// May be anything.
        bytes: &'a [u8],
        /// They are not exactly what was prepared.
        is_redacted: bool,
    },
    /// Nobody can tell; why.
    Unavailable(String),
}

/// The snapshot.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// Which request.
    pub request: Request,
    /// What it says.
    pub wire: Wire,
    /// What was known beside.
    pub surface: Surface,
    /// What nobody here can know of this request (`[CAT-33]`).
    pub unavailable_for_this_request: Vec<&'static str>,
    /// Always "unknown": that a request was prepared does not say that it arrived.
    pub delivery_status: &'static str,
}

/// Which request.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// The turn, from 1.
    pub turn: u32,
    /// Model request within the turn, from 1.
    pub step: u32,
    /// Size of the whole request as prepared.
    pub bytes: u64,
    /// Digest of its exact bytes.
    pub sha256: Digest,
    /// As the session named it, if it named the provider too.
    pub provider: Option<String>,
    /// As the session named it.
    pub model: Option<String>,
}

/// What was known beside the wire.
#[derive(Clone, Debug, Serialize)]
pub struct Surface {
    /// Whether anything was captured.
    pub captured: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The facts, of the tools that the wire shows, in its order.
    #[serde(flatten)]
    pub facts: Option<SurfaceFacts>,
}

/// Puts together what is known of a request. `facts`: an error says why there are none.
#[must_use]
pub fn project(
    prepared: &Prepared,
    field: Field<'_>,
    facts: Result<SurfaceFacts, String>,
) -> Snapshot {
    let wire = Wire::of(prepared, field);
    let model = prepared.model.as_deref().map(|it| bounded(it, SNAPSHOT_NAME_BYTES_MAX).to_owned());
    let provider = model.as_deref().and_then(|it| it.split_once(':')).map(|(it, _)| it.to_owned());
    let mut unavailable = vec!["provider_wire_payload"];
    if provider.is_none() {
        unavailable.push("provider");
    }
    if model.is_none() {
        unavailable.push("model");
    }
    if facts.is_err() {
        unavailable.extend(["provenance", "capabilities", "approval"]);
    }
    if wire.tools_field == Presence::Unavailable {
        unavailable.push("tools");
    }
    let surface = match facts {
        Ok(facts) => {
            let facts = facts.of_shown(&wire);
            Surface { captured: true, why: None, facts: Some(facts) }
        }
        Err(why) => Surface { captured: false, why: Some(reason(&why)), facts: None },
    };
    let &Prepared { turn, step, bytes, sha256, .. } = prepared;
    Snapshot {
        request: Request { turn, step, bytes, sha256, provider, model },
        wire,
        surface,
        unavailable_for_this_request: unavailable,
        delivery_status: "unknown",
    }
}

/// The beginning of a text, whole characters.
fn bounded(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or_default()
}

/// A reason of one line, or its beginning. Control characters would need six bytes each as JSON text.
fn reason(text: &str) -> String {
    let text = text.replace(char::is_control, "\u{fffd}");
    let kept = bounded(&text, REASON_BYTES_MAX);
    if kept.len() < text.len() { format!("{kept}…") } else { kept.to_owned() }
}

#[cfg(test)]
mod tests;
