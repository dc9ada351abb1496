//! Which background processes there are, and whose.
//!
//! Invariants: a process is found by its own conversation only (test
//! `ids_of_another_session_are_unknown` of `process`);
//! running and ended ones are bounded, and a running one is never dropped to make room.
//!
//! Not here: one process (`background`).

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::task::JoinSet;
use tollgate_sdk::{CancellationToken, Failure};

use super::{
    background::{Background, Birth},
    life::{By, Life},
};
use crate::{
    limits::{
        ENDED_MAX, ENDED_OF_ALL_MAX, FORGOTTEN_MAX, ID_BYTES_MAX, PROCESSES_MAX,
        PROCESSES_OF_ALL_MAX,
    },
    spawn::Started,
    subjects::bounded,
};

/// All background processes of this server.
#[derive(Debug, Default)]
pub(crate) struct Processes(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    /// The last number that was given.
    last: u64,
    /// In the order of their starts.
    all: Vec<Arc<Background>>,
    /// Conversations and numbers of ended ones that are not kept any more, the oldest first.
    forgotten: VecDeque<(String, u64)>,
    /// One for each process that is not all ended.
    drivers: JoinSet<()>,
}

impl Processes {
    /// Takes in a process that `start` starts, if there is room.
    ///
    /// # Errors
    /// There are as many as can be, or it was not started.
    pub(crate) fn start(
        &self,
        birth: Birth,
        session_over: CancellationToken,
        start: impl FnOnce() -> Result<Started, Failure>,
    ) -> Result<Arc<Background>, Failure> {
        let mut table = self.tidied();
        table.check_room(&birth.session)?;
        let started = start()?;
        table.last += 1;
        let number = table.last;
        let (process, driving) =
            Background::new(number, birth, started, session_over).map_err(|error| {
                Failure::new("not_started", format!("the process cannot be watched: {error}"))
            })?;
        table.drivers.spawn(driving);
        table.all.push(Arc::clone(&process));
        Ok(process)
    }

    /// The processes of a conversation, in the order of their starts.
    pub(crate) fn of(&self, session: &str) -> Vec<Arc<Background>> {
        self.tidied().of(session).cloned().collect()
    }

    /// The process that an id names.
    ///
    /// # Errors
    /// There is none: a sentence with those that there are.
    pub(crate) fn find(&self, session: &str, id: &str) -> Result<Arc<Background>, String> {
        let table = self.tidied();
        if let Some(process) = table.of(session).find(|process| process.id() == id) {
            return Ok(Arc::clone(process));
        }
        let was = |(of, number): &(String, u64)| of == session && format!("p{number}") == id;
        let why = if table.forgotten.iter().any(was) {
            format!("process '{id}' has ended, and its output is not kept any more")
        } else {
            format!("there is no process '{}'", bounded(id, ID_BYTES_MAX).escape_debug())
        };
        Err(format!("{why}; {}", table.listed(session)))
    }

    /// The table, with what became of its processes seen to.
    fn tidied(&self) -> MutexGuard<'_, Table> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while table.drivers.try_join_next().is_some() {}
        for process in &table.all {
            process.settle();
        }
        table.forget();
        table
    }
}

impl Table {
    fn of(&self, session: &str) -> impl Iterator<Item = &Arc<Background>> {
        self.all.iter().filter(move |process| process.birth.session == session)
    }

    fn check_room(&self, session: &str) -> Result<(), Failure> {
        let running = self.of(session).filter(|process| is_running(process)).count();
        if running >= PROCESSES_MAX {
            let message = format!(
                "{running} processes of this session run, as many as can; stop one first. {}",
                self.listed(session)
            );
            return Err(Failure::new("too_many", message));
        }
        if self.all.iter().filter(|process| is_running(process)).count() >= PROCESSES_OF_ALL_MAX {
            let message = format!(
                "{PROCESSES_OF_ALL_MAX} processes of all sessions run here, as many as can; stop one first"
            );
            return Err(Failure::new("too_many", message));
        }
        Ok(())
    }

    /// Drops what has ended longest ago until few enough are left, and all of ended sessions.
    fn forget(&mut self) {
        let of_ended_session =
            |process: &Background| matches!(process.life(), Life::Ended { by: By::Session, .. });
        self.all.retain(|process| !of_ended_session(process));
        let mut ended: Vec<_> = self
            .all
            .iter()
            .filter_map(|process| match process.life() {
                Life::Ended { at, .. } => Some((at, Arc::clone(process))),
                Life::Running | Life::Left { .. } => None,
            })
            .collect();
        // The newest first.
        ended.sort_by_key(|(at, process)| std::cmp::Reverse((*at, process.number)));
        for (place, (_, process)) in ended.iter().enumerate() {
            let session = &process.birth.session;
            let newer = ended.iter().take(place);
            let newer_of_it = newer.filter(|(_, other)| other.birth.session == *session).count();
            if newer_of_it < ENDED_MAX && place < ENDED_OF_ALL_MAX {
                continue;
            }
            self.all.retain(|other| other.number != process.number);
            self.forgotten.push_back((session.clone(), process.number));
        }
        while self.forgotten.len() > FORGOTTEN_MAX {
            self.forgotten.pop_front();
        }
    }

    /// "There are: p1 (runs), p2 (has ended)".
    fn listed(&self, session: &str) -> String {
        let name = |process: &Arc<Background>| {
            let life = match process.life() {
                Life::Running => "runs",
                Life::Left { .. } => "its shell has ended",
                Life::Ended { .. } => "has ended",
            };
            format!("{} ({life})", process.id())
        };
        let names: Vec<String> = self.of(session).map(name).collect();
        if names.is_empty() {
            "this session has none: start one with action 'start'".to_owned()
        } else {
            format!("there are: {}", names.join(", "))
        }
    }
}

fn is_running(process: &Background) -> bool {
    !matches!(process.life(), Life::Ended { .. })
}
