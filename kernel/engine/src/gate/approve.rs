//! Layer 11: a question goes to a person or to the guardian, is written down before and after
//! (`[GATE-61]`), and a yes is checked against now (layer 12).

use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{
        Decider, HookSaid, Layer, Permit, Prompt, Refusal,
        confinement::bounds,
        program,
        rules::{Rule, Rules, Source, compact, offer::offer},
    },
    call::Classified,
    receipt::{Decision, Question, Record},
    safety::Subject,
};
use tollgate_policy::hooks::HookEvent;

use super::{Draft, Stop, draft::GUARDIAN, never_started};
use crate::{
    approval::{Answer, Card},
    clock,
    context::{SessionContext, lock},
    error::KernelError,
    event::Body,
    guardian::{self, Judged},
    hooks,
    servers::wire,
    store::{StoreError, session::SessionRecord},
};

/// Bytes of what was said with an answer, in records.
const SAID_BYTES_MAX: usize = 1024;

/// A call that is held, with all that its question needs.
#[derive(Debug)]
pub(super) struct Held<'a> {
    pub(super) cx: &'a SessionContext,
    pub(super) call: &'a Classified,
    pub(super) hooks: &'a HookSaid,
    pub(super) draft: &'a Draft,
    pub(super) cancel: &'a CancellationToken,
}

/// How a question ended.
struct Answered {
    word: &'static str,
    said: String,
    stored: Vec<String>,
    outcome: Result<Permit, Stop>,
}

