//! The tools of a session: found by name, filtered, listed in one order, told to a model as exact bytes.
//!
//! ```text
//! entries of all servers ─ settle (who has a name) ─▶ Catalog (all that is registered, O(1) by name)
//!      Catalog ─ policy, mode and surface, availability ─▶ View (what this session has, as of now)
//!         View + Toolbox (what this conversation activated) ─▶ ToolsField (the request's exact bytes)
//! ```
//!
//! | file | job |
//! |---|---|
//! | `entry` | one tool |
//! | `change` | what is different between two catalogs; growing in the middle of a turn |
//! | `contract` | what a first request carries; surfaces; exposure |
//! | `settle`, `names`, `spelling` | who has a name; names to tools; spelling variants |
//! | `view` | the three filters |
//! | `toolbox` | deferred tools that a conversation activated |
//! | `request` | the tools array |
//! | `snapshot` | what a prepared request says of its tools, bounded, for whoever looks |
//!
//! Invariant: the order in which tools are registered changes nothing.
//!
//! Not here: ranking (`tollgate-search`), where manifests come from (`tollgate-engine`).

mod change;
pub mod contract;
mod entry;
mod names;
mod request;
mod settle;
pub mod snapshot;
pub(crate) mod spelling;
mod toolbox;
mod view;

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

pub use change::Change;
pub use contract::Surface;
pub use entry::{ArgumentIs, Entry, Exposure, HostService, Provenance, Requirement, ServerFacts};
pub use request::{ToolsField, tool_json};
pub use settle::Clash;
pub use toolbox::{Activated, Toolbox};
pub use view::{View, Withheld};

use crate::{
    authority::{Layer, Refusal, rules::NamePattern},
    call::{RawCall, Resolved},
    limits::FORMS_TOLD_MAX,
    name::{ServerName, ToolName, nearest},
    schema,
};
use names::{Named, Names};
use settle::Native;

/// All tools that are registered, whatever a session may do with them.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// In the order of lists: contract, natives by name, others by name.
    listed: Vec<Arc<Entry>>,
    /// Those of them that are in every request, in the same order.
    eager: Vec<Arc<Entry>>,
    /// Some tool's host lacks something that it needs.
    lacks_something: bool,
    hidden: Vec<Arc<Entry>>,
    names: Names,
    clashes: Vec<Clash>,
    /// What is not there, and why: for errors and `tools list`.
    unavailable: BTreeMap<ServerName, String>,
    sources: Vec<Source>,
}

/// Something that a server stands before and connects on demand (`[CAT-13]`).
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Source {
    /// The server before it.
    pub server: ServerName,
    /// Its name there.
    pub name: String,
    /// Words by which a search finds that it is meant, or empty.
    pub hint: String,
    /// What it does.
    pub state: SourceState,
    /// Why it failed or is disabled, or empty.
    pub detail: String,
}

/// What a source does.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceState {
    /// Not connected.
    Idle,
    /// Connected: its tools are in the catalog.
    Ready,
    /// It could not be connected, or not in time.
    Failed,
    /// Switched off.
    Disabled,
}

impl Catalog {
    /// Takes all tools in. `always_load`: names that are eager beside the contract.
    #[must_use]
    pub fn new(entries: Vec<Entry>, always_load: &[NamePattern]) -> Self {
        Self::with_code_mode(entries, always_load, true)
    }

