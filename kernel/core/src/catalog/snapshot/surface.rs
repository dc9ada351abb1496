//! What the catalog and the gate knew of a request's tools when it was prepared: kept beside its bytes,
//! because later nobody can say what was believed then.
//!
//! Invariant: what is not known is `unknown`, never "none" (`[CAT-32]`).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{Wire, WireTool, reason};
use crate::{
    authority::{Circumstances, Outlook, outlook},
    call::Caller,
    catalog::{Entry, Exposure, HostService, Provenance, Surface, View, Withheld},
    limits::{NOT_CARRIED_NAMES_MAX, SNAPSHOT_TOOLS_MAX},
    stance::{Mode, Posture},
};

/// The facts of one request.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct SurfaceFacts {
    /// The session's mode.
    pub mode: Mode,
    /// The session's posture.
    pub posture: Posture,
    /// How much of the catalog a model gets.
    pub surface: Surface,
    /// The first tools of the request, in its order.
    pub tools: Vec<ToolFacts>,
    /// Registered tools that it does not carry (`[CAT-35]`).
    pub not_carried: NotCarried,
    /// Forms of old names that are registered; a request never carries one.
    pub hidden_registrations: u64,
}

/// One tool.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ToolFacts {
    /// As in the request; `None`: it has none there.
    pub name: Option<String>,
    /// Where it comes from.
    pub provenance: Known<Provenance>,
    /// The server that has it.
    pub server: Known<String>,
    /// The MCP server behind that one, where the catalog attributes the tool to one.
    pub mcp_server: Option<String>,
    /// What it may do.
    pub capabilities: Known<Capabilities>,
    /// Whose word a call wants, as far as that is known without a call.
    pub approval: Known<Outlook>,
    /// Why it is in the request.
    pub visibility: Known<Visibility>,
}

/// Something, or the word "unknown".
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Known<T> {
    /// It is this.
    Is(T),
    /// It is not known.
    Not(Unknown),
}

/// The word "unknown".
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// Nobody knows.
    Unknown,
}

/// What a tool may do, as far as its server is believed.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Capabilities {
    /// It changes nothing outside its server.
    pub read_only: bool,
    /// It may destroy what cannot be had again.
    pub destructive: bool,
    /// Twice is the same as once.
    pub idempotent: bool,
    /// It talks to things outside its server's host.
    pub open_world: bool,
    /// It may run beside others.
    pub concurrency_safe: bool,
    /// Its server says what each call would do.
    pub prepares: bool,
    /// Who may call it.
    pub callers: Vec<Caller>,
    /// What its calls may ask the kernel for.
    pub host_services: Vec<HostService>,
}

/// Why a tool is in a request.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// It always is.
    Eager,
    /// The conversation activated it.
    Toolbox,
}

/// Registered tools that a request does not carry.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct NotCarried {
    /// Exactly.
    pub count: u64,
    /// The same, by why.
    pub by_why: BTreeMap<Why, u64>,
    /// The first, in the catalog's order.
    pub tools: Vec<Resting>,
    /// The others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<OmittedNames>,
}

/// One of them.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Resting {
    /// Its name.
    pub name: String,
    /// Why it is not carried.
    pub why: Why,
    /// A clause, where there is more to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Why a registered tool is not carried.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// `tool_search` finds it.
    Deferred,
    /// Policy forbids it.
    Denied,
    /// Not in this mode.
    Mode,
    /// Not in this surface.
    Surface,
    /// Its host lacks something.
    Unavailable,
}

/// How many names are not listed.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct OmittedNames {
    /// Exactly.
    pub tools: u64,
}

impl SurfaceFacts {
    /// Of a request that carries these tools of a view.
    #[must_use]
    pub fn of(view: &View, carried: &[Arc<Entry>], at: &Circumstances<'_>) -> Self {
        let tools = carried.iter().take(SNAPSHOT_TOOLS_MAX);
        Self {
            mode: at.stance.mode,
            posture: at.stance.posture,
            surface: view.surface(),
            tools: tools.map(|entry| ToolFacts::of(entry, at)).collect(),
            not_carried: NotCarried::of(view, carried),
            hidden_registrations: view.catalog().hidden().len() as u64,
        }
    }

