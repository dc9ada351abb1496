//! [`judge`]: layers 5 to 11 as one pure function, in their order.
//!
//! Every layer writes its word into a [`Docket`]: a note, and maybe a need that somebody must settle,
//! an allowance, or a refusal. All layers are heard, also after a refusal, so that `permissions
//! explain` shows each; the first refusal stands. Nothing takes a need or a refusal back, so a later
//! layer can only tighten (test `no_later_layer_widens`); an allowance clears ordinary approval only.
//!
//! Not here: what hooks, a guardian or a person say (`engine`), and the layers' own tables.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    Circumstances, Decider, HookSaid, Layer, Need, Permit, Prompt, Refusal, Settled, Why,
    admission, baseline, confinement, floor,
    law::{self, LawSaid},
    managed::{self, ManagedSaid},
    program,
    rules::{Action, Rule, Selected, compact, select},
    taint, withheld,
};
use crate::{
    call::Classified,
    receipt::{Decision, LayerNote, LayerVerdict},
    stance::{Mode, Posture},
};

/// The gate's answer, with what every layer said.
#[derive(Debug)]
pub struct Ruling {
    /// In the order of the layers.
    pub notes: Vec<LayerNote>,
    /// The answer.
    pub verdict: Verdict,
}

/// The gate's answer.
#[derive(Debug)]
pub enum Verdict {
    /// It may run.
    Allow(Permit),
    /// A person must say so.
    Ask(Prompt),
    /// The guardian must say so.
    Review(Prompt),
    /// It may not.
    Refuse(Refusal),
}

/// What the layers have said so far.
#[derive(Debug, Default)]
pub(super) struct Docket {
    notes: Vec<LayerNote>,
    whys: Vec<Why>,
    allowance: Option<Allowance>,
    refusal: Option<Refusal>,
}

/// Notes of an ordinary call: one a layer, and one that asks.
const NOTES: usize = 8;

/// Something that clears ordinary approval.
#[derive(Debug)]
struct Allowance {
    reason: String,
    rule: Option<String>,
}

impl Docket {
    pub(super) fn pass(&mut self, layer: Layer, reason: impl Into<Cow<'static, str>>) {
        self.note(layer, LayerVerdict::Pass, reason);
    }

    pub(super) fn allow(&mut self, layer: Layer, reason: String, rule: Option<String>) {
        self.note(layer, LayerVerdict::Allow, reason.clone());
        self.allowance.get_or_insert(Allowance { reason, rule });
    }

    pub(super) fn ask(&mut self, why: Why) {
        self.note(why.layer, LayerVerdict::Ask, why.reason.clone());
        self.whys.push(why);
    }

    pub(super) fn refuse(&mut self, refusal: Refusal) {
        self.note(refusal.layer, LayerVerdict::Refuse, refusal.message.clone());
        self.refusal.get_or_insert(refusal);
    }

    fn note(&mut self, layer: Layer, verdict: LayerVerdict, reason: impl Into<Cow<'static, str>>) {
        self.notes.push(LayerNote { layer, verdict, reason: reason.into() });
    }

    fn said_nothing(&self, layer: Layer) -> bool {
        self.notes.iter().all(|note| note.layer != layer)
    }
}

/// Judges one classified call as of now.
#[must_use]
pub fn judge(call: &Classified, at: &Circumstances<'_>) -> Ruling {
    let mut docket = Docket { notes: Vec::with_capacity(NOTES), ..Docket::default() };
    mode(&mut docket, call, at);
    hooks(&mut docket, at);
    baseline::judge(&mut docket, call, at);
    program::judge(&mut docket, call);
    rules(&mut docket, call, at);
    auto_review(&mut docket, call, at);
    match law::judge(call, at) {
        LawSaid::Nothing => docket.pass(Layer::Law, "no law speaks of it"),
        LawSaid::Ask(why) => docket.ask(why),
        LawSaid::Block(refusal) => docket.refuse(refusal),
    }
    match managed::judge(call, at) {
        ManagedSaid::Nothing => docket.pass(Layer::Managed, "no managed policy speaks of it"),
        ManagedSaid::Ask(why) => docket.ask(why),
        ManagedSaid::Block(refusal) => docket.refuse(refusal),
    }
    settle(docket, call, at)
}

