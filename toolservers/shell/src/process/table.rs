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
    kept::Kept,
    kind::Keeping,
    life::{By, Life},
};
use crate::{
    limits::{ENDED_MAX, ENDED_OF_ALL_MAX, FORGOTTEN_MAX, ID_BYTES_MAX},
    spawn::Started,
    subjects::bounded,
};

/// All background processes of one kind of this server.
#[derive(Debug)]
pub(crate) struct Processes<K = Kept>(Mutex<Table<K>>);

#[derive(Debug)]
struct Table<K> {
    /// The last number that was given.
    last: u64,
    /// In the order of their starts.
    all: Vec<Arc<Background<K>>>,
    /// Conversations and numbers of ended ones that are not kept any more, the oldest first.
    forgotten: VecDeque<(String, u64)>,
    /// One for each process that is not all ended.
    drivers: JoinSet<()>,
}

impl<K> Default for Processes<K> {
    fn default() -> Self {
        Self(Mutex::new(Table {
            last: 0,
            all: Vec::new(),
            forgotten: VecDeque::new(),
            drivers: JoinSet::new(),
        }))
    }
}

impl<K: Keeping> Processes<K> {
    /// Takes in a process that `start` starts, if there is room.
    ///
    /// # Errors
    /// There are as many as can be, or it was not started.
    pub(crate) fn start(
        &self,
        birth: Birth,
        session_over: CancellationToken,
        start: impl FnOnce() -> Result<(Started, K), Failure>,
    ) -> Result<Arc<Background<K>>, Failure> {
        let mut table = self.tidied();
        table.check_room(&birth.session)?;
        let (started, kept) = start()?;
        table.last += 1;
        let number = table.last;
        let (process, driving) = Background::new(number, birth, kept, started, session_over)
            .map_err(|error| {
                Failure::new(
                    "not_started",
                    format!("the {} cannot be watched: {error}", K::KIND.name),
                )
            })?;
        table.drivers.spawn(driving);
        table.all.push(Arc::clone(&process));
        Ok(process)
    }

    /// The processes of a conversation, in the order of their starts.
    pub(crate) fn of(&self, session: &str) -> Vec<Arc<Background<K>>> {
        self.tidied().of(session).cloned().collect()
    }

    /// The process that an id names.
    ///
    /// # Errors
    /// There is none: a sentence with those that there are.
    pub(crate) fn find(&self, session: &str, id: &str) -> Result<Arc<Background<K>>, String> {
        let table = self.tidied();
        if let Some(process) = table.of(session).find(|process| process.id() == id) {
            process.touch();
            return Ok(Arc::clone(process));
        }
        let was = |(of, number): &(String, u64)| of == session && K::KIND.id(*number) == id;
        let why = if table.forgotten.iter().any(was) {
            format!("{} '{id}' has ended, and its output is not kept any more", K::KIND.name)
        } else {
            let id = bounded(id, ID_BYTES_MAX).escape_debug();
            format!("there is no {} '{id}'", K::KIND.name)
        };
        Err(format!("{why}; {}", table.listed(session)))
    }

    /// The table, with what became of its processes seen to.
    fn tidied(&self) -> MutexGuard<'_, Table<K>> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while table.drivers.try_join_next().is_some() {}
        for process in &table.all {
            process.settle();
        }
        table.forget();
        table
    }
}

impl<K: Keeping> Table<K> {
    fn of(&self, session: &str) -> impl Iterator<Item = &Arc<Background<K>>> {
        self.all.iter().filter(move |process| process.birth.session == session)
    }

    fn check_room(&self, session: &str) -> Result<(), Failure> {
        let kind = &K::KIND;
        let running = self.of(session).filter(|process| is_running(process)).count();
        if running >= kind.running_max {
            let message = format!(
                "{running} {} of this session run, as many as can; {} one first. {}",
                kind.plural,
                kind.end,
                self.listed(session)
            );
            return Err(Failure::new("too_many", message));
        }
        if self.all.iter().filter(|process| is_running(process)).count() >= kind.running_of_all_max
        {
            let message = format!(
                "{} {} of all sessions run here, as many as can; {} one first",
                kind.running_of_all_max, kind.plural, kind.end
            );
            return Err(Failure::new("too_many", message));
        }
        Ok(())
    }

    /// Drops what has ended longest ago until few enough are left, and all of ended sessions.
    fn forget(&mut self) {
        let of_ended_session =
            |process: &Background<K>| matches!(process.life(), Life::Ended { by: By::Session, .. });
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
        let name = |process: &Arc<Background<K>>| {
            let life = match process.life() {
                Life::Running => "runs",
                Life::Left { .. } => "its shell has ended",
                Life::Ended { .. } => "has ended",
            };
            format!("{} ({life})", process.id())
        };
        let names: Vec<String> = self.of(session).map(name).collect();
        if names.is_empty() {
            format!("this session has none: start one with action '{}'", K::KIND.begin)
        } else {
            format!("there are: {}", names.join(", "))
        }
    }
}

fn is_running<K: Keeping>(process: &Background<K>) -> bool {
    !matches!(process.life(), Life::Ended { .. })
}
