//! Layer 2: what needs no look at the arguments: caller, availability, and mode where a tool can
//! do nothing but change things.

use super::{Layer, Refusal, policy::Policy};
use crate::{
    call::{Caller, Eligible, Resolved},
    stance::{Mode, Stance},
};

/// Admits a call, or says why not.
///
/// # Errors
/// A refusal: the caller may not use the tool, a requirement is not met, the mode is plan and the tool
/// is never read-only, or a list leaves the tool or its server out.
pub fn admit(resolved: Resolved, stance: Stance, policy: &Policy) -> Result<Eligible, Refusal> {
    match verdict(&resolved, stance).or_else(|| listed(&resolved, policy)) {
        Some(refusal) => Err(refusal),
        None => Ok(Eligible(resolved)),
    }
}

fn verdict(resolved: &Resolved, stance: Stance) -> Option<Refusal> {
    let entry = &resolved.entry;
    let refuse = |class, message| Some(Refusal::new(Layer::Admission, class, message));
    let caller = resolved.raw.caller;
    let may_call = match caller {
        Caller::Model | Caller::User => true,
        Caller::Program | Caller::Server | Caller::Client => entry.callers.contains(&caller),
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
    // stays out of plan whatever its line says.
    if stance.mode == Mode::Plan && !safety.read_only {
        return Some(plan(entry.canonical().as_str()));
    }
    None
}

/// Lists of names; deny wins. A server that the machine's owner does not allow is not even started.
fn listed(resolved: &Resolved, policy: &Policy) -> Option<Refusal> {
    let (name, server) = (resolved.entry.canonical().as_str(), resolved.entry.server.as_str());
    let refuse = |layer, class, message| Some(Refusal::new(layer, class, message));
    if !policy.managed.allows_server(server) {
        let message = format!("the machine's owner does not allow server '{server}'");
        return refuse(Layer::Managed, "managed_server", message);
    }
    if let Some(denied) = policy.lists.deny.iter().find(|denied| denied.matches(name)) {
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
