//! What a program of code mode may ask for (`[CODE-04, 05, 17]`): the table of tools that only a direct
//! call reaches, and the narrow surface of programs that run without a turn.
//!
//! | who asks | what holds beside the ordinary layers |
//! |---|---|
//! | a program, or a server | nothing of [`DIRECT_ONLY`], and what a manifest's `callers` leaves out |
//! | a program without a turn, or of a child agent | Tollgate's own tools, proven to change nothing, and nobody is asked |
//!
//! Invariant: a program never gets more than its caller would by direct calls (test
//! `a_program_never_gets_more_than_a_direct_call`).
//!
//! Not here: the clocks of a program ([`crate::program`]), running one (`engine::dispatch`).

#[cfg(test)]
mod tests;

use super::{Layer, Refusal, Why, judge::Docket};
use crate::{
    call::{Caller, Classified, RawCall, Resolved},
    catalog::{Entry, contract::EXECUTE_TOOLS},
};

/// Tools that no program and no server reaches, whatever their manifests say, and what each does that wants
/// a direct call. [`direct_only`] knows those of MCP servers besides.
const DIRECT_ONLY: [(&str, &str); 5] = [
    ("agent", "starts another agent"),
    ("workflow", "starts other agents"),
    ("request_user_input", "asks the user"),
    (EXECUTE_TOOLS, "runs a program itself"),
    ("terminal", "is interactive"),
];

/// What a card says before the name of a tool that a program calls (`[CODE-07]`).
const CARD_TITLE: &str = "execute_tools program call: ";

/// What a tool does that wants a direct call; `None`: others may call it as far as its manifest says.
#[must_use]
pub fn direct_only(name: &str) -> Option<&'static str> {
    let named = DIRECT_ONLY.iter().find(|(row, _)| *row == name);
    if let Some((_, does)) = named {
        return Some(does);
    }
    // `mcp_SERVER_authenticate`: a person consents, in a browser.
    let server = name.strip_prefix("mcp_").and_then(|rest| rest.strip_suffix("_authenticate"));
    server.is_some_and(|server| !server.is_empty()).then_some("asks the user for consent")
}

/// Whether programs may call a tool at all, for those who list tools.
#[must_use]
pub fn may_call(entry: &Entry) -> bool {
    entry.callers.contains(&Caller::Program) && direct_only(entry.canonical().as_str()).is_none()
}

/// Who asks for a call that comes out of `parent`: a program; or a server, which asks in the name of the
/// program where it works for one, so that what holds for programs holds for all that they cause.
#[must_use]
pub fn caller_within(parent: &Classified) -> Caller {
    if parent.entry().runs_programs() || parent.raw().caller == Caller::Program {
        Caller::Program
    } else {
        Caller::Server
    }
}

/// Whether a call is of a program without an engine turn of its own session (`[CODE-17]`).
#[must_use]
pub fn is_conservative(raw: &RawCall) -> bool {
    raw.caller == Caller::Program && (raw.position.turn == 0 || !raw.position.is_main())
}

/// The title of a call on a card, for every front end; of a program's call it says so first (`[CODE-07]`).
/// A title that says so already stays as it is.
#[must_use]
pub fn card_title(caller: Caller, tool: &str, title: &str) -> String {
    if caller != Caller::Program {
        return title.to_owned();
    }
    let own = format!("{CARD_TITLE}{tool}");
    let rest = title.strip_prefix(&own);
    if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": ")) {
        return title.to_owned();
    }
    if title.is_empty() || title == tool { own } else { format!("{own}: {title}") }
}

/// Layer 2: what no look at the arguments changes.
pub(super) fn admission(resolved: &Resolved) -> Option<Refusal> {
    let (raw, entry) = (&resolved.raw, &resolved.entry);
    let name = entry.canonical().as_str();
    let within = match raw.caller {
        Caller::Program => "in a program",
        Caller::Server => "from inside a call",
        Caller::Model | Caller::User | Caller::Client => return None,
    };
    let takes_none = || {
        (raw.caller == Caller::Program && !entry.callers.contains(&Caller::Program))
            .then_some("takes no calls from programs")
    };
    if let Some(does) = direct_only(name).or_else(takes_none) {
        let message = format!("'{name}' {does}: call it directly, not {within}");
        return Some(Refusal::new(Layer::Admission, "direct_only", message));
    }
    let is_foreign = is_conservative(raw) && !entry.is_native();
    is_foreign.then(|| {
        let server = entry.server.as_str();
        conservative(raw, Layer::Admission, &format!("'{name}' is a tool of server '{server}'"))
    })
}

/// Layer 6: what the call would do.
pub(super) fn judge(docket: &mut Docket, call: &Classified) {
    let changes = !call.safety().read_only || call.escalation().is_some();
    if is_conservative(call.raw()) && changes {
        let what =
            format!("'{}' is not proven to change nothing here", call.entry().canonical().as_str());
        docket.refuse(conservative(call.raw(), Layer::Baseline, &what));
    }
}

/// Layer 11: a question that is not asked, because the program has no turn whose user would answer it.
pub(super) fn unasked(call: &Classified, whys: &[Why]) -> Refusal {
    let hardest = whys.iter().max_by_key(|why| why.need);
    let (layer, rule) =
        hardest.map_or((Layer::Approval, None), |why| (why.layer, why.rule.clone()));
    let reasons: Vec<&str> = whys.iter().map(|why| why.reason.as_str()).collect();
    let what = format!("nobody is asked here, and {}", reasons.join("; "));
    Refusal { rule, ..conservative(call.raw(), layer, &what) }
}

fn conservative(raw: &RawCall, layer: Layer, what: &str) -> Refusal {
    let (whose, whole) = if raw.position.is_main() {
        ("without a turn", "`tollgate run FILE.js` or a turn has the whole gate")
    } else {
        ("of a child agent", "the agent's own direct calls have its whole authority")
    };
    let message = format!(
        "{what}; a program {whose} has Tollgate's own tools alone, for calls that change nothing and need \
         nobody's yes ({whole})"
    );
    Refusal::new(layer, "conservative", message)
}
