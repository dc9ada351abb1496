//! Servers and sources whose tools a search could not see, each with its state and the reason.
//!
//! Only those that policy permits are spoken of: what is denied changes no text (`[CAT-14]`).

use serde::Serialize;
use tollgate_core::{
    authority::admission::Outright,
    catalog::{Source, SourceState},
    name::ServerName,
    stance::Mode,
};

use super::{limits::REASON_CHARS_MAX, plain};
use crate::tools::Seen;

/// One of them.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub(super) struct Unsearched {
    /// By configured name.
    pub(super) server: String,
    /// Of what it connects on demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
    /// "unavailable", "idle", "pending", "failed", "disabled".
    pub(super) state: &'static str,
    /// In one line.
    pub(super) reason: String,
}

impl Unsearched {
    /// The name by which it can be asked for.
    pub(super) fn name(&self) -> &str {
        self.source.as_deref().unwrap_or(&self.server)
    }
}

/// All of them: servers by name, then sources by server and name. `wanted`: what was to be
/// connected for this search.
pub(super) fn of(
    seen: &Seen,
    wanted: &[(ServerName, Vec<String>)],
    now_unix_ms: u64,
) -> Vec<Unsearched> {
    let outright = Outright::of(&seen.standing.policy, now_unix_ms);
    let catalog = seen.view.catalog();
    let missing = catalog.missing().filter(|(server, _)| outright.permits(server.as_str(), None));
    let missing = missing.map(|(server, reason)| Unsearched {
        server: server.as_str().to_owned(),
        source: None,
        state: "unavailable",
        reason: plain::line(reason, REASON_CHARS_MAX),
    });
    let sources = catalog.sources().iter().filter(|source| permits(&outright, source));
    missing.chain(sources.filter_map(|source| of_source(source, wanted, seen.mode))).collect()
}

/// Whether a source's tools may be called at all.
pub(super) fn permits(outright: &Outright<'_>, source: &Source) -> bool {
    outright.permits(source.server.as_str(), Some(&source.name))
}

fn of_source(
    source: &Source,
    wanted: &[(ServerName, Vec<String>)],
    mode: Mode,
) -> Option<Unsearched> {
    let is_wanted = wanted
        .iter()
        .any(|(server, names)| *server == source.server && names.contains(&source.name));
    let (state, usual) = match (source.state, is_wanted) {
        (SourceState::Ready, _) => return None,
        (SourceState::Idle, true) => ("pending", "it was still connecting; search again"),
        (SourceState::Idle, false) if mode == Mode::Plan => {
            ("idle", "it is not connected, and the mode is plan")
        }
        (SourceState::Idle, false) => ("idle", "it is connected when a search is about it"),
        (SourceState::Failed, _) => ("failed", "it could not be connected"),
        (SourceState::Disabled, _) => ("disabled", "it is switched off"),
    };
    let said = plain::line(&source.detail, REASON_CHARS_MAX);
    Some(Unsearched {
        server: source.server.as_str().to_owned(),
        source: Some(source.name.clone()),
        state,
        reason: if said.is_empty() { usual.to_owned() } else { said },
    })
}
