//! What became of calls: the table behind at-most-once (`[PROTO-08]`).
//!
//! A call id is used once. The same id with the same bytes gets the stored end; with other bytes,
//! or while it runs, it is refused.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
    time::Instant,
};

use prost::Message;
use tollgate_proto::tool::v1::{Completed, GetExecutionResponse, get_execution_response::State};

use crate::limits::{EXECUTION_KEPT, EXECUTIONS_BYTES_MAX, EXECUTIONS_MAX};

/// The table.
#[derive(Debug, Default)]
pub(crate) struct Executions(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    calls: HashMap<String, Execution>,
    /// Ended calls with the size of their results, oldest first.
    ended: VecDeque<(Instant, String, usize)>,
    ended_bytes: usize,
}

#[derive(Debug)]
struct Execution {
    session: String,
    arguments_sha256: [u8; 32],
    completed: Option<Completed>,
}

/// What a `Start` meets.
#[derive(Debug)]
pub(crate) enum Begin {
    /// A new call id; it is now running.
    Fresh,
    /// It has ended before.
    Done(Box<Completed>),
    /// It is running, or the id was used for something else.
    Conflict,
}

impl Executions {
    pub(crate) fn begin(&self, call_id: &str, session: &str, arguments_sha256: [u8; 32]) -> Begin {
        let mut table = self.lock();
        table.forget_old();
        match table.calls.get(call_id) {
            None => {
                let session = session.to_owned();
                let execution = Execution { session, arguments_sha256, completed: None };
                table.calls.insert(call_id.to_owned(), execution);
                Begin::Fresh
            }
            Some(known)
                if known.session != session || known.arguments_sha256 != arguments_sha256 =>
            {
                Begin::Conflict
            }
            Some(Execution { completed: Some(completed), .. }) => {
                Begin::Done(Box::new(completed.clone()))
            }
            Some(Execution { completed: None, .. }) => Begin::Conflict,
        }
    }

    pub(crate) fn end(&self, completed: &Completed) {
        let mut table = self.lock();
        if let Some(execution) = table.calls.get_mut(&completed.call_id) {
            execution.completed = Some(completed.clone());
            let bytes = completed.encoded_len();
            table.ended.push_back((Instant::now(), completed.call_id.clone(), bytes));
            table.ended_bytes += bytes;
        }
    }

    pub(crate) fn get(&self, call_id: &str, session: &str) -> GetExecutionResponse {
        let table = self.lock();
        let known = table.calls.get(call_id).filter(|known| known.session == session);
        let (state, completed) = match known {
            None => (State::Unknown, None),
            Some(Execution { completed: None, .. }) => (State::Running, None),
            Some(Execution { completed, .. }) => (State::Done, completed.clone()),
        };
        GetExecutionResponse { state: state.into(), completed }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn forget_old(&mut self) {
        while let Some((ended, call_id, bytes)) = self.ended.pop_front() {
            let few = self.ended.len() < EXECUTIONS_MAX && self.ended_bytes < EXECUTIONS_BYTES_MAX;
            if few && ended.elapsed() < EXECUTION_KEPT {
                self.ended.push_front((ended, call_id, bytes));
                return;
            }
            self.ended_bytes -= bytes;
            self.calls.remove(&call_id);
        }
    }
}

#[cfg(test)]
mod tests;