    /// The same, of exactly the tools that the wire shows, in its order.
    pub(super) fn of_shown(mut self, wire: &Wire) -> Self {
        if wire.tools.is_empty() {
            self.tools.truncate(SNAPSHOT_TOOLS_MAX);
            return self;
        }
        let of = |tool: &WireTool| {
            let name = tool.name.as_deref();
            let known = self.tools.iter().find(|it| name.is_some() && it.name.as_deref() == name);
            known.cloned().unwrap_or_else(|| ToolFacts::unknown(name))
        };
        self.tools = wire.tools.iter().map(of).collect();
        self
    }
}

impl ToolFacts {
    fn of(entry: &Entry, at: &Circumstances<'_>) -> Self {
        let safety = entry.safety.believed(entry.trust);
        let mut callers = vec![Caller::Model, Caller::User];
        for caller in &entry.callers {
            if !callers.contains(caller) {
                callers.push(*caller);
            }
        }
        let outlook = outlook(entry, at);
        let approval = Outlook { because: reason(&outlook.because), ..outlook };
        let eager = entry.exposure == Exposure::Eager;
        Self {
            name: Some(entry.name.as_str().to_owned()),
            provenance: Known::Is(entry.provenance),
            server: Known::Is(entry.server.as_str().to_owned()),
            mcp_server: entry.source.clone(),
            capabilities: Known::Is(Capabilities {
                read_only: safety.read_only,
                destructive: safety.destructive,
                idempotent: safety.idempotent,
                open_world: safety.open_world,
                concurrency_safe: safety.concurrency_safe,
                prepares: entry.prepares,
                callers,
                host_services: entry.host_services.clone(),
            }),
            approval: Known::Is(approval),
            visibility: Known::Is(if eager { Visibility::Eager } else { Visibility::Toolbox }),
        }
    }

    /// Of a tool of the wire that the catalog did not have.
    fn unknown(name: Option<&str>) -> Self {
        Self {
            name: name.map(str::to_owned),
            provenance: Known::Not(Unknown::Unknown),
            server: Known::Not(Unknown::Unknown),
            mcp_server: None,
            capabilities: Known::Not(Unknown::Unknown),
            approval: Known::Not(Unknown::Unknown),
            visibility: Known::Not(Unknown::Unknown),
        }
    }
}

impl NotCarried {
    fn of(view: &View, carried: &[Arc<Entry>]) -> Self {
        let carried: BTreeSet<&str> = carried.iter().map(|entry| entry.name.as_str()).collect();
        let is_carried = |entry: &Entry| carried.contains(entry.name.as_str());
        let mut not_carried = Self::default();
        // A catalog may have 100,000 tools: only what is named is looked up, the rest is counted.
        let resting = view.catalog().list().iter().filter(|entry| !is_carried(entry));
        for entry in resting.take(NOT_CARRIED_NAMES_MAX) {
            let (why, detail) = match view.why_withheld(entry.name.as_str()) {
                Some(withheld) => (Why::from(withheld), reason(&withheld.sentence())),
                None => (Why::of_shown(view, entry), String::new()),
            };
            not_carried.tools.push(Resting { name: entry.name.as_str().to_owned(), why, detail });
        }
        let withheld = view.withheld().map(|(_, withheld)| Why::from(withheld));
        let shown = view.shown().iter().filter(|entry| !is_carried(entry));
        for why in withheld.chain(shown.map(|entry| Why::of_shown(view, entry))) {
            *not_carried.by_why.entry(why).or_default() += 1;
            not_carried.count += 1;
        }
        let omitted = not_carried.count - not_carried.tools.len() as u64;
        not_carried.omitted = (omitted > 0).then_some(OmittedNames { tools: omitted });
        not_carried
    }
}

impl Why {
    /// Of a tool that no filter took away.
    fn of_shown(view: &View, entry: &Entry) -> Self {
        let seen = view.surface().shows(entry.name.as_str());
        if seen && entry.exposure == Exposure::Deferred { Self::Deferred } else { Self::Surface }
    }
}

impl From<&Withheld> for Why {
    fn from(withheld: &Withheld) -> Self {
        match withheld {
            Withheld::Denied(_) => Self::Denied,
            Withheld::Mode(_) => Self::Mode,
            Withheld::Surface(_) => Self::Surface,
            Withheld::Unavailable(_) => Self::Unavailable,
        }
    }
}
