//! [`SessionLog`]: the transcript of one session, append-only (`[STORE-01]`).
//!
//! `sessions/<id>.jsonl`, a framed log of [`SessionRecord`]s whose first is the session's head.
//! Whoever has the log has the session's lock.
//!
//! Invariants: what `append` accepted is there after `kill -9` (test
//! `what_was_appended_is_there_after_a_kill`); a damaged or unknown record is told and the rest is
//! loaded (test `a_damaged_middle_is_told_and_the_rest_loads`).
//!
//! Not here: turning records into a conversation, or deciding what a resumed session does.

mod list;
mod record;

use std::fs;

use tollgate_core::name::SessionId;

pub use list::{Summary, find, last_request, latest, list};
pub(super) use list::{ids_in, path, unknown};
pub use record::{
    Assistant, Head, Observed, RequestKept, SessionKind, SessionRecord, ToolCall, ToolResult, Usage,
};

use super::{
    EncodeError, FileError, SessionLock, StateDir,
    encode::encode,
    framed::{self, Damage, DamageKind, FramedError, FramedLog, Repairs},
    lock::LockError,
};
use crate::secrets::Redactor;

/// Why a session could not be made, opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its log could not be opened or written.
    #[error(transparent)]
    Log(#[from] FramedError),
    /// It could not be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A record has no form that could be read back; nothing was written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// There is no such session.
    #[error("there is no session '{asked}'; {}", known(.nearest))]
    Unknown {
        /// What was asked for, at most 80 characters.
        asked: String,
        /// What may have been meant.
        nearest: Vec<SessionId>,
    },
    /// Several sessions begin like that.
    #[error("several sessions begin with '{asked}': {}; give more of the id", names(.matches))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// Some of them, newest first.
        matches: Vec<SessionId>,
    },
}

/// The log of one session, held by this kernel alone.
#[derive(Debug)]
pub struct SessionLog {
    lock: SessionLock,
    log: FramedLog,
    secrets: Redactor,
}

impl SessionLog {
    /// Makes a new session. Blocking.
    ///
    /// # Errors
    /// See [`SessionError`].
    pub fn create(state: &StateDir, head: Head) -> Result<Self, SessionError> {
        let lock = SessionLock::acquire(state, &head.id)?;
        let path = path(state, &head.id);
        let first = encode(&SessionRecord::Session(head))?;
        let mut log = FramedLog::create(&path)?;
        if let Err(error) = log.append(&first) {
            // A session without its head is none.
            fs::remove_file(&path).ok();
            return Err(error.into());
        }
        Ok(Self { lock, log, secrets: Redactor::default() })
    }

    /// Opens a session again: its records in order, and what was mended. Blocking.
    ///
    /// # Errors
    /// See [`SessionError`]; damage is no error.
    pub fn resume(
        state: &StateDir,
        id: &SessionId,
    ) -> Result<(Self, Vec<SessionRecord>, Repairs), SessionError> {
        let path = path(state, id);
        if !path.exists() {
            return Err(unknown(state, id.as_str()));
        }
        let lock = SessionLock::acquire(state, id)?;
        let mut records = Vec::new();
        let (log, repairs) = FramedLog::open(&path, |_, text| {
            records.push(serde_json::from_slice(text).map_err(|error| error.to_string())?);
            Ok(())
        })?;
        Ok((Self { lock, log, secrets: Redactor::default() }, records, repairs))
    }

    /// The session.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        self.lock.session()
    }

    /// Proof that this kernel has the session; what its receipts are opened with.
    #[must_use]
    pub fn lock(&self) -> &SessionLock {
        &self.lock
    }

    /// Keeps these values out of every record from here on.
    pub fn keep_out(&mut self, secrets: Redactor) {
        self.secrets = secrets;
    }

    /// Writes one record; when this returns it survives `kill -9`.
    ///
    /// # Errors
    /// [`SessionError::Encode`] and [`SessionError::Log`]; the log then holds what it held.
    pub fn append(&mut self, record: &SessionRecord) -> Result<(), SessionError> {
        let mut text = encode(record)?;
        if self.secrets.finds(&text) {
            let mut record = record.clone();
            self.secrets.record(&mut record);
            text = encode(&record)?;
        }
        self.log.append(&text)?;
        Ok(())
    }

    /// Has the device keep everything appended so far; see [`FramedLog::flush`].
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
}

/// Shows a session's records with their line numbers, without taking the session: it may be running.
/// What could not be read; a last line that is being written is among it. Blocking.
///
/// # Errors
/// [`SessionError::Unknown`] and [`SessionError::File`].
pub fn read(
    state: &StateDir,
    id: &SessionId,
    mut each: impl FnMut(u64, SessionRecord),
) -> Result<Repairs, SessionError> {
    let path = path(state, id);
    if !path.exists() {
        return Err(unknown(state, id.as_str()));
    }
    let mut repairs = Repairs::default();
    framed::read(&path, |line| {
        let kind = match line.record.map(serde_json::from_slice) {
            Ok(Ok(record)) => return each(line.number, record),
            Ok(Err(error)) => DamageKind::Record(error.to_string()),
            Err(fault) => fault.into(),
        };
        repairs.add(Damage { line: line.number, offset: line.offset, bytes: line.bytes, kind });
    })?;
    Ok(repairs)
}

fn known(nearest: &[SessionId]) -> String {
    if nearest.is_empty() {
        return "`tollgate sessions list` shows those that are".to_owned();
    }
    format!("did you mean {}?", names(nearest))
}

fn names(ids: &[SessionId]) -> String {
    ids.iter().map(SessionId::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
