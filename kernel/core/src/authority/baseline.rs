//! Layer 6: what the call's own safety needs, its places, and a wish for a wider sandbox.
//!
//! Not here: which places are protected (`protected`), what commands do (`floor`, `taint`).

pub(super) mod places;
mod program;
#[cfg(test)]
mod tests;

use std::path::{Component, Path};

use super::{
    Circumstances, Layer, Need, Refusal, Why,
    confinement::ordinary,
    judge::Docket,
    protected::{Guarded, Guards, Place, Protection, Role},
};
use crate::{
    call::{Caller, Classified},
    safety::{Access, Reach, Subject, Trust},
    stance::Posture,
};
pub(super) use places::flat;
use places::{each_place, role_of};

const LAYER: Layer = Layer::Baseline;

/// What lies below a place that is written as a whole nobody has looked at (`[THR-05]`).
const WHOLE_TREE: Guarded = Guarded {
    protection: Protection::Card,
    what: "a folder with all below it, protected places too",
};

/// Says what the call needs by itself.
pub(super) fn judge(docket: &mut Docket, call: &Classified, at: &Circumstances<'_>) {
    let safety = call.safety();
    if call.is_program() {
        let reason =
            "each call of the program is judged by itself, so that running it grants nothing";
        docket.allow(LAYER, reason.to_owned(), None);
        escalation(docket, call, at);
        return;
    }
    if safety.read_only && call.escalation().is_none() {
        docket.pass(LAYER, "the call changes nothing");
        return;
    }
    let (class, reason) = if safety.destructive {
        ("destroys", "the call may destroy something")
    } else {
        ("changes", "the call changes something")
    };
    let unbound = program::unbound(call).map(|file| {
        format!(
            "; it runs {file}, whose content is read only then and is no part of what is approved"
        )
    });
    docket.ask(why(Need::Ordinary, class, reason.to_owned() + &unbound.unwrap_or_default()));
    let guards = Guards::new(&at.policy.own);
    let mut told: Vec<Guarded> = Vec::new();
    let matters = |folder: &Place<'_>| guards.hold_below(folder);
    each_place(call, at, matters, |place, name, role| {
        if let Some(guard) = guards.of(place, role)
            && !told.contains(&guard)
        {
            // One place of a kind is enough for a card, and bounds what a long line can say.
            told.push(guard);
            protect(docket, &name, guard);
        }
    });
    if let Some(folder) = call.subjects().iter().find_map(written_tree) {
        protect(docket, &folder.to_string_lossy(), WHOLE_TREE);
    }
    if carved_out(call, at) {
        let reason = "it writes only ordinary files of a trusted git workspace".to_owned();
        docket.allow(LAYER, reason, None);
    }
    escalation(docket, call, at);
}

/// A folder that is written with all below it, which a card says.
pub(super) fn written_tree(subject: &Subject) -> Option<&Path> {
    match subject {
        Subject::Path { absolute, access, reach: Reach::Tree, .. } if *access != Access::Read => {
            Some(absolute)
        }
        Subject::Path { .. }
        | Subject::Command { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Mcp { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => None,
    }
}

fn why(need: Need, class: &str, reason: String) -> Why {
    Why { layer: LAYER, need, class: class.to_owned(), reason, rule: None }
}

fn protect(docket: &mut Docket, shown: &str, guard: Guarded) {
    match guard.protection {
        Protection::NoCarveOut => {}
        Protection::Card => {
            let reason = format!("it touches {shown}: {}", guard.what);
            docket.ask(Why {
                rule: Some(shown.to_owned()),
                ..why(Need::Hard, "protected_place", reason)
            });
        }
        Protection::Never => {
            let message = format!(
                "no tool may change {shown}: {}; the user changes it by hand or by a tollgate command",
                guard.what
            );
            docket.refuse(Refusal::new(LAYER, "own_place", message));
        }
    }
}

/// `[GATE-30]`: only path subjects, all of them ordinary files inside a trusted git workspace.
fn carved_out(call: &Classified, at: &Circumstances<'_>) -> bool {
    let workspace = &at.policy.workspace;
    let applies = matches!(at.stance.posture, Posture::Ask | Posture::AutoReview)
        && workspace.trusted
        && workspace.git
        && workspace.writes_auto
        && workspace.root.is_absolute()
        && call.entry().trust == Trust::Trusted
        && !call.safety().open_world
        && !call.subjects().is_empty();
    applies && call.subjects().iter().all(|subject| is_ordinary_file(subject, at))
}

fn is_ordinary_file(subject: &Subject, at: &Circumstances<'_>) -> bool {
    match subject {
        Subject::Path { absolute, access, reach, .. } => {
            let guards = Guards::new(&at.policy.own);
            let role = role_of(*access).unwrap_or(Role::Named);
            let guarded = guards.of(&Place::of(absolute), role);
            *access != Access::Delete
                && reach.is_itself()
                && is_inside(absolute, &at.policy.workspace.root)
                && guarded.is_none()
        }
        Subject::Command { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Mcp { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => false,
    }
}

/// Below the root by the exact text: what opens something is never folded.
fn is_inside(path: &Path, root: &Path) -> bool {
    let climbs = path.components().any(|part| part == Component::ParentDir);
    !climbs && path != root && path.starts_with(root)
}

/// `[GATE-72]`: only in `ask`, only strictly wider, never from inside a call, always a card.
fn escalation(docket: &mut Docket, call: &Classified, at: &Circumstances<'_>) {
    let Some(wish) = call.escalation() else { return };
    let refuse = |class, message| Refusal::new(LAYER, class, message);
    if matches!(call.raw().caller, Caller::Program | Caller::Server) {
        let within = match call.raw().caller {
            Caller::Program => "in a program",
            Caller::Model | Caller::Server | Caller::User | Caller::Client => "from inside a call",
        };
        let message = format!(
            "a wider sandbox is a person's to give to a call that is shown: call '{}' directly, not \
             {within}, or leave out 'sandbox'",
            call.entry().canonical().as_str()
        );
        docket.refuse(refuse("escalation_nested", message));
    } else if at.stance.posture != Posture::Ask {
        let message = format!(
            "a wider sandbox needs a person's yes, and posture {} asks nobody; leave out 'sandbox'",
            at.stance.posture
        );
        docket.refuse(refuse("escalation", message));
    } else if wish.to <= ordinary(call, at) {
        let message = format!(
            "sandbox '{}' is not wider than what the call has anyway ('{}'); leave it out",
            wish.to,
            ordinary(call, at)
        );
        docket.refuse(refuse("escalation_not_wider", message));
    } else {
        let said =
            if wish.justification.is_empty() { "no reason given" } else { &wish.justification };
        let reason = format!("it wants sandbox '{}' for this one call: {said}", wish.to);
        docket.ask(why(Need::Hard, "escalation", reason));
    }
}
