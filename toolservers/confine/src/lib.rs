//! Confinement: what the operating system holds a process to, whatever the code in it tries (`[GATE-70]`).
//!
//! | who is confined | by | with |
//! |---|---|---|
//! | a tool server, for good, before it answers anybody | itself: [`server::confine`] | [`paths`] (Landlock), [`syscalls`] (seccomp), [`resources`] |
//! | a program that a server starts, for one call | a launcher in between: [`child`] | the same, and [`namespaces`] and [`mounts`] where the host has them |
//!
//! What holds is told in words, for receipts and `tollgate doctor` ([`Tiers`]); what a host cannot do is
//! named, never passed over. [`Requirement`] says whether a process may then run with less.
//!
//! Invariants: everything is taken away before foreign code runs, in an order in which each step needs
//! nothing that an earlier one took; a step that fails is an error or a missing tier, never silence.
//!
//! Not here: what a call may reach (its grant says that), which places of a tree are protected.

mod capabilities;
pub mod child;
pub mod mounts;
pub mod namespaces;
pub mod paths;
pub mod resources;
pub mod server;
pub mod syscalls;
mod tiers;

use serde::{Deserialize, Serialize};

pub use tiers::{Tier, Tiers};

/// How much of a confinement must hold: the setting `sandbox` of a server.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Requirement {
    /// All of it, or nothing runs.
    Required,
    /// What this host has; receipts say what that is.
    #[default]
    BestEffort,
    /// Nothing is done; receipts say "off". For debuggers.
    Off,
}

/// Why a process that should be confined is not.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// A step that every supported kernel can do.
    #[error("cannot {what}: {why}")]
    Step {
        /// A verb with its object.
        what: &'static str,
        /// The operating system's reason.
        why: String,
    },
    /// A tier is missing, and `sandbox = "required"`.
    #[error(
        "sandbox = \"required\", but {tier} cannot be had here: {why}; it needs {needs}; with sandbox = \
         \"best-effort\" it runs with less, and receipts say so"
    )]
    Missing {
        /// As in [`Tiers`]: "landlock".
        tier: &'static str,
        /// What the host answered.
        why: String,
        /// What a host must have.
        needs: &'static str,
    },
}

/// An error of a step; `what` is a verb with its object.
fn step<E: std::fmt::Display>(what: &'static str) -> impl Fn(E) -> ConfineError {
    move |why| ConfineError::Step { what, why: why.to_string() }
}
