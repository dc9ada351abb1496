//! Layer 2: what needs no look at the arguments: caller, availability, and mode where a tool can
//! do nothing but change things.

use super::{
    Layer, Refusal,
    policy::Policy,
    program,
    rules::{Action, NamePattern, Rule, compact},
};
use crate::{
    call::{Caller, Eligible, Resolved},
    catalog::{Entry, Surface},
    stance::{Mode, Stance},
};

/// Admits a call, or says why not.
///
/// # Errors
/// A refusal: the caller may not use the tool, the surface does not show it, a requirement is not met,
/// the mode is plan and the tool is never read-only, or a list leaves the tool or its server out.
pub fn admit(
    resolved: Resolved,
    stance: Stance,
    surface: Surface,
    policy: &Policy,
) -> Result<Eligible, Refusal> {
    let refusal = program::admission(&resolved)
        .or_else(|| verdict(&resolved, stance))
        .or_else(|| beyond(&resolved, surface))
        .or_else(|| listed(&resolved.entry, policy));
    match refusal {
        Some(refusal) => Err(refusal),
        None => Ok(Eligible(resolved)),
    }
}

fn verdict(resolved: &Resolved, stance: Stance) -> Option<Refusal> {
    let entry = &resolved.entry;
    let refuse = |class, message| Some(Refusal::new(Layer::Admission, class, message));
    let caller = resolved.raw.caller;
    let may_call = match caller {
        // What a program may call is told by `program`.
        Caller::Model | Caller::User | Caller::Program => true,
        Caller::Server | Caller::Client => entry.callers.contains(&caller),
    };
    if !may_call {
        return refuse(
            "caller",
            format!("'{}' can be called directly only, not by a {caller:?}", entry.canonical())
                .to_lowercase(),
        );
    }
    if let Some(unmet) = entry.unmet() {
        return refuse(
            "unavailable",
            format!(
                "'{}' needs {}, which is not there: {}",
                entry.canonical(),
                unmet.name,
                unmet.found
            ),
        );
    }
    let safety = entry.safety.believed(entry.trust);
    // A tool whose calls may be read-only is judged when its call is known (layer 6), but a shell
    // stays out of plan whatever its line says, and a program whatever is claimed of it.
    if stance.mode == Mode::Plan && (!safety.read_only || entry.runs_programs()) {
        return Some(plan(entry.canonical().as_str()));
    }
    None
}

/// What a model may not call in this surface (`[CAT-04]`). A person and a client are not bound by it.
fn beyond(resolved: &Resolved, surface: Surface) -> Option<Refusal> {
    let name = resolved.entry.canonical().as_str();
    let (within, advice) = match resolved.raw.caller {
        Caller::Model if surface == Surface::Code && surface.has(name) => {
            (surface.shows(name), "; call it in a program of execute_tools")
        }
        Caller::Model => (surface.shows(name), ""),
        Caller::Program | Caller::Server => (surface.has(name), ""),
        Caller::User | Caller::Client => (true, ""),
    };
    if within {
        return None;
    }
    let why = format!("'{name}' is not in this session's surface '{surface}'{advice}");
    Some(Refusal::new(Layer::Admission, "surface", why))
}

/// Lists of names; deny wins. A server that the machine's owner does not allow is not even started.
fn listed(entry: &Entry, policy: &Policy) -> Option<Refusal> {
    let (name, server) = (entry.canonical().as_str(), entry.server.as_str());
    let refuse = |layer, class, message| Some(Refusal::new(layer, class, message));
    // The kernel's own tool is no server's.
    if !entry.is_synthetic() && !policy.managed.allows_server(server) {
        let message = format!("the machine's owner does not allow server '{server}'");
        return refuse(Layer::Managed, "managed_server", message);
    }
    let told_apart = entry.told_apart();
    let names = || [Some(name), told_apart].into_iter().flatten();
    let denied = policy.lists.deny.iter().find(|denied| names().any(|name| denied.matches(name)));
    if let Some(denied) = denied {
        let message = format!("'{name}' is on the deny list ('{}')", denied.as_str());
        return refuse(Layer::Admission, "denied_tool", message);
    }
    match &policy.lists.allow {
        Some(allowed) if !allowed.iter().any(|allowed| allowed.matches(name)) => {
            let message = format!("'{name}' is not on the list of allowed tools");
            refuse(Layer::Admission, "not_allowed_tool", message)
        }
        Some(_) | None => None,
    }
}

