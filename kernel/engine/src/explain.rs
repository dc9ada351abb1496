//! What the gate would say of a call, layer by layer (`[GATE-21]`): `permissions explain`.
//!
//! The same functions judge as for a real call. A layer that refuses does not hide those after it, as
//! far as they can be asked: a name that is no tool's, or arguments that do not fit, end it.
//!
//! Invariants: nothing runs, no hook and no tool; a permit that a judgement makes is dropped here. A
//! server may be started and is asked for its word on the call (`Prepare`, without side effects).
//!
//! Not here: how it looks (`tollgate`), the layers themselves (`core::authority`).

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{
        HookSaid, Layer, Refusal, Verdict, Why, admission,
        confinement::{Bounds, Confinement, bounds, confinement},
        judge,
        policy::Policy,
        rules::{Source, compact, offer::offer},
    },
    call::{Caller, Classified, Coercion, Eligible, Position, RawCall},
    catalog::Surface,
    receipt::{LayerNote, LayerVerdict},
    safety::{Escalation, Safety, Subject},
    schema,
    stance::{Mode, Posture, Stance},
};
use tollgate_policy::hooks::{Hook, HookEvent};

use crate::{
    approval::{Answer, Approver, Card},
    clock,
    context::SessionContext,
    error::KernelError,
    gate::{Stop, classify},
    kernel::Kernel,
    session::SessionOptions,
};

/// A call that nobody makes.
#[derive(Clone, Debug)]
pub struct Hypothetical {
    /// The name as it would be written.
    pub name: String,
    /// JSON text as it would be written; may be anything.
    pub arguments: Bytes,
    /// Who would ask.
    pub caller: Caller,
    /// Whether a person could be asked.
    pub can_ask: bool,
}

/// What the gate would say.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// Canonical name; as asked when it is no tool's.
    pub tool: String,
    /// The name as asked, when it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_as: Option<String>,
    /// The server, if the name is a tool's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Who would ask.
    pub caller: Caller,
    /// Mode and posture.
    #[serde(flatten)]
    pub stance: Stance,
    /// Whether a person could be asked.
    pub can_ask: bool,
    /// As they would be sent.
    pub arguments: Value,
    /// What was changed in them because it was certainly meant.
    pub coercions: Vec<Coercion>,
    /// What the call would touch.
    pub subjects: Vec<Subject>,
    /// What it would do, if the call comes so far.
    pub safety: Option<Safety>,
    /// The wider sandbox that it wants.
    pub escalation: Option<Escalation>,
    /// How far its programs would reach, if it starts some.
    pub reach: Option<Bounds>,
    /// What would hold them: absent where it starts none, or cannot be said in a grant.
    pub confinement: Option<Confinement>,
    /// Hooks that would run before it, by their places, in order.
    pub hooks: Vec<String>,
    /// What each layer said, in order.
    pub layers: Vec<LayerNote>,
    /// The last layer that could be asked stands last in `layers`: later ones need what it refused.
    pub complete: bool,
    /// The end of it.
    pub verdict: Said,
}

/// The end of an explanation.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Said {
    /// It would run.
    Allow {
        /// Why.
        reason: String,
        /// The rules that decided.
        rule: Option<String>,
    },
    /// A person would be asked; where nobody can be, it would be refused.
    Ask {
        /// Why.
        why: Vec<Why>,
        /// The rules that a wider yes would store, in compact form; empty: only "once" can be said.
        offer: Vec<String>,
    },
    /// The guardian would be asked.
    Review {
        /// Why.
        why: Vec<Why>,
    },
    /// It would be refused.
    Refuse(Refusal),
}

