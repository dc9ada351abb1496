//! What differs between the kinds of processes that a session owns: those whose output is lines
//! (`process`) and those at a terminal (`terminal`). Their table, their life and their end are the same.
//!
//! Not here: what is kept of the output (`kept`, and `screen` of `terminal`).

use std::{fmt::Debug, time::Duration};

use crate::limits::{
    PROCESSES_MAX, PROCESSES_OF_ALL_MAX, TERMINAL_IDLE_MAX, TERMINALS_MAX, TERMINALS_OF_ALL_MAX,
};

/// What is kept of a process's output, in bounded memory.
pub(crate) trait Keeping: Debug + Send + 'static {
    /// The words and bounds of its kind.
    const KIND: Kind;

    /// Takes the next piece, and gives what a terminal answers to it.
    fn push(&mut self, bytes: &[u8]) -> Vec<u8>;

    /// Nothing comes any more.
    fn finish(&mut self);
}

/// Words and bounds of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The letter before the number in an id.
    letter: char,
    /// "process".
    pub(crate) name: &'static str,
    /// "processes".
    pub(crate) plural: &'static str,
    /// The action that makes one.
    pub(crate) begin: &'static str,
    /// The action that ends one.
    pub(crate) end: &'static str,
    /// Running ones of one session.
    pub(crate) running_max: usize,
    /// Running ones of all sessions.
    pub(crate) running_of_all_max: usize,
    /// How long one lasts that no call names.
    pub(crate) idle_max: Option<Duration>,
}

impl Kind {
    pub(crate) const PROCESS: Self = Self {
        letter: 'p',
        name: "process",
        plural: "background processes",
        begin: "start",
        end: "stop",
        running_max: PROCESSES_MAX,
        running_of_all_max: PROCESSES_OF_ALL_MAX,
        idle_max: None,
    };

    pub(crate) const TERMINAL: Self = Self {
        letter: 't',
        name: "terminal",
        plural: "terminals",
        begin: "open",
        end: "close",
        running_max: TERMINALS_MAX,
        running_of_all_max: TERMINALS_OF_ALL_MAX,
        idle_max: Some(TERMINAL_IDLE_MAX),
    };

    /// "p1".
    pub(crate) fn id(&self, number: u64) -> String {
        format!("{}{number}", self.letter)
    }
}
