//! What is kept of each prepared request's tools, and read again by whoever looks (`[CAT-31]`).
//!
//! Two artifacts, written when they change: the tools array, named by the digest that the event
//! `request.prepared` tells (`[CAT-30]`), and beside it what the catalog and the gate knew of the tools. They
//! are there before the log names them, and nothing removes artifacts while there are sessions.
//!
//! Invariant: looking changes nothing, needs no lock, starts nothing and asks nobody; a session that runs
//! in another kernel can be looked at.
//!
//! Not here: what of it is shown (`core::catalog::snapshot`), how it looks (`tollgate`).

use std::sync::Arc;

use tollgate_core::{
    authority::{HookSaid, rules::Rules},
    catalog::{
        ToolsField,
        snapshot::{Field, Prepared, Snapshot, SurfaceFacts, project},
    },
    digest::Digest,
    limits::SURFACE_BYTES_MAX,
    name::SessionId,
    stance::Posture,
};

use crate::{
    context::{Now, SessionContext},
    model::REQUEST_BYTES_MAX,
    servers::chain,
    store::{
        Artifacts, StateDir, StoreError,
        artifacts::{ArtifactError, Durability},
        session::{self, RequestKept, SessionRecord},
    },
    tools::Seen,
};

/// What was kept of the last request, and of what.
#[derive(Debug)]
pub(crate) struct Kept {
    /// For the log.
    pub(crate) record: RequestKept,
    tools_sha256: Digest,
    seen: Arc<Seen>,
    posture: Posture,
    grants: Arc<Rules>,
}

impl Kept {
    fn is_of(&self, field: &ToolsField, seen: &Arc<Seen>, now: &Now) -> bool {
        self.tools_sha256 == field.sha256
            && Arc::ptr_eq(&self.seen, seen)
            && self.posture == now.posture()
            && Arc::ptr_eq(&self.grants, now.grants())
    }
}

/// Keeps what a request that is about to be recorded says of its tools. What cannot be kept is told in the
/// log, and the turn goes on: nothing depends on it but looks.
pub(crate) fn keep(
    cx: &SessionContext,
    before: Option<Kept>,
    model: Option<&str>,
    field: &ToolsField,
    seen: &Arc<Seen>,
) -> Kept {
    let now = cx.now();
    if let Some(before) = before.filter(|before| before.is_of(field, seen, &now)) {
        return before;
    }
    let tools = told(cx.artifacts.put(&field.bytes, Durability::Process).map(|id| id.digest()));
    let facts =
        SurfaceFacts::of(&seen.view, &field.carried, &now.circumstances(&HookSaid::Nothing));
    // Names, words and numbers cannot fail to serialise.
    let facts = serde_json::to_vec(&facts).unwrap_or_default();
    let surface = told(cx.artifacts.put(&facts, Durability::Process).map(|id| id.digest()));
    Kept {
        record: RequestKept {
            tools_bytes: Some(field.bytes.len() as u64),
            redacted_tools_sha256: tools.filter(|kept| *kept != field.sha256),
            surface_sha256: surface,
            model: model.map(str::to_owned),
        },
        tools_sha256: field.sha256,
        seen: Arc::clone(seen),
        posture: now.posture(),
        grants: Arc::clone(now.grants()),
    }
}

fn told(put: Result<Digest, ArtifactError>) -> Option<Digest> {
    if let Err(error) = &put {
        let error = chain(error);
        tracing::warn!(error, "what a request says of its tools was not kept");
    }
    put.ok()
}

/// What is known of the latest prepared request of a session.
#[derive(Debug)]
pub struct Inspected {
    /// Bounded, for people and programs.
    pub snapshot: Snapshot,
    /// The tools array, as it was kept; `None`: it was not, or is damaged.
    pub tools: Option<Vec<u8>>,
    /// `active_tool_catalog_sha256`.
    pub tools_sha256: Digest,
}

/// Looks at the latest prepared request of a session, running or not; `None`: there was none yet. Blocking.
///
/// # Errors
/// There is no such session, or its log cannot be read. What is missing beside it is told in the snapshot.
pub fn inspect(state: &StateDir, id: &SessionId) -> Result<Option<Inspected>, StoreError> {
    let last = session::last_request(state, id)?;
    let Some(SessionRecord::Request { turn, step, bytes, sha256, tools_sha256, kept }) = last
    else {
        return Ok(None);
    };
    let artifacts = Artifacts::open(state);
    let read = |digest: Digest, bytes_max| {
        artifacts.read(digest.into(), bytes_max).map_err(|error| chain(&error))
    };
    let tools_id = kept.redacted_tools_sha256.unwrap_or(tools_sha256);
    let tools = read(tools_id, REQUEST_BYTES_MAX as u64);
    let field = match &tools {
        Ok(bytes) => Field::Present { bytes, is_redacted: kept.redacted_tools_sha256.is_some() },
        Err(why) => Field::Unavailable(why.clone()),
    };
    let facts = match kept.surface_sha256 {
        Some(digest) => read(digest, SURFACE_BYTES_MAX as u64).and_then(|facts| {
            let damaged = |error| format!("what was kept of it cannot be read: {error}");
            serde_json::from_slice(&facts).map_err(damaged)
        }),
        None => Err("nothing was kept of it beside the request".to_owned()),
    };
    let prepared = Prepared {
        turn,
        step,
        bytes,
        sha256,
        tools_bytes: kept.tools_bytes,
        tools_sha256,
        model: kept.model,
    };
    let snapshot = project(&prepared, field, facts);
    Ok(Some(Inspected { snapshot, tools: tools.ok(), tools_sha256 }))
}