impl Kernel {
    /// Explains one call in a session that is opened for it and told to nobody. The session's files
    /// are in this kernel's state: give a kernel for explanations a state folder of its own.
    ///
    /// # Errors
    /// The store fails, policy files have mistakes, or the machine's owner allows no posture as tight.
    pub async fn explain(
        &self,
        options: &SessionOptions,
        call: Hypothetical,
    ) -> Result<Explanation, KernelError> {
        let (events, _) = mpsc::channel(1);
        let somebody = Arc::new(Somebody { can_ask: call.can_ask });
        let (cx, _, _) = self.context(&mut options.clone(), somebody, events).await?;
        let raw = RawCall {
            id: clock::call_id(),
            parent: None,
            depth: 0,
            caller: call.caller,
            // As in a turn: a program without one has less (`[CODE-17]`).
            position: Position {
                session: cx.id.clone(),
                turn: 1,
                step: 1,
                agent: Position::MAIN.to_owned(),
            },
            name: call.name,
            arguments: call.arguments,
        };
        explain(&cx, raw).await
    }
}

/// Somebody who could be asked or could not, and is not.
#[derive(Debug)]
struct Somebody {
    can_ask: bool,
}

impl Approver for Somebody {
    fn can_ask(&self) -> bool {
        self.can_ask
    }

    fn ask<'a>(
        &'a self,
        _: &'a Card,
        _: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(std::future::ready(Answer::Nobody("nothing runs here".to_owned())))
    }
}

async fn explain(cx: &SessionContext, raw: RawCall) -> Result<Explanation, KernelError> {
    let mut told = Told::new(cx, &raw);
    match told.layers(cx, raw).await {
        Ok(verdict) => Ok(Explanation { complete: true, verdict, ..told.explanation }),
        Err(Stop::Refused(refusal) | Stop::Turn(refusal)) => {
            if told.refusal.as_ref() != Some(&*refusal) {
                told.refuse(*refusal);
            }
            let verdict = told.refusal.map_or(told.explanation.verdict.clone(), Said::Refuse);
            Ok(Explanation { verdict, ..told.explanation })
        }
        Err(Stop::Kernel(error)) => Err(*error),
    }
}

/// An explanation in the making.
struct Told {
    explanation: Explanation,
    /// The first one.
    refusal: Option<Refusal>,
}

impl Told {
    fn new(cx: &SessionContext, raw: &RawCall) -> Self {
        let arguments = serde_json::from_slice(&raw.arguments)
            .unwrap_or_else(|_| String::from_utf8_lossy(&raw.arguments).into_owned().into());
        let explanation = Explanation {
            tool: raw.name.clone(),
            asked_as: None,
            server: None,
            caller: raw.caller,
            stance: cx.stance(),
            can_ask: cx.approver.can_ask(),
            arguments,
            coercions: Vec::new(),
            subjects: Vec::new(),
            safety: None,
            escalation: None,
            reach: None,
            confinement: None,
            hooks: Vec::new(),
            layers: Vec::new(),
            complete: false,
            verdict: Said::Refuse(Refusal::new(Layer::Name, "unknown", "nothing is known")),
        };
        Self { explanation, refusal: None }
    }

    fn pass(&mut self, layer: Layer, reason: String) {
        let reason = reason.into();
        self.explanation.layers.push(LayerNote { layer, verdict: LayerVerdict::Pass, reason });
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.explanation.layers.push(LayerNote {
            layer: refusal.layer,
            verdict: LayerVerdict::Refuse,
            reason: refusal.message.clone().into(),
        });
        self.refusal.get_or_insert(refusal);
    }

