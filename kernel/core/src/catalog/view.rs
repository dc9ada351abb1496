//! What a session has of the catalog as of now: the three filters, the cheapest first (`[CAT-04]`).
//!
//! A tool that a filter takes away is in no list, no search and no request. A call of it is still
//! resolved, so that the gate refuses it with the true reason and not as unknown.

use std::{collections::BTreeMap, sync::Arc};

use super::{Catalog, Entry, Surface, contract::EXECUTE_TOOLS};
use crate::{
    authority::{Refusal, admission::Outright, policy::Policy},
    call::{RawCall, Resolved},
    name::ToolName,
    stance::Mode,
};

/// Why a registered tool is not in a session's catalog.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
#[serde(tag = "why", content = "detail", rename_all = "lowercase")]
pub enum Withheld {
    /// Policy forbids it outright; how.
    Denied(String),
    /// Not in this mode.
    Mode(Mode),
    /// Not in this surface.
    Surface(Surface),
    /// Its host lacks something; what.
    Unavailable(String),
}

impl Withheld {
    /// In words.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Denied(why) => why.clone(),
            Self::Mode(mode) => format!("not in {mode} mode"),
            Self::Surface(surface) => format!("not in the surface '{surface}'"),
            Self::Unavailable(why) => why.clone(),
        }
    }
}

/// A session's catalog as of now.
#[derive(Clone, Debug, Default)]
pub struct View {
    catalog: Arc<Catalog>,
    surface: Surface,
    /// `None`: all that is registered. Of very many tools not even the list is copied then.
    shown: Option<Vec<Arc<Entry>>>,
    withheld: BTreeMap<ToolName, Withheld>,
}

impl View {
    /// Filters the catalog. `now_unix_ms`: for rules that expire.
    #[must_use]
    pub fn of(
        catalog: Arc<Catalog>,
        policy: &Policy,
        mode: Mode,
        surface: Surface,
        now_unix_ms: u64,
    ) -> Self {
        let outright = Outright::of(policy, now_unix_ms);
        let why = |entry: &Entry| {
            let name = entry.name.as_str();
            if let Some(why) = outright.denies(entry) {
                return Some(Withheld::Denied(why));
            }
            if mode == Mode::Plan && name == EXECUTE_TOOLS {
                return Some(Withheld::Mode(mode));
            }
            if !surface.has(name) {
                return Some(Withheld::Surface(surface));
            }
            let unmet = entry.unmet()?;
            Some(Withheld::Unavailable(format!(
                "it needs {}, which is not there: {}",
                unmet.name, unmet.found
            )))
        };
        if outright.is_nothing() && !catalog.lacks_something() && surface != Surface::Simple {
            let planned = mode == Mode::Plan && catalog.get(EXECUTE_TOOLS).is_some();
            if !planned {
                return Self { catalog, surface, ..Self::default() };
            }
        }
        let (mut shown, mut withheld) = (Vec::new(), BTreeMap::new());
        for entry in catalog.list() {
            match why(entry) {
                None => shown.push(Arc::clone(entry)),
                Some(why) => {
                    withheld.insert(entry.name.clone(), why);
                }
            }
        }
        Self { catalog, surface, shown: Some(shown), withheld }
    }

    /// Everything that is registered: no filter takes anything away.
    #[must_use]
    pub fn whole(catalog: impl Into<Arc<Catalog>>) -> Self {
        Self { catalog: catalog.into(), ..Self::default() }
    }

    /// All that is registered.
    #[must_use]
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// How much of it a model gets.
    #[must_use]
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// The session's tools, in order.
    #[must_use]
    pub fn shown(&self) -> &[Arc<Entry>] {
        self.shown.as_deref().unwrap_or_else(|| self.catalog.list())
    }

    /// Those of them that are in every request, in order.
    pub(super) fn eager(&self) -> impl Iterator<Item = &Arc<Entry>> {
        let there = |entry: &&Arc<Entry>| !self.withheld.contains_key(entry.name.as_str());
        self.catalog.eager().iter().filter(there)
    }

    /// What the filters took away, by name.
    pub fn withheld(&self) -> impl Iterator<Item = (&ToolName, &Withheld)> {
        self.withheld.iter()
    }

    /// Why a registered tool is not in the session's catalog; `None`: it is.
    #[must_use]
    pub fn why_withheld(&self, name: &str) -> Option<&Withheld> {
        self.withheld.get(name)
    }

    /// The tool of the session that is called so, exactly.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.catalog.get(name).filter(|entry| !self.withheld.contains_key(entry.name.as_str()))
    }

    /// Layer 1: the call's name is a tool's.
    ///
    /// # Errors
    /// A refusal with the nearest names of the session's tools.
    pub fn resolve(&self, raw: RawCall) -> Result<Resolved, Refusal> {
        let callable = |entry: &Entry| !self.withheld.contains_key(entry.name.as_str());
        self.catalog.resolve(raw, callable)
    }
}