    /// The same; without code mode, `execute_tools` is a deferred tool as others are (`[CODE-16]`).
    #[must_use]
    pub fn with_code_mode(
        entries: Vec<Entry>,
        always_load: &[NamePattern],
        code_mode: bool,
    ) -> Self {
        let native = Native::of(&entries);
        let (hidden, named): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.exposure == Exposure::Hidden);
        let (named, clashes) = settle::settle(named, &native);
        let mut catalog = Self { clashes, ..Self::default() };
        for (place, clash) in catalog.clashes.iter().enumerate() {
            if !clash.is_native {
                catalog.names.insert(&clash.name, Named::Disputed(place));
            }
        }
        catalog.names.reserve(named.len());
        for (name, mut entry) in named {
            let exposure = contract::exposure(&entry, always_load, code_mode);
            Arc::make_mut(&mut entry).exposure = exposure;
            catalog.names.insert(&name, Named::Tool(Arc::clone(&entry)));
            catalog.listed.push(entry);
        }
        catalog.put_in_order();
        catalog.take_hidden(hidden, &native);
        catalog
    }

    fn put_in_order(&mut self) {
        let of = |entry: &Arc<Entry>| {
            let native = entry.is_native();
            let place = native.then(|| contract::place(entry.name.as_str())).flatten();
            (place.unwrap_or(usize::MAX), !native)
        };
        self.listed.sort_by(|a, b| (of(a), &a.name).cmp(&(of(b), &b.name)));
        let eager = self.listed.iter().filter(|entry| entry.exposure == Exposure::Eager);
        self.eager = eager.cloned().collect();
        self.lacks_something = self.listed.iter().any(|entry| entry.unmet().is_some());
    }

    fn eager(&self) -> &[Arc<Entry>] {
        &self.eager
    }

    fn lacks_something(&self) -> bool {
        self.lacks_something
    }

    /// A hidden name never takes a tool's, and belongs to one server: a native one, or the first by name.
    fn take_hidden(&mut self, mut hidden: Vec<Entry>, native: &Native) {
        hidden.retain(|entry| entry.is_native() || native.owner(&entry.name).is_none());
        // Tools before old names, which may mean them.
        let key = |it: &Entry| (it.provenance, it.server.clone(), it.means.is_some());
        hidden.sort_by_cached_key(key);
        let mut owners: BTreeMap<ToolName, ServerName> = BTreeMap::new();
        for entry in hidden {
            if !entry.is_native() && !self.means_its_own(&entry) {
                continue;
            }
            let owner = owners.entry(entry.name.clone()).or_insert_with(|| entry.server.clone());
            if *owner != entry.server {
                continue;
            }
            let entry = Arc::new(entry);
            if self.names.insert_form(Arc::clone(&entry)) {
                self.hidden.push(entry);
            }
        }
        self.names.sort_forms();
    }

    /// Whether an old name means a tool of its own server. Where that has another name here, the old one
    /// would be judged as the tool of somebody else.
    fn means_its_own(&self, entry: &Entry) -> bool {
        let Some(means) = &entry.means else { return true };
        match self.names.get(means.as_str()) {
            Some(Named::Tool(tool)) => tool.server == entry.server,
            Some(Named::Forms(forms)) => {
                forms.iter().any(|it| it.means.is_none() && it.server == entry.server)
            }
            Some(Named::Disputed(_)) | None => false,
        }
    }

    /// Says that a server's tools are not there, and why.
    pub fn unavailable(&mut self, server: ServerName, reason: String) {
        self.unavailable.insert(server, reason);
    }

    /// Says which sources there are.
    pub fn with_sources(&mut self, mut sources: Vec<Source>) {
        sources.sort_by(|a, b| (&a.server, &a.name).cmp(&(&b.server, &b.name)));
        self.sources = sources;
    }

    /// Servers whose tools are not there, with the reason.
    pub fn missing(&self) -> impl Iterator<Item = (&ServerName, &str)> {
        self.unavailable.iter().map(|(server, reason)| (server, reason.as_str()))
    }

    /// Names that several servers claim.
    #[must_use]
    pub fn clashes(&self) -> &[Clash] {
        &self.clashes
    }

    /// Names by which rules may speak of tools: those of the list, and one that several servers claim, so
    /// that a rule for it stays one when another server comes. An old name of a native tool is no such
    /// name, whoever claims it: a rule for `File` is a mistake to be told.
    #[must_use]
    pub fn ruled_names(&self) -> Vec<&str> {
        let listed = self.listed.iter().map(|entry| &entry.name);
        let claimed = self.clashes.iter().filter(|clash| !clash.is_native).map(|clash| &clash.name);
        listed.chain(claimed).map(ToolName::as_str).collect()
    }

    /// What servers can connect on demand, by server and name.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// All tools but hidden ones, in order: the contract, natives by name, others by name.
    #[must_use]
    pub fn list(&self) -> &[Arc<Entry>] {
        &self.listed
    }

    /// Old names, each form once.
    #[must_use]
    pub fn hidden(&self) -> &[Arc<Entry>] {
        &self.hidden
    }

    /// The tool that is called so, exactly; hidden names are found by [`Self::find`].
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        match self.names.get(name) {
            Some(Named::Tool(entry)) => Some(entry),
            Some(Named::Forms(_) | Named::Disputed(_)) | None => None,
        }
    }

    /// The tool that a call means: by the ladder of spellings, and for an old name by its arguments.
    #[must_use]
    pub fn find(&self, name: &str, arguments: &[u8]) -> Option<&Arc<Entry>> {
        match self.named(name)? {
            Named::Tool(entry) => Some(entry),
            Named::Forms(forms) => names::fitting(forms, &schema::object(arguments)),
            Named::Disputed(_) => None,
        }
    }

    fn named(&self, name: &str) -> Option<&Named> {
        self.names.get(name).or_else(|| self.names.variant(name))
    }

    /// Layer 1: the call's name is a tool's. `shown`: whether a tool may be offered as a near name.
    ///
    /// # Errors
    /// A refusal with the nearest names, or with the reason why a server's tools are missing.
    pub(crate) fn resolve(
        &self,
        raw: RawCall,
        shown: impl Fn(&Entry) -> bool,
    ) -> Result<Resolved, Refusal> {
        match self.named(&raw.name) {
            Some(Named::Tool(entry)) => Ok(Resolved { entry: Arc::clone(entry), raw }),
            Some(Named::Forms(forms)) => {
                match names::fitting(forms, &schema::object(&raw.arguments)) {
                    Some(entry) => Ok(Resolved { entry: Arc::clone(entry), raw }),
                    None => Err(no_form(&raw.name, forms)),
                }
            }
            Some(Named::Disputed(place)) => {
                let why = self.clashes.get(*place).map(Clash::sentence).unwrap_or_default();
                Err(Refusal::new(Layer::Name, "ambiguous_tool", why))
            }
            None => Err(self.unknown(&raw.name, shown)),
        }
    }

    fn unknown(&self, name: &str, shown: impl Fn(&Entry) -> bool) -> Refusal {
        let asked: String = name.chars().take(80).flat_map(char::escape_default).collect();
        let in_program = self.in_program(name, &shown);
        let offered = self.listed.iter().filter(|entry| shown(entry));
        let near = nearest(name, offered.map(|entry| entry.name.as_str()));
        let mut message = format!("there is no tool '{asked}'");
        if let Some(in_program) = in_program {
            message.push_str(&in_program);
        } else if !near.is_empty() {
            message.push_str("; the nearest are ");
            message.push_str(&near.join(", "));
        }
        let has_search = self
            .listed
            .iter()
            .any(|entry| shown(entry) && entry.name.as_str() == contract::TOOL_SEARCH);
        if near.is_empty() && has_search && !message.contains(contract::TOOL_SEARCH) {
            message.push_str("; tool_search finds tools");
        }
        let missing = self.unavailable.iter().map(|(server, reason)| {
            format!("; the tools of server '{server}' are not available: {reason}")
        });
        message.extend(missing);
        // With a server missing and no name near, it may well be one of that server's: unknown is not
        // unavailable.
        let missing = near.is_empty() && !self.unavailable.is_empty();
        let class = if missing { "server_unavailable" } else { "unknown_tool" };
        Refusal::new(Layer::Name, class, message)
    }

    /// What a name that only programs have means outside of one.
    fn in_program(&self, name: &str, shown: impl Fn(&Entry) -> bool) -> Option<String> {
        let has = |wanted: &str| {
            self.listed.iter().any(|entry| shown(entry) && entry.name.as_str() == wanted)
        };
        let member = name.strip_prefix("tools.").or_else(|| name.strip_prefix("functions."));
        match member.unwrap_or(name) {
            "search" if has(contract::TOOL_SEARCH) => {
                Some(format!("; '{}' finds tools", contract::TOOL_SEARCH))
            }
            "call" if member.is_some() => Some(
                "; that is for programs, outside of one a tool is called by its name".to_owned(),
            ),
            tool if member.is_some() && has(tool) => {
                Some(format!("; outside of a program it is called '{tool}'"))
            }
            _ => None,
        }
    }
}

