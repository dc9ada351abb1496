//! How a session is shown while it runs: as text for people, as JSON lines, or not at all.
//!
//! A view turns an event into [`Piece`]s and prints nothing itself, so that it can be tested.
//!
//! Invariants: standard output gets the answer, or JSON, and nothing else (`[CLI-01]`, test
//! `standard_output_gets_the_answer_and_nothing_else`); nothing from outside reaches a terminal as it
//! is (`[TOOL-04]`).

pub(crate) mod card;
mod outcome;
mod refusals;
mod text;
mod title;

use tollgate_core::authority::Layer;
use tollgate_engine::event::Event;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use outcome::plain;
pub(crate) use refusals::Refusals;
pub(crate) use text::{Shows, TextView};
pub(crate) use title::{gist, title};

use crate::output::{write_err, write_out};

/// A piece of output.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Piece {
    /// For standard output.
    Out(String),
    /// For standard error.
    Err(String),
}

/// How a session is shown.
#[derive(Debug)]
pub(crate) enum View {
    /// Progress for people on standard error, the answer on standard output.
    Text(Box<TextView>),
    /// Each event as a line of JSON on standard output (`[CLI-02]`).
    Lines,
    /// Nothing.
    Quiet,
}

impl View {
    /// Shows an event.
    pub(crate) fn show(&mut self, event: &Event) {
        match self {
            Self::Text(text) => print(text.event(event)),
            Self::Lines => crate::output::json_line(event),
            Self::Quiet => {}
        }
    }
}

/// A layer of the gate as receipts have it, with its number: "7 rules".
pub(crate) fn layer_word(layer: Layer) -> String {
    let word = serde_json::to_value(layer).unwrap_or_default();
    format!("{} {}", layer.number(), word.as_str().unwrap_or_default().replace('_', " "))
}

/// Prints pieces in their order.
pub(crate) fn print(pieces: Vec<Piece>) {
    for piece in pieces {
        match piece {
            Piece::Out(text) => write_out(text.as_bytes()),
            Piece::Err(text) => write_err(&text),
        }
    }
}
