//! Assembles tool calls from their pieces, by id and index.
//!
//! Which call a piece belongs to, first match wins. "Begins anew" means that the piece has a name
//! and cannot continue that call: another name, another index, an earlier piece of the same delta
//! has continued it, or its arguments are a whole JSON object already and this piece brings more.
//!
//! | # | the piece has                          | it belongs to                                   |
//! |---|----------------------------------------|-------------------------------------------------|
//! | 1 | an id that is known                    | that call, unless it begins anew                |
//! | 2 | an unknown id, an index in use, a name | a new call, unless that call waits for its id   |
//! | 3 | an unknown id, an index in use, no name| the call with this index                        |
//! | 4 | an unknown id otherwise                | a new call                                      |
//! | 5 | no id, an index in use                 | the call with this index, unless it begins anew |
//! | 6 | no id, a free index                    | a new call                                      |
//! | 7 | neither                                | the last call, unless it begins anew            |
//!
//! Invariants: arguments are joined and never changed, nor read for anything but the word "whole"
//! above; ids are unique in the answer (test `ids_are_unique`); a call without a name is a fault.
//!
//! Not here: whether the arguments are JSON, or the tool exists. The kernel judges that.

use std::collections::BTreeSet;

use crate::chat::chunk::CallDelta;
use crate::event::{Class, ToolCall};
use crate::failure::Failure;
use crate::limits::{ARGUMENTS_BYTES_MAX, CALLS_MAX};

#[cfg(test)]
mod tests;

/// The calls of one answer.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: Vec<Partial>,
    /// The call that the last piece belonged to.
    last: Option<usize>,
}

#[derive(Debug, Default)]
struct Partial {
    id: Option<String>,
    index: Option<u64>,
    name: String,
    arguments: String,
}

impl Calls {
    /// Takes the pieces of one delta, and gives the bytes of arguments that they brought.
    ///
    /// # Errors
    ///
    /// More than [`CALLS_MAX`] calls, or [`ARGUMENTS_BYTES_MAX`] bytes in one.
    pub(crate) fn take(&mut self, pieces: &[CallDelta]) -> Result<usize, Failure> {
        let mut bytes = 0;
        let mut continued = BTreeSet::new();
        for piece in pieces {
            let piece = Piece::of(piece);
            let at = self.route(&piece, &continued);
            continued.insert(at);
            self.last = Some(at);
            bytes += piece.arguments.len();
            self.add(at, piece)?;
        }
        Ok(bytes)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The whole calls, in the order in which they began. `step` goes into ids that are made here,
    /// so that they are unique in the conversation too.
    ///
    /// # Errors
    ///
    /// A call has no name.
    pub(crate) fn finish(self, step: usize) -> Result<Vec<ToolCall>, Failure> {
        let mut used: BTreeSet<String> = self.calls.iter().filter_map(|c| c.id.clone()).collect();
        let mut given = BTreeSet::new();
        let mut number = 0;
        let mut calls = Vec::new();
        for call in self.calls {
            if call.name.is_empty() {
                return Err(Failure::lasting(Class::Protocol, "the model's call has no tool name"));
            }
            let id = match call.id {
                Some(id) if given.insert(id.clone()) => id,
                duplicate => loop {
                    let id = format!("call_{step}_{number}");
                    number += 1;
                    if used.insert(id.clone()) {
                        tracing::warn!(?duplicate, id, "a call without an id of its own got one");
                        break id;
                    }
                },
            };
            calls.push(ToolCall { id, name: call.name, arguments: call.arguments.into() });
        }
        Ok(calls)
    }

    /// The place of the call that a piece belongs to; the end for a new one.
    fn route(&self, piece: &Piece, continued: &BTreeSet<usize>) -> usize {
        let new = self.calls.len();
        let unless_anew = |at: usize| match self.calls.get(at) {
            Some(call) if !call.is_begun_anew_by(piece, continued.contains(&at)) => at,
            _ => new,
        };
        let last_with = |is: &dyn Fn(&Partial) -> bool| self.calls.iter().rposition(is);
        let in_use = piece.index.and_then(|i| last_with(&|call| call.index == Some(i)));
        match (&piece.id, in_use) {
            (Some(id), in_use) => {
                if let Some(known) = last_with(&|call| call.id.as_ref() == Some(id)) {
                    return unless_anew(known);
                }
                match in_use {
                    Some(at) if piece.name.is_none() => at,
                    Some(at) if self.calls.get(at).is_some_and(|c| c.id.is_none()) => {
                        unless_anew(at)
                    }
                    Some(_) | None => new,
                }
            }
            (None, Some(at)) => unless_anew(at),
            (None, None) if piece.index.is_some() => new,
            (None, None) => self.last.map_or(new, unless_anew),
        }
    }

    fn add(&mut self, at: usize, piece: Piece) -> Result<(), Failure> {
        if at == self.calls.len() {
            self.calls.push(Partial::default());
        }
        let too_many = self.calls.len() > CALLS_MAX;
        let Some(call) = self.calls.get_mut(at) else { return Ok(()) };
        call.index = call.index.or(piece.index);
        call.id = call.id.take().or(piece.id);
        if call.name.is_empty() {
            call.name = piece.name.unwrap_or_default();
        }
        call.arguments.push_str(&piece.arguments);
        if too_many {
            let message = format!("the answer has more than {CALLS_MAX} calls");
            return Err(Failure::lasting(Class::Protocol, message));
        }
        if call.arguments.len() > ARGUMENTS_BYTES_MAX {
            let name = &call.name;
            let message =
                format!("the arguments of {name} are longer than {ARGUMENTS_BYTES_MAX} bytes");
            return Err(Failure::lasting(Class::Protocol, message));
        }
        Ok(())
    }
}

/// A piece whose empty texts are absent.
struct Piece {
    id: Option<String>,
    index: Option<u64>,
    name: Option<String>,
    arguments: String,
}

impl Piece {
    fn of(delta: &CallDelta) -> Self {
        let function = delta.function.as_ref();
        Self {
            id: delta.id.clone().filter(|id| !id.is_empty()),
            index: delta.index,
            name: function.and_then(|f| f.name.clone()).filter(|name| !name.is_empty()),
            arguments: function
                .map(crate::chat::chunk::FunctionDelta::fragment)
                .unwrap_or_default(),
        }
    }
}

impl Partial {
    fn is_begun_anew_by(&self, piece: &Piece, continued_in_this_delta: bool) -> bool {
        let Some(name) = &piece.name else { return false };
        let is_named = !self.name.is_empty();
        let differs = matches!((self.index, piece.index), (Some(a), Some(b)) if a != b);
        is_named
            && (*name != self.name
                || differs
                || continued_in_this_delta
                || (!piece.arguments.trim().is_empty() && self.is_whole()))
    }

    /// Whether the arguments are a JSON object already.
    fn is_whole(&self) -> bool {
        self.arguments.trim_end().ends_with('}')
            && serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok()
    }
}