/// Plan mode, once more now that the call is known.
fn mode(docket: &mut Docket, call: &Classified, at: &Circumstances<'_>) {
    let changes =
        !call.safety().read_only || call.escalation().is_some() || call.entry().runs_programs();
    if at.stance.mode == Mode::Plan && changes {
        docket.refuse(admission::plan(call.entry().canonical().as_str()));
    }
}

/// Layer 5.
fn hooks(docket: &mut Docket, at: &Circumstances<'_>) {
    match at.hooks {
        HookSaid::Nothing => docket.pass(Layer::Hooks, "no hook spoke"),
        HookSaid::Allow { hook, reason } => {
            docket.allow(Layer::Hooks, format!("{hook} allows it{}", because(reason)), None);
        }
        HookSaid::Ask { hook, reason } => docket.ask(Why {
            layer: Layer::Hooks,
            need: Need::Explicit,
            class: "hook".to_owned(),
            reason: format!("{hook} asks{}", because(reason)),
            rule: Some(hook.clone()),
        }),
        HookSaid::Deny { hook, reason, failed } => {
            let (class, what) = if *failed {
                ("hook_failed", "gave no verdict, and it is strict")
            } else {
                ("hook_denied", "denies this call")
            };
            let message = format!("{hook} {what}{}", because(reason));
            docket.refuse(Refusal::new(Layer::Hooks, class, message));
        }
    }
}

/// Layer 7.
fn rules(docket: &mut Docket, call: &Classified, at: &Circumstances<'_>) {
    let layer = Layer::Rules;
    if let Some(fault) = &at.policy.broken
        && !call.safety().read_only
        && !call.is_program()
    {
        let message = format!("{fault}; until it is mended only calls that change nothing run");
        docket.refuse(Refusal::new(layer, "policy_broken", message));
    }
    let name = |rule: &Rule| format!("{} ({})", compact::show(rule), rule.origin);
    let withheld = withheld::by_rules(call, at)
        .and_then(|globs| confinement::fits(call, at, &globs).map(|()| globs))
        .unwrap_or_else(|refusal| {
            docket.refuse(refusal);
            BTreeSet::new()
        });
    let of_tree = !withheld.is_empty() && !confinement::starts_programs(call);
    match select(call, at, &[&at.policy.rules, at.session]) {
        Selected::Nothing if of_tree => docket.pass(
            layer,
            format!(
                "what rules deny or ask about below it is withheld: {}",
                withheld::told(&withheld)
            ),
        ),
        Selected::Nothing => docket.pass(layer, "no rule speaks of it"),
        Selected::Allow(rules) => {
            let names = rules.iter().map(|rule| name(rule)).collect::<Vec<_>>().join(", ");
            docket.allow(layer, format!("allowed by rule {names}"), Some(names));
        }
        Selected::Ask(rule) => docket.ask(Why {
            layer,
            // That a deny rule does not hold only a person may say.
            need: if rule.action == Action::Deny { Need::Hard } else { Need::Explicit },
            class: "rule".to_owned(),
            reason: format!("rule {} {}{}", name(rule), rule.asking(), because(&rule.reason)),
            rule: Some(name(rule)),
        }),
        Selected::Deny(rule) => {
            let message = format!("rule {} denies this call{}", name(rule), because(&rule.reason));
            let refusal = Refusal::new(layer, "rule", message);
            docket.refuse(Refusal { rule: Some(name(rule)), ..refusal });
        }
    }
}

