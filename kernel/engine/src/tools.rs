//! The tools of a session as of now: [`Tools`] holds what moves, [`Seen`] is one look at it.
//!
//! The catalog is replaced at the start of a turn (a server has others now), or when a search has
//! connected a source; the view follows policy, mode and catalog; the toolbox follows the conversation.
//!
//! Not here: the filters and the bytes (`core::catalog`), running a search ([`crate::search`]).

mod renew;

use std::sync::{Arc, Mutex, OnceLock};

use tollgate_core::{
    authority::Refusal,
    call::{Caller, RawCall},
    catalog::{Activated, Catalog, Entry, Exposure, Surface, Toolbox, ToolsField, View},
    name::ToolName,
    stance::{Mode, Posture, Stance},
};
use tollgate_policy::Standing;

use crate::{
    context::{SessionContext, lock},
    search::Shelf,
    settings::ToolSettings,
};

/// Bytes of a schema that a refusal quotes; a larger one is had by `tool_search`.
const QUOTED_SCHEMA_BYTES_MAX: usize = 16 * 1024;

/// What a session knows of its tools.
#[derive(Debug)]
pub struct Tools {
    settings: ToolSettings,
    moving: Mutex<Moving>,
}

#[derive(Debug)]
struct Moving {
    catalog: Arc<Catalog>,
    /// Of which offer of the servers it is; see [`crate::servers::Servers::generation`].
    generation: u64,
    seen: Option<Arc<Seen>>,
    toolbox: Toolbox,
}

/// One look at a session's tools.
#[derive(Debug)]
pub struct Seen {
    /// What the filters left.
    pub view: View,
    /// In this mode.
    pub mode: Mode,
    /// In this posture, which narrows what is found.
    pub(crate) posture: Posture,
    /// Under this policy.
    pub(crate) standing: Arc<Standing>,
    /// Built at the first search.
    pub(crate) shelf: OnceLock<Arc<Shelf>>,
}

impl Tools {
    /// The tools of a new session, of an offer of the servers: nothing is activated.
    #[must_use]
    pub fn new(catalog: Arc<Catalog>, generation: u64, settings: &ToolSettings) -> Self {
        let moving = Moving { catalog, generation, seen: None, toolbox: Toolbox::default() };
        Self { settings: settings.clone(), moving: Mutex::new(moving) }
    }

    /// How much of the catalog a model gets.
    #[must_use]
    pub fn surface(&self) -> Surface {
        self.settings.surface
    }

    /// Whether `tool_search` also goes by meaning (`[CAT-11b]`).
    pub(crate) fn semantic_search(&self) -> bool {
        self.settings.semantic_search
    }

    /// All that is registered, as of now.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&lock(&self.moving).catalog)
    }

    /// Takes another catalog; looks that were taken before stay as they were.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        lock(&self.moving).catalog = catalog;
    }

    /// Takes the catalog of an offer of the servers.
    pub(crate) fn renew(&self, catalog: Arc<Catalog>, generation: u64) {
        let mut moving = lock(&self.moving);
        (moving.catalog, moving.generation) = (catalog, generation);
    }

    /// Of which offer of the servers the catalog is.
    pub(crate) fn generation(&self) -> u64 {
        lock(&self.moving).generation
    }

    /// Remembers a deferred tool for the requests that follow.
    pub(crate) fn activate(&self, entry: &Entry) -> Activated {
        lock(&self.moving).toolbox.activate(entry)
    }

    /// Deferred tools that are in the requests that follow, in order of activation.
    pub(crate) fn active(&self) -> Vec<ToolName> {
        lock(&self.moving).toolbox.names().cloned().collect()
    }

    /// Notes that a tool is used; `false`: it is not in the toolbox.
    pub(crate) fn used(&self, name: &str) -> bool {
        lock(&self.moving).toolbox.used(name)
    }
}

impl SessionContext {
    /// The session's tools as of now.
    #[must_use]
    pub fn seen(&self) -> Arc<Seen> {
        let (Stance { mode, posture }, standing) = (self.stance(), self.policies.current());
        let catalog = {
            let moving = lock(&self.tools.moving);
            let known = moving.seen.as_ref().filter(|seen| {
                (seen.mode, seen.posture) == (mode, posture)
                    && Arc::ptr_eq(&seen.standing, &standing)
                    && Arc::ptr_eq(seen.view.catalog(), &moving.catalog)
            });
            if let Some(seen) = known {
                return Arc::clone(seen);
            }
            Arc::clone(&moving.catalog)
        };
        let now = crate::clock::unix_ms();
        let view = View::of(catalog, &standing.policy, mode, self.tools.surface(), now);
        let seen = Arc::new(Seen { view, mode, posture, standing, shelf: OnceLock::new() });
        lock(&self.tools.moving).seen = Some(Arc::clone(&seen));
        seen
    }

    /// The next request's tools array; what may not be in the toolbox any more leaves it.
    pub(crate) fn tools_field(&self, seen: &Seen) -> ToolsField {
        let mut moving = lock(&self.tools.moving);
        moving.toolbox.revalidate(&seen.view);
        seen.view.tools_field(&moving.toolbox)
    }

    /// `[TURN-06]`: a model that calls a deferred tool with arguments that do not fit is told its schema,
    /// and has it in the requests that follow.
    pub(crate) fn with_schema(&self, raw: &RawCall, entry: &Entry, refusal: Refusal) -> Refusal {
        let direct = raw.caller == Caller::Model && raw.parent.is_none();
        let seen = self.seen();
        let listed = seen.view.get(entry.name.as_str()).is_some();
        if !direct || !listed || entry.exposure != Exposure::Deferred {
            return refusal;
        }
        if self.tools.activate(entry) == Activated::Already {
            return refusal;
        }
        let schema = &entry.input_schema;
        let message = if schema.len() <= QUOTED_SCHEMA_BYTES_MAX {
            let schema = String::from_utf8_lossy(schema);
            format!("{}\nThe schema of '{}': {schema}", refusal.message, entry.name)
        } else {
            let bytes = schema.len();
            let why = format!("is {bytes} bytes, too large to be shown here");
            format!("{}\nThe schema of '{}' {why}", refusal.message, entry.name)
        };
        Refusal { message, ..refusal }
    }
}

/// Why a request's tools are not those of the request before (`request.prepared`).
pub(crate) fn change_reason(
    before: &(ToolsField, Arc<Seen>),
    now: &(ToolsField, Arc<Seen>),
) -> Option<&'static str> {
    if before.0.sha256 == now.0.sha256 {
        return None;
    }
    if before.0.has_same_eager_tools(&now.0) {
        return Some("toolbox");
    }
    let (before, now) = (&before.1, &now.1);
    if before.mode != now.mode {
        return Some("mode");
    }
    let same = Arc::ptr_eq(before.view.catalog(), now.view.catalog());
    Some(if same { "policy" } else { "catalog" })
}
