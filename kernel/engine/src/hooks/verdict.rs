//! Layer 5: the hooks before one call, in their order, as one word: deny > ask > allow.
//!
//! | a hook | strict | not strict |
//! |---|---|---|
//! | denies, asks, allows | that | that |
//! | says nothing | goes on | goes on |
//! | has a fault | denied, as failed | told, goes on |
//! | was shown less than all arguments, and neither denies nor asks | asked for | goes on |
//!
//! The last `updatedInput` wins. Later hooks see it; those before it, whose word was on other bytes,
//! are heard once more on the last ones and can then only object or allow: an allowance holds for
//! the bytes that were seen, and rewriting ends. After a denial nobody else is heard.
//!
//! Not here: what the word means for the call (`core::authority`).

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tollgate_core::{authority::HookSaid, call::Classified};
use tollgate_policy::hooks::{Hook, HookEvent};

use super::{
    Heard,
    answer::{Answer, Word},
    in_force,
    job::Job,
    payload, report,
};
use crate::context::SessionContext;

/// Asks all hooks of `tool_call_before`, in order. A strict hook without a verdict denies.
///
/// # Cancel safety
/// None: cancel by the token; a hook that runs then is ended, and the call is denied.
pub(crate) async fn before_call(
    cx: &SessionContext,
    call: &Classified,
    cancel: &CancellationToken,
) -> Heard {
    let hooks = in_force(cx, HookEvent::ToolCallBefore, Some(call.entry().canonical().as_str()));
    let mut heard = Heard::default();
    let mut rewriters = 0;
    for (index, hook) in hooks.iter().enumerate() {
        let said = ask(cx, call, heard.updated.as_ref(), hook, cancel).await;
        if said.updated.is_some() {
            rewriters = index;
        }
        take(&mut heard, said);
        if is_over(&heard) {
            return heard;
        }
    }
    for hook in hooks.iter().take(rewriters) {
        let said = ask(cx, call, heard.updated.as_ref(), hook, cancel).await;
        take(&mut heard, Said { updated: None, context: None, ..said });
        if is_over(&heard) {
            return heard;
        }
    }
    heard
}

/// One hook's word on a call.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Said {
    said: HookSaid,
    updated: Option<Value>,
    context: Option<String>,
}

/// Runs one hook.
async fn ask(
    cx: &SessionContext,
    call: &Classified,
    rewritten: Option<&Value>,
    hook: &Hook,
    cancel: &CancellationToken,
) -> Said {
    let told = payload::of_event(cx, HookEvent::ToolCallBefore, payload::before(call, rewritten));
    let job = Job::new(cx, hook, told, Some(call.entry().canonical().as_str()));
    let ran = job.run(cancel).await;
    if let Err(why) = &ran
        && !hook.strict
        && !cancel.is_cancelled()
    {
        let raw = call.raw();
        report(&cx.events, Some((&raw.position, &raw.id)), &job.fault(why)).await;
    }
    let ran = ran.map_err(|why| if cancel.is_cancelled() { why } else { job.helped(&why) });
    word(hook, ran, job.payload.is_whole, cancel.is_cancelled())
}

/// What an answer means, by the table above.
fn word(hook: &Hook, ran: Result<Answer, String>, is_whole: bool, cancelled: bool) -> Said {
    let name = hook.origin.clone();
    let answer = match ran {
        Ok(answer) => answer,
        // A call that is cancelled while it is judged has no verdict: it does not run.
        Err(reason) if hook.strict || cancelled => {
            return Said { said: deny(name, reason, true), ..Said::default() };
        }
        Err(_) => return Said::default(),
    };
    let Answer { word, reason, updated, context } = answer;
    let said = match word {
        Word::Deny => return Said { said: deny(name, reason, false), ..Said::default() },
        Word::Ask => HookSaid::Ask { hook: name, reason },
        Word::Pass | Word::Allow if !is_whole && hook.strict => {
            let reason = "the arguments are too large for it to see all of them".to_owned();
            HookSaid::Ask { hook: name, reason }
        }
        Word::Allow if is_whole => HookSaid::Allow { hook: name, reason },
        Word::Pass | Word::Allow => HookSaid::Nothing,
    };
    Said { said, updated, context }
}

fn deny(hook: String, reason: String, failed: bool) -> HookSaid {
    HookSaid::Deny { hook, reason, failed }
}

/// Adds one hook's word to what was heard.
fn take(heard: &mut Heard, said: Said) {
    if let Some(updated) = said.updated {
        heard.updated = Some(updated);
        if matches!(heard.said, HookSaid::Allow { .. }) {
            heard.said = HookSaid::Nothing;
        }
    }
    if rank(&said.said) > rank(&heard.said) {
        heard.said = said.said;
    }
    payload::add_context(&mut heard.contexts, said.context.unwrap_or_default());
}

fn is_over(heard: &Heard) -> bool {
    matches!(heard.said, HookSaid::Deny { .. })
}

fn rank(said: &HookSaid) -> u8 {
    match said {
        HookSaid::Nothing => 0,
        HookSaid::Allow { .. } => 1,
        HookSaid::Ask { .. } => 2,
        HookSaid::Deny { .. } => 3,
    }
}

#[cfg(test)]
mod tests;