/// Layer 8, what of it is deterministic; the guardian is asked by the engine where a need remains.
fn auto_review(docket: &mut Docket, call: &Classified, at: &Circumstances<'_>) {
    let layer = Layer::AutoReview;
    let open_hand = at.stance.posture == Posture::FullAccess;
    match floor::meets(call, at) {
        Some(hit) if hit.catastrophic || !open_hand => docket.ask(Why {
            layer,
            need: Need::Hard,
            class: hit.row.to_owned(),
            reason: hit.reason,
            rule: Some(format!("floor: {}", hit.row)),
        }),
        Some(hit) => {
            docket.pass(layer, format!("{}, which full-access lets through", hit.reason));
        }
        None => {}
    }
    let may_taint = matches!(at.stance.posture, Posture::Ask | Posture::AutoReview);
    if let Some(last) = at.taint.last()
        && at.policy.taint
        && may_taint
        && taint::reaches_out(call, at)
    {
        docket.ask(Why {
            layer,
            need: Need::Taint,
            class: "taint".to_owned(),
            reason: format!(
                "text from {} ({}) came into this session, and this call reaches out of the workspace",
                last.source, last.tool
            ),
            rule: None,
        });
    }
    if docket.said_nothing(layer) {
        docket.pass(layer, "nothing of the floor, and no taint");
    }
}

/// Layer 11: who settles what is left.
fn settle(mut docket: Docket, call: &Classified, at: &Circumstances<'_>) -> Ruling {
    if let Some(refusal) = docket.refusal.take() {
        return Ruling { notes: docket.notes, verdict: Verdict::Refuse(refusal) };
    }
    let posture = at.stance.posture;
    let mut whys = std::mem::take(&mut docket.whys);
    // `never` runs what is proven to change nothing, whatever allows more.
    if docket.allowance.is_some() && posture != Posture::Never {
        whys.retain(|why| why.need != Need::Ordinary);
    }
    let settled = whys.iter().map(|why| why.need.settled(posture)).max();
    let verdict = match settled.unwrap_or(Settled::Allowed) {
        Settled::Allowed => {
            let (reason, rule) = match docket.allowance.take() {
                Some(allowance) => (allowance.reason, allowance.rule),
                None if whys.is_empty() => ("the call changes nothing".to_owned(), None),
                None => (format!("posture {posture} asks nothing"), None),
            };
            docket.note(Layer::Approval, LayerVerdict::Allow, reason.clone());
            let permit = Permit::new(call, Decision::Auto, Decider::Gate, reason, at.stance);
            Verdict::Allow(permit.by_rule(rule))
        }
        Settled::ByPerson | Settled::ByGuardian if program::is_conservative(call.raw()) => {
            let why = "nobody is asked for a program that has no turn";
            docket.note(Layer::Approval, LayerVerdict::Refuse, why);
            Verdict::Refuse(program::unasked(call, &whys))
        }
        Settled::ByPerson => {
            docket.note(Layer::Approval, LayerVerdict::Ask, "a person decides");
            Verdict::Ask(Prompt::new(whys))
        }
        Settled::ByGuardian => {
            docket.note(Layer::Approval, LayerVerdict::Ask, "the guardian decides");
            Verdict::Review(Prompt::new(whys))
        }
        Settled::Refused => Verdict::Refuse(nobody(&mut docket, &whys, posture)),
    };
    Ruling { notes: docket.notes, verdict }
}

/// The refusal of a need that nobody may settle under this posture.
fn nobody(docket: &mut Docket, whys: &[Why], posture: Posture) -> Refusal {
    let hardest = whys.iter().max_by_key(|why| why.need);
    let (layer, class, rule) = hardest.map_or((Layer::Approval, "posture", None), |why| {
        let class = if why.need == Need::Ordinary { "posture" } else { why.class.as_str() };
        (why.layer, class, why.rule.clone())
    });
    let reasons: Vec<&str> = whys.iter().map(|why| why.reason.as_str()).collect();
    let message = format!(
        "{}; posture {posture} asks nobody about that, so it does not run",
        reasons.join("; ")
    );
    let refusal = Refusal { rule, ..Refusal::new(layer, class, message) };
    docket.note(Layer::Approval, LayerVerdict::Refuse, format!("posture {posture}"));
    refusal
}

/// ": reason", or nothing.
fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}