/// What policy forbids of whole tools, whatever a call would do: such a tool is not in a session's catalog
/// (`[CAT-04]`).
#[derive(Debug)]
pub struct Outright<'p> {
    policy: &'p Policy,
    /// Deny rules without a condition on the call that are in force.
    rules: Vec<&'p Rule>,
}

impl<'p> Outright<'p> {
    /// Of this policy as of now.
    #[must_use]
    pub fn of(policy: &'p Policy, now_unix_ms: u64) -> Self {
        let all = policy.managed.rules.all().iter().chain(policy.rules.all());
        let holds = |rule: &&Rule| {
            rule.action == Action::Deny
                && rule.command.is_none()
                && rule.path.is_none()
                && rule.host.is_none()
                && rule.expires_unix_ms.is_none_or(|expires| now_unix_ms < expires)
                && rule.workspace.as_ref().is_none_or(|it| *it == policy.workspace.root)
        };
        Self { policy, rules: all.filter(holds).collect() }
    }

    /// Whether it forbids no tool.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.rules.is_empty()
            && self.policy.lists.deny.is_empty()
            && self.policy.lists.allow.is_none()
            && self.policy.managed.servers.is_empty()
    }

    /// Why every call of a tool is refused; `None`: not every one is.
    #[must_use]
    pub fn denies(&self, entry: &Entry) -> Option<String> {
        if let Some(refusal) = listed(entry, self.policy) {
            return Some(refusal.message);
        }
        let server = |rule: &Rule| match &rule.server {
            None => true,
            Some(meant) => {
                meant.matches(entry.server.as_str())
                    || entry.source.as_ref().is_some_and(|source| meant.matches(source))
            }
        };
        let name = entry.canonical().as_str();
        let names = || [Some(name), entry.told_apart()].into_iter().flatten();
        let denies = |rule: &&&Rule| names().any(|it| rule.tool.matches(it)) && server(rule);
        let rule = self.rules.iter().find(denies)?;
        Some(format!("a rule denies it ({}: {})", rule.origin, compact::show(rule)))
    }

    /// Whether a tool of a server may be called at all, as far as can be told before its tools are known;
    /// with `source`: of what the server connects on demand. What is not permitted is not even connected.
    #[must_use]
    pub fn permits(&self, server: &str, source: Option<&str>) -> bool {
        let Policy { lists, managed, .. } = self.policy;
        let beginning = source.map(|it| format!("mcp_{}_", it.replace('-', "_")));
        let beginning = beginning.unwrap_or_default();
        let is_server = |it: &NamePattern| {
            it.matches(server) || source.is_some_and(|source| it.matches(source))
        };
        let denies = |rule: &&Rule| {
            rule.tool.covers(&beginning) && rule.server.as_ref().is_none_or(is_server)
        };
        managed.allows_server(server)
            && !lists.deny.iter().any(|denied| denied.covers(&beginning))
            && lists.allow.as_ref().is_none_or(|all| all.iter().any(|it| it.meets(&beginning)))
            && !self.rules.iter().any(denies)
    }
}

/// The refusal of plan mode, the same words at every layer.
pub(super) fn plan(tool: &str) -> Refusal {
    Refusal::new(
        Layer::Admission,
        "plan_mode",
        format!(
            "plan mode changes nothing, and '{tool}' would; read and search instead, and put the \
             change into the plan (the user can switch to work mode)"
        ),
    )
}
