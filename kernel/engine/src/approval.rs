//! Asking a person (layer 11): the card, the answer, and who can be asked.
//!
//! A question has no deadline; it ends by an answer or by the call's cancellation. Where nobody can
//! be asked, the answer is [`Answer::Nobody`] at once (`[GATE-03]`).

pub mod desk;
pub mod waits;

use std::pin::Pin;

use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{Why, confinement::Bounds},
    call::Caller,
    digest::Digest,
    name::CallId,
    safety::{Escalation, Safety, Subject},
};

/// What a person is shown (`[GATE-60]`). Texts are shown with control characters made visible.
#[derive(Clone, Debug, Serialize)]
pub struct Card {
    /// The call.
    pub call_id: CallId,
    /// Who asks.
    pub caller: Caller,
    /// "main" or a child's id.
    pub agent: String,
    /// Canonical name.
    pub tool: String,
    /// From the arguments.
    pub title: String,
    /// The server.
    pub server: String,
    /// Where it runs.
    pub host: String,
    /// The exact arguments.
    pub arguments: Value,
    /// A diff or the commands, or empty.
    pub preview: String,
    /// What the call touches.
    pub subjects: Vec<Subject>,
    /// What it would do.
    pub safety: Safety,
    /// Why it is asked: layer and rule, in the order of the layers.
    pub why: Vec<Why>,
    /// The parsed commands of a shell call, one a line, or empty.
    pub commands: Vec<String>,
    /// The wider sandbox that it wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
    /// How far its programs would reach; absent: it starts none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<Bounds>,
    /// Bytes of the arguments, and their digest: what exactly is approved.
    pub arguments_bytes: u64,
    /// See `arguments_bytes`.
    pub arguments_sha256: Digest,
    /// The rules that "for this session" and "always" would store, in compact form; empty: this
    /// question takes neither.
    pub offer: Vec<String>,
}

impl Card {
    /// The reasons as one line.
    #[must_use]
    pub fn reasons(&self) -> String {
        self.why.iter().map(|why| why.reason.as_str()).collect::<Vec<_>>().join("; ")
    }
}

/// What a person said.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answer {
    /// Yes, this once.
    Once,
    /// Yes, and for such calls until the session ends: stores the card's offer.
    Session,
    /// Yes, and for such calls from now on: stores the card's offer in `permissions.toml`.
    Always,
    /// No, with a message to the model or without.
    Deny(Option<String>),
    /// No, and end the turn.
    Stop,
    /// There is nobody to ask, and why.
    Nobody(String),
}

/// Somebody who can be asked.
pub trait Approver: Send + Sync + std::fmt::Debug {
    /// Whether a question can be answered at all; told to tools.
    fn can_ask(&self) -> bool;
    /// Asks; ends early when `cancelled` fires (the answer then does not matter). Whoever answers by
    /// the card's id may do so from the moment on in which this returns, before it is waited for.
    fn ask<'a>(
        &'a self,
        card: &'a Card,
        cancelled: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;
}

/// Nobody: headless without an answerer.
#[derive(Clone, Debug)]
pub struct Nobody(pub String);

impl Approver for Nobody {
    fn can_ask(&self) -> bool {
        false
    }

    fn ask<'a>(
        &'a self,
        _: &'a Card,
        _: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(std::future::ready(Answer::Nobody(self.0.clone())))
    }
}
