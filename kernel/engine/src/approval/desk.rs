//! [`Desk`]: many questions wait at once, each under its call's id, and fronts answer them in any order.
//!
//! Invariants: an id is answered once, and no other question is touched by that; a question that
//! nobody could answer any more is answered by [`Answer::Nobody`] at once, never by a yes; at most
//! [`QUESTIONS_MAX`] wait, and a bulk answer is always a no.
//!
//! Not here: how answers come in (lines on standard input, gRPC), what they mean (`gate`).

use std::{
    collections::{BTreeMap, VecDeque},
    pin::Pin,
    sync::{Arc, Mutex},
};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tollgate_core::name::CallId;

use super::{Answer, Approver, Card};
use crate::context::lock;

#[cfg(test)]
mod tests;

/// Questions that wait at one desk; a further one is refused at once. Enough for every parallel call of
/// a step several times over, and no more than a person can look through (`AP-12`).
pub const QUESTIONS_MAX: usize = 64;
/// Ended questions that are remembered, so that a late answer is told why it changed nothing.
const ENDED_MAX: usize = 1024;

/// Instead of an id: all questions that wait. Takes a no only.
pub const EVERY_QUESTION: &str = "*";

/// What became of an answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Decided {
    /// The question had waited for it.
    Taken,
    /// The question is over, and why; nothing changed.
    Stale(&'static str),
    /// There never was such a question here; nothing changed.
    Unknown,
}

/// Where questions wait.
#[derive(Debug)]
pub struct Desk {
    state: Mutex<State>,
    /// One clause: why nobody can be asked when no front is there.
    nobody: String,
}

#[derive(Debug, Default)]
struct State {
    fronts: usize,
    waiting: BTreeMap<CallId, Waiting>,
    /// The newest last.
    ended: VecDeque<(CallId, &'static str)>,
}

#[derive(Debug)]
struct Waiting {
    card: Card,
    answer: oneshot::Sender<Answer>,
}

/// Somebody who answers, as long as it lives.
#[derive(Debug)]
pub struct Front(Arc<Desk>);

impl Desk {
    /// A desk without a front. `nobody`: one clause, "no client is connected".
    #[must_use]
    pub fn new(nobody: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), nobody: nobody.into() })
    }

    /// A front comes. When the last one goes, whatever waits is answered by [`Answer::Nobody`].
    #[must_use]
    pub fn attach(self: &Arc<Self>) -> Front {
        lock(&self.state).fronts += 1;
        Front(Arc::clone(self))
    }

    /// Answers one question, or says no to [`EVERY_QUESTION`].
    pub fn decide(&self, id: &str, answer: Answer) -> Decided {
        let mut state = lock(&self.state);
        if id == EVERY_QUESTION {
            return state.deny_every(answer);
        }
        let Some((id, waiting)) = state.waiting.remove_entry(id) else {
            let ended = state.ended.iter().rev().find(|(ended, _)| ended.as_str() == id);
            return ended.map_or(Decided::Unknown, |(_, why)| Decided::Stale(why));
        };
        let taken = waiting.answer.send(answer).is_ok();
        state.end(id, if taken { ANSWERED } else { CANCELLED });
        if taken { Decided::Taken } else { Decided::Stale(CANCELLED) }
    }

    /// The cards that wait, the oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<Card> {
        lock(&self.state).waiting.values().map(|waiting| waiting.card.clone()).collect()
    }

    /// Lays a question down.
    fn put(&self, card: &Card) -> Result<oneshot::Receiver<Answer>, String> {
        let mut state = lock(&self.state);
        let id = &card.call_id;
        if state.fronts == 0 {
            return Err(self.nobody.clone());
        }
        if state.waiting.len() >= QUESTIONS_MAX {
            return Err(format!(
                "{QUESTIONS_MAX} questions wait for an answer already, and no more are put; wait for \
                 those"
            ));
        }
        if state.waiting.contains_key(id) || state.ended.iter().any(|(ended, _)| ended == id) {
            return Err("this call was asked about before, and a question is put once".to_owned());
        }
        let (answer, answered) = oneshot::channel();
        state.waiting.insert(id.clone(), Waiting { card: card.clone(), answer });
        Ok(answered)
    }

    /// Takes a question away that nobody waits for any more.
    fn withdraw(&self, id: &CallId) {
        let mut state = lock(&self.state);
        if let Some((id, _)) = state.waiting.remove_entry(id) {
            state.end(id, CANCELLED);
        }
    }
}

const ANSWERED: &str = "it was answered before";
const CANCELLED: &str = "its call was cancelled";
const LEFT: &str = "nobody was there to answer it, so its call was refused";

impl State {
    fn end(&mut self, id: CallId, why: &'static str) {
        if self.ended.len() >= ENDED_MAX {
            self.ended.pop_front();
        }
        self.ended.push_back((id, why));
    }

    /// Batching never widens: a yes is for one question.
    fn deny_every(&mut self, answer: Answer) -> Decided {
        match answer {
            Answer::Deny(_) if self.waiting.is_empty() => Decided::Stale("no question waits"),
            Answer::Deny(_) => {
                self.answer_all(&answer, ANSWERED);
                Decided::Taken
            }
            Answer::Once | Answer::Session | Answer::Always | Answer::Stop | Answer::Nobody(_) => {
                Decided::Stale("only a no can be said to all questions at once")
            }
        }
    }

    fn answer_all(&mut self, answer: &Answer, why: &'static str) {
        for (id, waiting) in std::mem::take(&mut self.waiting) {
            // Whoever asked may be gone meanwhile.
            drop(waiting.answer.send(answer.clone()));
            self.end(id, why);
        }
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.fronts = state.fronts.saturating_sub(1);
        if state.fronts == 0 {
            let nobody = Answer::Nobody(self.0.nobody.clone());
            state.answer_all(&nobody, LEFT);
        }
    }
}

impl Approver for Desk {
    fn can_ask(&self) -> bool {
        lock(&self.state).fronts > 0
    }

    fn ask<'a>(
        &'a self,
        card: &'a Card,
        cancelled: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        let answered = match self.put(card) {
            Ok(answered) => answered,
            Err(why) => return Box::pin(std::future::ready(Answer::Nobody(why))),
        };
        let withdrawn = Withdraw { desk: self, id: card.call_id.clone() };
        Box::pin(async move {
            let answer = tokio::select! {
                biased;
                () = cancelled.cancelled() => None,
                answer = answered => answer.ok(),
            };
            drop(withdrawn);
            answer.unwrap_or_else(|| Answer::Nobody(CANCELLED.to_owned()))
        })
    }
}

/// Takes a question off the desk when whoever asks stops waiting, however that happens.
struct Withdraw<'a> {
    desk: &'a Desk,
    id: CallId,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.desk.withdraw(&self.id);
    }
}
