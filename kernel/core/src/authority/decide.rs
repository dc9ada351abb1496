//! [`decide`]: the layers from baseline on, as one pure function.
//!
//! | # | condition, first match wins | verdict |
//! |---|---|---|
//! | 1 | mode is plan and the call is not read-only | refuse (`plan_mode`) |
//! | 2 | the call is read-only | allow |
//! | 3 | posture is `full-access` | allow |
//! | 4 | posture is `ask` | ask |
//! | 5 | posture is `auto-review`: nothing here may judge the call yet | refuse (`auto_review`) |
//! | 6 | posture is `never` | refuse (`posture`) |

use super::{Decider, Layer, Permit, Prompt, Refusal, admission};
use crate::{
    call::Classified,
    receipt::Decision,
    stance::{Mode, Posture, Stance},
};

/// The gate's answer.
#[derive(Debug)]
pub enum Verdict {
    /// It may run.
    Allow(Permit),
    /// A person must say so.
    Ask(Prompt),
    /// It may not.
    Refuse(Refusal),
}

/// Decides one classified call under a stance.
#[must_use]
pub fn decide(call: &Classified, stance: Stance) -> Verdict {
    let safety = call.safety();
    let allow = |reason: &str| {
        Verdict::Allow(Permit::new(call, Decision::Auto, Decider::Gate, reason.to_owned(), stance))
    };
    let name = &call.entry().name;
    if safety.read_only {
        return allow("baseline: the call is read-only");
    }
    if stance.mode == Mode::Plan {
        return Verdict::Refuse(admission::plan(name.as_str()));
    }
    match stance.posture {
        Posture::FullAccess => allow("posture: full-access asks nothing"),
        Posture::Ask => {
            let what =
                if safety.destructive { "may destroy something" } else { "changes something" };
            Verdict::Ask(Prompt::new(format!("baseline: the call {what}, and the posture is ask")))
        }
        Posture::AutoReview => Verdict::Refuse(Refusal::new(
            Layer::AutoReview,
            "auto_review",
            format!(
                "'{name}' would change something, and posture auto-review has nobody to judge it"
            ),
        )),
        Posture::Never => Verdict::Refuse(Refusal::new(
            Layer::Baseline,
            "posture",
            format!("'{name}' would change something; posture never runs only what is read-only"),
        )),
    }
}

/// Layer 12: after a wait, is the call still allowed as of now? `approved`: a person said yes.
///
/// # Errors
/// A refusal when the call is refused now, or would have to be asked again by nobody.
pub fn recheck(call: &Classified, now: Stance, approved: bool) -> Result<(), Refusal> {
    match decide(call, now) {
        Verdict::Allow(_) => Ok(()),
        Verdict::Ask(_) if approved => Ok(()),
        Verdict::Ask(_) => Err(Refusal::new(
            Layer::Recheck,
            "narrowed",
            "the posture was narrowed while the call waited, and it was not approved under the new one",
        )),
        Verdict::Refuse(refusal) => Err(Refusal {
            message: format!("{} (this became so while the call waited)", refusal.message),
            layer: Layer::Recheck,
            ..refusal
        }),
    }
}
