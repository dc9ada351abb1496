//! The guardian (`[GATE-32]`): one model request that judges one held call, and denies whenever in doubt.
//!
//! Invariants: exactly one request a call, without conversation and tools; every fault, a late answer
//! and anything but one strict verdict is a no (test `whatever_is_no_strict_verdict_denies`); what
//! cannot be shown whole is not judged. It settles only what the table of needs leaves to it, so a yes
//! lifts no refusal. Its tokens are told to nobody: they are no turn's.
//!
//! Not here: which calls it may judge (`core::authority::Need`), the recheck after its yes
//! (`gate::approve`).

mod request;
mod verdict;

use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{Circumstances, Prompt},
    call::Classified,
};

use crate::{
    context::SessionContext,
    error::KernelError,
    event::Body,
    gate::Draft,
    model::{self, Answer},
    servers::chain,
};
use verdict::line;

/// For the whole review, the start of the model's server included.
const WITHIN: Duration = Duration::from_secs(90);

/// What the guardian said.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Judged {
    /// The call may run.
    pub(crate) allowed: bool,
    /// Its reason, or what went wrong; bounded, one line.
    pub(crate) reason: String,
}

impl Judged {
    fn no(reason: &str) -> Self {
        Self { allowed: false, reason: line(reason) }
    }
}

/// Asks the guardian once. Every fault, timeout and unclear answer is a no; `None`: cancelled.
///
/// # Cancel safety
/// Dropping the future aborts the request.
pub(crate) async fn review(
    cx: &SessionContext,
    call: &Classified,
    draft: &Draft,
    prompt: &Prompt,
    at: &Circumstances<'_>,
    cancel: &CancellationToken,
) -> Option<Judged> {
    let asked = async {
        let model = cx.guardian_model.as_deref();
        let model = model.ok_or(
            "there is no model that could judge it; `--model` or `auto_review.model` names one",
        )?;
        let request = request::of(cx, call, draft, prompt, at).await?;
        model::ask(cx, None, model, request).await.map_err(|error| failed(&error))
    };
    let judged = judge(asked, cancel).await?;
    let reason = draft.secrets().text(judged.reason);
    let judged = Judged { reason, ..judged };
    let raw = call.raw();
    let told = Body::GuardianJudged { allowed: judged.allowed, reason: judged.reason.clone() };
    cx.events.tell(Some(&raw.position), Some(&raw.id), told).await;
    Some(judged)
}

/// What an answer, or the lack of one, means.
async fn judge(
    asked: impl Future<Output = Result<Answer, String>>,
    cancel: &CancellationToken,
) -> Option<Judged> {
    let answer = tokio::select! {
        biased;
        () = cancel.cancelled() => return None,
        answer = timeout(WITHIN, asked) => answer,
    };
    Some(match answer {
        Ok(Ok(answer)) => verdict::of(&answer).unwrap_or_else(|why| Judged::no(&why)),
        Ok(Err(why)) => Judged::no(&why),
        Err(_) => Judged::no(&format!("it did not answer within {} s", WITHIN.as_secs())),
    })
}

fn failed(error: &KernelError) -> String {
    format!("it could not be asked: {}", chain(error))
}

#[cfg(test)]
mod tests;
