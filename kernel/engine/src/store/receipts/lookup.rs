//! Finding receipts, without taking a session: it may be running.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    io,
};

use serde::Deserialize;
use tollgate_core::{
    name::{CallId, SessionId},
    receipt::{Link, Question, Receipt, Record},
};

use super::{ReceiptsError, path};
use crate::store::{
    FileError, StateDir,
    framed::{self, Damage, DamageKind, Line, Repairs},
    limits::MATCHES_NAMED_MAX,
    session,
};

/// What is known of one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Its session.
    pub session: SessionId,
    /// Written before it was sent; none for a call that never started.
    pub decided: Option<Receipt>,
    /// What became of it; none while it runs, or when the kernel was killed meanwhile.
    pub receipt: Option<Receipt>,
    /// What was asked about it and answered, in order.
    pub questions: Vec<Question>,
}

/// Shows every readable record of a session with its line number. What could not be read; a last
/// line that is being written is among it. A session without receipts has no records. Blocking.
///
/// # Errors
/// [`ReceiptsError::File`].
pub fn read(
    state: &StateDir,
    session: &SessionId,
    mut each: impl FnMut(u64, Record),
) -> Result<Repairs, ReceiptsError> {
    links(state, session, |number, link, _| each(number, link.record))
}

/// As [`read`], with each record's place in the chain and its exact text. Blocking.
///
/// # Errors
/// As [`read`].
pub fn links(
    state: &StateDir,
    session: &SessionId,
    mut each: impl FnMut(u64, Link, &[u8]),
) -> Result<Repairs, ReceiptsError> {
    let mut repairs = Repairs::default();
    each_line(state, session, |line| match link(&line) {
        Ok((link, text)) => each(line.number, link, text),
        Err(kind) => {
            let Line { number, offset, bytes, .. } = line;
            repairs.add(Damage { line: number, offset, bytes, kind });
        }
    })?;
    Ok(repairs)
}

/// The newest record of every call of a session, in the order in which the calls came. Blocking.
///
/// # Errors
/// As [`read`].
pub fn list(
    state: &StateDir,
    session: &SessionId,
) -> Result<(Vec<Record>, Repairs), ReceiptsError> {
    let mut records: Vec<Record> = Vec::new();
    let mut places = HashMap::new();
    let repairs = read(state, session, |_, record| {
        let id = match &record {
            Record::Decided(receipt) | Record::Receipt(receipt) => receipt.id.clone(),
            Record::Asked(_) | Record::Answered(_) => return,
        };
        let place = *places.entry(id).or_insert(records.len());
        match records.get_mut(place) {
            Some(older) => *older = record,
            None => records.push(record),
        }
    })?;
    Ok((records, repairs))
}

/// The call of this id, or the only one whose id begins so, in any session. Blocking.
///
/// # Errors
/// [`ReceiptsError::Unknown`], [`ReceiptsError::Ambiguous`], [`ReceiptsError::File`].
pub fn show(state: &StateDir, asked: &str) -> Result<Shown, ReceiptsError> {
    let (call, session) = find(state, asked)?;
    let (mut decided, mut receipt, mut questions) = (None, None, Vec::new());
    read(state, &session, |_, record| match record {
        Record::Decided(found) if found.id == call => decided = Some(found),
        Record::Receipt(found) if found.id == call => receipt = Some(found),
        Record::Asked(found) | Record::Answered(found) if found.call == call => {
            questions.push(found);
        }
        Record::Asked(_) | Record::Answered(_) | Record::Decided(_) | Record::Receipt(_) => {}
    })?;
    Ok(Shown { session, decided, receipt, questions })
}

/// The one call that is meant, and its session.
fn find(state: &StateDir, asked: &str) -> Result<(CallId, SessionId), ReceiptsError> {
    let mut sessions = session::ids_in(state.receipts())?;
    // Ids are in the order of time, and a newer session is likelier meant.
    sessions.sort_unstable_by(|a, b| b.cmp(a));
    let mut matches = BTreeMap::new();
    for session in sessions {
        each_line(state, &session, |line| {
            let id = line.record.ok().and_then(id_of).filter(|id| id.as_str().starts_with(asked));
            if let Some(id) = id
                && (matches.len() <= MATCHES_NAMED_MAX || id.as_str() == asked)
            {
                matches.insert(id, session.clone());
            }
        })?;
        if let Some(exact) = matches.remove_entry(asked) {
            return Ok(exact);
        }
    }
    if matches.len() > 1 && !asked.is_empty() {
        let matches = matches.into_keys().take(MATCHES_NAMED_MAX).collect();
        return Err(ReceiptsError::Ambiguous { asked: asked.to_owned(), matches });
    }
    matches.pop_first().filter(|_| !asked.is_empty()).ok_or_else(|| ReceiptsError::Unknown {
        asked: asked.chars().take(80).flat_map(char::escape_default).collect(),
    })
}

/// The call of a record, without reading the rest of it.
fn id_of(text: &[u8]) -> Option<CallId> {
    #[derive(Deserialize)]
    struct Identified<'a> {
        #[serde(borrow)]
        id: Cow<'a, str>,
    }
    let record: Identified<'_> = serde_json::from_slice(text).ok()?;
    CallId::try_from(record.id.into_owned()).ok()
}

/// The link in a line, and its encoded form.
pub(super) fn link<'a>(line: &Line<'a>) -> Result<(Link, &'a [u8]), DamageKind> {
    let text = line.record?;
    let link =
        serde_json::from_slice(text).map_err(|error| DamageKind::Record(error.to_string()))?;
    Ok((link, text))
}

/// Shows every line of a session's receipts; none if there are no receipts.
pub(super) fn each_line(
    state: &StateDir,
    session: &SessionId,
    each: impl FnMut(Line<'_>),
) -> Result<(), FileError> {
    match framed::read(&path(state, session), each) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        read => read,
    }
}
