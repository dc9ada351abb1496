//! Runs the user's hooks (`[GATE-40]`): JSON on standard input, a verdict by exit code and JSON.
//!
//! ```text
//! before_call, submit, after_call, tell ── Job ── find the program, tell it, hear it ── answer
//! ```
//!
//! | module | job |
//! |---|---|
//! | `verdict` | several hooks before one call: deny > ask > allow, rewriting |
//! | `job` | one run of one hook |
//! | `program` | which program that is, looked at before it runs |
//! | `payload` | what it is told |
//! | `answer` | what it said |
//! | `background` | hooks that nobody waits for |
//! | `limits` | every number |
//!
//! Invariants: a strict hook without a verdict is a no; nothing that a hook started outlives its run;
//! a hook's allowance clears ordinary approval only, and only for the bytes that it saw.
//!
//! Not here: reading `hooks.toml` (`tollgate-policy`), what a verdict means for a call
//! (`core::authority`).

mod answer;
mod background;
mod job;
mod limits;
mod payload;
mod program;
mod verdict;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tollgate_core::{authority::HookSaid, call::Position, name::CallId};
use tollgate_policy::hooks::{Hook, HookEvent};

use crate::{
    context::{Emitter, SessionContext},
    event::Body,
    gate::CallEnd,
    process::Spawner,
};
use answer::Word;
use background::Background;
use job::Job;
pub(crate) use verdict::before_call;

/// Starts the hooks of one session.
#[derive(Debug)]
pub struct Runner {
    spawner: Spawner,
    background: Background,
}

/// What the hooks before a call said, all together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// deny > ask > allow.
    pub(crate) said: HookSaid,
    /// The last `updatedInput`; the call goes back through arguments and preparation, once.
    pub(crate) updated: Option<Value>,
    /// `additionalContext` of each, bounded, for the model after the result.
    pub(crate) contexts: Vec<String>,
}

impl Runner {
    /// A runner on the kernel's spawner.
    #[must_use]
    pub fn new(spawner: &Spawner) -> Self {
        Self { spawner: spawner.clone(), background: Background::new() }
    }

    /// Ends what runs in the background: the session is over.
    pub(crate) async fn end(&self) {
        self.background.end().await;
    }
}

/// Layer 15: tells hooks of a call that has its receipt.
pub(crate) async fn after_call(cx: &SessionContext, end: &CallEnd, cancel: &CancellationToken) {
    let hooks = in_force(cx, HookEvent::ToolCallAfter, Some(&end.receipt.tool));
    if !hooks.is_empty() {
        observe(cx, HookEvent::ToolCallAfter, &hooks, payload::after(end), cancel).await;
    }
}

/// Tells hooks of an event that they can only observe; waits for those that are not `background`.
/// `more`: an object whose keys are added to those that every event has.
pub(crate) async fn tell(cx: &SessionContext, event: HookEvent, more: Value) {
    // An approval is about a call; other events are about no tool.
    let tool = more.pointer("/card/tool").and_then(Value::as_str);
    let hooks = in_force(cx, event, tool);
    if !hooks.is_empty() {
        observe(cx, event, &hooks, more, &CancellationToken::new()).await;
    }
}

/// `message_submit`: a hook may deny a user's message, or add to it. A message that is too large to be
/// shown whole is the user's own, and what it leads to is judged call by call.
///
/// # Errors
/// The denial, for the user.
///
/// # Cancel safety
/// None: cancel by the token; a hook that runs then is ended.
pub(crate) async fn submit(
    cx: &SessionContext,
    prompt: &str,
    cancel: &CancellationToken,
) -> Result<Vec<String>, String> {
    let event = HookEvent::MessageSubmit;
    let mut contexts = Vec::new();
    for hook in in_force(cx, event, None) {
        let told = payload::of_event(cx, event, json!({ "prompt": prompt }));
        let job = Job::new(cx, &hook, told, None);
        match job.run(cancel).await {
            // The turn ends as cancelled, without a word of hooks.
            Err(_) if cancel.is_cancelled() => return Ok(Vec::new()),
            Err(why) if hook.strict => return Err(job.fault(&why)),
            Err(why) => report(&cx.events, None, &job.fault(&why)).await,
            Ok(said) if matches!(said.word, Word::Deny | Word::Ask) => {
                let why = if said.reason.is_empty() { "no reason given" } else { &said.reason };
                return Err(format!("{} denies this message: {why}", hook.origin));
            }
            Ok(said) => {
                payload::add_context(&mut contexts, said.context.unwrap_or_default());
            }
        }
    }
    Ok(contexts)
}

/// Runs observing hooks in their order; a fault is told and stops nothing.
async fn observe(
    cx: &SessionContext,
    event: HookEvent,
    hooks: &[Hook],
    more: Value,
    cancel: &CancellationToken,
) {
    let given_up = async {
        cancel.cancelled().await;
        tokio::time::sleep(limits::CANCEL_GRACE).await;
    };
    let told = payload::of_event(cx, event, more);
    let all = async {
        for hook in hooks {
            let job = Job::new(cx, hook, told.clone(), None);
            // A person who is asked is not kept waiting.
            let ran = if hook.background || event == HookEvent::ApprovalRequested {
                cx.hooks.background.start(job.clone(), &cx.events)
            } else {
                job.run(&CancellationToken::new()).await.map(drop)
            };
            if let Err(why) = ran {
                report(&cx.events, None, &job.fault(&why)).await;
            }
        }
    };
    tokio::select! {
        biased;
        () = given_up => {}
        () = all => {}
    }
}

/// The hooks of an event, in the order in which they run.
fn in_force(cx: &SessionContext, event: HookEvent, tool: Option<&str>) -> Vec<Hook> {
    let now = cx.now();
    let mode = cx.stance().mode;
    // A guard of a tool guards it also when another server has claimed its name.
    let catalog = cx.tools.catalog();
    let told_apart = tool.and_then(|it| catalog.get(it)).and_then(|entry| entry.told_apart());
    let names = || [tool, told_apart].into_iter().flatten();
    let matches = |hook: &&Hook| {
        hook.event == event
            && (hook.modes.is_empty() || hook.modes.contains(&mode))
            && hook.tool.as_ref().is_none_or(|wanted| names().any(|it| wanted.matches(it)))
    };
    now.standing().hooks.iter().filter(matches).cloned().collect()
}

/// Tells a fault that stops nothing.
async fn report(events: &Arc<Emitter>, about: Option<(&Position, &CallId)>, message: &str) {
    let body =
        Body::Error { class: "hook".to_owned(), message: message.to_owned(), retryable: false };
    events.tell(about.map(|(at, _)| at), about.map(|(_, call)| call), body).await;
}
