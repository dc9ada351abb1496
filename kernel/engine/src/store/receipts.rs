//! [`ReceiptLog`]: what became of every call of a session, as a chain (`[GATE-80]`, `[STORE-03]`).
//!
//! `receipts/<id>.jsonl`, a framed log of `tollgate_core::receipt::Link`s. A call that is sent has a
//! `decided` record before and a `receipt` after; a call that never starts has a `receipt` alone.
//!
//! Invariants: exactly one receipt a call (test `a_second_receipt_is_refused`); the chain goes on
//! where it ended, and a fault in what stands before stays visible (test
//! `a_fault_is_told_and_stays_visible`).
//!
//! Flush receipts before the session log: that one quotes the chain's head.
//!
//! Not here: what goes into a receipt (the gate), writing receipts of calls that a dead kernel left
//! (the caller of [`ReceiptLog::in_flight`]).

mod lookup;
mod verify;

use std::{
    collections::{BTreeMap, HashSet},
    path::PathBuf,
};

use tollgate_core::{
    digest::Digest,
    name::{CallId, SessionId},
    receipt::{Chain, Link, Receipt, Record},
};

pub use lookup::{Shown, links, list, read, show};
pub use verify::{Fault, FaultKind, LogKind, VerifyReport, verify};

use super::{
    EncodeError, FileError, SessionLock, StateDir,
    encode::encode,
    framed::{FramedError, FramedLog, Repairs},
    session::SessionError,
};
use crate::secrets::Redactor;

/// Why receipts could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptsError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The log could not be opened or written.
    #[error(transparent)]
    Log(#[from] FramedError),
    /// The session could not be read beside.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A receipt has no form that could be read back; nothing was written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The call has such a record already, or has ended; nothing was written.
    #[error("call {call} has its {record} already; a call has one")]
    Twice {
        /// The call.
        call: CallId,
        /// "decision" or "receipt".
        record: &'static str,
    },
    /// There is no such call.
    #[error(
        "there is no receipt of a call '{asked}'; `tollgate receipts list` shows those that are"
    )]
    Unknown {
        /// What was asked for, at most 80 characters.
        asked: String,
    },
    /// Several calls begin like that.
    #[error("several calls begin with '{asked}': {}; give more of the id", names(.matches))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// Some of them.
        matches: Vec<CallId>,
    },
}

/// The receipts of one session, written by the kernel that holds it.
#[derive(Debug)]
pub struct ReceiptLog {
    log: FramedLog,
    chain: Chain,
    calls: Calls,
    secrets: Redactor,
}

/// How far each call has come.
#[derive(Debug, Default)]
struct Calls {
    /// Decided and not ended, in the order of their ids, which is that of time.
    in_flight: BTreeMap<CallId, Receipt>,
    ended: HashSet<CallId>,
}

impl ReceiptLog {
    /// Opens the receipts of a session, made if missing, checks the chain and goes on with it. What
    /// was mended, and every fault, is in the repairs. Blocking.
    ///
    /// # Errors
    /// See [`ReceiptsError`]; damage and faults are no error.
    pub fn open(state: &StateDir, lock: &SessionLock) -> Result<(Self, Repairs), ReceiptsError> {
        let mut chain = Chain::new(lock.session().as_str());
        let mut calls = Calls::default();
        let (log, repairs) = FramedLog::open(&path(state, lock.session()), |_, text| {
            let link: Link = serde_json::from_slice(text).map_err(|error| error.to_string())?;
            let followed = chain.follow(&link, text).map_err(|fault| fault.to_string());
            if followed.is_err() {
                chain.rejoin(&link, text);
            }
            calls.take_in(link.record);
            followed
        })?;
        Ok((Self { log, chain, calls, secrets: Redactor::default() }, repairs))
    }

    /// Keeps these values out of every record from here on.
    pub fn keep_out(&mut self, secrets: Redactor) {
        self.secrets = secrets;
    }

    /// Writes that a call is about to be sent. The new head.
    ///
    /// # Errors
    /// See [`ReceiptsError`]; the log then holds what it held, and the call must not be sent.
    pub fn decided(&mut self, receipt: Receipt) -> Result<Digest, ReceiptsError> {
        let call = &receipt.id;
        if self.calls.ended.contains(call) || self.calls.in_flight.contains_key(call) {
            return Err(ReceiptsError::Twice { call: call.clone(), record: "decision" });
        }
        self.append(Record::Decided(receipt))
    }

    /// Writes that a question was put, or answered.
    ///
    /// # Errors
    /// See [`ReceiptsError`]; the log then holds what it held, and the call must not be sent.
    pub fn question(&mut self, record: Record) -> Result<Digest, ReceiptsError> {
        self.append(record)
    }

    /// Writes what became of a call. The new head, for the session's `tool_result`.
    ///
    /// # Errors
    /// See [`ReceiptsError`]; the log then holds what it held.
    pub fn receipt(&mut self, receipt: Receipt) -> Result<Digest, ReceiptsError> {
        if self.calls.ended.contains(&receipt.id) {
            return Err(ReceiptsError::Twice { call: receipt.id, record: "receipt" });
        }
        self.append(Record::Receipt(receipt))
    }

    fn append(&mut self, record: Record) -> Result<Digest, ReceiptsError> {
        let mut link = self.chain.link(record);
        let mut text = encode(&link)?;
        if self.secrets.finds(&text) {
            match &mut link.record {
                Record::Asked(it) | Record::Answered(it) => self.secrets.question(it),
                Record::Decided(it) | Record::Receipt(it) => self.secrets.receipt(it),
            }
            text = encode(&link)?;
        }
        let digest = self.log.append(&text)?;
        self.chain.advance(&link, digest);
        self.calls.take_in(link.record);
        Ok(self.chain.head())
    }

    /// Has the device keep everything written so far; see [`FramedLog::flush`].
    ///
    /// # Errors
    /// As [`FramedLog::flush_blocking`].
    ///
    /// # Cancel safety
    /// Dropping the future does not stop the flush.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn flush(&self) -> impl Future<Output = Result<(), FramedError>> + Send + use<> {
        self.log.flush()
    }

    /// Digest of the newest record.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.chain.head()
    }

    /// Calls that were decided and have no receipt, oldest first. Right after opening: those that
    /// the kernel before was running when it ended.
    pub fn in_flight(&self) -> impl Iterator<Item = &Receipt> {
        self.calls.in_flight.values()
    }
}

impl Calls {
    fn take_in(&mut self, record: Record) {
        match record {
            Record::Asked(_) | Record::Answered(_) => {}
            Record::Decided(receipt) => {
                if !self.ended.contains(&receipt.id) {
                    self.in_flight.insert(receipt.id.clone(), receipt);
                }
            }
            Record::Receipt(receipt) => {
                self.in_flight.remove(&receipt.id);
                self.ended.insert(receipt.id);
            }
        }
    }
}

/// Where a session's receipts are.
fn path(state: &StateDir, session: &SessionId) -> PathBuf {
    state.receipts().join(format!("{session}.jsonl"))
}

fn names(calls: &[CallId]) -> String {
    calls.iter().map(CallId::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
