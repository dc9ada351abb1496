//! [`verify`]: whether a session's receipts are all there and as they were written (`[STORE-03]`).
//!
//! | fault | how it shows |
//! |---|---|
//! | a byte changed | the line's checksum |
//! | a record changed, its checksum made to fit | the next record's link; for the last, its anchor |
//! | a record removed or moved | numbers and links |
//! | the end cut off | the session log quotes the head after each result, and that is not there |
//!
//! Not found: a cut behind the last quoted head, where nothing outside tells of what was cut; and a
//! log rewritten from its first record together with its session log.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

use serde::Deserialize;
use tollgate_core::{
    digest::Digest,
    name::{CallId, SessionId},
    receipt::{Chain, ChainFault, Record},
};

use super::{
    ReceiptsError,
    lookup::{each_line, link},
};
use crate::store::{
    StateDir,
    framed::{self, DamageKind},
    limits::DAMAGE_LISTED_MAX,
    session,
};

/// What a check of a session's receipts found.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyReport {
    /// The session.
    pub session: SessionId,
    /// Records that could be read.
    pub records: u64,
    /// Calls that they speak of.
    pub calls: u64,
    /// Calls that were decided and have no receipt: running now, or when the kernel was killed; the
    /// session's resume writes their receipts.
    pub in_flight: Vec<CallId>,
    /// Digest of the last record.
    pub head: Digest,
    /// Heads that the session log quotes; none when there is no session log, so that a cut end does
    /// not show.
    pub anchors: Option<u64>,
    /// What is wrong, the first [`DAMAGE_LISTED_MAX`] in the order in which they show.
    pub faults: Vec<Fault>,
    /// Faults beyond those.
    pub unlisted: u64,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    /// The log that has the line.
    pub log: LogKind,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub kind: FaultKind,
}

/// One of a session's two logs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LogKind {
    /// `receipts/<id>.jsonl`.
    Receipts,
    /// `sessions/<id>.jsonl`.
    Session,
}

/// What is wrong.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FaultKind {
    /// The line cannot be used.
    #[error(transparent)]
    Damaged(DamageKind),
    /// The chain does not hold.
    #[error(transparent)]
    Chain(ChainFault),
    /// The call was decided before, or has ended before.
    #[error("call {0} is decided a second time, or after its end")]
    DecidedAgain(CallId),
    /// The call has a receipt already.
    #[error("call {0} has a second receipt")]
    SecondReceipt(CallId),
    /// A head that this line quotes is not in the receipts.
    #[error("the receipts that were there when call {0} ended are cut off or changed")]
    CutOff(CallId),
    /// The line has a result, and no receipt was written before it.
    #[error("call {0} has a result and no receipt before it")]
    NoReceipt(CallId),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = match self.log {
            LogKind::Receipts => "receipts",
            LogKind::Session => "session log",
        };
        write!(f, "{log}, line {}: {}", self.line, self.kind)
    }
}

impl VerifyReport {
    /// Whether nothing is wrong. Calls in flight are not wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    fn add(&mut self, log: LogKind, line: u64, kind: FaultKind) {
        if self.faults.len() < DAMAGE_LISTED_MAX {
            self.faults.push(Fault { log, line, kind });
        } else {
            self.unlisted += 1;
        }
    }
}

/// Checks a session's receipts, by themselves and against its session log. Blocking.
///
/// # Errors
/// [`ReceiptsError::Session`] when there is no such session, [`ReceiptsError::File`]; what is wrong
/// with the receipts is in the report.
pub fn verify(state: &StateDir, session: &SessionId) -> Result<VerifyReport, ReceiptsError> {
    // The session log first: while the session runs, receipts are ahead of it, never behind.
    let anchors = anchors(state, session)?;
    let mut report = VerifyReport {
        session: session.clone(),
        records: 0,
        calls: 0,
        in_flight: Vec::new(),
        head: Chain::new(session.as_str()).head(),
        anchors: anchors.as_ref().map(|anchors| anchors.len() as u64),
        faults: Vec::new(),
        unlisted: 0,
    };
    let seen = check_receipts(state, &mut report)?;
    if anchors.is_none() && report.records == 0 && report.is_sound() {
        return Err(session::unknown(state, session.as_str()).into());
    }
    for anchor in anchors.unwrap_or_default() {
        let ended = seen.ended.get(&anchor.call);
        match (seen.heads.get(&anchor.head), ended) {
            (None, _) => report.add(LogKind::Session, anchor.line, FaultKind::CutOff(anchor.call)),
            (Some(head), Some(ended)) if ended <= head => {}
            (Some(_), _) => {
                report.add(LogKind::Session, anchor.line, FaultKind::NoReceipt(anchor.call));
            }
        }
    }
    Ok(report)
}

/// What the receipts say, by line.
#[derive(Default)]
struct Seen {
    heads: HashMap<Digest, u64>,
    ended: HashMap<CallId, u64>,
}

fn check_receipts(state: &StateDir, report: &mut VerifyReport) -> Result<Seen, ReceiptsError> {
    let session = report.session.clone();
    let mut chain = Chain::new(session.as_str());
    let mut seen = Seen::default();
    let mut in_flight = BTreeMap::new();
    let mut calls = HashSet::new();
    each_line(state, &session, |line| {
        let number = line.number;
        let (link, text) = match link(&line) {
            Ok(link) => link,
            Err(kind) => return report.add(LogKind::Receipts, number, FaultKind::Damaged(kind)),
        };
        report.records += 1;
        if let Err(fault) = chain.follow(&link, text) {
            report.add(LogKind::Receipts, number, FaultKind::Chain(fault));
            chain.rejoin(&link, text);
        }
        seen.heads.insert(chain.head(), number);
        match link.record {
            Record::Asked(_) | Record::Answered(_) => {}
            Record::Decided(receipt) => {
                if !calls.insert(receipt.id.clone()) {
                    let again = FaultKind::DecidedAgain(receipt.id);
                    return report.add(LogKind::Receipts, number, again);
                }
                in_flight.insert(receipt.id, number);
            }
            Record::Receipt(receipt) => {
                calls.insert(receipt.id.clone());
                in_flight.remove(&receipt.id);
                if seen.ended.contains_key(&receipt.id) {
                    let second = FaultKind::SecondReceipt(receipt.id);
                    return report.add(LogKind::Receipts, number, second);
                }
                seen.ended.insert(receipt.id, number);
            }
        }
    })?;
    report.calls = calls.len() as u64;
    report.in_flight = in_flight.into_keys().collect();
    report.head = chain.head();
    Ok(seen)
}

/// A head that the session log quotes.
struct Anchor {
    line: u64,
    call: CallId,
    head: Digest,
}

/// The heads that a session log quotes; none when there is no such log.
fn anchors(state: &StateDir, session: &SessionId) -> Result<Option<Vec<Anchor>>, ReceiptsError> {
    #[derive(Deserialize)]
    struct Quoting {
        call_id: CallId,
        receipt_head: Digest,
    }
    let path = session::path(state, session);
    if !path.exists() {
        return Ok(None);
    }
    let mut anchors = Vec::new();
    framed::read(&path, |line| {
        // Other records have no such fields; a damaged one anchors nothing.
        let quoting = line.record.ok().and_then(|text| serde_json::from_slice(text).ok());
        if let Some(Quoting { call_id, receipt_head }) = quoting {
            anchors.push(Anchor { line: line.number, call: call_id, head: receipt_head });
        }
    })?;
    Ok(Some(anchors))
}
