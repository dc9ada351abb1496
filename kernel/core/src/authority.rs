//! The authority gate's decisions. The whole pipeline, in its order (spec 30):
//!
//! | # | layer | where |
//! |---|---|---|
//! | 0 | budget | [`Budget::take`] |
//! | 1 | name | [`crate::catalog::Catalog::resolve`] |
//! | 2 | admission | [`admission::admit`]; for programs [`program`] |
//! | 3 | arguments | [`crate::schema::check`] |
//! | 4 | preparation | `engine::gate`, then [`crate::call::Checked::classify`] |
//! | 5 | hooks | `engine::hooks`, then [`judge`] |
//! | 6 | baseline | [`judge`], `baseline`, [`protected`] |
//! | 7 | rules | [`judge`], [`rules`]; what they deny below a tree that is read, and from programs: [`withheld`] |
//! | 8 | auto-review | [`judge`], [`floor`], [`taint`]; the guardian is `engine::guardian` |
//! | 9 | law | [`judge`], [`law`] |
//! | 10 | managed policy | [`judge`], [`managed`] |
//! | 11 | approval | [`judge`], [`Need::settled`], then [`Prompt::grant`] |
//! | 12 | recheck | [`Prompt::grant`], [`Permit::recheck`] |
//! | 13 | grant | `engine::dispatch`; what it lets programs reach: [`confinement`] |
//! | 14 | execution | the server |
//! | 15 | receipt | [`crate::receipt`] |
//!
//! From layer 6 on a result can only get tighter. A [`Permit`] is made in this module only, by
//! [`judge`] or by a yes that [`Prompt::grant`] checks against now, and dispatch consumes it: a call
//! that skipped the gate does not compile.
//!
//! Invariants: no posture widens plan (test `plan_refuses_whatever_the_posture`); a later layer never
//! takes back what an earlier one asked or refused (test `no_later_layer_widens`).
//!
//! Not here: waiting for a server, a hook, a guardian or a person (`engine`), reading files
//! (`tollgate-policy`).

pub mod admission;
mod baseline;
mod budget;
pub mod circumstances;
pub mod confinement;
pub mod floor;
mod hosts;
mod judge;
pub mod law;
pub mod managed;
mod need;
mod outlook;
mod permit;
pub mod policy;
pub mod program;
pub mod protected;
mod refusal;
pub mod rules;
pub mod taint;
pub mod withheld;
mod words;

pub use budget::Budget;
pub use circumstances::{Circumstances, HookSaid, Taint};
pub use judge::{Ruling, Verdict, judge};
pub use need::{Need, Settled, Why};
pub use outlook::{Outlook, Requires, outlook};
pub use permit::{Decider, Permit, Prompt};
pub use refusal::{Layer, Refusal};

#[cfg(test)]
mod tests;
