//! The kernel's decisions, and nothing that waits.
//!
//! Everything here is a function of its arguments: no clock, file, socket, environment or thread.
//! Read in the order of the modules: a call comes in by [`call`], its name meets the [`catalog`],
//! its arguments the [`schema`], what it would do meets the [`authority`], and what became of it is
//! a [`receipt`].
//!
//! Not here: asking a server or a person, running anything, keeping anything (`tollgate-engine`).

pub mod authority;
pub mod call;
pub mod catalog;
pub mod digest;
pub mod json;
#[cfg(test)]
mod testing;

pub mod limits;
pub mod name;
pub mod program;
pub mod receipt;
pub mod safety;
pub mod schema;
pub mod stance;
pub mod text;