/// An old name whose arguments none of its forms takes.
fn no_form(name: &str, forms: &[Arc<Entry>]) -> Refusal {
    let whens: Vec<_> = forms.iter().filter_map(|form| form.when.as_ref()).collect();
    let argument = whens.first().map_or("", |when| when.argument.as_str());
    // A server may bring any number of forms, with any text.
    let values = whens.iter().take(FORMS_TOLD_MAX).map(|when| when.value.escape_debug());
    let mut values: Vec<_> = values.map(|value| value.to_string()).collect();
    if let Some(more) = whens.len().checked_sub(FORMS_TOLD_MAX).filter(|more| *more > 0) {
        values.push(format!("{more} more"));
    }
    let (values, shown) = (values.join(", "), argument.escape_debug());
    let message = format!("'{name}' needs '{shown}', one of {values}");
    Refusal::new(Layer::Arguments, "invalid_arguments", message).at(format!("/{argument}"))
}

impl FromIterator<Entry> for Catalog {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        Self::new(entries.into_iter().collect(), &[])
    }
}

/// Whether an old name's form still fits the arguments, once they are checked.
pub(crate) fn still_fits(entry: &Entry, arguments: &Value) -> bool {
    entry.when.as_ref().is_none_or(|when| when.holds(arguments))
}

#[cfg(test)]
mod tests;