    /// All layers, as far as they can be asked.
    async fn layers(&mut self, cx: &SessionContext, raw: RawCall) -> Result<Said, Stop> {
        self.pass(Layer::Budget, format!("a turn may make {} calls", cx.limits.turn_calls_max));
        let eligible = self.admitted(cx, raw)?;
        let checked = schema::check(eligible)?;
        self.pass(Layer::Arguments, "the arguments fit the tool's schema".to_owned());
        let never = CancellationToken::new();
        let call = classify(cx, checked, &never).await?;
        self.classified(&call);
        let now = cx.now();
        let hooks = now.standing().hooks.iter();
        let hooks = hooks.filter(|hook| would_run(hook, &call, self.explanation.stance.mode));
        self.explanation.hooks = hooks.map(|hook| hook.origin.clone()).collect();
        let at = now.circumstances(&HookSaid::Nothing);
        self.explanation.reach = bounds(&call, &at);
        let starts = self.explanation.reach.is_some();
        self.explanation.confinement = starts.then(|| confinement(&call, &at).ok()).flatten();
        let ruling = judge(&call, &at);
        // Plan mode says the same at admission and once the call is known.
        let told = self.explanation.layers.clone();
        self.explanation
            .layers
            .extend(ruling.notes.into_iter().filter(|note| !told.contains(note)));
        self.hooked();
        let verdict = match ruling.verdict {
            Verdict::Allow(permit) => Said::Allow {
                reason: permit.reason().to_owned(),
                rule: permit.rule().map(str::to_owned),
            },
            Verdict::Ask(prompt) => {
                let rules = offer(&call, &at, Source::Session);
                let offer = rules.iter().map(compact::show).collect();
                Said::Ask { why: prompt.whys().to_vec(), offer }
            }
            Verdict::Review(prompt) => Said::Review { why: prompt.whys().to_vec() },
            Verdict::Refuse(refusal) => Said::Refuse(refusal),
        };
        Ok(self.refusal.take().map_or(verdict, Said::Refuse))
    }

    /// Layers 1 and 2. A call that is not admitted is looked at further as if it was.
    fn admitted(&mut self, cx: &SessionContext, raw: RawCall) -> Result<Eligible, Refusal> {
        let resolved = cx.seen().view.resolve(raw)?;
        let name = resolved.entry().canonical().as_str().to_owned();
        self.explanation.server = Some(resolved.entry().server.as_str().to_owned());
        if name == self.explanation.tool {
            self.pass(Layer::Name, format!("'{name}' is a tool"));
        } else {
            self.pass(Layer::Name, format!("'{}' means '{name}'", self.explanation.tool));
            self.explanation.asked_as = Some(std::mem::replace(&mut self.explanation.tool, name));
        }
        let now = cx.now();
        let policy = &now.standing().policy;
        match admission::admit(
            resolved.clone(),
            self.explanation.stance,
            cx.tools.surface(),
            policy,
        ) {
            Ok(eligible) => {
                self.pass(
                    Layer::Admission,
                    "mode, lists and caller have nothing against it".to_owned(),
                );
                Ok(eligible)
            }
            Err(refusal) => {
                self.refuse(refusal.clone());
                let lax = Stance { mode: Mode::Work, posture: Posture::Ask };
                admission::admit(resolved, lax, Surface::Full, &Policy::default())
                    .map_err(|_| refusal)
            }
        }
    }

    fn classified(&mut self, call: &Classified) {
        let said = &mut self.explanation;
        said.arguments = call.value().clone();
        said.coercions = call.coercions().to_vec();
        said.subjects = call.subjects().to_vec();
        said.safety = Some(call.safety());
        said.escalation = call.escalation().cloned();
        let reason = match (call.safety().read_only, call.safety().destructive) {
            (true, _) => "it only reads",
            (false, false) => "it changes something",
            (false, true) => "it may destroy something",
        };
        self.pass(Layer::Preparation, reason.to_owned());
    }

    /// The judgement heard no hook; these would speak.
    fn hooked(&mut self) {
        if self.explanation.hooks.is_empty() {
            return;
        }
        let hooks = self.explanation.hooks.join(", ");
        let note = self.explanation.layers.iter_mut().find(|note| note.layer == Layer::Hooks);
        if let Some(note) = note {
            note.reason = format!("{hooks} would run and may ask, deny or allow").into();
        }
    }
}

/// Whether a hook would be asked before this call.
fn would_run(hook: &Hook, call: &Classified, mode: Mode) -> bool {
    let name = call.entry().canonical().as_str();
    hook.event == HookEvent::ToolCallBefore
        && hook.tool.as_ref().is_none_or(|tool| tool.matches(name))
        && (hook.modes.is_empty() || hook.modes.contains(&mode))
}
