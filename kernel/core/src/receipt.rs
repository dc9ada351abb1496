//! What became of one call (`[GATE-80]`), and the chain that holds receipts together.
//!
//! A log of receipts has these kinds of record: [`Record::Asked`] and [`Record::Answered`] for a
//! question, [`Record::Decided`], written before a call is sent, and [`Record::Receipt`], exactly one
//! for every call, also for one that never started. Each record
//! names the digest of the one before it in its session, so that a removed, changed or reordered
//! record shows.
//!
//! Not here: files, locks, flushing (`engine::store`).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    authority::{Decider, Layer, Why},
    call::{Caller, Coercion, Effects, Position},
    catalog::ServerFacts,
    digest::Digest,
    name::{CallId, ServerName},
    safety::{Safety, Sandbox, Subject},
    stance::Stance,
};

/// The gate's decision.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Allowed without a question.
    Auto,
    /// Allowed by a person.
    Approved,
    /// A person said no.
    Denied,
    /// The gate said no.
    Refused,
}

/// What became of the call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It did what was asked.
    Ok,
    /// It was tried and failed.
    Failed,
    /// It never ran.
    Refused,
    /// It was running when it was cancelled or the kernel ended; it may have run in part.
    InFlight,
}

/// A question that was put, and later its answer: on the device before the call runs (`[GATE-61]`).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Question {
    /// The call; also names the question.
    pub call: CallId,
    /// The tool, by canonical name.
    pub tool: String,
    /// Digest of the exact argument bytes that were shown.
    pub arguments_sha256: Digest,
    /// Why it was asked.
    pub why: Vec<Why>,
    /// When, ms since the epoch.
    pub at_unix_ms: u64,
    /// "once", "session", "always", "deny", "stop", "allow" (guardian), "gone"; absent: not yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decider: Option<Decider>,
    /// What was said with it, or the guardian's reason; at most 1 KiB.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// Rules that the answer stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stored: Vec<String>,
}

/// One line of a receipt log.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    /// Somebody is asked.
    Asked(Question),
    /// Somebody answered.
    Answered(Question),
    /// The call is about to be sent.
    Decided(Receipt),
    /// The call has ended.
    Receipt(Receipt),
}

/// What is known of one call. In a `Decided` record the fields about its end are absent.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Receipt {
    /// The call.
    pub id: CallId,
    /// The call that asked, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<CallId>,
    /// Session, turn, step, agent.
    #[serde(flatten)]
    pub position: Position,
    /// Who asked.
    pub caller: Caller,
    /// Canonical name; the name as asked when it is no tool's.
    pub tool: String,
    /// The name as asked, when it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_as: Option<String>,
    /// The server, by configured name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerName>,
    /// The server's own facts: name, version, build digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_facts: Option<ServerFacts>,
    /// The server process, if the call was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Where the server runs: "local", or its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The arguments: valid JSON as sent, else the text as it came (lossy, at most 4 KiB).
    pub arguments: serde_json::Value,
    /// Digest of the exact argument bytes.
    pub arguments_sha256: Digest,
    /// Size of the arguments.
    pub arguments_bytes: u64,
    /// What was changed in the arguments because it was certainly meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coercions: Vec<Coercion>,
    /// What the call touches, if it came so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<Subject>,
    /// What it would do, if it came so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<Safety>,
    /// The layers that had something to say, in order.
    pub layers: Vec<LayerNote>,
    /// The gate's decision.
    pub decision: Decision,
    /// Who decided.
    pub decider: Decider,
    /// The rule that decided, by text and origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Digest of the policy files under which it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_sha256: Option<Digest>,
    /// Mode and posture under which it was decided.
    #[serde(flatten)]
    pub stance: Stance,
    /// Digest of the signed grant, if one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_sha256: Option<Digest>,
    /// What held the processes of the call, in words; of one that started none, or of which nobody knows, what
    /// holds its server; empty: nothing.
    #[serde(default)]
    pub confinement: String,
    /// How far the grant let the programs of the call reach; absent: it starts none, or got no grant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// When it was asked for, ms since the epoch.
    pub started_unix_ms: u64,
    /// How it ended; absent before the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
}

/// How a call ended.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct End {
    /// When, ms since the epoch.
    pub ended_unix_ms: u64,
    /// What became of it.
    pub status: Status,
    /// What may have changed in the world.
    pub effects: Effects,
    /// True when it may have run although its end is not known or it failed.
    pub may_have_run: bool,
    /// A stable word when it is not ok ("timeout", "`plan_mode`").
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error_class: String,
    /// A sentence when it is not ok; at most 1 KiB.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Digest of the result as the model gets it (content, JSON), if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_sha256: Option<Digest>,
    /// Size of that result.
    pub outcome_bytes: u64,
    /// The artifact that holds the whole of a spilled result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spill: Option<String>,
}

/// What one layer said.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LayerNote {
    /// Which.
    pub layer: Layer,
    /// Its word.
    pub verdict: LayerVerdict,
    /// Why, one clause.
    pub reason: Cow<'static, str>,
}

/// A layer's word.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerVerdict {
    /// It has nothing to say; not kept in receipts.
    Pass,
    /// Nothing against it.
    Allow,
    /// A person must decide.
    Ask,
    /// No.
    Refuse,
}

/// One record as it stands in the log: its place in the chain and itself.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Link {
    /// From 0 in its session.
    pub seq: u64,
    /// Digest of the encoded link before it; of the session id's bytes for the first.
    pub prev: Digest,
    /// The record.
    #[serde(flatten)]
    pub record: Record,
}

/// What is wrong with a chain.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ChainFault {
    /// A number is missing or out of order: a record was removed or moved.
    #[error("record {expected} is missing: the log goes on with record {found}")]
    Gap {
        /// The number that should come.
        expected: u64,
        /// The number that came.
        found: u64,
    },
    /// The link to the record before does not hold: that record was changed.
    #[error("record {seq} does not follow from the record before it: one of the two was changed")]
    Broken {
        /// The record whose link fails.
        seq: u64,
    },
}

/// The running end of a chain; links are checked or made against it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Chain {
    next: u64,
    prev: Digest,
}

impl Chain {
    /// The start of a session's chain.
    #[must_use]
    pub fn new(session: &str) -> Self {
        Self { next: 0, prev: Digest::of(session.as_bytes()) }
    }

    /// The link for a new record.
    #[must_use]
    pub fn link(&self, record: Record) -> Link {
        Link { seq: self.next, prev: self.prev, record }
    }

    /// Takes in an encoded link, checking that it follows.
    ///
    /// # Errors
    /// The fault; the chain then stands as it was.
    pub fn follow(&mut self, link: &Link, encoded: &[u8]) -> Result<(), ChainFault> {
        if link.seq != self.next {
            return Err(ChainFault::Gap { expected: self.next, found: link.seq });
        }
        if link.prev != self.prev {
            return Err(ChainFault::Broken { seq: link.seq });
        }
        self.rejoin(link, encoded);
        Ok(())
    }

    /// Takes in an encoded link as it is: made by [`Self::link`], or after a fault was told.
    pub fn rejoin(&mut self, link: &Link, encoded: &[u8]) {
        self.advance(link, Digest::of(encoded));
    }

    /// The same, with the digest of the encoded link, for whoever has it already.
    pub fn advance(&mut self, link: &Link, encoded: Digest) {
        *self = Self { next: link.seq.saturating_add(1), prev: encoded };
    }

    /// Records taken in so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.next
    }

    /// Whether nothing was taken in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }

    /// Digest of the newest link; what a session log quotes to anchor the chain's end.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.prev
    }
}

#[cfg(test)]
mod tests;
