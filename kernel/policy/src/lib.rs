//! Reads what is laid down before any call: `permissions.toml`, `hooks.toml`, the repository's
//! `law.toml`, managed policy, and which workspaces are trusted. The meaning of all that is
//! `tollgate-core`'s.
//!
//! | file | whose | what it can do | broken |
//! |---|---|---|---|
//! | `permissions.toml` | the user's | [`rule`]: allow, ask, deny | nothing starts |
//! | `hooks.toml` | the user's | [`hooks`]: run programs, which may deny | nothing starts |
//! | `/etc/tollgate/managed.toml`, `TOLLGATE_MANAGED` | the owner's | [`managed`]: ask, deny, restrict | nothing starts |
//! | `.tollgate/law.toml` | the project's | [`law`]: ask and block where something is written | nothing is written |
//! | `.tollgate/hooks.toml` | the project's | as the user's, once the user has seen it | it does not count |
//! | `trust.json` | the user's | [`trust`]: which projects, and which files as seen | nothing is trusted |
//!
//! [`Policies`] reads them together when a session opens, and again when one of them changes. What breaks
//! then leaves its last good reading in force, and nothing that changes something runs until it is mended
//! ([`tollgate_core::authority::policy::Policy::broken`]).
//!
//! Invariants: nothing is ignored silently: an unknown key, tool or broken pattern is an error with
//! file, line and the nearest right name (test `every_fault_of_every_file_is_told_before_anything_starts`);
//! what cannot be read is never as if it was not there; a project can only tighten (test
//! `a_project_adds_nothing_but_law`), and its hooks count only as the user saw them.
//!
//! Not here: running hooks, asking people (`tollgate-engine`), options and `config.toml` (`tollgate`).

mod atomic;
pub mod error;
pub mod hooks;
mod law;
pub mod limits;
mod managed;
mod permissions;
mod place;
pub mod policies;
mod read;
mod rule;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod trust;

pub use error::{PolicyError, PolicyFault};
pub use policies::{Extra, Places, Policies, Standing};