impl Held<'_> {
    /// Asks the guardian.
    pub(super) async fn review(self, prompt: Prompt) -> Result<Permit, Stop> {
        self.asked(&prompt)?;
        let judged = {
            let now = self.cx.now();
            let at = now.circumstances(self.hooks);
            guardian::review(self.cx, self.call, self.draft, &prompt, &at, self.cancel).await
        };
        let why = self.question(&prompt, None);
        let (word, decider, outcome) = match &judged {
            None => ("gone", Decider::Gate, Err(never_started().into())),
            Some(Judged { allowed: true, reason }) => {
                let reason = format!("guardian: {reason}");
                ("allow", Decider::Guardian, self.granted(prompt, Decider::Guardian, reason))
            }
            Some(Judged { allowed: false, reason }) => {
                let message = format!("the guardian does not allow this call: {reason}");
                let refusal = Refusal::new(Layer::AutoReview, GUARDIAN, message);
                ("deny", Decider::Guardian, Err(refusal.into()))
            }
        };
        let answered = Question {
            answer: Some(word.to_owned()),
            decider: Some(decider),
            said: judged.map_or_else(|| "the turn was cancelled".to_owned(), |it| it.reason),
            at_unix_ms: clock::unix_ms(),
            ..why
        };
        self.answered(answered).await?;
        outcome
    }

    /// Asks a person.
    pub(super) async fn ask(self, prompt: Prompt) -> Result<Permit, Stop> {
        let (cx, raw) = (self.cx, self.call.raw());
        if !cx.approver.can_ask() {
            return self.unasked(&prompt).await;
        }
        let rules = self.offered();
        let card = self.card(&prompt, &rules);
        self.asked(&prompt)?;
        let wait = cx.waits.begin();
        // The question lies there before it is told: whoever hears of it can answer it.
        let asked = cx.approver.ask(&card, self.cancel);
        let body = Body::ApprovalRequested {
            id: raw.id.as_str().to_owned(),
            card: Box::new(card.clone()),
        };
        cx.events.tell(Some(&raw.position), Some(&raw.id), body).await;
        let shown = serde_json::json!({ "card": card });
        hooks::tell(cx, HookEvent::ApprovalRequested, shown).await;
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            answer = asked => Some(answer),
        };
        drop(wait);
        let question = self.question(&prompt, None);
        let answered = match answer {
            None => Answered {
                word: "gone",
                said: "the turn was cancelled".to_owned(),
                stored: Vec::new(),
                outcome: Err(never_started().into()),
            },
            Some(answer) => self.take(answer, prompt, rules),
        };
        let by_person = answered.word != "gone";
        let decided = Question {
            answer: Some(answered.word.to_owned()),
            decider: Some(if by_person { Decider::Person } else { Decider::Gate }),
            said: wire::bounded(answered.said, SAID_BYTES_MAX),
            stored: answered.stored,
            at_unix_ms: clock::unix_ms(),
            ..question
        };
        self.answered(decided).await?;
        let decision = match &answered.outcome {
            Ok(_) => Decision::Approved,
            Err(Stop::Refused(refusal) | Stop::Turn(refusal)) if refusal.by_person => {
                Decision::Denied
            }
            Err(_) => Decision::Refused,
        };
        let body = Body::ApprovalDecided {
            id: raw.id.as_str().to_owned(),
            decision,
            decider: if by_person { "person" } else { "gate" }.to_owned(),
        };
        cx.events.tell(Some(&raw.position), Some(&raw.id), body).await;
        answered.outcome
    }

    /// The rules that a wider yes would store; none that would keep a secret.
    fn offered(&self) -> Vec<Rule> {
        let now = self.cx.now();
        let rules = offer(self.call, &now.circumstances(self.hooks), Source::Session);
        let secrets = self.draft.secrets();
        let is_secret = shown(&rules).iter().any(|rule| secrets.finds(rule.as_bytes()));
        if is_secret { Vec::new() } else { rules }
    }

    /// Nobody can be asked (`[GATE-03]`).
    async fn unasked(self, prompt: &Prompt) -> Result<Permit, Stop> {
        let card = self.card(prompt, &[]);
        // Who says why does so at once. If somebody came just now, the question was told to nobody: it
        // must not wait for an answer, and an answer to it would be worth nothing.
        let why = tokio::select! {
            biased;
            Answer::Nobody(why) = self.cx.approver.ask(&card, self.cancel) => why,
            () = std::future::ready(()) => "nobody could be asked when it came".to_owned(),
        };
        Err(self.no_approver(prompt, &why).into())
    }

    fn no_approver(&self, prompt: &Prompt, why: &str) -> Refusal {
        let message = format!("this call needs an approval ({}), and {why}", prompt.why());
        let rule = prompt.whys().iter().find_map(|why| why.rule.clone());
        Refusal { rule, ..Refusal::new(Layer::Approval, "no_approver", message) }
    }

    /// A person's answer, carried out.
    fn take(&self, answer: Answer, prompt: Prompt, rules: Vec<Rule>) -> Answered {
        let plain =
            |word, outcome| Answered { word, said: String::new(), stored: Vec::new(), outcome };
        let yes = |prompt: Prompt| {
            let reason = prompt.why();
            self.granted(prompt, Decider::Person, reason)
        };
        match answer {
            Answer::Once => plain("once", yes(prompt)),
            // A wider yes where none was offered is a yes to what was shown: this call.
            Answer::Session | Answer::Always if rules.is_empty() => plain("once", yes(prompt)),
            Answer::Session => {
                let outcome = yes(prompt);
                let stored = if outcome.is_ok() { self.keep(&rules) } else { Ok(Vec::new()) };
                match stored {
                    Ok(stored) => Answered { stored, ..plain("session", outcome) },
                    Err(error) => plain("session", Err(error.into())),
                }
            }
            Answer::Always => {
                let outcome = yes(prompt);
                if outcome.is_err() {
                    return plain("always", outcome);
                }
                let rules: Vec<Rule> =
                    rules.into_iter().map(|rule| Rule { source: Source::User, ..rule }).collect();
                match self.cx.policies.remember(&rules) {
                    Ok(()) => Answered { stored: shown(&rules), ..plain("always", outcome) },
                    // The yes holds for this call; that it could not be kept is told.
                    Err(error) => Answered { said: error.to_string(), ..plain("once", outcome) },
                }
            }
            Answer::Deny(message) => Answered {
                said: message.clone().unwrap_or_default(),
                ..plain("deny", Err(Refusal::denied(message.as_deref()).into()))
            },
            Answer::Stop => plain("stop", Err(Stop::Turn(Box::new(Refusal::stopped())))),
            Answer::Nobody(why) => {
                let refusal = self.no_approver(&prompt, &why);
                Answered { said: why, ..plain("gone", Err(refusal.into())) }
            }
        }
    }

    /// A yes, checked against now: files that changed meanwhile are read again first.
    fn granted(&self, prompt: Prompt, decider: Decider, reason: String) -> Result<Permit, Stop> {
        self.cx.policies.refresh();
        let now = self.cx.now();
        Ok(prompt.grant(self.call, &now.circumstances(self.hooks), decider, reason)?)
    }

    /// Keeps rules for this session, also when it is resumed.
    fn keep(&self, rules: &[Rule]) -> Result<Vec<String>, KernelError> {
        let stored = shown(rules);
        let record = SessionRecord::Grants { rules: stored.clone() };
        lock(&self.cx.log).append(&record).map_err(StoreError::from)?;
        let mut moving = lock(&self.cx.moving);
        let all = moving.grants.all().iter().chain(rules).cloned().collect();
        moving.grants = std::sync::Arc::new(Rules::new(all));
        Ok(stored)
    }

    fn question(&self, prompt: &Prompt, answer: Option<String>) -> Question {
        Question {
            call: self.call.raw().id.clone(),
            tool: self.call.entry().canonical().as_str().to_owned(),
            arguments_sha256: self.call.arguments_sha256(),
            why: prompt.whys().to_vec(),
            at_unix_ms: clock::unix_ms(),
            answer,
            decider: None,
            said: String::new(),
            stored: Vec::new(),
        }
    }

    /// Writes that somebody is asked; on the device with the answer, or before.
    fn asked(&self, prompt: &Prompt) -> Result<(), KernelError> {
        let mut question = self.question(prompt, None);
        self.draft.secrets().question(&mut question);
        lock(&self.cx.receipts).question(Record::Asked(question)).map_err(StoreError::from)?;
        Ok(())
    }

    /// Writes an answer and waits until it, and its question, are on the device.
    async fn answered(&self, mut answer: Question) -> Result<(), KernelError> {
        self.draft.secrets().question(&mut answer);
        let written = lock(&self.cx.receipts).question(Record::Answered(answer));
        written.map_err(StoreError::from)?;
        let flush = lock(&self.cx.receipts).flush();
        Ok(flush.await.map_err(StoreError::from)?)
    }

    fn card(&self, prompt: &Prompt, rules: &[Rule]) -> Card {
        let (call, raw, entry) = (self.call, self.call.raw(), self.call.entry());
        let host = self.cx.servers.get(entry.server.as_str()).map(|server| server.host());
        let commands = call.subjects().iter().filter_map(|subject| match subject {
            Subject::Command { argv, operator, .. } => {
                Some(format!("{operator} {}", argv.join(" ")).trim().to_owned())
            }
            Subject::Path { .. }
            | Subject::Host { .. }
            | Subject::Repo { .. }
            | Subject::Mcp { .. }
            | Subject::Tool { .. }
            | Subject::Unknown => None,
        });
        let mut card = Card {
            call_id: raw.id.clone(),
            caller: raw.caller,
            agent: raw.position.agent.clone(),
            tool: entry.canonical().as_str().to_owned(),
            title: program::card_title(raw.caller, entry.canonical().as_str(), call.title()),
            server: entry.server.as_str().to_owned(),
            host: host.unwrap_or_else(|| "local".to_owned()),
            arguments: self.draft.arguments().clone(),
            preview: call.preview().to_owned(),
            subjects: call.subjects().to_vec(),
            safety: call.safety(),
            why: prompt.whys().to_vec(),
            commands: commands.collect(),
            escalation: call.escalation().cloned(),
            reach: bounds(call, &self.cx.now().circumstances(self.hooks)),
            arguments_bytes: call.arguments().len() as u64,
            arguments_sha256: call.arguments_sha256(),
            offer: shown(rules),
        };
        self.draft.secrets().card(&mut card);
        card
    }
}

fn shown(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(compact::show).collect()
}
